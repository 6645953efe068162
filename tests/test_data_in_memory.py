"""Functions take what is in memory: (texts, labels), tf.data.Datasets, DataFrames, models."""

import json

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

import zoo
from zoo.datasets.own_files.in_memory import as_table

TEXTS = [f"a {mood} day, number {number}" for number in range(40) for mood in ("bad", "good")]
LABELS = ["bad", "good"] * 40


def test_all_forms_are_one_table():
    batches = tf.data.Dataset.from_tensor_slices((TEXTS, LABELS)).batch(7)
    for data in ((TEXTS, LABELS), (np.array(TEXTS), pd.Series(LABELS)), batches):
        frame = as_table(data)
        assert frame["text"].tolist() == TEXTS and frame["label"].tolist() == LABELS
    assert as_table("reviews.csv") == "reviews.csv"
    assert as_table((TEXTS, LABELS, [1.0] * 80))["weight"].tolist() == [1.0] * 80
    with pytest.raises(zoo.UsageError, match="each text needs a label: got 80 texts, 2 labels"):
        as_table((TEXTS, LABELS[:2]))
    with pytest.raises(zoo.UsageError, match="gives .texts, labels.: got texts alone"):
        as_table(tf.data.Dataset.from_tensor_slices(TEXTS))


def test_the_commands_are_functions_of_them(tmp_path):
    run = zoo.train("bow", (TEXTS, LABELS), output=tmp_path, verbose=0)
    assert json.loads((run / "metrics.json").read_text("utf-8"))["accuracy"] == 1
    dataset = tf.data.Dataset.from_tensor_slices((TEXTS, LABELS)).batch(8)
    model = zoo.load(run)
    for one in (run, model):
        for data in ((TEXTS, LABELS), dataset, pd.DataFrame({"text": TEXTS, "label": LABELS})):
            assert zoo.evaluate(one, data)["accuracy"] == 1
        assert zoo.predict(one, dataset.map(lambda texts, _: texts))["label"].tolist() == LABELS
        assert zoo.predict(one, TEXTS)["label"].tolist() == LABELS
        assert [one.label for one in zoo.explain(one, TEXTS[:3])] == LABELS[:3]
    assert len(zoo.explain(run)) == 8  # the test split
    with pytest.raises(zoo.UsageError, match="a model has no test split: give data"):
        zoo.evaluate(model)


def test_weights_of_a_triple_are_those_of_texts(tmp_path):
    wrong = ["good" if one == "bad" else "bad" for one in LABELS]
    weights = np.repeat([1.0, 0.0], 80)
    run = zoo.train("bow", (TEXTS * 2, LABELS + wrong, weights), output=tmp_path, verbose=0)
    assert zoo.evaluate(run, (TEXTS, LABELS))["accuracy"] == 1
