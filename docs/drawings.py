"""Drawings of models as SVG: boxes in rows, from the text above to the answer below.

The site puts them into its pages, whose style gives them their colours, light or dark. A box whose
text begins with ``*`` has weights of its own and is drawn with a stronger line.
"""

import itertools
from dataclasses import dataclass
from html import escape

WIDTH, MARGIN, GAP, LINE = 440, 44, 24, 17  # of the whole, its sides, between rows, of text


@dataclass(frozen=True)
class Drawing:
    """A model.

    Attributes:
        title: what is drawn, for those who do not see it.
        rows: boxes that stand side by side, from above to below; a box may have several lines.
        groups: the first and the last row of a part that is repeated, and what is said of it.
        skips: the rows between which a connection passes others by.
    """

    title: str
    rows: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[int, int, str], ...] = ()
    skips: tuple[tuple[int, int], ...] = ()


DRAWINGS = {
    "hcan": Drawing(
        "HCAN: two self-attentions of convolutions, multiplied, and a target attention, for the "
        "words of each sentence and then for the sentences",
        (
            ("vectors of a sentence's words",),
            ("*+ position vectors, dropout",),
            (
                "*self-attention\nQ, K: elu of convolutions\nV: elu of a convolution",
                "*self-attention\nQ, K: elu of convolutions\nV: tanh of a convolution",
            ),
            ("*product, layer normalisation",),
            ("*target attention: a learned query\nlooks for what decides",),
            ("a vector for each sentence",),
            ("*the same level again,\nover the sentences of the document",),
            ("*softmax over the classes",),
        ),
        groups=((1, 4, "a level"),),
    ),
    "han": Drawing(
        "HAN: a bidirectional GRU and attention, for words and then for sentences",
        (
            ("vectors of a sentence's words",),
            ("*GRU, forward", "*GRU, backward"),
            ("both states of each word",),
            ("*attention: tanh layer,\nproduct with a context vector, softmax",),
            ("a vector for each sentence:\nthe weighted sum",),
            ("*the same level again,\nover the sentences of the document",),
            ("*softmax over the classes",),
        ),
        groups=((1, 4, "a level"),),
    ),
    "ssan": Drawing(
        "SSAN: layers of self-attention with relative positions, their mean and a softmax",
        (
            ("word vectors, dropout",),
            ("*Q: relu layer", "*K: relu layer", "*V: relu layer"),
            ("*one-head attention, with vectors\nof the distance of two words",),
            ("*relu layer, dropout",),
            ("mean over the words",),
            ("*relu layer, dropout",),
            ("*softmax, without bias",),
        ),
        groups=((1, 3, "1 or 2 layers"),),
    ),
    "act": Drawing(
        "ACT: layers of attentive convolution with residual connections, then global attention",
        (
            ("word vectors",),
            (
                "*head 1:\nmatches of n-grams\nwith filters",
                "*head h:\nmatches of n-grams\nwith filters",
            ),
            ("the same filters as values", "the same filters as values"),
            ("*joined, projected back",),
            ("*sum, layer normalisation",),
            ("*global attention: words, positions\nand the largest matches of all filters",),
            ("*hidden layer (gelu), dropout",),
            ("*softmax; in training also the\nloss of the distance to class centres",),
        ),
        groups=((1, 4, "3 layers"),),
        skips=((0, 4),),
    ),
    "attcnn": Drawing(
        "ATT-CNN: a context vector beside each word's vector, then convolutions and maxima",
        (
            ("word vectors",),
            ("*scores of all pairs of words:\ntanh layer, less for those far apart",),
            ("context vector of each word:\nthe weighted sum of all other words",),
            ("word vector and context vector, side by side",),
            ("*convolutions\nof 3 words", "*convolutions\nof 4 words", "*convolutions\nof 5 words"),
            ("the maximum of each filter, dropout",),
            ("*softmax over the classes",),
        ),
        skips=((0, 3),),
    ),
    "counting": Drawing(
        "Linear models: counts of n-grams, weighted, times a table of weights",
        (
            ("words, pairs, triples .. or\ncharacters of the text",),
            (
                "counts, or 0 and 1, or\nTF-IDF at length 1",
                "mean of word vectors\n(svm_vectors, ave)",
            ),
            ("*weights of each n-gram for each class,\nwhich scikit-learn finds",),
            ("probabilities",),
        ),
    ),
    "convolutions": Drawing(
        "Kim's CNN: convolutions of several widths, maxima and a softmax",
        (
            ("word vectors",),
            ("*convolutions\nof 3 words", "*convolutions\nof 4 words", "*convolutions\nof 5 words"),
            ("the maximum of each filter, dropout",),
            ("*softmax over the classes",),
        ),
    ),
    "recurrent": Drawing(
        "LSTM: a state goes through the words; the last state, or the mean, is classified",
        (
            ("word vectors, dropout",),
            ("*LSTM, forward", "*LSTM, backward\n(bilstm)"),
            ("the last states, or the mean of all states",),
            ("*softmax over the classes",),
        ),
    ),
    "attention": Drawing(
        "LEAM: words weighed by how near their neighbourhood is to the vectors of classes",
        (
            ("word vectors", "*vectors of classes"),
            ("*cosine of each word with each class,\nof its neighbourhood by a layer",),
            ("largest over the classes,\nsoftmax over the words",),
            ("weighted sum of word vectors",),
            ("*hidden layer, softmax",),
        ),
    ),
    "transformers": Drawing(
        "A Transformer: layers of self-attention and feed-forward networks",
        (
            ("word vectors and positions",),
            ("*self-attention of several heads",),
            ("*sum, layer normalisation",),
            ("*feed-forward network",),
            ("*sum, layer normalisation",),
            ("mean of the words, first word,\nor global attention",),
            ("*softmax over the classes",),
        ),
        groups=((1, 4, "layers"),),
        skips=((0, 2), (2, 4)),
    ),
    "house": Drawing(
        "The rooms of zoo: each imports those below it and none above",
        (
            ("cli/",),
            ("estimator, training/",),
            ("shipping/",),
            ("evaluation/",),
            ("weights/",),
            ("models/", "runs/"),
            ("settings, registry, classifier",),
            ("explanation/",),
            ("datasets/",),
            ("answers/",),
            ("layers/",),
            ("backend/",),
        ),
    ),
}


