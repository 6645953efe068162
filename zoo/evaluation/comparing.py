"""Compares systems on the same texts: which is better, and which differences may be chance."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from zoo.answers import answers_of, probabilities_of
from zoo.answers.f1_scores import f1_of_classes
from zoo.datasets.corpus import Split
from zoo.datasets.own_files.tables import kind_of
from zoo.errors import UsageError, unknown
from zoo.evaluation.calibration import BINS
from zoo.evaluation.predictions_file import read_predictions
from zoo.evaluation.resampling import interval, mcnemar, resampled
from zoo.evaluation.scores import model_and_test
from zoo.explanation.html_page import page as html_page
from zoo.filesystem.atomic_files import check_new, whole, write_json
from zoo.filesystem.paths import expanded
from zoo.runs.run_folder import megabytes_of

if TYPE_CHECKING:
    from zoo.classifier import TextClassifier

RESAMPLES, CONFIDENCE = 1_000, 0.95
SHOWN = 5  # texts on which two systems differ that are shown by default
TIMED = 1_000  # texts, at most, on which speed is measured
FORMATS = (".json", ".csv")


@dataclass(eq=False)
class System:
    """A system whose answers are compared.

    Attributes:
        name: the name of the run, the model or the file.
        answers: ``[texts, ..]``, in the form of targets.
        probabilities: ``[texts, classes]``; None if a file does not have them.
        sure: ``[texts]``, the probability of each answer; None if a file does not have it.
        model: the model; None for a file.
        about: ``model``, ``megabytes``, ``parameters`` and ``texts_a_second``, where known.
    """

    name: str
    answers: np.ndarray
    probabilities: np.ndarray | None
    sure: np.ndarray | None
    model: "TextClassifier | None" = None
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Comparison:
    """A comparison of systems on the same texts; differences are to the first system.

    Attributes:
        names: the names of the systems.
        texts: the number of texts.
        confidence: the confidence of the intervals.
        scores: for each system and metric its value, with ``low`` and ``high`` of its interval, and
            the ``difference``, with ``low`` and ``high`` of its interval.
        tests: for each system except the first, how many texts only the first system answers
            rightly (``only_first``), how many only the other (``only_other``), and ``p`` of
            McNemar's exact test.
        classes: the scores of each system and class.
        systems: the model, megabytes and parameters of each system, and texts a second if measured.
        disagreements: texts that one system answers rightly and the other wrongly, the surest
            mistakes first, with the words that decided.
        explanations: explanations of these texts, by the names of runs.
    """

    names: list[str]
    texts: int
    confidence: float
    scores: pd.DataFrame
    tests: pd.DataFrame
    classes: pd.DataFrame
    systems: pd.DataFrame
    disagreements: pd.DataFrame
    explanations: Mapping[str, Sequence[Any]]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by their names."""
        names = ("scores", "tests", "classes", "systems", "disagreements")
        return {name: getattr(self, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """The comparison as a dictionary for JSON, with None where a value is not known."""
        told = {"names": self.names, "texts": self.texts, "confidence": self.confidence}
        rows = {name: _plain(table).to_dict("records") for name, table in self.tables.items()}
        return told | rows

    def write(self, path: str | Path) -> None:
        """Writes everything as ``.json``, or the scores as ``.csv``.

        Raises:
            UsageError: for a name with another ending, or if the file exists or cannot be written.
        """
        path = check_output(path)
        if path.suffix.lower() == ".json":
            write_json(path, self.to_dict())
            return
        with whole(path) as partial:
            self.scores.to_csv(partial, index=False)

    def page(self) -> str:
        """A self-contained HTML page: the tables, and the texts with their words shaded."""
        captions = {
            "scores": f"Scores on {self.texts:,} texts, with their {self.confidence:.0%} intervals",
            "tests": "Right and wrong: McNemar's exact test",
            "classes": "Classes",
            "systems": "Size and speed",
            "disagreements": "Texts that one has right and the other wrong",
        }
        tables = {name: _plain(table) for name, table in self.tables.items()}
        if len(self.explanations) == len(self.names):  # then all these texts are shown below
            del tables["disagreements"]
        shown = {captions[name]: table for name, table in tables.items() if len(table)}
        title = f"{' and '.join(self.names)}, compared"
        return html_page(self.explanations, title, tables=shown, opened=True)

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.names)} on {self.texts:,} texts>"

    def _repr_html_(self) -> str:
        return "".join(table.to_html(index=False) for table in self.tables.values())


