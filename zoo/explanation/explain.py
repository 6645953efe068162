"""Explanations of a model's answers to texts."""

import html
from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from keras.tree import map_structure

from zoo.answers import as_probabilities, foremost, told
from zoo.backend import in_threads, prediction_threads
from zoo.datasets.own_files.text_files import well_formed
from zoo.datasets.text.given_texts import check_texts
from zoo.datasets.text.word_places import placed_words
from zoo.errors import unknown
from zoo.explanation import attention as attended
from zoo.explanation.contributions import computed
from zoo.explanation.deletion import read_texts
from zoo.explanation.explanation import Explanation, Word
from zoo.explanation.html_page import page
from zoo.explanation.leaving_out import left_out
from zoo.layers.masking import UNKNOWN
from zoo.progress import progress

LARGEST = 10_000_000  # bytes; larger pairs of a text are not kept
# Of a batch, so that explaining needs no more memory than training did: contributions take the
# gradients of each text twice.
MOST_TEXTS, MOST_CHARACTERS = 32, 20_000


class Explanations(list[Explanation]):
    """Explanations in the order of the texts; a notebook shows them as a page."""

    def _repr_html_(self) -> str:
        inside = html.escape(page({"": self}))
        return f'<iframe srcdoc="{inside}" width="100%" height="480" frameborder="0"></iframe>'


def explain(
    model,
    texts: Sequence[str],
    targets: Sequence[str] | None = None,
    pairs: bool = True,
    label: str | None = None,
) -> Explanations:
    """Explains a model's answers: how each word counts for a class, and where attention was.

    Args:
        model: a classifier with ``preprocessor`` and ``labels``, as :func:`zoo.load` returns.
        texts: the texts.
        targets: their true labels, if known.
        pairs: whether to keep ``pairs``, whose memory grows with the square of a text's words. Set
            it to False for a whole corpus.
        label: the class that contributions are for; by default the answer to each text.

    Returns:
        An explanation for each text, in order.

    Raises:
        ValueError: if there are not as many targets as texts, for a single text or a table, or if
            the model lacks ``preprocessor`` or ``labels``.
        UsageError: for a target or a label that the model does not have.

    Example:
        >>> import zoo
        >>> (explanation,) = zoo.load(run).explain(["A fine film."])
        >>> [word.text for word in explanation.words]
        ['A', 'fine', 'film', '.']
    """
    if model.preprocessor is None or model.labels is None:
        raise ValueError("a model that explains needs model.preprocessor and model.labels")
    check_texts(texts)
    texts = [well_formed(text) for text in texts]
    targets = [None] * len(texts) if targets is None else list(targets)
    if len(targets) != len(texts):
        raise ValueError(f"{len(texts)} texts need as many targets: got {len(targets)}")
    targets = [None if one is None else model.kind.known(one, model.labels) for one in targets]
    if label not in (None, *model.labels):
        raise unknown("label", label, model.labels)
    explained = {}

    def explain_part(rows):
        own, known = ([all[i] for i in rows] for all in (texts, targets))
        return list(zip(rows, _explain(model, own, known, pairs, label), strict=True))

    found = in_threads(explain_part, _batches(texts), prediction_threads())
    for some in progress(found, "Explaining", len(texts), size=len, shown=True):
        explained |= some
    return Explanations(explained[i] for i in range(len(texts)))


def _batches(texts):
    """The numbers of the texts of each batch, those of similar length together."""
    batch = []
    for number in sorted(range(len(texts)), key=lambda number: len(texts[number])):
        many = len(batch) == MOST_TEXTS or (len(batch) + 1) * len(texts[number]) > MOST_CHARACTERS
        if batch and many:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _explain(model, texts, targets, pairs, label):
    """The explanations of a single batch of texts."""
    tokens = model.preprocessor.tokens(texts)
    ids = np.asarray(model.preprocessor.pad(tokens.inputs))
    outputs, attention, weights = attended.computed(model, ids)
    rows = as_probabilities(model, outputs)
    classes = foremost(rows)
    if label is not None:
        classes = [model.labels.index(label)] * len(ids)
    added = computed(model, ids, classes)
    if not added.words.any() and np.array_equal(added.score, added.start):  # no vectors are read
        added = left_out(model, read_texts(model, texts), classes)
    scores = attention if pairs else attention._replace(pairs=None), weights
    words, roles = model.read(ids)
    roles = np.zeros_like(ids) if roles is None else roles
    each = zip(texts, targets, placed_words(tokens), strict=True)
    for i, (text, target, placed) in enumerate(each):
        real = ids[i] != 0  # in a bag of words, n-grams may follow the words
        sentences = np.atleast_2d(real)  # a flat text is a single sentence
        attention, weights = map_structure(itemgetter(i), scores, none_is_leaf=False)
        yield Explanation(
            **told(model, text, rows[i], written=True),
            words=_words(
                text,
                placed,
                words[i][real][: sum(map(len, placed))],
                roles[i][real],
                None if weights is None else weights[:, sentences],
                added.words[i][real],
            ),
            sentences=()
            if attention.sentences is None
            else tuple(attention.sentences.mean(0)[: len(placed)].tolist()),
            pairs=None if attention.pairs is None else _pairs(attention.pairs, sentences),
            target=target,
            explained=model.labels[classes[i]],
            score=float(added.score[i]),
            start=float(added.start[i]),
        )


def _words(text, placed, ids, roles, weights, added):
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
            float(contribution),
        )
        for sentence, (start, end), one, role, own, contribution in zip(
            sentences, places, ids, roles[: len(ids)], heads, added[: len(ids)], strict=True
        )
    )


def _pairs(scores, real):
    """``[heads, words, words]`` of all words of a text, from the scores within each sentence."""
    words = int(real.sum())
    if 4 * len(scores) * words**2 > LARGEST:
        return None
    pairs, start = np.zeros((len(scores), words, words), "float32"), 0
    for sentence, own in enumerate(real):
        end = start + int(own.sum())
        pairs[:, start:end, start:end] = scores[:, sentence][:, own][:, :, own]
        start = end
    return pairs
