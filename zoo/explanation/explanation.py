"""An explanation of a text: the answer, and the weight of each word at its place in the text."""

import html
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

SHOWN_LETTERS, SHOWN_WORDS = 160, 5  # of a text in a line
LONGEST_SHOWN = 10_000  # letters of a text in a notebook


@dataclass(frozen=True)
class Word:
    """A word that the model read.

    Attributes:
        text: as it stands in the original, ``text[start:end]``.
        start, end: its place there.
        sentence: the number of its sentence; 0 in a flat model.
        known: whether it is in the vocabulary.
        weight: its weight in the model's attention, the mean of its heads; None without attention.
        heads: the same in each head.
        entity: 1 in the first marked entity, 2 in the second, 3 in both, else 0.
    """

    text: str
    start: int
    end: int
    sentence: int
    known: bool
    weight: float | None
    heads: tuple[float, ...]
    entity: int = 0


@dataclass(frozen=True, repr=False)
class Explanation:
    """What a model answers to a text, and where its attention was.

    A notebook shows the text shaded, ``print`` its answer and the most attended words.

    Attributes:
        text: the original; see :func:`zoo.datasets.own_files.text_files.well_formed`.
        label: the most probable class; of several labels a text, those above their thresholds.
        probability: of it; of several, that these and no others are right.
        probabilities: of each class.
        words: those that were read, in order.
        sentences: the weight of each sentence, the mean of its heads; empty for flat models.
        pairs: ``[heads, words, words]``, how much a word attends to each other word, 0 between
            sentences; None where words do not attend to words, where they would take more than
            10 MB, and unless they are asked for.
        target: the true label, where it is known.
    """

    text: str
    label: str
    probability: float
    probabilities: dict[str, float]
    words: tuple[Word, ...]
    sentences: tuple[float, ...]
    pairs: np.ndarray | None
    target: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        pairs = None if self.pairs is None else self.pairs.tolist()
        return asdict(self) | {"pairs": pairs}

    @property
    def answer(self) -> str:
        """The label and its probability, and the true label where that is another."""
        wrong = self.target not in (None, self.label)
        true = f", wrong: it is {self.target}" if wrong else ""
        return f"{self.label}, {self.probability:.1%}{true}"

    def shares(self) -> list[float]:
        """Of each word its weight, as a share of the largest: 0 to 1; all 0 without attention."""
        largest = max((word.weight or 0 for word in self.words), default=0) or 1
        return [(word.weight or 0) / largest for word in self.words]

    def __str__(self) -> str:
        text = " ".join(self.text.split())
        text = text if len(text) <= SHOWN_LETTERS else f"{text[: SHOWN_LETTERS - 1]}…"
        heaviest = sorted((word for word in self.words if word.weight), key=lambda w: -w.weight)
        words = ", ".join(f"{word.text} {word.weight:.2f}" for word in heaviest[:SHOWN_WORDS])
        return f"{self.answer}: {text}" + (f" (most attended: {words})" if words else "")

    def __repr__(self) -> str:
        return f"<Explanation {self}>"

    def _repr_html_(self) -> str:
        inside, place = [], 0
        shown = self.text[:LONGEST_SHOWN]
        for word, share in zip(self.words, self.shares(), strict=True):
            if word.end > len(shown):
                break
            style = f"background:rgba(255,165,0,{share:.2f})" if share > 0.05 else ""
            style += ";font-weight:bold;font-style:italic" if word.entity else ""
            letters = html.escape(shown[word.start : word.end])
            inside.append(html.escape(shown[place : word.start]))
            inside.append(f'<span style="{style}">{letters}</span>' if style else letters)
            place = word.end
        inside.append(html.escape(shown[place:]) + ("…" if len(self.text) > len(shown) else ""))
        return (
            f"<b>{html.escape(self.answer)}</b>"
            f'<div style="white-space:pre-wrap;line-height:1.7">{"".join(inside)}</div>'
        )
