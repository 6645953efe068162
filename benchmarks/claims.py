"""Claims of order, tested text by text, with what trainings and test texts leave to chance."""

import base64
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

SAMPLES = 10_000  # of the bootstrap
AT_CHANCE = "left out"  # a verdict: one of the systems has not learnt
MEAN = "mean"  # in place of a corpus: all of them, each counting the same


@dataclass(frozen=True)
class Claim:
    """What the paper says of two of its rows: ``better`` is ahead of ``worse``.

    Attributes:
        says: in words.
        better, worse: names of rows.
        corpora: where; None for each of the table's and, of several, for their mean.
        ours: whether it is our question, which the paper does not answer so.
    """

    says: str
    better: str
    worse: str
    corpora: tuple[str, ...] | None = None
    ours: bool = False


def packed(right: np.ndarray) -> str:
    """Which test texts were right, ``[texts]`` bool, for a cell of a CSV."""
    return base64.b64encode(np.packbits(right).tobytes()).decode()


def rights_of(rows: pd.DataFrame) -> np.ndarray:
    """``[texts]``: the share of the trainings that had each test text right."""
    bits = [np.frombuffer(base64.b64decode(one), "uint8") for one in rows["right"]]
    texts = int(rows["texts"].iloc[0])  # pandas may have made a float of it
    return np.mean([np.unpackbits(one, count=texts) for one in bits], axis=0)


class Spread(NamedTuple):
    """How much a training of a system differs from the next one.

    Attributes:
        deviation: of test accuracies, in points.
        freedom: degrees of freedom of that estimate.
    """

    deviation: float
    freedom: int


def spreads(rows: pd.DataFrame) -> dict[str, Spread]:
    """The spread of trainings on each corpus, pooled over the systems that have several there.

    A corpus where none has several gets that of all corpora, and nothing where there is none.
    """
    squares, freedom = Counter(), Counter()
    for (_, data), own in rows.groupby(["system", "data"]):
        accuracies = [100 * rights_of(own.iloc[[i]]).mean() for i in range(len(own))]
        for place in (data, None):
            squares[place] += float(np.square(accuracies - np.mean(accuracies)).sum())
            freedom[place] += len(own) - 1
    places = {data: data if freedom[data] else None for data in rows["data"].unique()}
    return {
        data: Spread((squares[place] / freedom[place]) ** 0.5, freedom[place])
        for data, place in places.items()
        if freedom[place]
    }


def difference(
    *points: np.ndarray, trainings: Iterable[tuple[Spread, int]] = ()
) -> tuple[float, float, float]:
    """Points between two systems, and the bounds of 95 %.

    Test texts are drawn anew (paired bootstrap), and to each sample's mean is added what other
    trainings might have changed, by Student's t. A sample of texts is drawn as how many of it have
    each of the few values that there are.

    Args:
        points: ``[texts]`` of each corpus: by how much one is ahead on a text. Corpora count the
            same.
        trainings: of each corpus the spread of trainings, and how many each system has; none
            leaves it out.
    """
    random, means = np.random.default_rng(0), []
    for one in points:
        values, counts = np.unique(one, return_counts=True)
        drawn = random.multinomial(len(one), counts / len(one), SAMPLES)
        means.append(drawn @ values / len(one))
    for place, (spread, count) in enumerate(trainings):
        luck = random.standard_t(spread.freedom, SAMPLES)
        means[place] = means[place] + luck * spread.deviation * (2 / count) ** 0.5
    means = np.mean(means, axis=0)
    point = np.mean([one.mean() for one in points])
    return float(point), *map(float, np.percentile(means, (2.5, 97.5)))


