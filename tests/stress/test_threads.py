"""A loaded SavedModel may be called by several threads at once."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tensorflow as tf

THREADS = 8
CALLS = 400


@pytest.fixture
def calls():
    rng, words = (
        random.Random(0),
        ["good", "bad", "a", "nice", "sad", "stay", "really", "wörd", "."],
    )
    return [
        [" ".join(rng.choices(words, k=rng.randrange(60))) for _ in range(rng.randrange(1, 20))]
        for _ in range(CALLS)
    ]


@pytest.mark.parametrize("endpoint", ["serve", "explain"])
def test_eight_threads_get_the_answers_of_one(trained, calls, cases, endpoint):
    model = tf.saved_model.load(trained / "saved_model")

    def answer(texts):
        answers = getattr(model, endpoint)(tf.constant(texts))
        return {name: one.numpy() for name, one in answers.items()}

    expected = list(map(answer, calls))
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(2):
            for one, other in zip(threads.map(answer, calls), expected, strict=True):
                assert one.keys() == other.keys()
                for name, value in one.items():
                    if value.dtype == object:
                        np.testing.assert_array_equal(value, other[name])
                    else:
                        np.testing.assert_allclose(value, other[name], atol=1e-6)
            cases("call of a SavedModel by eight threads", CALLS)
