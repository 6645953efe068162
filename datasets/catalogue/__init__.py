"""The papers' corpora."""
