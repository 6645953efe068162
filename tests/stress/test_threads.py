"""A loaded SavedModel may be called by several threads at once."""

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tensorflow as tf

import zoo
from zoo.shipping.formats import export

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


REFUSED = [
    (),
    (3,),
    (None,),
    (["a"], ["b"]),
    (tf.constant([1.5]),),
    (np.array([1, 2]),),
    ([["a"], ["b", "c"]],),
    ({"texts": ["a"]},),
]


@pytest.mark.parametrize("endpoint", ["serve", "explain"])
@pytest.mark.parametrize("kind", ["float32", "int8", "ids"])
def test_refused_calls_lock_nobody_out(trained, tmp_path, kind, endpoint, cases):
    """A thread that waits for ever would fail it after two minutes."""
    folder = trained / "saved_model"
    if kind == "ids":
        if endpoint == "explain":
            pytest.skip("Keras' export has none")
        folder = tmp_path / "ids"
        zoo.load(trained).export(folder, verbose=False)
    elif kind == "int8":
        folder = export(trained, quantize="int8", output=tmp_path / "int8") / "saved_model"
    served = tf.saved_model.load(folder)
    function = getattr(served, endpoint)
    good = tf.constant([[[2, 3]]], "int64") if kind == "ids" else tf.constant(["a good stay"])
    rng = random.Random(0)
    calls = [rng.choice([(good,), *REFUSED]) for _ in range(CALLS)]
    answers = Counter()

    def call(arguments):
        try:
            function(*arguments)
        except (TypeError, ValueError, tf.errors.InvalidArgumentError):
            answers["refused"] += 1
        else:
            answers["answered"] += 1

    def work(own):
        for arguments in own:
            call(arguments)

    threads = [
        threading.Thread(target=work, args=(calls[start::THREADS],), daemon=True)
        for start in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    number = sum(bool(one) and one[0] is good for one in calls)
    assert answers == {"answered": number, "refused": CALLS - number}
    cases("call of a SavedModel among refused ones", CALLS)
