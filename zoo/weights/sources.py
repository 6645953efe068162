"""Where weights come from: what a value of the setting ``weights`` names."""

import logging
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from zoo.datasets.vectors.english import english_share
from zoo.datasets.vectors.published import PUBLISHED, fetched
from zoo.filesystem.paths import expanded
from zoo.settings import WEIGHTS, TrainSettings

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

ENOUGH = 0.8  # of the running words: English texts have 0.94 and more, French ones 0.7
COUNTED = 10_000  # texts, at most, of which the running words are counted

logger = logging.getLogger("zoo")


def is_run(weights: str | Path) -> bool:
    """Whether weights are those of a run, and not word vectors: it is a folder."""
    return weights not in WEIGHTS and expanded(weights).is_dir()


def automatic(
    model: "TextClassifier", settings: TrainSettings, texts: Iterable[str], clean_up: str
) -> str:
    """What the setting ``weights="auto"`` stands for; says so in a line.

    Args:
        model: with its options, before it has seen the texts.
        settings: of the training.
        texts: for training.
        clean_up: by which they become words.

    Returns:
        "english" where the table knows most of the running words; for a paper's preset the vectors
        of the paper, if they are at hand; "word2vec" for unlabelled texts; else "none".
    """
    from zoo.datasets.text.text_tensors import text_dataset
    from zoo.datasets.text.tokens import split_words

    if not model.reads_word_vectors:
        return "none"
    if settings.unlabelled is not None:
        return "word2vec"
    if settings.preset is not None:
        return _of_paper(settings.preset, model.preset_weights.get(settings.preset, "none"))
    if not model.single_words:
        return "none"
    counts: Counter[bytes] = Counter()
    for chunk in text_dataset(list(islice(texts, COUNTED))).batch(1024):
        counts.update(split_words(chunk, clean_up).flat_values.numpy().tolist())
    share = english_share({word.decode(): count for word, count in counts.items()})
    enough = share >= ENOUGH
    logger.info(
        "The English word vectors of zoo know %.0f%% of the running words: %s",
        *(100 * share, "training starts with them" if enough else "too few to start with them"),
    )
    return "english" if enough else "none"


def _of_paper(preset, vectors):
    """The vectors of a paper's preset, if they need not be fetched first."""
    if vectors not in PUBLISHED or fetched(vectors):
        return vectors
    logger.info(
        "%s starts with %s, which have not been fetched: --weights %s fetches them; they start "
        "random here",
        *(preset, vectors, vectors),
    )
    return "none"
