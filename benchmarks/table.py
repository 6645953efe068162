"""A table of test accuracies: the paper's numbers, and how its rows are trained here."""

import dataclasses
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

import zoo
from benchmarks.claims import MEAN, Claim, as_table, by_chance, judged, packed
from benchmarks.report import machine
from zoo import datasets
from zoo.datasets.text.tokens import split_words
from zoo.datasets.vectors.word2vec import cache_folder, train_word2vec
from zoo.filesystem.atomic_files import whole
from zoo.registry import solves

IMDB_VECTORS = (
    "Word vectors of 300 numbers, trained by word2vec on IMDB's 75,000 training and unlabelled "
    "reviews, stand in for the paper's, trained on far more text."
)
LINEAR = (
    "The weights of linear systems on counts are their word table, so that the other parameters "
    "are few. Scikit-learn's strength of regularisation (of naive Bayes, of its smoothing), 1, is "
    "not tuned."
)


@dataclass(frozen=True)
class System:
    """A row: a system by its name in the paper.

    Attributes:
        name: its name in the paper.
        model: a name of ``zoo list``.
        paper: the paper's test accuracy in percent on each corpus of the table, None where it has
            none; empty if the paper has no numbers for this system.
        train: arguments of :func:`zoo.train` in addition to the table's.
        elsewhere: the paper's accuracies on corpora that are not available.
        corpora: the corpora on which it is run; if empty, all corpora of the table.
        teacher: arguments of :func:`zoo.train` for the run that teaches it, if there is one.
    """

    name: str
    model: str
    paper: tuple[float | None, ...] = ()
    train: dict[str, Any] = field(default_factory=dict)
    elsewhere: tuple[float | None, ...] = ()
    corpora: tuple[str, ...] = ()
    teacher: dict[str, Any] | None = None


