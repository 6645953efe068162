"""Small models of every kind, with the words of these texts."""

import zoo
from zoo.datasets import Preprocessor

TEXTS = [
    "Don't go there. The  ROOM was, well, d\u00e9j\u00e0 vu!",
    "",
    "Fine",
    "bad bad room. Fine.",
]
WORDS = ["dont", "go", "the", "room", "was", "fine", "bad", ".", "!"]


def built(name):
    model = zoo.build(name, 2, vocabulary_size=len(WORDS) + 2, max_words=12, embedding_dim=24)
    model.preprocessor = Preprocessor(
        WORDS,
        model.max_words,
        model.max_sentences,
        clean_up="relations" if model.entities else "hcan",
        ngrams=model.ngrams,
        entities=model.entities,
    )
    model.labels = ["no", "yes"]
    model.run_eagerly = True  # tracing takes seconds
    return model
