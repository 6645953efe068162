"""Explanations of the texts of a run, of files, or of what is in memory."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.errors import UsageError
from zoo.evaluation.labelling import model_and_texts
from zoo.evaluation.report import read_mistakes
from zoo.evaluation.scores import read_test_split
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import load

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier
    from zoo.explanation.explain import Explanations


def explain(
    run: "str | Path | TextClassifier",
    data: Any | Iterable[str] | None = None,
    *,
    text_column: str | None = None,
    on_bad_row: str = "fail",
    encoding: str | None = None,
    most: int = 20,
    mistakes: bool = False,
    pairs: bool = True,
) -> "Explanations":
    """Shows which words decided what a model answers to texts, and where its attention was.

    Args:
        run: a run folder, or a model that reads texts.
        data: texts, or what :func:`zoo.predict` takes; by default the test split of the run.
        text_column, on_bad_row, encoding: see :func:`zoo.predict`.
        most: how many texts are explained: the first ones.
        mistakes: True explains the texts of the run's worst mistakes instead of ``data``.
        pairs: see :func:`zoo.explanation.explain.explain`.

    Returns:
        A list with a :class:`zoo.explanation.explanation.Explanation` for each text.

    Raises:
        UsageError: if the run or the data cannot be read.

    Example:
        >>> import zoo
        >>> (explanation,) = zoo.explain(run, ["A fine film."])
        >>> explanation.label, max(explanation.words, key=lambda word: word.contribution).text
        ('good', 'fine')
    """
    model, texts, targets = chosen_texts(
        run, data, text_column, on_bad_row, encoding, most, mistakes
    )
    return model.explain(texts, targets, pairs)


def chosen_texts(
    run: "str | Path | TextClassifier",
    data: Any | Iterable[str] | None = None,
    text_column: str | None = None,
    on_bad_row: str = "fail",
    encoding: str | None = None,
    most: int = 20,
    mistakes: bool = False,
) -> "tuple[TextClassifier, list[str], list[str] | None]":
    """The model, the texts that are explained, and their labels where these are known.

    For what the arguments mean, and what it raises, see :func:`explain`.
    """
    if most < 1:
        raise UsageError(f"most (--most) must be at least 1: got {most}")
    if data is not None and mistakes:
        raise UsageError("the mistakes are those of the run: leave out data")
    if data is not None:
        model, texts = model_and_texts(run, data, text_column, on_bad_row, encoding)
        if not (texts := list(islice(texts, most))):
            raise UsageError(f"{data if isinstance(data, str | Path) else 'data'} has no texts")
        return model, texts, None
    if not isinstance(run, str | Path):
        raise UsageError("a model has no test split: give texts, as data")
    model = load(run)
    if mistakes:
        if not (rows := read_mistakes(Path(run))[:most]):
            raise UsageError(f"{run} made no mistakes on its test split")
        return model, [row["text"] for row in rows], [row["label"] for row in rows]
    split = read_test_split(read_config(run), most)
    return model, list(split), model.kind.named(split.targets, model.labels)
