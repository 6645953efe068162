"""Anybody's own files."""
