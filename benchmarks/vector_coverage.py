"""A table of corpora with the share of their vocabulary that has word vectors."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pandas as pd

from benchmarks.table import imdb_vectors
from zoo import datasets
from zoo.datasets.text.text_tensors import text_dataset
from zoo.datasets.text.tokens import split_words
from zoo.datasets.vectors.english import english_vectors
from zoo.datasets.vectors.vector_files import read_vectors

COLUMNS = ("train", "validation", "test", "classes", "average #w", "max #w", "vocabulary")
SHARES = ("reviews' vectors", "zoo's words")  # known words of the vocabulary, in percent
WIDTH = 300


@dataclass(frozen=True)
class CoverageTable:
    """A table of a paper that describes its corpora, and how many words have vectors.

    Attributes:
        title: the paper, and the table's number.
        corpora: names of the catalogue, each with its name in the paper.
        paper: for each corpus the paper's numbers, in the order of :data:`COLUMNS`, and the
            percentage of the vocabulary that has vectors.
        clean_up: how texts are split into words; see :class:`zoo.datasets.Preprocessor`.
        clean_up_of: the clean-up of single corpora that need another.
        footnotes: departures from the paper.
    """

    title: str
    corpora: dict[str, str]
    paper: dict[str, tuple[float, ...]]
    clean_up: str
    clean_up_of: dict[str, str]
    footnotes: list[str]

    def plan(self, corpora: list[str], seeds: int | None) -> list[tuple[str, str, int]]:
        """What to count: each corpus once."""
        return [("counts", data, 0) for data in corpora]

    def prepare(self, plan: list[tuple[str, str, int]]) -> None:
        """Trains the word vectors of IMDB's reviews, once."""
        imdb_vectors(WIDTH)

    def run(self, system: str, data: str, seed: int, quick: bool) -> dict[str, Any]:
        """Counts a corpus, all splits together; if ``quick``, only 1,000 texts of each split."""
        corpus, lengths, vocabulary = datasets.load(data), [], Counter()
        splits = {"train": corpus.train, "validation": corpus.validation, "test": corpus.test}
        clean_up = self.clean_up_of.get(data, self.clean_up)
        for split in splits.values():
            for texts in text_dataset(split).take(1_000 if quick else -1).batch(256):
                words = split_words(texts, clean_up)
                lengths += words.row_lengths().numpy().tolist()
                vocabulary.update(word.decode() for word in words.flat_values.numpy())
        found = {split: float(len(texts)) for split, texts in splits.items()}
        found |= {"classes": float(len(corpus.labels)), "vocabulary": float(len(vocabulary))}
        found |= {"average #w": sum(lengths) / len(lengths), "max #w": float(max(lengths))}
        reviews = read_vectors(imdb_vectors(WIDTH), vocabulary)
        known = dict(zip(SHARES, (reviews, english_vectors()), strict=True))
        for name, words in known.items():
            known_words = sum(word in words.key_to_index for word in vocabulary)
            found[name] = 100 * known_words / len(vocabulary)
        return found

    @staticmethod
    def told(found: dict[str, Any]) -> str:
        """A row's result in a few words."""
        return f"{found['vocabulary']:,.0f} words"

    def report(self, name: str, rows: pd.DataFrame) -> str:
        """The table as Markdown."""
        rows = rows.set_index("data")
        lines = [
            f"| data set | {' | '.join(COLUMNS)} | known, % |",
            "|---|" + "--:|" * (len(COLUMNS) + 1),
        ]
        for data, title in self.corpora.items():
            *counts, known = self.paper[data]
            lines.append(f"| {title} (paper) | {_cells(counts)} | {known:.1f} |")
            if data in rows.index:
                own = rows.loc[data]
                shares = ", ".join(f"{own[share]:.1f} ({share})" for share in SHARES)
                lines.append(f"| {title} | {_cells(own[list(COLUMNS)])} | {shares} |")
        notes = "\n".join(f"- {note}" for note in self.footnotes)
        table = "\n".join(lines)
        return f"""# {self.title}

Texts of each split, classes, words (#w) of a text, all different words, and how many of these word
vectors know: the paper's numbers, of its vectors of 300 numbers, and ours, counted by
`make reproduce TABLE={name}`.

{table}

{notes}
"""


def _cells(counts):
    """Cells with the numbers of :data:`COLUMNS`."""
    return " | ".join(
        format(count, ",.1f" if "average" in column else ",.0f")
        for column, count in zip(COLUMNS, counts, strict=True)
    )
