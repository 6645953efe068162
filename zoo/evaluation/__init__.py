"""Answers, and how good they are."""
