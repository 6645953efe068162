"""An explanation of an answer: what each word of the text contributed to it, and where it is."""

import html
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

SHOWN_LETTERS, SHOWN_WORDS = 160, 5  # of a text that is shown in a line
LONGEST_SHOWN = 10_000  # letters of a text that a notebook shows
FAINTEST = 0.05  # share of the largest contribution, or weight, below which a word is not shaded
FOR, AGAINST = "0,114,178", "213,94,0"  # blue and vermilion, distinct to the colour-blind


@dataclass(frozen=True)
class Word:
    """A word that the model read.

    Attributes:
        text: the word as in the original text, ``text[start:end]``.
        start, end: its place in the original text.
        sentence: the number of its sentence; 0 in a flat model.
        known: whether it is in the vocabulary.
        weight: its weight in the model's attention, the mean over heads; None without attention.
        heads: its weight in each head.
        entity: 1 in the first marked entity, 2 in the second, 3 in both, else 0.
        contribution: how much it speaks for the explained class, or against it if below 0.
    """

    text: str
    start: int
    end: int
    sentence: int
    known: bool
    weight: float | None
    heads: tuple[float, ...]
    entity: int = 0
    contribution: float | None = None


@dataclass(frozen=True)
class Change:
    """A few words whose deletion changes the answer; there may be a smaller choice of words.

    Attributes:
        words: the numbers of the words.
        label: the answer without them.
    """

    words: tuple[int, ...]
    label: str


@dataclass(frozen=True, repr=False)
class Explanation:
    """A model's answer to a text, how each word counts for it, and where attention was.

    A notebook shows the shaded text; ``print`` shows the answer and the words that count most.

    Attributes:
        text: the original text; see :func:`zoo.datasets.own_files.text_files.well_formed`.
        label: the most probable class; where texts have several labels, all those above their
            thresholds.
        probability: the probability of the label; where texts have several labels, the probability
            that exactly these are right.
        probabilities: the probability of each class.
        words: the words that were read, in order.
        sentences: the weight of each sentence, the mean over heads; empty for flat models.
        pairs: ``[heads, words, words]``, how much a word attends to each other word, 0 between
            sentences. None if words do not attend to words, if the array would take more than
            10 MB, or if it was not requested.
        target: the true label, if it is known.
        explained: the class that the words' contributions are for, normally the label.
        score: the logarithm of the odds of that class; None without contributions.
        start: the same logarithm without the words' vectors.
        change: a change of the text that changes the answer; None if no such change was searched
            for, or none was found. See :func:`zoo.explanation.changes.with_changes`.
    """

    text: str
    label: str
    probability: float
    probabilities: dict[str, float]
    words: tuple[Word, ...]
    sentences: tuple[float, ...]
    pairs: np.ndarray | None
    target: str | None = None
    explained: str | None = None
    score: float | None = None
    start: float | None = None
    change: Change | None = None

    def to_dict(self) -> dict[str, Any]:
        """The explanation as a dictionary for JSON."""
        pairs = None if self.pairs is None else self.pairs.tolist()
        return asdict(self) | {"pairs": pairs}

    @property
    def answer(self) -> str:
        """The label and its probability, and the true label if it differs."""
        wrong = self.target not in (None, self.label)
        true = f", wrong: it is {self.target}" if wrong else ""
        return f"{self.label}, {self.probability:.1%}{true}"

    @property
    def error(self) -> float | None:
        """How far the sum of contributions is from ``score - start``; None without them."""
        if self.score is None:
            return None
        return sum(word.contribution for word in self.words) - (self.score - self.start)

    def shares(self, view: str = "contributions") -> list[float]:
        """Each word's contribution as a share of the largest, -1 to 1; all 0 without contributions.

        Args:
            view: "contributions", or "attention" for the words' weights.
        """
        attended = view == "attention"
        own = [(word.weight if attended else word.contribution) or 0.0 for word in self.words]
        largest = max(map(abs, own), default=0) or 1
        return [one / largest for one in own]

    def strongest(self, most: int = SHOWN_WORDS) -> str:
        """The words that speak most for the explained class, and against it."""
        order = sorted(self.words, key=lambda word: -abs(word.contribution or 0))
        shown = [word for word in order if word.contribution][:most]
        sides = {
            "for": [word for word in shown if word.contribution > 0],
            "against": [word for word in shown if word.contribution < 0],
        }
        return "; ".join(
            f"{side}: " + ", ".join(f"{word.text} {word.contribution:+.2f}" for word in words)
            for side, words in sides.items()
            if words
        )

    @property
    def changed(self) -> str:
        """A line about what would change the answer; "" if that is not known."""
        if self.change is None:
            return ""
        words = ", ".join(f"“{self.words[number].text}”" for number in self.change.words)
        return f"without {words} it is {self.change.label}"

    def __str__(self) -> str:
        text = " ".join(self.text.split())
        text = text if len(text) <= SHOWN_LETTERS else f"{text[: SHOWN_LETTERS - 1]}…"
        words = self.strongest()
        return f"{self.answer}: {text}" + (f" ({words})" if words else "")

    def __repr__(self) -> str:
        return f"<Explanation {self}>"

    def _repr_html_(self) -> str:
        inside, place = [], 0
        shown = self.text[:LONGEST_SHOWN]
        for word, share in zip(self.words, self.shares(), strict=True):
            if word.end > len(shown):
                break
            style = html_style(share)
            style += ";font-weight:bold;font-style:italic" if word.entity else ""
            letters = html.escape(shown[word.start : word.end])
            inside.append(html.escape(shown[place : word.start]))
            inside.append(f'<span style="{style}">{letters}</span>' if style else letters)
            place = word.end
        inside.append(html.escape(shown[place:]) + ("…" if len(self.text) > len(shown) else ""))
        words = self.strongest()
        return (
            f"<b>{html.escape(self.answer)}</b>"
            f'<div style="white-space:pre-wrap;line-height:1.7">{"".join(inside)}</div>'
            + (f"<small>{html.escape(words)}</small>" if words else "")
        )


def html_style(share: float) -> str:
    """The CSS of a word: a solid line if for the class, dotted if against, darker if stronger."""
    if abs(share) <= FAINTEST:
        return ""
    color, line = (FOR, "solid") if share > 0 else (AGAINST, "dotted")
    return f"background:rgba({color},{0.6 * abs(share):.2f});border-bottom:2px {line}"
