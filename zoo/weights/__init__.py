"""What a model knows before it sees a text of yours, and where that comes from."""
