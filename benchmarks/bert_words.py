"""What MiniLM loses where it reads words in place of their pieces, as zoo's ``bert`` does.

``python -m benchmarks.bert_words`` writes ``benchmarks/results/bert_words.md``. Logistic regression
learns from 16 training texts of each class, in three draws, as MiniLM's layers read them, and is
judged on other training texts. No test split is read.
"""

from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
from sklearn.linear_model import LogisticRegression

import zoo
from benchmarks.folds import BEDS, JUDGED, bed, drawn
from benchmarks.labels_systems import batches
from benchmarks.report import machine
from zoo.backend import quiet_tensorflow
from zoo.datasets import Preprocessor
from zoo.datasets.text.tokens import split_words
from zoo.filesystem.atomic_files import whole
from zoo.models.bert import BERT
from zoo.progress import progress
from zoo.weights.bert_format import BertEncoder, read_bert
from zoo.weights.bert_start import STRENGTH, bert_options, fill_bert
from zoo.weights.weights_folder import find_weights

LABELS, DRAWS = 16, 3
AT_ONCE = 64  # texts
LONGEST = 256  # pieces of a text, as MiniLM was trained for
RESULTS = Path(__file__).parent / "results" / "bert_words.md"
Read = Callable[[list[str]], np.ndarray]  # [texts, dim]


def of_words(texts: list[str], encoder: BertEncoder) -> BERT:
    """A ``bert`` that knows the words of some texts."""
    split = split_words([text.encode() for text in texts], BERT.clean_up).flat_values.numpy()
    words = sorted({word.decode("utf-8", "replace") for word in split.tolist()})
    preprocessor = Preprocessor(words, encoder.positions - 1, clean_up=BERT.clean_up)
    sizes = {"vocabulary_size": preprocessor.vocabulary_size}
    model = zoo.build("bert", 2, **bert_options(encoder), **sizes)
    model.preprocessor = preprocessor
    fill_bert(model, encoder)
    return model


def ways(model: BERT, encoder: BertEncoder) -> dict[str, Read]:
    """How texts are read: what each way gives to the layers, which are the same."""
    table = model.embed.embeddings.numpy()
    unknown = encoder.tokenizer.model.unk_token
    means = encoder.word_vectors([unknown, *model.preprocessor.vocabulary])
    last = encoder.tokenizer.token_to_id("[SEP]")

    def words(texts, vectors):
        ids = model.preprocessor(texts).numpy()
        return vectors[ids], ids > 0

    def pieces(texts):
        found = [[*one[: LONGEST - 2], last] for one in encoder.pieces(texts)]
        mask = np.arange(max(map(len, found))) < np.array([[len(one)] for one in found])
        ids = np.zeros(mask.shape, int)
        ids[mask] = np.concatenate(found)
        return encoder.piece_vectors[ids], mask

    def document(vectors, mask):
        states, mask, _ = model.encode(vectors, mask)
        return keras.ops.convert_to_numpy(model.mean(states, mask=mask))

    return {
        "words, each the mean of its pieces": lambda texts: document(
            *words(texts, np.concatenate([table[:1], means]))
        ),
        "words, as zoo reads them": lambda texts: document(*words(texts, table)),
        "pieces": lambda texts: document(*pieces(texts)),
    }


def vectors(read: Read, texts: list[str], told: str) -> np.ndarray:
    """``[texts, dim]``, in parts of texts of like length."""
    found = {}
    for rows in progress(batches(texts, AT_ONCE), told, len(texts), "texts", len, shown=True):
        found |= dict(zip(rows.tolist(), read([texts[row] for row in rows]), strict=True))
    return np.stack([found[row] for row in range(len(texts))])


def accuracies(name: str, encoder: BertEncoder) -> dict[str, float]:
    """Of each way on a corpus, in percent, the mean of the draws."""
    texts, classes = bed(name)
    draws = [drawn(name, LABELS, draw) for draw in range(DRAWS)]
    rows = np.unique(np.concatenate([part for pair in draws for part in pair]))
    place = {row: number for number, row in enumerate(rows.tolist())}
    some = [texts[row] for row in rows]
    found = {}
    for way, read in ways(of_words(some, encoder), encoder).items():
        document = vectors(read, some, f"{name}: {way}")
        document /= np.sqrt(np.square(document).sum(axis=1).mean())
        right = []
        for learnt, judged in draws:
            own, others = ([place[row] for row in part.tolist()] for part in (learnt, judged))
            model = LogisticRegression(C=STRENGTH, max_iter=1000)
            model.fit(document[own], classes[learnt])
            right.append(np.mean(model.predict(document[others]) == classes[judged]))
        found[way] = 100 * np.mean(right)
    return found


def main() -> None:
    encoder = read_bert(find_weights("minilm"))
    found = {name: accuracies(name, encoder) for name in BEDS}
    lines = ["# Words or their pieces", "", f"| MiniLM reads | {' | '.join(BEDS)} | mean |"]
    lines.append("|---|" + "--:|" * (len(BEDS) + 1))
    for way in next(iter(found.values())):
        cells = [found[name][way] for name in BEDS]
        lines.append(f"| {way} | {' | '.join(f'{one:.1f}' for one in [*cells, np.mean(cells)])} |")
    lines += [
        "",
        f"Written by `python -m benchmarks.bert_words` on {machine()}: accuracy in percent of "
        f"logistic regression on the mean of MiniLM's last states, which learns from {LABELS} "
        f"training texts of each class and is judged on {JUDGED} others; the mean of {DRAWS} "
        "draws. No test split is read. All words of these texts are in the vocabulary. A word of "
        "several pieces is read by zoo as `zoo/weights/bert_words.py` says.",
        "",
    ]
    with whole(RESULTS) as partial:
        partial.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    quiet_tensorflow()
    main()
