"""Splits of a corpus, in memory and on disk."""

import numpy as np
import tensorflow as tf

from zoo.datasets.corpus import Corpus, StreamedSplit

TEXTS, NUMBERS = ["a b", "c", "d e", ""], np.array([0, 1, 1, 0], "int32")


def streamed():
    return StreamedSplit(lambda: tf.data.Dataset.from_tensor_slices((TEXTS, NUMBERS)), NUMBERS)


def test_a_split_on_disk_is_judged_where_it_is():
    corpus = Corpus("films", ["no", "yes"], streamed(), streamed(), streamed())
    part = corpus.judged("test")
    assert part is corpus.test
    assert list(part) == TEXTS and part.targets.tolist() == NUMBERS.tolist()


def test_some_texts_of_a_split_on_disk():
    part = streamed().take(np.array([False, True, True, False]))
    assert len(part) == 2 and list(part) == ["c", "d e"] and part.targets.tolist() == [1, 1]
    assert list(part.take(np.array([False, True]))) == ["d e"]
