"""Texts in datasets of any shape get the answers, the losses and the steps of a list of them."""

import math

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from zoo.datasets import Preprocessor

WORDS = [f"w{i}" for i in range(20)]
TEXTS = st.lists(st.sampled_from([*WORDS, "other", ".", "!"]), max_size=9).map(" ".join)
LENGTHS = {  # how a dataset hides how long it is
    "known": lambda data, count: data,
    "filtered": lambda data, count: data.filter(lambda *element: True),
    "told": lambda data, count: data.filter(lambda *element: True).apply(
        tf.data.experimental.assert_cardinality(count)
    ),
    "endless": lambda data, count: data.repeat(),
    "generated": lambda data, count: tf.data.Dataset.from_generator(
        lambda: iter(data), output_signature=data.element_spec
    ),
}
AFTER = {  # what people do with one
    "nothing": lambda data: data,
    "prefetched": lambda data: data.prefetch(tf.data.AUTOTUNE),
    "cached": lambda data: data.cache(),
    "with options": lambda data: data.with_options(tf.data.Options()),
    "mapped": lambda data: data.map(lambda *element: element, tf.data.AUTOTUNE),
}


@pytest.fixture(scope="module", params=["fasttext", "cnn_kim", "hcan"])
def model(request):
    options = {"hcan": {"embedding_dim": 4, "num_heads": 2}}.get(request.param, {})
    model = zoo.build(request.param, 3, vocabulary_size=22, **options)
    limits = model.max_words, model.max_sentences
    model.preprocessor = Preprocessor(WORDS, *limits, ngrams=model.ngrams)
    how = {"weighted_metrics": ["accuracy"], "run_eagerly": True}
    model.compile(keras.optimizers.SGD(0.01), "sparse_categorical_crossentropy", **how)
    return model


@settings(max_examples=25)
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=23),
    columns=st.integers(1, 3),
    size=st.none() | st.integers(1, 9),
    column=st.booleans(),
    length=st.sampled_from(sorted(LENGTHS)),
    after=st.sampled_from(sorted(AFTER)),
)
def test_a_dataset_is_as_its_list(model, texts, columns, size, column, length, after, cases):
    cases("datasets of texts: predicted, evaluated, fitted")
    count = len(texts)
    targets, weights = np.arange(count) % 3, np.arange(1, count + 1) / count
    whole = (texts, targets, weights)[:columns]
    data = tf.data.Dataset.from_tensor_slices(whole if columns > 1 else texts)
    if size is not None:
        data = data.batch(size)
        if column and columns > 1:
            data = data.map(lambda texts, *others: (texts[:, None], *others))
    batches = math.ceil(count / (size or 32))
    if length == "endless" and size is None:  # whose batches would go on over the end
        length = "known"
    data = AFTER[after](LENGTHS[length](data, batches if size else count))
    steps = batches if length == "endless" else None
    expected = model.predict(texts, verbose=0)
    np.testing.assert_allclose(model.predict(data, steps=steps, verbose=0), expected, atol=1e-5)
    ids = model.preprocessor.batches(data, 4, shuffle=True).take(count)
    seen = [batch[0] if columns > 1 else batch for batch in ids]
    assert seen and (length == "endless" or len(seen) == math.ceil(count / 4))
    if columns == 1:
        with pytest.raises(zoo.UsageError, match="texts alone"):
            model.fit(data, verbose=0, steps_per_epoch=steps)
        return
    given = weights if columns == 3 else None
    found = model.evaluate(data, steps=steps, verbose=0)
    wanted = model.evaluate(texts, targets, sample_weight=given, verbose=0)
    np.testing.assert_allclose(found, wanted, atol=1e-4)
    before = int(model.optimizer.iterations)
    validation = {"validation_data": data, "validation_steps": steps}
    model.fit(data, epochs=2, steps_per_epoch=steps, verbose=0, **validation)
    assert int(model.optimizer.iterations) - before == 2 * batches
