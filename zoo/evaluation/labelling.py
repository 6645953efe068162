"""Labels beside the rows of a table, as ``zoo predict`` writes them."""

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from zoo.datasets.loading import is_corpus
from zoo.datasets.loading import load as load_corpus
from zoo.datasets.own_files.in_memory import as_table
from zoo.datasets.own_files.reading import column_of, is_path, stream_texts, table_kind
from zoo.datasets.own_files.text_files import composed, well_formed
from zoo.datasets.text.given_texts import check_texts
from zoo.errors import UsageError
from zoo.evaluation.familiarity import familiar_to
from zoo.evaluation.prediction import (
    columns_of_answers,
    names_beside,
    only_sure,
    plain,
    rows_beside,
)
from zoo.evaluation.prediction import predict as answers_of
from zoo.evaluation.sureness import least_sureness
from zoo.filesystem.paths import expanded
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import load

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier


def predict(
    run: "str | Path | TextClassifier",
    data: Any | Iterable[str],
    *,
    text_column: str | None = None,
    on_bad_row: str = "fail",
    encoding: str | None = None,
    keep_columns: bool = True,
    probabilities: bool = False,
    sure: float | None = None,
) -> pd.DataFrame:
    """Labels the texts of a table, of files, or of a list.

    Args:
        run: a run folder, or the model that :func:`zoo.load` made of one.
        data: texts; a DataFrame, ``(texts, labels)`` or a ``tf.data.Dataset``; a table, a folder,
            a ``.txt`` file or a glob, as :func:`zoo.datasets.read_texts` takes it; or the name of a
            corpus, whose test split is labelled.
        text_column: the column of the texts, by default the run's, else ``text`` or a well-known
            name.
        on_bad_row: "fail", or "skip", which leaves bad rows out of the answers and reports them.
        encoding: the encoding of files that are not UTF-8, such as "cp1252".
        keep_columns: whether answers follow all columns of a table, or only the text and the place
            that it is from.
        probabilities: whether each class gets a separate column, ``probability_<label>``.
        sure: the share of answers that should be right, such as 0.95. The validation split of the
            run says how sure an answer must be for that. Texts with less sure answers, and
            texts whose words are rarer than those of nearly all validation texts, get no label (a
            missing value) but a ``reason``, so that a person can answer them.

    Returns:
        A row for each row of the data, in the same order and, for a DataFrame, with the same
        index. The last columns are ``label``, its ``probability`` and the probabilities of the
        classes. Where the table already has a column of that name, the name of the new one begins
        with ``predicted_``. The values of a file stay as they are written: text, except in JSON
        and Parquet.

    Raises:
        UsageError: if the run or the data cannot be read.

    Example:
        >>> import pandas as pd
        >>> import zoo
        >>> answers = zoo.predict(run, pd.DataFrame({"id": [7], "text": ["A fine film."]}))
        >>> answers[["id", "text", "label"]]
           id          text label
        0   7  A fine film.  good
    """
    least = None if sure is None else least_sureness(_folder_of(run), sure)
    model, column, data = _opened(run, data, text_column, encoding)
    if isinstance(data, pd.DataFrame):
        rows = list(stream_texts(data, column, on_bad_row))
        texts = [text for _, text in rows]
        found = data.iloc[[place["line"] - 1 for place, _ in rows]]
        found = found if keep_columns else pd.DataFrame({"text": texts}, index=found.index)
    else:
        keep = False
        if isinstance(data, str | Path):
            keep = keep_columns and table_kind(data) is not None
            rows = list(stream_texts(data, column, on_bad_row, encoding, keep))
        else:
            rows = [({}, text) for text in _listed(data)]
        texts = [text for _, text in rows]
        found = pd.DataFrame(plain(row if keep else row | {"text": text}) for row, text in rows)
    told = columns_of_answers(model.labels, "csv", probabilities, reason=least is not None)
    names = names_beside(found.columns, told)
    nothing, answers = itertools.repeat({}), answers_of(model, texts)
    if least is not None:
        answers = only_sure(answers, least, familiar_to(_folder_of(run)))
    answers = pd.DataFrame(
        rows_beside(nothing, answers, names, whole=True),
        found.index,
        names.values(),
    )
    return pd.concat([found, answers], axis=1)


def _folder_of(run):
    if not isinstance(run, str | Path):
        raise UsageError(
            "sure (--sure) needs the folder of a run, which has its validation split's"
        )
    return expanded(run)


def model_and_texts(
    run: "str | Path | TextClassifier",
    data: Any,
    text_column: str | None = None,
    on_bad_row: str = "fail",
    encoding: str | None = None,
) -> "tuple[TextClassifier, Iterable[str]]":
    """The model and the texts of the data, which may be as for :func:`predict`."""
    model, column, data = _opened(run, data, text_column, encoding)
    if isinstance(data, str | Path | pd.DataFrame):
        return model, (text for _, text in stream_texts(data, column, on_bad_row, encoding))
    return model, _listed(data)


def _opened(run, data, column, encoding):
    """The model, the column of texts, and the data as a table, a path or texts."""
    data, model = as_table(data, labelled=False), run
    if is_corpus(data):
        data = list(load_corpus(data).split().test)
    if isinstance(run, str | Path):
        model = load(run)
        if column is None and isinstance(data, str | Path | pd.DataFrame):
            column = column_of(data, read_config(run).settings.text_column, encoding)
    if isinstance(data, str) and not is_path(data):
        raise UsageError(f"no such file: {data}; texts are given as a list: [{data[:60]!r}]")
    return model, column, data


def _listed(texts):
    check_texts(texts)
    if not isinstance(texts, Iterable):
        raise UsageError(f"texts, a table or a file are wanted: got {texts!r}")
    return [composed(well_formed(text)) for text in texts]