def of_common_seeds(*systems: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows of seeds that all have, as a seed also draws texts."""
    common = set.intersection(*(set(rows["seed"]) for rows in systems))
    return [rows[rows["seed"].isin(common)] for rows in systems]


def points(better: pd.DataFrame, worse: pd.DataFrame) -> np.ndarray:
    """``[texts]``: by how many points some trainings are ahead of others on each test text."""
    return 100 * (rights_of(better) - rights_of(worse))


def by_chance(rows: pd.DataFrame) -> tuple[int, int]:
    """Of pairs of trainings that differ in their seed: how many have a verdict, and all."""
    spread = spreads(rows)
    verdicts = [
        verdict(
            *difference(points(own.iloc[[i]], own.iloc[[j]]), trainings=[(spread[data], 1)])[1:]
        )
        for (_, data), own in rows.groupby(["system", "data"])
        for i, j in itertools.combinations(range(len(own)), 2)
    ]
    return sum(one != "not confirmed" for one in verdicts), len(verdicts)


def at_chance(rows: pd.DataFrame, share: float) -> bool:
    """Whether trainings are no better than the answer that most test texts have.

    Args:
        rows: trainings of a system on a corpus.
        share: of the test texts, that have the most frequent label.
    """
    _, low, _ = difference(100 * (rights_of(rows) - share))
    return low <= 0


def verdict(low: float, high: float) -> str:
    """What an interval says of a claim."""
    return "confirmed" if low > 0 else "contrary" if high < 0 else "not confirmed"


def judged(
    claims: list[Claim],
    corpora: dict[str, str],
    rows: pd.DataFrame,
    shares: Mapping[str, float] | None = None,
) -> Iterator[dict]:
    """Each claim on each corpus where both systems have a training of a seed, and on the mean.

    Args:
        claims: which.
        corpora: their titles by name.
        rows: with ``old``: whether a training had earlier settings.
        shares: of each corpus the share of the test texts that have the most frequent label. A
            claim on a system that is not above it confirms nothing, and is :data:`AT_CHANCE`.

    Yields:
        The ``claim``; ``data``, a name or :data:`MEAN`; ``points``, ``low`` and ``high``; the
        ``verdict``; ``old``, whether a training had earlier settings; ``trainings``, the fewest
        that each system has.
    """
    spread, shares = spreads(rows), shares or {}
    for claim in claims:
        ahead, mixed, counts, unlearnt = {}, set(), {}, set()
        for data in corpora:
            better, worse = (
                rows[(rows["system"] == one) & (rows["data"] == data)]
                for one in (claim.better, claim.worse)
            )
            better, worse = of_common_seeds(better, worse)
            if len(better):
                ahead[data] = points(better, worse)
                counts[data] = better["seed"].nunique()
                share = shares.get(data)
                if share is not None and (at_chance(better, share) or at_chance(worse, share)):
                    unlearnt.add(data)
                if better["old"].any() or worse["old"].any():
                    mixed |= {data, MEAN}
        places = {data: [data] for data in ahead}
        if len(ahead) == len(corpora) > 1:
            places[MEAN] = list(ahead)
        for data in claim.corpora or places:
            if data in places:
                of = places[data]
                trainings = [(spread[one], counts[one]) for one in of] if spread else ()
                mean, low, high = difference(*(ahead[one] for one in of), trainings=trainings)
                yield {
                    "claim": claim,
                    "data": data,
                    "points": mean,
                    "low": low,
                    "high": high,
                    "verdict": AT_CHANCE if data in unlearnt else verdict(low, high),
                    "old": data in mixed,
                    "trainings": min(counts[one] for one in of),
                }


def counted(verdicts: Iterable[str]) -> str:
    """How many verdicts there are of each kind, in words."""
    counts = sorted(Counter(verdicts).items())
    return ", ".join(f"{count} {one}" for one, count in counts)


def as_table(found: list[dict], corpora: dict[str, str]) -> Iterator[str]:
    """Markdown of what :func:`judged` found: a summary, and a line for each.

    The summary counts the paper's claims and our questions apart.
    """
    for ours, mean in itertools.product((False, True), repeat=2):
        of = [
            one["verdict"]
            for one in found
            if one["claim"].ours == ours and (one["data"] == MEAN) == mean
        ]
        if of:
            whose = "Our questions" if ours else "The paper's claims"
            place = "the mean of the corpora" if mean else "a corpus"
            yield f"- {whose}, {len(of)} tested on {place}: {counted(of)}."
    yield ""
    yield "| claim | corpus | trainings | points | 95 % | verdict |"
    yield "|---|---|--:|--:|---|---|"
    for one in found:
        where = f"mean of {len(corpora)}" if one["data"] == MEAN else corpora[one["data"]]
        old = ", with earlier settings" if one["old"] else ""
        old += ": at chance" if one["verdict"] == AT_CHANCE else ""
        yield (
            f"| {one['claim'].says} | {where} | {one['trainings']} | {one['points']:+.1f} "
            f"| {one['low']:+.1f} to {one['high']:+.1f} | {one['verdict']}{old} |"
        )
