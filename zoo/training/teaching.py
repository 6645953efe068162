"""A teacher: a small model learns from a larger model's answers to unlabelled texts.

Tang et al. 2019, "Distilling Task-Specific Knowledge from BERT into Simple Neural Networks": a
small model that learns the teacher's probabilities for many texts comes close to the teacher.
Hinton et al. 2015, "Distilling the Knowledge in a Neural Network": it learns them at a high
temperature, at which the teacher tells more of the classes that it holds for less probable.
"""

import dataclasses
import hashlib
import logging
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from zoo.answers import probabilities_of, softened, with_shares
from zoo.datasets.corpus import Corpus, Split
from zoo.datasets.own_files.reading import column_of, read_labelled
from zoo.datasets.own_files.tables import kind_of
from zoo.datasets.own_files.text_files import well_formed
from zoo.datasets.text.clean_ups import CLEAN_UPS
from zoo.datasets.text.variations import Variations, neighbours, words_in
from zoo.datasets.vectors import english
from zoo.datasets.vectors.word2vec import cache_folder
from zoo.errors import UsageError, unknown
from zoo.evaluation.calibration import ends_in_logits
from zoo.evaluation.prediction import OF_CLASS
from zoo.filesystem.atomic_files import whole
from zoo.filesystem.paths import expanded
from zoo.progress import progress
from zoo.recipes import MANY_CLASSES
from zoo.registry import list_models
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import load
from zoo.settings import TrainSettings
from zoo.weights.sources import is_run

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

TAUGHT = "taught.parquet"  # in checkpoint/ of a run folder: what a training that goes on reads
MOST, MOST_WORDS = 20_000, 1_000_000  # that the teacher answers, where nothing else is said
AT_ONCE = 500  # texts, whose answers are kept together: so many a kill loses
TEMPERATURE = 4.0  # of the answers that are learnt, where a text has one of few labels
SHARE_OF_TIME = 0.5  # of the minutes, at most: to train the teacher; of the rest, to answer

logger = logging.getLogger("zoo")


def is_model(teacher: str | Path | None) -> bool:
    """Whether a teacher is the name of a model, which is trained first, and no path."""
    return teacher in list_models() and not expanded(teacher).exists()


def check_teacher(settings: TrainSettings) -> None:
    """Refuses a teacher that does not fit the training, before anything is written.

    Raises:
        UsageError: for a path that does not exist, a run with another kind of answers, and settings
            that do not go with the teacher.
    """
    if settings.teacher is None:
        if settings.variations is not None:
            raise UsageError("variations need a teacher, which answers them: give one (--teacher)")
        return
    if settings.processes > 1:
        raise UsageError(
            "a teacher needs a training by one process: leave out coordinator and processes"
        )
    if is_model(settings.teacher):
        return
    path = expanded(settings.teacher)
    if re.fullmatch("[a-z0-9_]+", str(settings.teacher)) and not path.exists():
        raise unknown("teacher", settings.teacher, [*list_models(), "a run", "a file of answers"])
    if is_run(path) or not (kind_of(path) or path.exists()):  # its error names similar runs
        read_config(path)
    elif settings.unlabelled is not None or settings.variations is not None:
        raise UsageError(
            f"{path} is a file of answers, which has its own texts: leave out unlabelled "
            "(--unlabelled-data) and variations"
        )


def taught(corpus: Corpus, settings: TrainSettings, folder: Path) -> Corpus:
    """The corpus, with the texts that a teacher answered added to its training split.

    Without a teacher it is returned as it is.

    Args:
        corpus: a corpus in splits.
        settings: the settings of the training.
        folder: the run folder, which keeps the answers until the training has ended.

    Raises:
        UsageError: if the teacher knows other labels, or cannot be read.
    """
    if settings.teacher is None:
        return corpus
    path = folder / "checkpoint" / TAUGHT
    if not path.exists():
        if is_run(settings.teacher):
            texts, shares = _of_run(corpus, settings)
        else:
            texts, shares = _of_file(corpus, settings.teacher)
        if not texts:
            raise UsageError(
                "the teacher has no text to answer that is not among the labelled ones: give "
                "others (--unlabelled-data), or variations above 0"
            )
        path.parent.mkdir(exist_ok=True)
        with whole(path) as partial:
            pd.DataFrame({"text": texts, "shares": list(shares)}).to_parquet(partial)
    found = pd.read_parquet(path)
    return _with(corpus, list(found["text"]), np.stack([*found["shares"]]))


