"""What a table of a paper says, and how its rows are run here."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

IMDB_VECTORS = (
    "Word vectors of 300 numbers, trained by word2vec on IMDB's 75,000 training and unlabelled "
    "reviews, stand in for Google's, trained on news."
)


@dataclass(frozen=True)
class System:
    """A row: a system by its name in the paper.

    Attributes:
        name: as the paper has it.
        model: a name of ``zoo list``.
        paper: the paper's test accuracy in percent, of each corpus of the table; or nothing.
        train: arguments of :func:`zoo.train` in addition to the table's.
    """

    name: str
    model: str
    paper: tuple[float, ...] = ()
    train: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """What the paper says of two of its rows: ``better`` is ahead of ``worse``.

    Attributes:
        says: in words.
        better, worse: names of rows.
        corpora: where; None for all.
    """

    says: str
    better: str
    worse: str
    corpora: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Table:
    """A table of a paper.

    Attributes:
        title: paper and number.
        corpora: names of the catalogue, each with its name in the paper.
        systems: the rows.
        train: arguments of :func:`zoo.train` for all rows.
        claims: of order, which are tested.
        footnotes: departures from the paper, for all to read.
        vectors: width of word vectors trained on IMDB's reviews, that stand in for the paper's;
            None for none.
        seeds: trainings of each row.
    """

    title: str
    corpora: dict[str, str]
    systems: list[System]
    train: dict[str, Any]
    claims: list[Claim]
    footnotes: list[str]
    vectors: int | None = None
    seeds: int = 5

    def system(self, name: str) -> System:
        """The row of that name."""
        (found,) = (one for one in self.systems if one.name == name)
        return dataclasses.replace(found, train=self.train | found.train)
