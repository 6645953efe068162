"""A table of corpora: documents, their sentences and their words, counted by zoo."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from zoo import datasets
from zoo.datasets.text.text_tensors import text_dataset
from zoo.datasets.text.tokens import split_sentences

COLUMNS = (
    "classes", "documents", "average #s", "max #s", "average #w", "max #w", "vocabulary",
)  # fmt: skip
REPEATS = "test documents also in training"


@dataclass(frozen=True)
class StatisticsTable:
    """A table of a paper that describes its corpora.

    Attributes:
        title: paper and number.
        corpora: names of the catalogue, each with a title.
        paper: the paper's own corpora, each with its numbers in the order of :data:`COLUMNS`.
        clean_up: how texts are split into words; see :class:`zoo.datasets.Preprocessor`.
        footnotes: departures from the paper.
    """

    title: str
    corpora: dict[str, str]
    paper: dict[str, tuple[float, ...]]
    clean_up: str
    footnotes: list[str]

    def plan(self, corpora: list[str], seeds: int | None) -> list[tuple[str, str, int]]:
        """What to count: each corpus once."""
        return [("counts", data, 0) for data in corpora]

    def prepare(self, plan: list[tuple[str, str, int]]) -> None:
        """Rows share nothing."""

    def run(self, system: str, data: str, seed: int, quick: bool) -> dict[str, Any]:
        """Counts one corpus, all splits with labels together; quickly, 1,000 texts of each."""
        corpus = datasets.load(data)
        sentences, words, vocabulary = [], [], Counter()
        splits = (corpus.train, corpus.validation, corpus.test)
        for split in filter(None, splits):
            for texts in text_dataset(split).take(1_000 if quick else -1).batch(256):
                found = split_sentences(texts, self.clean_up)
                sentences.append(found.row_lengths().numpy())
                words.append(found.merge_dims(1, 2).row_lengths().numpy())
                vocabulary.update(found.flat_values.numpy().tolist())
        sentences, words = np.concatenate(sentences), np.concatenate(words)
        counts = (
            *(len(corpus.labels), len(words)),
            *(sentences.mean(), sentences.max(), words.mean(), words.max()),
            len(vocabulary),
        )
        known = set(map(_plain, corpus.train))
        repeats = sum(_plain(text) in known for text in corpus.test or ())
        return dict(zip(COLUMNS, map(float, counts), strict=True)) | {REPEATS: repeats}

    @staticmethod
    def told(found: dict[str, Any]) -> str:
        """A row's result in a few words."""
        return f"{found['documents']:,.0f} documents"

    def report(self, name: str, rows: pd.DataFrame) -> str:
        """The table as Markdown."""
        notes = "\n".join(f"- {note}" for note in self.footnotes)
        return f"""# {self.title}

Sentences (#s) and words (#w) of a document: the paper's corpora, and those that stand in for them
here. Ours are counted by `make reproduce TABLE={name}`.

{chr(10).join(self._lines(rows.set_index("data")))}

{notes}
"""

    def _lines(self, rows):
        columns = (*COLUMNS, REPEATS)
        yield f"| data set | {' | '.join(columns)} |"
        yield "|---|" + "--:|" * len(columns)
        ours = {
            title: rows.loc[data, list(columns)]
            for data, title in self.corpora.items()
            if data in rows.index
        }
        for title, counts in (
            {f"{one} (paper)": (*n, None) for one, n in self.paper.items()} | ours
        ).items():
            cells = [
                "" if count is None else format(count, ",.1f" if "average" in column else ",.0f")
                for column, count in zip(columns, counts, strict=True)
            ]
            yield f"| {title} | {' | '.join(cells)} |"


def _plain(text):
    """What makes two texts the same: letters, whatever their case and the blanks."""
    return " ".join(text.lower().split())
