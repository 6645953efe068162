"""Explanations as a page: a single HTML file that needs no other."""

import base64
import json
import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from zoo.explanation.corpus_tables import attended_ngrams
from zoo.explanation.explanation import Explanation
from zoo.explanation.glance import at_a_glance
from zoo.filesystem.atomic_files import whole

CORPUS = 20  # with at least as many texts, a table of their phrases is shown
PAIRS = 3_000_000  # bytes; larger attention between words is averaged over heads, or left out


def page(
    explanations: Mapping[str, Sequence[Explanation]],
    title: str = "Which words decided",
    faithful: Mapping[str, Mapping[str, Any]] | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
    opened: bool = False,
) -> str:
    """HTML of texts whose words are shaded by their contributions.

    Words that speak for a class have a solid line, words that speak against it a dotted one. If
    there is attention, it is a second view: heads are chosen at the top; a word that is pointed at
    or clicked shows what it attends to; and the height of a bar before each sentence is the
    sentence's weight. With 20 texts or more, the words and phrases that say most are listed at the
    top. Numbers are stored at 256 levels.

    Args:
        explanations: explanations of :func:`zoo.explanation.explain.explain`, by the names of one
            or two runs. Two runs explain the same texts, and are shown side by side.
        title: the title of the page.
        faithful: for each run and view how good the view is: see
            :func:`zoo.explanation.faithfulness.faithfulness`.
        tables: further tables about the corpus, by their captions.
        opened: whether these tables are unfolded at first, so that more than the captions is shown.
    """
    every = list(chain.from_iterable(zip(*explanations.values(), strict=True)))
    pairs = [one.pairs for one in every if one.pairs is not None]
    sizes = {"all": sum(one.size for one in pairs), "mean": sum(one[:1].size for one in pairs)}
    kept = next((heads for heads, size in sizes.items() if size <= PAIRS), "none")
    own = dict(tables or {})
    tables = own | _of_corpus(explanations) if opened else _of_corpus(explanations) | own
    data = {
        "title": title,
        "runs": [
            {
                "name": name,
                "labels": list(own[0].probabilities) if own else [],
                "faithful": {
                    view: str(one) for view, one in (faithful or {}).get(name, {}).items()
                },
            }
            for name, own in explanations.items()
        ],
        "pairs": kept,
        "heads": max((len(word.heads) for one in every for word in one.words), default=0),
        "tables": [
            {
                "caption": name,
                "columns": list(table),
                "rows": _rounded(table),
                "open": opened and name in own,
            }
            for name, table in tables.items()
        ],
        "documents": [
            _document(one, kept) | {"run": number % len(explanations)}
            for number, one in enumerate(every)
        ],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c")
    template = (files("zoo.explanation") / "page.html").read_text("utf-8")
    return template.replace("__DATA__", text)


def write_page(path: Path, explanations: Mapping[str, Sequence[Explanation]], *more: Any) -> None:
    """Writes :func:`page` to a file, whole or not at all.

    Raises:
        UsageError: if it cannot be written.
    """
    with whole(path) as partial:
        partial.write_text(page(explanations, *more), "utf-8")


def _of_corpus(explanations):
    """Tables of the words and phrases that say most, and of the most attended, if texts suffice."""
    tables = {}
    for name, own in explanations.items():
        if len(own) < CORPUS:
            continue
        run = f" ({name})" if len(explanations) > 1 else ""
        tables[f"Words and phrases that say most, by class{run}"] = at_a_glance(own)
        for size in (1, 2, 3):
            found = attended_ngrams(own, size, most=5)
            if len(found):
                kind = ("words", "pairs", "triples")[size - 1]
                tables[f"Most attended {kind} by answer{run}"] = found
    return tables


def _rounded(table):
    return [
        [_digits(cell) if isinstance(cell, float) else cell for cell in row]
        for row in table.values.tolist()
    ]


def _digits(number):
    """The number to three digits; None for NaN and infinity, which JSON does not have."""
    return float(f"{number:.3g}") if math.isfinite(number) else None


def _document(one, kept):
    weights = np.array([word.heads for word in one.words]).T
    added = [word.contribution for word in one.words]
    pairs = None if kept == "none" else one.pairs
    if pairs is not None and kept == "mean":
        pairs = pairs.mean(axis=0, keepdims=True)
    return {
        "text": one.text,
        "target": one.target,
        "label": one.label,
        "explained": one.explained,
        "probabilities": [round(probability, 4) for probability in one.probabilities.values()],
        "starts": [word.start for word in one.words],
        "lengths": [word.end - word.start for word in one.words],
        "sentences": list(map(float, np.round(one.sentences, 4))),
        "of_sentence": [word.sentence for word in one.words] if one.sentences else [],
        "unknown": [place for place, word in enumerate(one.words) if not word.known],
        "entities": [word.entity for word in one.words] if any(w.entity for w in one.words) else [],
        "contributions": None if None in added else _signed(added),
        "change": one.change and {"words": one.change.words, "label": one.change.label},
        "weights": [_packed(head[None]) for head in weights] or None,
        "pairs": None if pairs is None else [_packed(head) for head in pairs],
    }


def _packed(rows):
    """The largest weight of each row, and all weights as bytes in base64, 255 for the largest."""
    largest = [float(f"{one:.4g}") for one in np.max(rows, axis=1, initial=0)]
    scale = np.array([one or 1 for one in largest])[:, None]
    scaled = np.clip(np.round(255 * np.asarray(rows, "float64") / scale), 0, 255)
    return largest, base64.b64encode(scaled.astype("uint8").tobytes()).decode()


def _signed(numbers):
    """The largest absolute value, and all numbers as bytes, in base64; 128 is 0, 255 largest."""
    largest = float(f"{np.abs(numbers).max(initial=0):.4g}")
    scaled = np.clip(np.round(128 + 127 * np.asarray(numbers, "float64") / (largest or 1)), 1, 255)
    return largest, base64.b64encode(scaled.astype("uint8").tobytes()).decode()
