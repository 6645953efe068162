"""Vectors of words for a ``bert`` that reads words, of an encoder that reads pieces of words."""

from typing import TYPE_CHECKING

import numpy as np
from keras import ops

from zoo.datasets.vectors.byte_rows import rounded
from zoo.progress import progress
from zoo.weights.bert_format import BertEncoder

if TYPE_CHECKING:
    from zoo.models.bert import BERT

# Clean-ups split these off English words; the encoder has read them otherwise.
LONG_FORMS = {
    "n't": "not",
    "'re": "are",
    "'ll": "will",
    "'ve": "have",
    "'m": "am",
    "'d": "would",
}
LAYERS = 3  # whose states tell what a word is; with 1, 2, 4 or 6 no better on training texts
TAUGHT_BY = 4_000  # words of one piece, the first of the vocabulary
ENOUGH = 2  # times as many of these words as a vector has numbers; fewer teach nothing
LONGEST = 16  # pieces of a word that are read
AT_ONCE = 500  # words
PENALTY = 1.0  # of ridge regression


def fill_words(classifier: "BERT", encoder: BertEncoder) -> None:
    """Gives each word of a model's vocabulary the vector of its piece.

    For a word of several pieces, the encoder's lower layers read the pieces and so tell what it is;
    ridge regression on words of one piece then tells which vector a word has that looks so. The
    mean of the pieces' vectors, which it has where the encoder knows few words of one piece, is
    that of no word.

    Args:
        classifier: with its preprocessor, and with all other weights of the encoder.
        encoder: the weights.

    Source:
        Khodak et al. 2018, "A La Carte Embedding: Cheap but Effective Induction of Semantic Feature
        Vectors", Section 3: a linear map from what is read around a word to its vector.
    """
    unknown = encoder.tokenizer.model.unk_token
    words = [LONG_FORMS.get(word, word) for word in classifier.preprocessor.vocabulary]
    vectors, pieces = encoder.word_vectors([unknown, *words]), encoder.pieces(words)
    several = [row for row, own in enumerate(pieces) if len(own) > 1]
    known = [word for word in encoder.whole_words() if word.isalpha() and len(word) > 1]
    known = [own for own in encoder.pieces(known) if len(own) == 1][:TAUGHT_BY]
    if several and len(known) >= ENOUGH * encoder.dim:
        from sklearn.linear_model import Ridge

        read = _states(classifier, encoder, [*known, *(pieces[row] for row in several)])
        taught = encoder.piece_vectors[[piece for (piece,) in known]]
        ridge = Ridge(PENALTY).fit(read[: len(known)], taught)
        vectors[[row + 1 for row in several]] = ridge.predict(read[len(known) :])
    padding = np.zeros((1, encoder.dim), "float32")
    table = np.concatenate([padding, vectors])
    if not classifier.train_embeddings:
        table = rounded(table)  # so that it is stored in bytes
    classifier.embed.embeddings.assign(table)


def _states(classifier, encoder, words):
    """The mean state of each word's pieces in a low layer, ``[words, dim]`` float32."""
    found = np.empty((len(words), encoder.dim), "float32")
    order = np.argsort([len(pieces) for pieces in words], kind="stable")
    parts = [order[start : start + AT_ONCE] for start in range(0, len(order), AT_ONCE)]
    for rows in progress(parts, "Reading the pieces of words", len(order), "words", len):
        longest = min(LONGEST, classifier.max_words, max(len(words[row]) for row in rows))
        ids = np.zeros((len(rows), longest), "int32")
        mask = np.zeros((len(rows), longest), bool)
        for number, row in enumerate(rows):
            own = words[row][:longest]
            ids[number, : len(own)], mask[number, : len(own)] = own, True
        states, *_ = classifier.encode(encoder.piece_vectors[ids], mask, layers=LAYERS)
        states = states[:, int(classifier.start_vector) :]
        found[rows] = ops.convert_to_numpy(classifier.mean(states, mask=mask))
    return found
