"""A function of many things, on several cores."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from zoo.backend import in_threads
from zoo.datasets import Preprocessor


@settings(max_examples=25)
@given(st.lists(st.integers(0, 3), max_size=20), st.integers(1, 5))
def test_answers_come_in_the_order_of_the_items(waits, threads):
    def answer(item):
        time.sleep(item[1] / 1000)
        return item

    assert list(in_threads(answer, enumerate(waits), threads)) == list(enumerate(waits))


@pytest.mark.parametrize("threads", [1, 3])
def test_items_are_not_read_far_ahead(threads):
    read = []
    answers = in_threads(lambda item: item, (read.append(i) or i for i in range(100)), threads)
    for place, _ in enumerate(answers):
        assert len(read) <= place + 1 + threads


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_one_item_reaches_the_caller(threads):
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda item: 1 / item, [1, 2, 0, 3], threads))


def test_several_threads_work_at_a_time():
    meeting = threading.Barrier(2, timeout=20)  # which one thread alone would never pass
    assert len(list(in_threads(lambda item: meeting.wait(), range(4), 2))) == 4


@pytest.mark.parametrize("name", ["act", "han", "fasttext"])
def test_texts_get_the_same_probabilities_from_one_thread_and_from_several(name, monkeypatch):
    words = [f"w{i}" for i in range(50)]
    model = zoo.build(name, 3, vocabulary_size=52)
    model.preprocessor = Preprocessor(
        words, model.max_words, model.max_sentences, ngrams=model.ngrams
    )
    draw = np.random.default_rng(0)
    texts = [" ".join(draw.choice(words, draw.integers(0, 40))) + "." for _ in range(100)]
    monkeypatch.setattr("zoo.classifier.prediction_threads", lambda: 1)
    alone = model.predict_texts(texts, batch_size=8)
    monkeypatch.setattr("zoo.classifier.prediction_threads", lambda: 4)
    np.testing.assert_allclose(model.predict_texts(texts, batch_size=8), alone, atol=1e-6)
    assert alone.std(axis=0).min() > 0


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_the_command_sets_the_threads_of_an_operation_before_tensorflow_starts(command):
    code = (
        "import os, sys, zoo.cli.commands, zoo.backend\n"
        "os.environ.pop('TF_NUM_INTRAOP_THREADS', None)\n"
        "os.cpu_count = lambda: 2 * zoo.backend.MOST_THREADS\n"
        f"sys.argv = ['zoo', '{command}', 'no such run']\n"
        "try:\n    zoo.cli.commands.main()\n"
        "finally:\n    print(os.environ['TF_NUM_INTRAOP_THREADS'])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, input="a")
    assert ended.returncode == 2 and "no such run" in ended.stderr
    assert ended.stdout == "2\n"
