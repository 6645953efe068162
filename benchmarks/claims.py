"""Claims about which system is better, tested against the chance of trainings and test texts."""

import base64
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

SAMPLES = 10_000  # number of bootstrap samples
AT_CHANCE = "left out"  # a verdict: at least one of the systems has not learnt
MEAN = "mean"  # in place of a corpus: the mean of all corpora, with equal weights


@dataclass(frozen=True)
class Claim:
    """What the paper says about two of its rows: ``better`` is ahead of ``worse``.

    Attributes:
        says: the claim in words.
        better, worse: names of rows.
        corpora: the corpora on which it is tested; None for each corpus of the table and, if there
            are several, for their mean.
        ours: whether it is our question, and not a claim of the paper.
    """

    says: str
    better: str
    worse: str
    corpora: tuple[str, ...] | None = None
    ours: bool = False


def packed(right: np.ndarray) -> str:
    """Which test texts were answered rightly, ``[texts]`` bool, encoded for a cell of a CSV."""
    return base64.b64encode(np.packbits(right).tobytes()).decode()


def rights_of(rows: pd.DataFrame) -> np.ndarray:
    """``[texts]``: the share of the trainings that answered each test text rightly."""
    bits = [np.frombuffer(base64.b64decode(one), "uint8") for one in rows["right"]]
    texts = int(rows["texts"].iloc[0])  # pandas may have read it as a float
    return np.mean([np.unpackbits(one, count=texts) for one in bits], axis=0)


class Spread(NamedTuple):
    """How much trainings of the same system differ.

    Attributes:
        deviation: standard deviation of their test accuracies, in points.
        freedom: degrees of freedom of that estimate.
    """

    deviation: float
    freedom: int


def spreads(rows: pd.DataFrame) -> dict[str, Spread]:
    """The spread of trainings on each corpus, pooled over the systems with several trainings there.

    A corpus on which no system has several trainings gets the spread over all corpora; it gets none
    if no system has several trainings anywhere.
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
    """The difference of two systems in points, and the bounds of its 95 % interval.

    Test texts are resampled (paired bootstrap). To each sample's mean a random change by other
    trainings is added, from Student's t. As few different values occur, a sample is drawn as the
    number of texts with each value.

    Args:
        points: for each corpus ``[texts]``: by how much the first system is ahead on each text.
            Corpora have equal weights.
        trainings: for each corpus the spread of trainings, and how many trainings each system has;
            if empty, the chance of trainings is left out.
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
    """The rows of the seeds that all systems have, as a seed also draws the texts."""
    common = set.intersection(*(set(rows["seed"]) for rows in systems))
    return [rows[rows["seed"].isin(common)] for rows in systems]


def points(better: pd.DataFrame, worse: pd.DataFrame) -> np.ndarray:
    """``[texts]``: by how many points the first trainings are ahead of the others on each text."""
    return 100 * (rights_of(better) - rights_of(worse))


def by_chance(rows: pd.DataFrame) -> tuple[int, int]:
    """How many pairs of trainings that differ only in their seed have a verdict, and all pairs."""
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
    """Whether trainings are no better than always answering with the most frequent label.

    Args:
        rows: trainings of a system on a corpus.
        share: the share of the test texts that have the most frequent label.
    """
    _, low, _ = difference(100 * (rights_of(rows) - share))
    return low <= 0


def verdict(low: float, high: float) -> str:
    """What an interval says about a claim."""
    return "confirmed" if low > 0 else "contrary" if high < 0 else "not confirmed"


def judged(
    claims: list[Claim],
    corpora: dict[str, str],
    rows: pd.DataFrame,
    shares: Mapping[str, float] | None = None,
) -> Iterator[dict]:
    """Tests each claim on each corpus where both systems have a common seed, and on the mean.

    Args:
        claims: the claims.
        corpora: titles of the corpora by their names.
        rows: trainings, with a column ``old``: whether a training had earlier settings.
        shares: for each corpus the share of the test texts that have the most frequent label. If a
            system is not above that share, the claim has the verdict :data:`AT_CHANCE`.

    Yields:
        The ``claim``; ``data``, a name or :data:`MEAN`; ``points``, ``low`` and ``high``; the
        ``verdict``; ``old``, whether a training had earlier settings; ``trainings``, the number of
        trainings that each system has, on the corpus where it is smallest.
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
    """The number of verdicts of each kind, in words."""
    counts = sorted(Counter(verdicts).items())
    return ", ".join(f"{count} {one}" for one, count in counts)


def as_table(found: list[dict], corpora: dict[str, str]) -> Iterator[str]:
    """Markdown for the results of :func:`judged`: a summary, and a line for each.

    The summary counts the paper's claims and our questions separately.
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
