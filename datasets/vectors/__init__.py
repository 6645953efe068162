"""Word vectors."""
