"""The corpora of the papers."""
