"""Which words decided, where a model looked, and what either is worth."""
