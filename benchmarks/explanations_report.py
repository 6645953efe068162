"""What :mod:`benchmarks.explanations` measured, as tables."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from benchmarks.report import machine

CONTRIBUTIONS = "contributions"  # the default view
PAGE = "page"
NAMES = {
    "attention": "attention",
    "gradient": "gradient x input",
    CONTRIBUTIONS: "**contributions**",
    "out": "one word left out",
    "lime": "LIME",
    "shap": "SHAP",
}
WHY = (
    "Why contributions are below LIME where few words decide, as `hcan` shows on the built-in "
    "reviews: a word of them fades to padding at its place, on a path, where LIME takes it out of "
    "the text, as the measure does. Of “absolutely awful” the path gives “absolutely” most, and "
    "taking out “awful” changes more. Tried on training texts, and not taken: the sum of the "
    "ranks of contributions and of leaving out one word, and a line through the answers to 25 or "
    "50 choices of words that begins at the contributions. They come nearer, stay below LIME, and "
    "leave less than the wanted speed. Of Banking77, by `cnn_kim`, most of the difference is in a "
    "few texts whose answers hang most on several words together; the ranks mend nothing there. Of "
    "`hcan` on IMDB, on training texts, two and four times as many points on the path bring "
    "nothing, nor does the straight path; the ranks bring it nearer, and leaving out the words of "
    "such a text one by one takes many times as long as its contributions.",
    "",
    "Deciding words that `han` does not shade, on training texts, are mostly words of praise such "
    "as “good” and “clean”; those looked at stand in “nobody would have called the sauna "
    "excellent”, “neither fine nor dirty” and the like, where any other would do. Shading smaller "
    "contributions, too, finds more of them, and shades far more of the other words.",
)
SHARE, TIMES = 0.95, 20  # goals: of the best view, and as fast as LIME


def report(
    rows: pd.DataFrame, models: Sequence[str], learnt: Mapping[str, int], samples: int
) -> str:
    """The report.

    Args:
        rows: ``model``, ``corpus``, ``view``, ``measure`` and ``value``.
        models: all that might have been measured, in their order.
        learnt: on how many training texts of each corpus, in their order.
        samples: of LIME.
    """
    values = rows.set_index(["model", "corpus", "view", "measure"])["value"].to_dict()
    there = {key[:2] for key in values}
    pairs = [(model, corpus) for corpus in learnt for model in models]
    cells = {pair: _of_pair(values, pair) for pair in pairs if pair in there}
    lacking = ", ".join(f"`{pair[0]}` on {pair[1]}" for pair in pairs if pair not in there)
    lines = [
        "# What explanations are worth",
        "",
        "Points of the answer's probability that are lost without the first 10 to 50 % of a text's "
        "words (comprehensiveness: the more the better), by each ranking. The interval is of the "
        "difference from random words.",
        "",
        *_comprehensiveness(cells),
        "",
        *_missed(cells),
        "",
        *_sufficiency(cells),
        "",
        *_seconds(cells),
        "",
        *_known(cells),
        "",
        *_page(cells),
        "",
        *WHY,
        "",
        f"Written by `make bench-explanations` on {machine()}. Each model learnt for a minute or "
        f"so from some training texts ({', '.join(f'{name} {n:,}' for name, n in learnt.items())}),"
        " without word vectors; texts are drawn from the test split. LIME has "
        f"{samples:,} samples of a text, its own default is 5,000; SHAP's partition of texts has "
        "its defaults. Seconds by the clock have in them what else the machine did meanwhile."
        + (f" Not measured: {lacking}." if lacking else ""),
        "",
    ]
    return "\n".join(lines)


def _of_pair(values, pair):
    """Of a model and a corpus, its numbers by views and measures."""
    return {key[2:]: value for key, value in values.items() if key[:2] == pair}


def _by_view(own, measure, views=NAMES):
    return {view: own[view, measure] for view in views if (view, measure) in own}


def _row(*cells):
    return f"| {' | '.join(map(str, cells))} |"


def _head(*columns, texts=2):
    yield _row(*columns)
    yield "|" + "---|" * texts + "--:|" * (len(columns) - texts)


def _shown(numbers, form):
    return [f"{numbers[view]:{form}}" if view in numbers else "none" for view in NAMES]


def _comprehensiveness(cells):
    more = ["contributions less random", "of the best", "beside LIME"]
    yield from _head("model", "corpus", "texts", "random words", *NAMES.values(), *more)
    for (model, corpus), own in cells.items():
        lost = _by_view(own, "comprehensiveness")
        added = lost[CONTRIBUTIONS]
        low, high = own[CONTRIBUTIONS, "low"], own[CONTRIBUTIONS, "high"]
        yield _row(
            f"`{model}`",
            corpus,
            f"{own['model', 'texts']:.0f}",
            f"{own['random', 'comprehensiveness']:.1f}",
            *_shown(lost, ".1f"),
            f"{low:+.1f} to {high:+.1f}",
            f"{added / max(lost.values()):.1%}",
            f"{added - lost['lime']:+.1f}",
        )


def _missed(cells) -> Iterator[str]:
    """Which goals are not met."""
    yield (
        f"Wanted are {SHARE:.0%} of the best, no less than LIME, and an interval above 0. Of "
        f"{len(cells)} pairs of a model and a corpus these miss something:"
    )
    yield ""
    for (model, corpus), own in cells.items():
        lost = _by_view(own, "comprehensiveness")
        share, less = lost[CONTRIBUTIONS] / max(lost.values()), lost["lime"] - lost[CONTRIBUTIONS]
        told = [f"{share:.1%} of the best"] if share < SHARE else []
        told += [f"{less:.1f} points below LIME"] if less >= 0.05 else []
        told += ["no better than random words"] if own[CONTRIBUTIONS, "low"] <= 0 else []
        if told:
            yield f"- `{model}`, {corpus}: {' and '.join(told)}"


def _sufficiency(cells):
    yield "Points that are lost with these words alone (sufficiency: the less the better):"
    yield ""
    yield from _head("model", "corpus", "random words", *NAMES.values())
    for (model, corpus), own in cells.items():
        random = f"{own['random', 'sufficiency']:.1f}"
        yield _row(f"`{model}`", corpus, random, *_shown(_by_view(own, "sufficiency"), ".1f"))


def _seconds(cells):
    yield (
        "Seconds of a core a text, one by one; contributions also as `model.explain` has them, 32 "
        f"at once, with all else that it tells. Wanted is {TIMES} times as fast as LIME."
    )
    yield ""
    yield from _head(
        *("model", "corpus", *NAMES.values(), "contributions, 32 at once"),
        *("times as fast as LIME, one by one", "at once"),
        *("missed and shared, median", "of a difference of"),
    )
    for (model, corpus), own in cells.items():
        seconds, of_one = _by_view(own, "seconds"), own[CONTRIBUTIONS, "seconds together"]
        yield _row(
            f"`{model}`",
            corpus,
            *_shown(seconds, ".4f"),
            f"{of_one:.4f}",
            f"{seconds['lime'] / seconds[CONTRIBUTIONS]:.0f}",
            f"{seconds['lime'] / of_one:.0f}",
            f"{own[CONTRIBUTIONS, 'rest']:.3f}",
            f"{own[CONTRIBUTIONS, 'difference']:.2f}",
        )


def _known(cells):
    yield "Where the words that decide are known:"
    yield ""
    for (model, _), own in cells.items():
        if (CONTRIBUTIONS, "deciding") in own:
            either = own[CONTRIBUTIONS, "deciding shaded either way"]
            yield (
                f"- `{model}`, built-in reviews (accuracy {own['model', 'accuracy']:.1%}): "
                f"{own[CONTRIBUTIONS, 'deciding shaded']:.1%} of the deciding words are shaded for "
                f"the answer, {either:.1%} for or against it; "
                f"{own[CONTRIBUTIONS, 'shaded']:.1%} of all words are shaded for it, "
                f"{own[CONTRIBUTIONS, 'deciding']:.1%} decide."
            )
        if areas := _by_view(own, "area"):
            told = ", ".join(f"{view} {area:.3f}" for view, area in areas.items())
            yield (
                f"- `{model}`, SST-2: of words that people marked as the answer is, the area under "
                f"the curve is: {told} (chance: 0.5)."
            )


def _page(cells):
    for (model, _), own in cells.items():
        parts = {measure: value for (view, measure), value in own.items() if view == PAGE}
        if parts:
            clock, size = parts.pop("clock"), parts.pop("bytes")
            told = ", ".join(f"{part} {seconds:.1f}" for part, seconds in parts.items())
            yield (
                f"A page of 200 texts of AG News, by `{model}`, once TensorFlow is loaded and the "
                f"model is: {sum(parts.values()):.1f} s of a core ({told}), {clock:.1f} s by the "
                f"clock, {size / 1e6:.2f} MB."
            )