@dataclass(frozen=True)
class Table:
    """A table of a paper.

    Attributes:
        title: the paper, and the table's number.
        corpora: names of the catalogue, each with its name in the paper.
        systems: the rows.
        train: arguments of :func:`zoo.train` for all rows.
        train_on: further arguments for single corpora.
        claims: claims about which system is better, which are tested.
        footnotes: departures from the paper, which are printed below the table.
        metric: what is measured: "accuracy" or a score of ``metrics.json`` that ends in "_f1".
        elsewhere: names of the paper's corpora that are not available, whose numbers are shown.
        vectors: width of word vectors trained on IMDB's reviews, which replace the paper's in rows
            that do not set weights; None for none.
        rates: learning rates, from which the validation split chooses in each training; if empty,
            the recipe's. Systems with a solver, and rows with a recipe, have no choice.
        shown: rows for docs/measured.md, each with a corpus.
        mean: whether there is also a column for the mean of the corpora.
        texts: the largest number of training texts, which the seed draws, and of test texts, which
            are the same in all trainings; None for all texts.
        seeds: number of trainings that are planned for each row.
        reference: the source of the numbers with which ours are compared.
    """

    title: str
    corpora: dict[str, str]
    systems: list[System]
    train: dict[str, Any]
    claims: list[Claim]
    footnotes: list[str]
    metric: str = "accuracy"
    elsewhere: tuple[str, ...] = ()
    train_on: dict[str, dict[str, Any]] = field(default_factory=dict)
    rates: tuple[float, ...] = ()
    shown: tuple[tuple[str, str], ...] = ()
    vectors: int | None = None
    mean: bool = False
    texts: tuple[int, int] | None = None
    seeds: int = 5
    reference: str = "paper"

    def system(self, name: str, data: str | None = None) -> System:
        """The row of that name, with the settings of its training on a corpus."""
        (found,) = (one for one in self.systems if one.name == name)
        train = self.train | self.train_on.get(data, {}) | found.train
        return dataclasses.replace(found, train=train)

    @property
    def numbered(self) -> bool:
        """Whether the paper has numbers for these corpora."""
        return any(system.paper for system in self.systems)

    def settings(self, name: str, data: str | None = None) -> str:
        """How a row is trained on a corpus, as JSON, for a cell of a CSV."""
        one = self.system(name, data)
        vectors = None if "weights" in one.train else self.vectors
        shared = {"vectors": vectors, "texts": self.texts}
        shared |= {"teacher": one.teacher, "rates": self.rates_of(one) or None}
        told = {name: value for name, value in shared.items() if value is not None}
        return json.dumps({"model": one.model} | one.train | told, sort_keys=True)

    def rates_of(self, row: System) -> tuple[float, ...]:
        """The learning rates from which a row's rate is chosen."""
        own = solves(row.model) or {"recipe", "learning_rate"} & set(row.train)
        return () if own else self.rates

    def outdated(self, rows: pd.DataFrame) -> pd.Series:
        """``[rows]`` bool: rows with other settings than the table's, or not of its systems."""
        now = {
            (one.name, data): self.settings(one.name, data)
            for one in self.systems
            for data in self.corpora
        }
        current = [now.get(place) for place in zip(rows["system"], rows["data"], strict=True)]
        return rows.get("settings", pd.Series(None, rows.index, object)) != pd.Series(
            current, rows.index, dtype=object
        )

    def counted(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The table's rows that are shown: those with its present settings, or else older ones."""
        rows = rows[rows["system"].isin([one.name for one in self.systems])]
        rows = rows[rows["data"].isin(self.corpora)]
        places = rows["system"] + "\n" + rows["data"]
        old = self.outdated(rows)
        return rows[~(old & places.isin(places[~old]))]

    def plan(self, corpora: list[str], seeds: int | None) -> list[tuple[str, str, int]]:
        """What to train: system, corpus and seed. ``seeds`` defaults to the table's number."""
        return [
            (one.name, data, seed)
            for seed in range(seeds or self.seeds)
            for data in corpora
            for one in self.systems
            if data in (one.corpora or corpora)
        ]

    def prepare(self, plan: list[tuple[str, str, int]]) -> None:
        """Trains the word vectors that the planned rows share."""
        shared = any("weights" not in self.system(name, data).train for name, data, _ in plan)
        if self.vectors is not None and shared:
            imdb_vectors(self.vectors)

    def run(self, system: str, data: str, seed: int, quick: bool) -> dict[str, Any]:
        """Trains a system on a corpus, and returns the results."""
        row = self.system(system, data)
        train, corpus = row.train | ({"epochs": 1} if quick else {}), data
        if "weights" not in train:
            train["weights"] = "none" if self.vectors is None else str(imdb_vectors(self.vectors))
        started, teaching = time.perf_counter(), 0.0
        with tempfile.TemporaryDirectory() as folder:
            if self.texts is not None:
                data, train["files"] = as_files(self._part(data, seed), Path(folder))
            if row.teacher is not None:
                shared = {"seed": seed, "output": folder, "verbose": 2}
                shared |= {"epochs": 1} if quick else {}
                train["teacher"] = zoo.train(data=data, **row.teacher | shared)
                teaching = time.perf_counter() - started
            run, rate = self._best(row, data, seed=seed, output=folder, verbose=2, **train)
            scores = json.loads((run / "metrics.json").read_text("utf-8"))
            answers = pd.read_csv(run / "predictions.csv", dtype=str, keep_default_na=False)
            right = (answers["label"] == answers["predicted"]).to_numpy()
            return {
                "accuracy": scores["accuracy"],
                **{name: score for name, score in scores.items() if name.endswith("_f1")},
                "parameters": zoo.load(run).parameter_count(),
                "seconds": scores["seconds"] + round(teaching),
                "rate": rate,
                "settings": self.settings(system, corpus),
                "machine": machine(),
                "texts": len(right),
                "right": packed(right),
                "share": float(answers["label"].value_counts(normalize=True).max()),
            }

    def _best(self, row, data, **train):
        """The run of the learning rate with the best validation accuracy, and the rate."""
        runs = {}
        for rate in self.rates_of(row) or (None,):
            chosen = {} if rate is None else {"learning_rate": rate}
            runs[rate] = zoo.train(row.model, data, **train, **chosen)
        if len(runs) == 1:
            return runs[rate], rate
        reached = {
            rate: pd.read_csv(run / "history.csv")["val_accuracy"].max()
            for rate, run in runs.items()
        }
        best = max(reached, key=reached.get)
        return runs[best], best

    @staticmethod
    def told(found: dict[str, Any]) -> str:
        """A row's result in a few words."""
        return f"{found['accuracy']:.2%}, {found['seconds']:.0f} s"

    def _part(self, data, seed):
        """Splits of a corpus with fewer texts."""
        corpus, frames = datasets.load(data).split(seed), {}
        for split in ("train", "validation", "test"):
            frame = corpus.frame(split)
            frame = frame[frame["text"].str.strip() != ""]  # files may not have empty texts
            if split != "validation":
                most, drawn_by = (self.texts[0], seed) if split == "train" else (self.texts[1], 0)
                frame = frame.sample(min(most, len(frame)), random_state=drawn_by)
            frames[split] = frame
        return frames

    def report(self, name: str, rows: pd.DataFrame) -> str:
        """The table as Markdown."""
        rows = self.counted(rows)
        counts = rows.groupby(["system", "data"]).size()
        trainings = " to ".join(map(str, sorted({counts.min(), counts.max()})))
        if counts.min() < self.seeds:
            trainings += f"; planned: {self.seeds}"
        spread = ", in brackets their standard deviation" if counts.max() > 1 else ""
        if counts.min() == 1 < counts.max():
            spread += "; one without brackets is of one training"
        drawn = "; each seed draws its own training texts" if self.texts else ""
        numbers = f"the {self.reference}'s, ours, and the gap" if self.numbered else "ours"
        jobs = int(rows["jobs"].max())
        old = rows[self.outdated(rows)].groupby("data")["system"].unique()
        chosen = rows.dropna(subset="rate") if "rate" in rows else rows[:0]
        beside = [f"Up to {jobs} trainings shared the processor."] if jobs > 1 else []
        for data, systems in old.items():
            named = ", ".join(sorted(systems))
            beside.append(f"Of earlier settings than those below, {self.corpora[data]}: {named}.")
        for (system, data), own in chosen.groupby(["system", "data"], sort=False):
            rates = ", ".join(f"{rate:g}" for rate in own.sort_values("seed")["rate"])
            beside.append(
                f"Learning rates that validation chose, {self.corpora[data]}: {system} {rates}."
            )
        notes = "\n".join(f"- {note}" for note in [*self.footnotes, *beside])
        settings = "\n".join(
            [
                *(f"- {one.name}: `{self.settings(one.name)}`" for one in self.systems),
                *(
                    f"- on {self.corpora[data]}, in addition: `{json.dumps(train)}`"
                    for data, train in self.train_on.items()
                ),
            ]
        )
        return f"""# {self.title}

Test {self.metric.replace("_f1", " F1")} in percent: {numbers};
parameters are those outside the word table, on the corpus where they are most; seconds are the
median of the row's trainings, by the clock of whichever machine, whatever else it did, and do not
compare rows. Ours is the mean of trainings (of each row: {trainings}){spread}{drawn}.
Written by `make reproduce TABLE={name}` on {" and ".join(sorted(set(rows["machine"])))}.

{chr(10).join(self._lines(rows))}

{notes}
{self._claims(rows)}
## Settings

Arguments of `zoo.train`, and what stands in their place: the width of word vectors trained on IMDB,
the most training and test texts. A preset or recipe is the paper's, as the model's file has it.

{settings}
"""

    def judged(self, rows: pd.DataFrame) -> list[dict]:
        """The claims with their verdicts, from :func:`benchmarks.claims.judged`."""
        rows = self.counted(rows)
        shares = rows.groupby("data")["share"].max().dropna() if "share" in rows else {}
        rows = rows.assign(old=self.outdated(rows))
        return list(judged(self.claims, self.corpora, rows, dict(shares)))

    def verdicts(self, rows: pd.DataFrame) -> list[tuple[str, int]]:
        """Verdicts on the paper's claims on single corpora, each with its number of trainings."""
        return [
            (one["verdict"], one["trainings"])
            for one in self.judged(rows)
            if not one["claim"].ours and one["data"] != MEAN
        ]

    def _claims(self, rows):
        if not self.claims:
            return ""
        found, pairs = by_chance(rows)
        trained = rows.groupby(["system", "data"])["seed"].nunique()
        several = list(dict.fromkeys(trained[trained > 1].index.get_level_values("system")))
        named = "" if trained.min() > 1 else f" ({', '.join(several)})"
        luck = f" Of {pairs} pairs of trainings of one system{named}, {found} would have a verdict."
        apart = trained.min() < trained.max()
        more = " Where one has more of them, its means above are of all." if apart else ""
        return f"""
## Claims of order

Points of accuracy, by the mean of the trainings on each test text, of seeds that both systems
have. The interval of 95 % holds what other test texts (paired bootstrap) and other trainings might
change: how much a training differs from the next one of the same system is pooled over the systems
that have several on that corpus, or, where none has, on any.{more}{luck if pairs else ""} Of many
claims without a difference, one in twenty would have a verdict by chance. A claim on a system that
is no better than the most frequent label confirms nothing, and is left out. A mean of corpora
counts each the same, and samples the texts of each by itself.

{chr(10).join(as_table(self.judged(rows), self.corpora))}
"""

    def _lines(self, rows):
        columns = f"{self.reference} | ours | gap" if self.numbered else "ours"
        titles = [f"{title}: {columns}" for title in self.corpora.values()]
        titles += [f"mean of {len(self.corpora)}: {columns}"] if self.mean else []
        titles += [f"paper, {title}" for title in self.elsewhere]
        yield f"| system | {' | '.join(titles)} | parameters | s a training |"
        of_each = 3 if self.numbered else 1
        groups = len(self.corpora) + self.mean
        yield "|---|" + "--:|" * (of_each * groups + len(self.elsewhere) + 2)
        for system in self.systems:
            cells, own, means = [], rows[rows["system"] == system.name], []
            numbers = dict(zip(self.corpora, system.paper, strict=bool(system.paper)))
            for data in self.corpora:
                paper, scores = numbers.get(data), 100 * own[own["data"] == data][self.metric]
                spread = f" ({scores.std():.1f})" if len(scores) > 1 else ""
                ours = f"{scores.mean():.1f}{spread}" if len(scores) else ""
                means.append((paper, scores.mean()))
                both = len(scores) and paper is not None
                gap = f"{scores.mean() - paper:+.1f}" if both else ""
                cells += [told(paper), ours, gap] if self.numbered else [ours]
            cells += self._mean(means) if self.mean else []
            others = system.elsewhere or (None,) * len(self.elsewhere)
            cells += map(told, others)
            cells.append(f"{own['parameters'].max():,.0f}" if len(own) else "")
            cells.append(f"{own['seconds'].median():.0f}" if len(own) else "")
            yield f"| {system.name} | {' | '.join(cells)} |"

    @staticmethod
    def _mean(means):
        """Cells with the paper's mean, our mean if no corpus is missing, and the gap."""
        paper, ours = zip(*means, strict=True)
        paper = None if None in paper else sum(paper) / len(paper)
        ours = sum(ours) / len(ours)  # NaN if a corpus is missing
        told = ["" if paper is None else f"{paper:.1f}", "" if ours != ours else f"{ours:.1f}"]
        return [*told, f"{ours - paper:+.1f}" if all(told) else ""]

    def highlighted(self, link: str, rows: pd.DataFrame) -> Iterator[str]:
        """The rows for docs/measured.md."""
        rows = self.counted(rows)
        for name, data in self.shown:
            own = rows[(rows["system"] == name) & (rows["data"] == data)]
            if len(own):
                paper = self.system(name).paper[list(self.corpora).index(data)]
                ours = 100 * own[self.metric].mean()
                yield (
                    f"| [{self.title}]({link}) | {name} | {self.corpora[data]} | "
                    f"{told(paper)} | {ours:.1f} | {ours - paper:+.1f} | {len(own)} |"
                )


def as_files(frames: dict[str, pd.DataFrame], folder: Path) -> tuple[str, dict[str, str]]:
    """Writes splits to files: the training file, and the others as :func:`zoo.train` takes them."""
    paths = {split: str(folder / f"{split}.csv") for split in frames}
    for split, frame in frames.items():
        frame.to_csv(paths[split], index=False)
    return paths.pop("train"), paths


def told(paper: float | None) -> str:
    """A number of the paper, with a zero as the second decimal left out."""
    return "" if paper is None else f"{paper:.2f}".removesuffix("0")


def imdb_vectors(dim: int) -> Path:
    """A file of word vectors trained on IMDB's training and unlabelled reviews, trained once."""
    path = cache_folder().with_name(f"imdb-{dim}.bin")
    if not path.is_file():
        corpus = datasets.load("imdb")
        texts = (text for split in (corpus.train, corpus.unlabelled) for text in split)
        # Marks are words, as in tokenized corpora. With a single worker it can be repeated exactly.
        vectors = train_word2vec(texts, lambda part: split_words(part, "han"), dim, workers=1)
        with whole(path) as partial:
            vectors.save_word2vec_format(str(partial), binary=True)
    return path
