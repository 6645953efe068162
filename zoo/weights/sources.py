"""Where weights come from: what a value of the setting ``weights`` names."""

import json
import logging
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.datasets.vectors import english
from zoo.datasets.vectors.published import PUBLISHED, fetched
from zoo.errors import UsageError
from zoo.filesystem.paths import expanded
from zoo.runs.run_config import read_config
from zoo.settings import WEIGHTS, TrainSettings
from zoo.weights.start import Start
from zoo.weights.weights_folder import find_weights, is_here

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier
    from zoo.datasets.corpus import Corpus

logger = logging.getLogger("zoo")


def is_run(weights: str | Path) -> bool:
    """Whether weights are those of a run: a folder, and not one in Hugging Face's format."""
    folder = expanded(weights)
    return weights not in WEIGHTS and folder.is_dir() and not _is_hugging_face(folder)


def _is_hugging_face(folder):
    with suppress(OSError, ValueError):
        return "model_type" in json.loads((folder / "config.json").read_text("utf-8"))
    return False


def _is_bert(weights, model):
    """Whether weights are those of a BERT: by name, in a folder, or on the hub."""
    if weights in WEIGHTS:
        return weights == "minilm"
    path = expanded(weights)
    # A folder of that owner's name is one of the user's: a file in it is missing.
    on_hub = str(weights).count("/") == 1 and not path.suffix and not path.parent.is_dir()
    return path.is_dir() or (model.reads_bert_weights and on_hub)


def _needed_clean_up(corpus):
    """The clean-up that the marks of entities need; any other is a habit of the texts."""
    clean_up = corpus.clean_up if corpus is not None else None
    return clean_up if clean_up and CLEAN_UPS[clean_up].marks_entities else None


def find_start(
    weights: str | Path,
    model: "TextClassifier",
    options: dict[str, Any],
    corpus: "Corpus | None" = None,
    **word2vec: Any,
) -> Start:
    """What a value of the setting ``weights``, other than "auto", stands for.

    Args:
        weights: the value.
        model: with the user's options; not built.
        options: those that are told: by the user, a preset, or the name of the model.
        corpus: that is learnt from; None where it is not known.
        word2vec: how it is trained.

    Raises:
        UsageError: if the model cannot start with that, or it is not there.
    """
    if weights == "none":
        return Start(weights, model, options)
    if is_run(weights):
        from zoo.weights.run_weights import RunWeights

        return RunWeights(weights, model, options, _needed_clean_up(corpus))
    if _is_bert(weights, model):
        from zoo.weights.bert_start import BertWeights

        return BertWeights(weights, model, options, corpus)
    path = expanded(weights)
    is_missing = weights not in WEIGHTS and not (path.suffix or path.exists())
    if is_missing and any(path.parent.glob("*/config.json")):
        read_config(path)  # its error names similar runs
    from zoo.weights.word_vectors import WordVectors

    return WordVectors(weights, model, options, corpus, **word2vec)


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
        "english", for bert "minilm" if that is installed, where the table knows most of the
        running words; for a paper's preset the vectors of the paper, if they are at hand;
        "word2vec" for unlabelled texts that no teacher answers; else "none".
    """
    if not (model.reads_word_vectors or model.reads_vectors_apart):
        return "none"
    if settings.unlabelled is not None and settings.teacher is None:
        return "word2vec"
    if settings.preset is not None:
        return _of_paper(settings.preset, model.preset_weights.get(settings.preset, "none"))
    if not (model.single_words or model.reads_vectors_apart):
        return "none"
    share = english.english_share_of(texts, clean_up)
    weights, told = "none", "too few to start with them"
    if share >= english.ENOUGH:
        weights, told = "english", "training starts with them"
        if model.reads_bert_weights:
            if is_here("minilm") and _fits_minilm(settings.options):
                weights, told = "minilm", "training starts with those of MiniLM"
            else:
                told += "; MiniLM knows more (--weights minilm)"
    logger.info(
        "The English word vectors of zoo know %.0f%% of the running words: %s", 100 * share, told
    )
    return weights


def _fits_minilm(options):
    """Whether a ``bert`` with these options can start with MiniLM, which decides most others."""
    from zoo.weights.bert_format import read_bert
    from zoo.weights.bert_start import bert_options

    encoder = read_bert(find_weights("minilm"))
    try:
        bert_options(encoder, **options)
    except UsageError:
        return False
    return True


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
