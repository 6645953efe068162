"""Weights that a model may start with, trained elsewhere."""
