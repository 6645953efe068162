"""Claims of order, tested text by text."""

import base64
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

SAMPLES = 10_000  # of the bootstrap


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


def packed(right: np.ndarray) -> str:
    """Which test texts were right, ``[texts]`` bool, for a cell of a CSV."""
    return base64.b64encode(np.packbits(right).tobytes()).decode()


def rights_of(rows: pd.DataFrame) -> np.ndarray:
    """``[texts]``: the share of the trainings that had each test text right."""
    bits = [np.frombuffer(base64.b64decode(one), "uint8") for one in rows["right"]]
    texts = int(rows["texts"].iloc[0])  # pandas may have made a float of it
    return np.mean([np.unpackbits(one, count=texts) for one in bits], axis=0)


def difference(better: np.ndarray, worse: np.ndarray) -> tuple[float, float, float]:
    """Points between two systems on the same texts, and the bounds of 95 % (paired bootstrap)."""
    points = 100 * (better - worse)
    random = np.random.default_rng(0)
    means = [random.choice(points, len(points)).mean() for _ in range(SAMPLES)]
    return float(points.mean()), *map(float, np.percentile(means, (2.5, 97.5)))


def by_chance(rows: pd.DataFrame) -> tuple[int, int]:
    """Of pairs of trainings that differ in their seed alone: how many have a verdict, and all."""
    verdicts = [
        verdict(*difference(rights_of(own.iloc[[i]]), rights_of(own.iloc[[j]]))[1:])
        for _, own in rows.groupby(["system", "data"])
        for i, j in itertools.combinations(range(len(own)), 2)
    ]
    return sum(one != "not confirmed" for one in verdicts), len(verdicts)


def verdict(low: float, high: float) -> str:
    """What an interval says of a claim."""
    return "confirmed" if low > 0 else "contrary" if high < 0 else "not confirmed"


def tested(claims: list[Claim], corpora: dict[str, str], rows: pd.DataFrame) -> Iterator[str]:
    """A table of claims, on each corpus where both systems have been trained, and a summary."""
    lines, verdicts = [], Counter()
    for claim in claims:
        for data in claim.corpora or corpora:
            better, worse = (
                rows[(rows["system"] == one) & (rows["data"] == data)]
                for one in (claim.better, claim.worse)
            )
            if len(better) and len(worse):
                points, low, high = difference(rights_of(better), rights_of(worse))
                verdicts[verdict(low, high)] += 1
                lines.append(
                    f"| {claim.says} | {corpora[data]} | {points:+.1f} | {low:+.1f} to {high:+.1f} "
                    f"| {verdict(low, high)} |"
                )
    counts = ", ".join(f"{count} {one}" for one, count in sorted(verdicts.items()))
    yield f"{len(lines)} tested: {counts}."
    yield ""
    yield "| claim | corpus | points | 95 % | verdict |"
    yield "|---|---|--:|---|---|"
    yield from lines