def compare(
    *runs: "str | Path | TextClassifier",
    data: Any | None = None,
    answer_column: str | None = None,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    most: int = SHOWN,
    speed: bool = False,
    output: str | Path | None = None,
    page: str | Path | None = None,
    **columns: str,
) -> Comparison:
    """Compares runs, or a run with anyone's answers, on the same texts.

    Intervals come from the bootstrap: texts are drawn with replacement, the same texts for all
    systems, so that the interval of a difference compares answers to the same texts. The intervals
    say how results may change with other test texts, not with another seed of the training.

    Args:
        runs: run folders, or models that read texts and have labels; also files of answers, whose
            columns :func:`zoo.evaluation.predictions_file.read_predictions` describes. The first
            must be a run or a model, and the others are compared with it.
        data: labelled texts, as :func:`zoo.evaluate` takes them; by default the test split of the
            runs.
        answer_column: the column of a file of answers; by default ``predicted_label``,
            ``predicted``, ``prediction``, ``answer`` or ``label``.
        resamples: the number of resamples of the bootstrap.
        confidence: the confidence of the intervals, above 0 and below 1.
        seed: the seed of the bootstrap.
        most: how many of the texts on which a system differs from the first are shown and
            explained.
        speed: whether to measure texts a second, here and now.
        output: a new file for the result, ``.json`` with all of it or ``.csv`` with the scores.
        page: a new HTML file for the result.
        columns: the columns of ``data``, as for :func:`zoo.evaluate`.

    Returns:
        A :class:`Comparison`, which is shown as tables.

    Raises:
        UsageError: for fewer than two systems, for systems with different test texts or labels, or
            if a file cannot be read or written.

    Example:
        >>> import zoo
        >>> comparison = zoo.compare(run, other, data="reviews.csv", resamples=100)
        >>> sorted(comparison.scores["metric"].unique())
        ['accuracy', 'calibration_error', 'loss', 'macro_f1']
    """
    _check(runs, resamples, confidence, most)
    output = None if output is None else check_output(output)
    page = None if page is None else check_page(page)
    first, *others = runs
    if _is_file(first):
        raise UsageError(
            f"{first} is a file of answers: give a run first, whose test texts it answers"
        )
    if answer_column is not None and not any(map(_is_file, others)):
        raise UsageError("answer_column (--answer-column) is of a file of answers: there is none")
    model, test = model_and_test(first, data, "zoo.compare", **columns)
    texts, labels, kind = list(test), model.labels, model.kind
    if not texts:
        raise UsageError("there are no texts to compare on")
    names = _names(runs)
    systems = [_of_model(first, names[0], model, test, speed)]
    for run, name in zip(others, names[1:], strict=True):
        if _is_file(run):
            told = answer_column, columns.get("encoding")
            found = read_predictions(expanded(run), texts, labels, kind, *told)
            systems.append(System(name, *found, about={"model": "file"}))
            continue
        model, own = model_and_test(run, data, "zoo.compare", **columns)
        _check_same(names[0], systems[0].model, texts, test, name, model, list(own), own)
        systems.append(_in_order(_of_model(run, name, model, own, speed), labels))
    targets = test.targets
    scores, classes = _scored(kind, targets, systems, labels, resamples, confidence, seed)
    right = [kind.right(targets, one.answers) for one in systems]
    tests = [_test(names[0], right[0], name, own) for name, own in zip(names, right, strict=True)]
    shown, explanations = _disagreements(kind, labels, texts, targets, systems, right, most)
    found = Comparison(
        names=names,
        texts=len(texts),
        confidence=confidence,
        scores=scores,
        tests=pd.DataFrame(tests[1:]),
        classes=classes,
        systems=_about(systems),
        disagreements=shown,
        explanations=explanations,
    )
    if output is not None:
        found.write(output)
    if page is not None:
        with whole(page) as partial:
            partial.write_text(found.page(), "utf-8")
    return found


def check_output(path: str | Path) -> Path:
    """The path of a new file for the result.

    Raises:
        UsageError: for another kind of file, or if the file exists.
    """
    path = expanded(path)
    if path.suffix.lower() not in FORMATS:
        raise unknown(f"kind of output of {path}:", path.suffix, FORMATS)
    check_new(path)
    return path


def check_page(path: str | Path) -> Path:
    """The path of a new page.

    Raises:
        UsageError: if the name does not end in ``.html``, or the file exists.
    """
    path = expanded(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"page (--page) is HTML: end its name with .html, not as {path}")
    check_new(path, "--page")
    return path


