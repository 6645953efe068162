"""From data and a model's name to a run folder."""
