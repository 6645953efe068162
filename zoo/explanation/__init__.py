"""Which words decided an answer, where a model looked, and how far either can be trusted."""