def temperature_of(classifier: "TextClassifier", settings: TrainSettings) -> float:
    """The temperature at which a model learns, after which its logits are multiplied by it.

    It is 1 without a teacher, and where logits cannot be multiplied. It is also 1 with many
    classes, as a high one makes them all probable: Banking77's accuracy falls with it. And it is 1
    with several labels a text, for which a high one has not been measured.
    """
    if settings.teacher is None or not ends_in_logits(classifier):
        return 1.0
    several, many = classifier.kind.has_thresholds, classifier.num_classes >= MANY_CLASSES
    return 1.0 if several or many else TEMPERATURE


def at_temperature(corpus: Corpus, temperature: float) -> Corpus:
    """The corpus with training targets at a temperature, at which a one stays nearly one."""
    train = corpus.train
    targets = corpus.kind.with_temperature(train.targets, temperature).astype("float32")
    return dataclasses.replace(corpus, train=Split(train.texts, targets, train.weights))


def thresholds_of(teacher: str | Path) -> list[float] | None:
    """The teacher's thresholds, if it is a run for several labels a text that has thresholds."""
    return load(teacher).thresholds if is_run(teacher) else None


def _with(corpus, texts, shares):
    """The corpus with further training texts, and targets that are shares of labels."""
    classes = len(corpus.labels)
    splits = {}
    for name in ("train", "validation", "test"):
        own = getattr(corpus, name)
        targets, more, weights = softened(own.targets, classes), [], own.weights
        if name == "train":
            targets, more = np.concatenate([targets, shares]), texts
            if weights is not None:  # a text of the teacher's counts as one of the mean weight
                weights = np.append(weights, np.full(len(texts), weights.mean()))
        splits[name] = Split([*own, *more], targets, weights)
    kind = with_shares(corpus.kind)
    return dataclasses.replace(corpus, **splits, unlabelled=None, kind=kind)


def _of_run(corpus, settings):
    """Texts, and a run's answers to them, ``[texts, classes]`` float32."""
    run = expanded(settings.teacher)
    config, model = read_config(run), load(run)
    if config.kind.name != corpus.kind.name:
        raise UsageError(
            f"{run} gives {config.kind.name} label a text, the data have {corpus.kind.name}: a "
            "teacher must answer as the new model shall"
        )
    if wrong := [label for label in corpus.labels if label not in model.labels]:
        raise unknown(
            f"label of {settings.data}, which {run} does not know:", wrong[0], model.labels
        )
    if wrong := [label for label in model.labels if label not in corpus.labels]:
        raise unknown(f"label of {run}, which the data lack:", wrong[0], corpus.labels)
    unlabelled, varied = _texts(corpus, settings)
    logger.info(
        "The teacher %s answers %s texts: %s without labels, %s variations of texts",
        *(run, *(f"{n:,}" for n in (len(unlabelled) + len(varied), len(unlabelled), len(varied)))),
    )
    texts = [*map(well_formed, (*unlabelled, *varied))]
    seconds = None if settings.minutes is None else 60 * SHARE_OF_TIME * settings.minutes
    answers = _answers(model, run, texts, seconds)
    if len(answers) < len(texts):
        logger.info("It answered %s of them in that time", f"{len(answers):,}")
    order = [model.labels.index(label) for label in corpus.labels]
    return texts[: len(answers)], answers[:, order]


