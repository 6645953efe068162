"""From texts to words and ids."""
