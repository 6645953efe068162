"""A table of the costs of models: parameters, memory, seconds of training and of predictions."""

import time
from dataclasses import dataclass
from typing import Any

import pandas as pd

import zoo
from benchmarks.peak import forget_peak, peak_memory
from benchmarks.report import machine
from zoo import datasets
from zoo.datasets.text.preprocessor import Preprocessor
from zoo.datasets.text.text_tensors import text_dataset


@dataclass(frozen=True)
class Cost:
    """A row: a system by its name in the paper.

    Attributes:
        name: its name in the paper.
        model: a name of ``zoo list``.
        parameters, memory, training, predictions: the paper's numbers: a count, MB (ours are MiB),
            and seconds. None where the paper has none.
        preset: the preset of the model; None for the table's.
    """

    name: str
    model: str
    parameters: int | None = None
    memory: float | None = None
    training: float | None = None
    predictions: float | None = None
    preset: str | None = None


@dataclass(frozen=True)
class CostTable:
    """A table of a paper, each row of which is measured in a separate process.

    Attributes:
        title: the paper, and the table's number.
        corpora: the only corpus, with its name in the paper.
        systems: the rows; times are compared with those of the first row.
        preset: the preset of all rows that do not name another.
        passes: number of passes over the training texts, and over the validation texts.
        footnotes: departures from the paper.
    """

    title: str
    corpora: dict[str, str]
    systems: list[Cost]
    preset: str
    passes: int
    footnotes: list[str]

    def plan(self, corpora: list[str], seeds: int | None) -> list[tuple[str, str, int]]:
        """What to measure: system and corpus; the seed is always 0."""
        return [(one.name, data, 0) for data in corpora for one in self.systems]

    def prepare(self, plan: list[tuple[str, str, int]]) -> None:
        """Does nothing, as rows share nothing."""

    def run(self, system: str, data: str, seed: int, quick: bool) -> dict[str, Any]:
        """Measures a system."""
        (row,) = (one for one in self.systems if one.name == system)
        corpus = datasets.load(data).split(seed)
        preprocessor = Preprocessor.fit(corpus.train, clean_up="tokens", min_count=1)
        size, classes = preprocessor.vocabulary_size, len(corpus.labels)
        model = zoo.build(
            *(row.model, classes, row.preset or self.preset),
            vocabulary_size=size,
            train_embeddings=False,
        )
        model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
        train = preprocessor.batches(corpus.train.dataset(), 32, shuffle=True)
        validation = preprocessor.batches(text_dataset(corpus.validation), 32, shuffle=True)
        passes = 1 if quick else self.passes
        forget_peak()
        before = peak_memory()
        model.fit(train, verbose=0)  # this compiles, so that compiling is not measured
        model.predict(validation, verbose=0)
        started = time.perf_counter()
        model.fit(train, epochs=passes, verbose=0)
        trained = time.perf_counter()
        for _ in range(passes):
            model.predict(validation, verbose=0)
        return {
            "passes": passes,
            "parameters": model.parameter_count(),
            "memory": peak_memory() - before,
            "training": trained - started,
            "predictions": time.perf_counter() - trained,
            "machine": machine(),
        }

    @staticmethod
    def told(found: dict[str, Any]) -> str:
        """A row's result in a few words."""
        return f"{found['training']:.0f} s of training, {found['predictions']:.1f} s of predictions"

    def report(self, name: str, rows: pd.DataFrame) -> str:
        """The table as Markdown."""
        notes = "\n".join(f"- {note}" for note in self.footnotes)
        return f"""# {self.title}

The paper's numbers, measured on a GPU, and ours: trainable parameters without the word table; peak
memory in MiB (in the paper MB, of its GPU), ours of the process above what it held; seconds of
{rows["passes"].max():.0f} passes over the training texts and over the validation texts of
{next(iter(self.corpora.values()))}, and in brackets times as fast as {self.systems[0].name}.
Written by `make reproduce TABLE={name}` on {" and ".join(sorted(set(rows["machine"])))}.

{chr(10).join(self._lines(rows.set_index("system")))}

{notes}
"""

    def _lines(self, rows):
        both = "paper | ours"
        whats = ("parameters", "MiB", "training", "predictions")
        yield f"| system | {' | '.join(f'{what}: {both}' for what in whats)} |"
        yield "|---|" + "--:|" * 8
        first = self.systems[0]
        for system in self.systems:
            if system.name not in rows.index:
                continue
            found, cells = rows.loc[system.name], []
            for what, form in (("parameters", ",.0f"), ("memory", ".0f")):
                paper = getattr(system, what)
                cells += ["" if paper is None else format(paper, form), format(found[what], form)]
            for what in ("training", "predictions"):
                paper, ours = getattr(system, what), found[what]
                firsts = rows[what].get(first.name, float("nan"))
                times = paper and f"{paper:g} ({getattr(first, what) / paper:.1f})"
                cells += [times or ""]
                cells += [f"{ours:.1f} ({firsts / ours:.1f})"]
            yield f"| {system.name} | {' | '.join(cells)} |"