def _texts(corpus, settings):
    """Texts without labels, and variations of these and of those for training.

    None of them is a text that is judged by.
    """
    random = np.random.default_rng(settings.seed)
    judged = {text.strip() for split in (corpus.validation, corpus.test) for text in split}
    known = judged.union(text.strip() for text in corpus.train)
    given = dict.fromkeys(text.strip() for text in corpus.unlabelled or ())
    unlabelled = [text for text in given if text and text not in known]
    enough = _enough([*corpus.train, *unlabelled])
    most = enough if settings.unlabelled is None else len(unlabelled)
    if len(unlabelled) > most:  # of a corpus that has many
        logger.info("%s of its %s texts without labels", f"{most:,}", f"{len(unlabelled):,}")
    unlabelled = [unlabelled[i] for i in random.permutation(len(unlabelled))[:most]]
    count = settings.variations
    if count is None:
        count = max(0, enough - len(unlabelled))
    clean_up = settings.clean_up or corpus.clean_up
    if clean_up in CLEAN_UPS and CLEAN_UPS[clean_up].marks_entities:
        count = 0  # which would lose their marks
    if not count:
        return unlabelled, []
    texts = [*corpus.train, *unlabelled]
    words = words_in(texts)
    near = {}
    if english.english_share(words) >= english.ENOUGH:
        near = neighbours(words, english.english_vectors())
    drawn = Variations(texts, near, settings.seed).draw(count)
    return unlabelled, [text for text in drawn if text not in judged]


def _enough(texts):
    """How many such texts a teacher answers where nothing else is said."""
    words = sum(len(text.split()) for text in texts)
    return min(MOST, int(MOST_WORDS * len(texts) / max(1, words)))


def _answers(
    model: "TextClassifier", run: Path, texts: Sequence[str], seconds: float | None
) -> np.ndarray:
    """``[texts, classes]`` float32; of the first texts alone, where time is short.

    They are kept by content, so that a training that is begun again need not wait.
    """
    digest = hashlib.sha256((run / "model.keras").read_bytes()).hexdigest()
    parts = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
    cache, found, started = cache_folder().with_name("answers"), [], time.perf_counter()
    for part in progress(parts, "The teacher answers", len(texts), size=len):
        if seconds is not None and found and time.perf_counter() - started > seconds:
            break
        found.append(_kept(cache, model, digest, part))
    return np.concatenate(found) if found else np.zeros((0, model.num_classes), "float32")


def _kept(cache, model, digest, texts):
    key = hashlib.sha256("\0".join([digest, *texts]).encode()).hexdigest()
    path = cache / f"{key[:32]}.npy"
    try:
        answers = np.load(path)
        if answers.shape == (len(texts), model.num_classes):
            return answers
    except (OSError, ValueError):  # none yet, or a damaged one
        pass
    answers = probabilities_of(model, texts).astype("float32")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with whole(path) as partial, partial.open("wb") as file:
            np.save(file, answers)
    except OSError as error:
        logger.warning("cannot keep the teacher's answers in %s: %s", cache, error.strerror)
    return answers


def _of_file(corpus, path):
    """Texts of a file, and how much of each label they have, ``[texts, classes]`` float32."""
    path = expanded(path)  # as zoo predict may have written it
    of_classes = column_of(path, [f"{OF_CLASS}{label}" for label in corpus.labels])
    column = of_classes or column_of(path, "probabilities") or None
    frame = read_labelled(path, label_column=column, form="distribution")
    numbers = {label: number for number, label in enumerate(corpus.labels)}
    if of_classes:
        frame["label"] = [
            tuple((name.removeprefix(OF_CLASS), share) for name, share in row)
            for row in frame["label"]
        ]
    for label in sorted({name for row in frame["label"] for name, _ in row}):
        if label not in numbers:
            raise unknown(f"label in {path}:", label, corpus.labels)
    judged = {text.strip() for split in (corpus.validation, corpus.test) for text in split}
    frame = frame[~frame["text"].isin(judged)]
    return list(frame["text"]), with_shares(corpus.kind).encoded(frame["label"], numbers)