def _check(runs, resamples, confidence, most):
    if len(runs) < 2:
        raise UsageError(f"two runs or more are compared, or a run and a file: got {len(runs)}")
    if resamples < 1:
        raise UsageError(f"resamples (--resamples) must be at least 1: got {resamples}")
    if not 0 < confidence < 1:
        raise UsageError(
            f"confidence (--confidence) must be above 0 and below 1 (0.95, not 95): got "
            f"{confidence}"
        )
    if most < 0:
        raise UsageError(f"most (--most) must be at least 0: got {most}")


def _is_file(run):
    is_path = isinstance(run, str | Path)
    return is_path and kind_of(run) is not None and not expanded(run).is_dir()


def _names(runs):
    """Short names of the systems, all different."""
    paths = [isinstance(run, str | Path) for run in runs]
    short = [
        expanded(run).resolve().name if is_path else run.name
        for run, is_path in zip(runs, paths, strict=True)
    ]
    names = [
        str(run) if is_path and short.count(name) > 1 else name
        for run, name, is_path in zip(runs, short, paths, strict=True)
    ]
    return [
        f"{name} ({names[:place].count(name) + 1})" if name in names[:place] else name
        for place, name in enumerate(names)
    ]


def _of_model(run, name, model, test: Split, speed):
    """The answers of a run or a model."""
    probabilities = probabilities_of(model, test)
    answers = answers_of(model, probabilities)
    about = {"model": model.name, "megabytes": None, "parameters": model.count_params()}
    if isinstance(run, str | Path):
        about["megabytes"] = megabytes_of(expanded(run))
    if speed:
        texts = list(test)[:TIMED]
        started = time.perf_counter()
        model.predict_texts(texts, verbose=0)
        about["texts_a_second"] = round(len(texts) / (time.perf_counter() - started))
    return System(
        *(name, answers, probabilities, model.kind.sureness(answers, probabilities)), model, about
    )


def _check_same(first, first_model, texts, test, name, model, own_texts, own):
    """Raises if a system has other labels or test texts than the first."""
    if model.kind is not first_model.kind or {*model.labels} != {*first_model.labels}:
        raise UsageError(
            f"{name} has other labels than {first} ({_some(model.labels)}; "
            f"{_some(first_model.labels)}): their answers cannot be compared"
        )
    told = f"{len(texts):,} and {len(own_texts):,} texts"
    if len(texts) == len(own_texts):
        order = [model.labels.index(label) for label in first_model.labels]
        wanted, given = (model.kind.indicators(one.targets, len(order)) for one in (test, own))
        differ = (wanted != given[:, order]).any(axis=-1) | (np.array(texts) != np.array(own_texts))
        if not differ.any():
            return
        told = f"text {np.flatnonzero(differ)[0] + 1} is another one, or has another label"
    raise UsageError(
        f"{first} and {name} have other test texts ({told}), and only the same ones compare: give "
        "some that none was trained on, as data (--data)"
    )


def _some(labels):
    return ", ".join(map(repr, labels[:5])) + ", .." * (len(labels) > 5)


def _in_order(system, labels):
    """The system, with its classes in the order of the labels."""
    own = system.model.labels
    if own == labels:
        return system
    order = [own.index(label) for label in labels]
    system.probabilities = system.probabilities[:, order]
    if system.answers.ndim > 1:
        system.answers = system.answers[:, order]
    else:
        system.answers = np.argsort(order)[system.answers]
    return system


def _scored(kind, targets, systems, labels, resamples, confidence, seed):
    """The tables of scores and of classes, with intervals."""
    texts, classes = len(targets), len(labels)
    parts = [_columns(kind, targets, one, classes) for one in systems]
    widths = [one.shape[1] for own in parts for one in own.values()]
    every = np.hstack([one for own in parts for one in own.values()])
    sums = np.vstack([every.sum(axis=0), resampled(every, resamples, seed)])  # all texts, resamples
    split = iter(np.split(sums, np.cumsum(widths)[:-1], axis=1))
    rows, of_classes, first = [], [], None
    for place, (system, own) in enumerate(zip(systems, parts, strict=True)):
        found = {name: next(split) for name in own}
        metrics = _measured(kind, found, texts)
        counts = [found[name] for name in ("both", "given", "wanted")]
        f1 = f1_of_classes(*counts)
        first = (metrics, f1) if first is None else first
        for name, values in metrics.items():
            row = {"name": system.name, "metric": name} | _told(values, confidence)
            if place and name in first[0]:
                row |= _told(values - first[0][name], confidence, "difference")
            rows.append(row)
        both, given, wanted = (one[0] for one in counts)
        for number, label in enumerate(labels):
            row = {"name": system.name, "class": label, "texts": int(wanted[number])}
            row["precision"] = float(both[number] / max(given[number], 1))
            row["recall"] = float(both[number] / max(wanted[number], 1))
            row |= _told(f1[:, number], confidence, "f1")
            if place:
                row |= _told(f1[:, number] - first[1][:, number], confidence, "difference")
            of_classes.append(row)
    return pd.DataFrame(rows), pd.DataFrame(of_classes)


