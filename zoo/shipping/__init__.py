"""Models in formats to ship."""