def drawing(name: str) -> str:
    """The SVG of one of :data:`DRAWINGS`, without a blank line."""
    found = DRAWINGS[name]
    parts, places, top = [], [], 12
    for row in found.rows:
        height = LINE * max(text.count("\n") + 1 for text in row) + 12
        width = (WIDTH - 2 * MARGIN - 12 * (len(row) - 1)) / len(row)
        boxes = []
        for number, text in enumerate(row):
            left = MARGIN + number * (width + 12)
            boxes.append((left + width / 2, top, top + height))
            parts += _box(text, left, top, width, height)
        places.append(boxes)
        top += height + GAP
    for above, below in itertools.pairwise(places):
        same = len(above) == len(below)
        pairs = zip(above, below, strict=True) if same else [(a, b) for a in above for b in below]
        for (x, _, bottom), (to, start, _) in pairs:
            parts.append(f'<path d="M{x:.0f} {bottom:.0f}L{to:.0f} {start - 5:.0f}" {ARROW}/>')
    for first, last in found.skips:
        start, end = sum(places[first][0][1:]) / 2, sum(places[last][0][1:]) / 2
        left = MARGIN - 18
        parts.append(f'<path d="M{MARGIN} {start:.0f}H{left}V{end:.0f}H{MARGIN - 5}" {ARROW}/>')
    for first, last, text in found.groups:
        start, end = places[first][0][1] - 8, places[last][0][2] + 8
        x = WIDTH - MARGIN + 8
        parts.append(f'<path d="M{x} {start:.0f}h8V{end:.0f}h-8"/>')
        parts.append(
            f'<text class="small" transform="translate({x + 22} {(start + end) / 2:.0f}) '
            f'rotate(-90)" text-anchor="middle" font-size="13">{escape(text)}</text>'
        )
    size = f'viewBox="0 0 {WIDTH} {top - GAP + 12:.0f}" width="{WIDTH}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"'
    return "".join([f'{head} aria-label="{escape(found.title)}">', MARKER, *parts, "</svg>"])


ARROW = 'marker-end="url(#arrow)"'
MARKER = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" '
    'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
)


def _box(text, left, top, width, height):
    learned = ' class="learned"' if text.startswith("*") else ""
    lines = text.removeprefix("*").split("\n")
    size = f'width="{width:.0f}" height="{height:.0f}"'
    yield f'<rect x="{left:.0f}" y="{top:.0f}" {size} rx="5"{learned}/>'
    small = 11.5 if width < 130 else 13
    middle = top + height / 2 - LINE * (len(lines) - 1) / 2 + 4.5
    for number, line in enumerate(lines):
        x, y = left + width / 2, middle + LINE * number
        yield (
            f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle" font-size="{small}">'
            f"{escape(line)}</text>"
        )