def _columns(kind, targets, system, classes):
    """For each text, the numbers whose sums over texts give the scores, ``[texts, ..]`` each."""
    wanted, given = (kind.indicators(one, classes) for one in (targets, system.answers))
    found = {"right": kind.right(targets, system.answers)[:, None]}
    found |= {"both": wanted * given, "given": given, "wanted": wanted}
    claims = None
    if system.probabilities is not None:
        found["loss"] = kind.losses(targets, system.probabilities)[:, None]
        claims = kind.claims(system.probabilities, targets)
    elif system.sure is not None:
        claims = system.sure, found["right"][:, 0]
    if claims is not None:
        sure, right = (np.asarray(one, "float64").reshape(len(targets), -1) for one in claims)
        bins = np.minimum((sure * BINS).astype(int), BINS - 1)
        found["gaps"] = np.stack(
            [((right - sure) * (bins == one)).mean(axis=-1) for one in range(BINS)], axis=-1
        )
    return found


def _measured(kind, sums, texts):
    """The metrics of each resample, ``[resamples]``, from sums over its texts."""
    right = sums["right"][:, 0] / texts
    found = kind.measures(right, *(sums[name] for name in ("both", "given", "wanted")))
    if "loss" in sums:
        found["loss"] = sums["loss"][:, 0] / texts
    if "gaps" in sums:
        found["calibration_error"] = np.abs(sums["gaps"]).sum(axis=-1) / texts
    return found


def _told(values, confidence, name="value"):
    """The first of the values, and the interval of the others, which are of resamples."""
    low, high = interval(values[1:], confidence)
    ends = ("low", "high") if name in ("value", "f1") else (f"{name}_low", f"{name}_high")
    return {name: float(values[0]), ends[0]: low, ends[1]: high}


def _about(systems):
    table = pd.DataFrame([{"name": one.name} | one.about for one in systems])
    whole_numbers = {"parameters", "texts_a_second"} & {*table}
    return table.astype(dict.fromkeys(whole_numbers, "Int64"))


def _test(first, right, name, own):
    only_first, only_other, p = mcnemar(right, own)
    told = {"name": name, "first": first, "only_first": only_first, "only_other": only_other}
    return told | {"p": p}


def _disagreements(kind, labels, texts, targets, systems, right, most):
    """Texts that one system answers rightly and another wrongly, and their explanations by run."""
    first, chosen = systems[0], []
    for system, own in zip(systems[1:], right[1:], strict=True):
        places = np.flatnonzero(own != right[0])
        sure = np.zeros(len(targets))
        for one, is_right in ((first, right[0]), (system, own)):
            if one.sure is not None:
                sure = np.where(is_right, sure, one.sure)
        order = places[np.argsort(-sure[places], kind="stable")][:most]
        chosen += [(system, own, place) for place in order]
    places = sorted({place for *_, place in chosen}, key=[one for *_, one in chosen].index)
    label, *answers = (
        [kind.written(one) for one in kind.named(found, labels)]
        for found in (targets, *(one.answers for one in systems))
    )
    explanations = {}
    for one in systems if places else systems[:1]:
        if one.model is not None:
            own = [texts[place] for place in places]
            known = [label[place] for place in places]
            explanations[one.name] = one.model.explain(own, known, pairs=False) if own else []
    words = {
        (name, place): explained.strongest()
        for name, own in explanations.items()
        for place, explained in zip(places, own, strict=True)
    }
    rows = []
    for system, own, place in chosen:
        good, bad = (system, first) if own[place] else (first, system)
        wrong = answers[systems.index(bad)][place]
        sure = None if bad.sure is None else float(bad.sure[place])
        rows.append(
            {
                "right": good.name,
                "wrong": bad.name,
                "label": label[place],
                "answer": wrong,
                "probability": sure,
                "text": texts[place],
                "words_of_right": words.get((good.name, place)),
                "words_of_wrong": words.get((bad.name, place)),
            }
        )
    return pd.DataFrame(rows), explanations


def _plain(table):
    """The table with None in place of missing values."""
    return table.astype(object).where(table.notna(), None)
