"""Explanations as a page: one file, with all it needs inside."""

import base64
import json
import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from zoo.explanation.corpus_tables import attended_ngrams
from zoo.explanation.explanation import Explanation
from zoo.filesystem.atomic_files import whole

CORPUS = 20  # texts, from which on the n-grams of all of them are shown
PAIRS = 3_000_000  # bytes: beyond, attention between words is the mean of its heads, or left out


def page(
    explanations: Sequence[Explanation],
    title: str = "Attention",
    faithful: str = "",
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> str:
    """HTML of texts whose words are shaded by their weight.

    Heads are chosen above; a word that is pointed at or clicked shows what it attends to. Bars
    before sentences are as high as the sentence's weight. Of 20 texts and more, the most attended
    n-grams of each class stand above. Weights are kept at 256 levels.

    Args:
        explanations: as of :func:`zoo.explanation.explain.explain`.
        title: what stands above.
        faithful: a sentence on how far the weights may be trusted.
        tables: more about the corpus, by their captions.
    """
    pairs = [one.pairs for one in explanations if one.pairs is not None]
    sizes = {"all": sum(one.size for one in pairs), "mean": sum(one[:1].size for one in pairs)}
    kept = next((heads for heads, size in sizes.items() if size <= PAIRS), "none")
    tables = _of_corpus(explanations) | dict(tables or {})
    data = {
        "title": title,
        "faithful": faithful,
        "labels": list(explanations[0].probabilities) if explanations else [],
        "pairs": kept,
        "heads": max((len(word.heads) for one in explanations for word in one.words), default=0),
        "tables": [
            {"caption": name, "columns": list(table), "rows": _rounded(table)}
            for name, table in tables.items()
        ],
        "documents": [_document(one, kept) for one in explanations],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c")
    template = (files("zoo.explanation") / "page.html").read_text("utf-8")
    return template.replace("__DATA__", text)


def write_page(path: Path, explanations: Sequence[Explanation], title: str, **more: Any) -> None:
    """Writes :func:`page` to a file, whole or not at all.

    Raises:
        UsageError: if it cannot be written.
    """
    with whole(path) as partial:
        partial.write_text(page(explanations, title, **more), "utf-8")


def _of_corpus(explanations):
    """The most attended n-grams, of texts enough for it."""
    tables = {}
    for size in (1, 2, 3) if len(explanations) >= CORPUS else ():
        found = attended_ngrams(explanations, size, most=5)
        if len(found):
            tables[f"Most attended {('words', 'pairs', 'triples')[size - 1]} by answer"] = found
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
    pairs = None if kept == "none" else one.pairs
    if pairs is not None and kept == "mean":
        pairs = pairs.mean(axis=0, keepdims=True)
    return {
        "text": one.text,
        "target": one.target,
        "label": one.label,
        "probabilities": [round(probability, 4) for probability in one.probabilities.values()],
        "starts": [word.start for word in one.words],
        "lengths": [word.end - word.start for word in one.words],
        "sentences": list(map(float, np.round(one.sentences, 4))),
        "of_sentence": [word.sentence for word in one.words] if one.sentences else [],
        "unknown": [place for place, word in enumerate(one.words) if not word.known],
        "entities": [word.entity for word in one.words] if any(w.entity for w in one.words) else [],
        "weights": [_packed(head[None]) for head in weights] or None,
        "pairs": None if pairs is None else [_packed(head) for head in pairs],
    }


def _packed(rows):
    """The largest weight of each row, and all as bytes, 255 the row's largest, in base64."""
    largest = [float(f"{one:.4g}") for one in np.max(rows, axis=1, initial=0)]
    scale = np.array([one or 1 for one in largest])[:, None]
    scaled = np.clip(np.round(255 * np.asarray(rows, "float64") / scale), 0, 255)
    return largest, base64.b64encode(scaled.astype("uint8").tobytes()).decode()
