"""The models, one file a paper. ``zoo.build`` imports what it needs."""
