"""Where a model looked: the weight of each word, at its place in the original text."""

import html
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from keras import ops
from keras.tree import map_structure

from zoo.answers import as_probabilities
from zoo.datasets.own_files.text_files import well_formed
from zoo.datasets.text.text_tensors import check_texts
from zoo.datasets.text.word_places import placed_words
from zoo.errors import unknown
from zoo.explanation.attention import attention_of, weights_of_heads
from zoo.layers.masking import UNKNOWN
from zoo.progress import progress

LARGEST = 10_000_000  # bytes of the pairs of a text
TOGETHER = 32  # texts computed at once
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
        label: the most probable class.
        probability: of it.
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


class Explanations(list[Explanation]):
    """Explanations in the order of the texts; a notebook shows them as a page."""

    def _repr_html_(self) -> str:
        from zoo.explanation.html_page import page

        inside = html.escape(page(self))
        return f'<iframe srcdoc="{inside}" width="100%" height="480" frameborder="0"></iframe>'


def explain(
    model, texts: Sequence[str], targets: Sequence[str] | None = None, pairs: bool = True
) -> Explanations:
    """Explains a model's answers.

    Args:
        model: a classifier with ``preprocessor`` and ``labels``, as :func:`zoo.load` gives.
        texts: the texts.
        targets: their true labels, if known.
        pairs: whether ``pairs`` are kept, which take memory by the square of a text's words: False
            for a whole corpus.

    Returns:
        An explanation of each text, in order.

    Raises:
        ValueError: if there are not as many targets as texts, for one text or a table, or if the
            model lacks ``preprocessor`` or ``labels``.
        UsageError: for a target that is no label of the model's.
    """
    if model.preprocessor is None or model.labels is None:
        raise ValueError("a model that explains needs model.preprocessor and model.labels")
    check_texts(texts)
    texts = [well_formed(text) for text in texts]
    targets = [None] * len(texts) if targets is None else list(targets)
    if len(targets) != len(texts):
        raise ValueError(f"{len(texts)} texts need as many targets: got {len(targets)}")
    targets = [None if one is None else str(one) for one in targets]  # as labels are
    for one in dict.fromkeys(targets):
        if one not in (None, *model.labels):
            raise unknown("label", one, model.labels)
    explained = {}
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # like lengths together
    parts = (order[start : start + TOGETHER] for start in range(0, len(order), TOGETHER))
    for rows in progress(parts, "Explaining", len(texts), size=len, shown=True):
        some = _explain(model, [texts[i] for i in rows], [targets[i] for i in rows], pairs)
        explained |= zip(rows, some, strict=True)
    return Explanations(explained[i] for i in range(len(texts)))


def _explain(model, texts, targets, pairs):
    """The same for texts of one batch."""
    tokens = model.preprocessor.tokens(texts)
    ids = np.asarray(model.preprocessor.pad(tokens.inputs))
    rows = as_probabilities(model, model.predict_on_batch(ids))
    attention = attention_of(model, ids)
    weights = weights_of_heads(attention, ids)
    attention = attention if pairs else attention._replace(pairs=None)
    scores = map_structure(ops.convert_to_numpy, (attention, weights), none_is_leaf=False)
    words, roles = model.read(ids)
    roles = np.zeros_like(ids) if roles is None else roles
    each = zip(texts, targets, placed_words(tokens), strict=True)
    for i, (text, target, placed) in enumerate(each):
        real = ids[i] != 0  # n-grams, which a bag may have, come after the words
        sentences = np.atleast_2d(real)  # one, of a flat text
        attention, weights = map_structure(itemgetter(i), scores, none_is_leaf=False)
        yield Explanation(
            text,
            model.labels[rows[i].argmax()],
            float(rows[i].max()),
            dict(zip(model.labels, map(float, rows[i]), strict=True)),
            _words(
                text,
                placed,
                words[i][real][: sum(map(len, placed))],
                roles[i][real],
                None if weights is None else weights[:, sentences],
            ),
            ()
            if attention.sentences is None
            else tuple(attention.sentences.mean(0)[: len(placed)].tolist()),
            None if attention.pairs is None else _pairs(attention.pairs, sentences),
            target,
        )


def _words(text, placed, ids, roles, weights):
    sentences = [number for number, words in enumerate(placed) for _ in words]
    places = [place for words in placed for _, *place in words]
    heads = [()] * len(ids) if weights is None else map(tuple, weights.T.tolist())
    return tuple(
        Word(
            text[start:end],
            start,
            end,
            sentence,
            bool(one != UNKNOWN),
            sum(own) / len(own) if own else None,
            own,
            int(role),
        )
        for sentence, (start, end), one, role, own in zip(
            sentences, places, ids, roles[: len(ids)], heads, strict=True
        )
    )


def _pairs(scores, real):
    """``[heads, words, words]`` of real words, from those of each sentence."""
    words = int(real.sum())
    if 4 * len(scores) * words**2 > LARGEST:
        return None
    pairs, start = np.zeros((len(scores), words, words), "float32"), 0
    for sentence, own in enumerate(real):
        end = start + int(own.sum())
        pairs[:, start:end, start:end] = scores[:, sentence][:, own][:, :, own]
        start = end
    return pairs
