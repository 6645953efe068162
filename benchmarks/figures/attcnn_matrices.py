"""ATT-CNN, Figures 3 and 4: which word attends to which."""

import numpy as np
import pandas as pd

import zoo
from benchmarks.figures import trained
from zoo.evaluation.report import figure_of

TITLE = "ATT-CNN, Figures 3 and 4: attention between words"
TEXT = (
    "Zhao and Wu show the weights by which the words of a sentence attend to each other, on SST "
    "and TREC. Each row is a word, and shows which words its context vector is made of. Sentences "
    "are ours; the model is trained with its paper's sizes, zoo's recipe and English words."
)
SENTENCES = {
    "trec": "what is the name of the inventor of the telephone ?",
    "sst_fine": "the story is not bad but the acting is hardly worth the ticket .",
}


def measure() -> pd.DataFrame:
    """``data``, the numbers of the ``row`` and ``column``, both words and the ``weight``."""
    rows = []
    for data, sentence in SENTENCES.items():
        settings = {"weights": "english", "clean_up": "kim", "options": {"decay": 0.2}}
        model = zoo.load(trained("attcnn", data, **settings))
        words = [word.decode() for word in model.preprocessor.tokens([sentence]).words[0].numpy()]
        ids = model.preprocessor.pad(model.preprocessor.tokens([sentence]).inputs)
        _, attention = model(ids, return_attention_scores=True)
        weights = np.asarray(attention.pairs)[0, 0, 0][: len(words), : len(words)]
        rows += [
            (data, i, j, words[i], words[j], float(weights[i, j]))
            for i in range(len(words))
            for j in range(len(words))
        ]
    names = ["data", "row", "column", "word", "attends to", "weight"]
    return pd.DataFrame(rows, columns=names)


def draw(table: pd.DataFrame):
    """A matrix for each sentence."""
    figure, axes = figure_of(1, len(SENTENCES), (12, 5))
    for axis, (data, own) in zip(axes, table.groupby("data", sort=False), strict=True):
        matrix = own.pivot(index="row", columns="column", values="weight")
        words = own.drop_duplicates("row")["word"]
        axis.imshow(matrix, cmap="Blues")
        axis.set_xticks(range(len(words)), words, rotation=60, ha="right")
        axis.set_yticks(range(len(words)), words)
        axis.set(title=data)
    return figure
