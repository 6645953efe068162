"""Where a model looked, and what that is worth."""
