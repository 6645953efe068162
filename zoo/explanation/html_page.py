"""Explanations as a page: one file, with all it needs inside."""

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

CORPUS = 20  # texts, from which on the phrases of all of them are shown
PAIRS = 3_000_000  # bytes: beyond, attention between words is the mean of its heads, or left out


def page(
    explanations: Mapping[str, Sequence[Explanation]],
    title: str = "Which words decided",
    faithful: Mapping[str, Mapping[str, Any]] | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
    opened: bool = False,
) -> str:
    """HTML of texts whose words are shaded by what they contribute.

    What speaks for a class has a solid line, what speaks against it a dotted one. Attention is a
    second view, where there is any: heads are chosen above; a word that is pointed at or clicked
    shows what it attends to, and bars before sentences are as high as the sentence's weight. Of 20
    texts and more, the words and phrases that say most stand above. Numbers are kept at 256 levels.

    Args:
        explanations: as of :func:`zoo.explanation.explain.explain`, by the names of one or two
            runs, which explain the same texts and then stand side by side.
        title: what stands above.
        faithful: of each run, by views, what the view is worth: see
            :func:`zoo.explanation.faithfulness.faithfulness`.
        tables: more about the corpus, by their captions.
        opened: whether these are shown, and not only their captions.
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
    """The words and phrases that say most, and the most attended ones, of texts enough for it."""
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
    """Three of them; nothing where there is no number, as JSON has none for it."""
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
    """The largest weight of each row, and all as bytes, 255 the row's largest, in base64."""
    largest = [float(f"{one:.4g}") for one in np.max(rows, axis=1, initial=0)]
    scale = np.array([one or 1 for one in largest])[:, None]
    scaled = np.clip(np.round(255 * np.asarray(rows, "float64") / scale), 0, 255)
    return largest, base64.b64encode(scaled.astype("uint8").tobytes()).decode()


def _signed(numbers):
    """The largest size of some numbers, and all as bytes: 128 is 0, 255 and 1 are the largest."""
    largest = float(f"{np.abs(numbers).max(initial=0):.4g}")
    scaled = np.clip(np.round(128 + 127 * np.asarray(numbers, "float64") / (largest or 1)), 1, 255)
    return largest, base64.b64encode(scaled.astype("uint8").tobytes()).decode()
