"""Texts as others hand them over: datasets of any shape and length, generators, PyDatasets.

A dataset may give single texts or batches; these alone, with targets, or with targets and weights.
"""

import contextlib
import itertools
import random
import re
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from zoo.datasets.text.given_texts import is_texts
from zoo.datasets.text.text_tensors import text_tensor
from zoo.errors import UsageError

WRONG = {  # what TensorFlow's errors have in them, and what they tell
    r"\[(a target is no class: [^\]]*)\] \[([^\]]*)\]": "{}: got {}",
    r"Received a label value of (\S+) which is outside the valid range of \[0, (\d+)\)": (
        "a target is no class: got {}, where there are {}, from 0 on"
    ),
    r"indices\S* = (\S+) is not in \[0, (\d+)\)": (
        "an id is no word: got {}, where there are {}, from 0 on"
    ),
}
FORMS = "texts, (texts, targets) or (texts, targets, weights)"


def holds_texts(data: Any) -> bool:
    """Whether it is a dataset, and what a model would read of it has strings in it."""
    return isinstance(data, tf.data.Dataset) and any(
        spec.dtype == tf.string for spec in tf.nest.flatten(_inputs(data.element_spec))
    )


def keeps_order(data: Any) -> bool:
    """Whether Keras cannot shuffle it, and would warn: a dataset, or a generator."""
    return hasattr(data, "element_spec") or isinstance(data, types.GeneratorType)


def columns(dataset: tf.data.Dataset) -> tuple[tf.data.Dataset, bool]:
    """The dataset as tuples of texts and what goes with them, and whether they are batches.

    Args:
        dataset: of texts, (texts, targets) or (texts, targets, weights); texts are strings ``[]``,
            ``[batch]`` or ``[batch, 1]``.

    Returns:
        One of tuples, whose first is ``[]`` or ``[batch]`` strings; the length is that of before.

    Raises:
        UsageError: for another form.
    """
    spec = dataset.element_spec
    texts, others = _inputs(spec), spec[1:] if isinstance(spec, tuple) else ()
    found = tf.nest.flatten(texts)
    if len(found) != 1 or found[0].dtype != tf.string or len(others) > 2:
        names = f" with {', '.join(map(str, texts))}" if isinstance(texts, dict) else ""
        raise UsageError(
            f"a dataset of texts gives {FORMS}: got elements{names} of another form; "
            "dataset.map picks what is needed"
        )
    shape = getattr(found[0], "shape", None)
    plain = isinstance(found[0], tf.TensorSpec) and shape.rank is not None
    if not plain or shape.rank > 2 or (shape.rank == 2 and shape[1] != 1):
        told = shape if plain else "unknown" if isinstance(found[0], tf.TensorSpec) else "ragged"
        raise UsageError(
            f"texts of a dataset have the shape (), (batch,) or (batch, 1): got {told}; "
            "dataset.map, or the output_signature of its generator, gives them one"
        )
    batched = shape.rank > 0
    for name, other in zip(("targets", "weights"), others, strict=False):
        if batched and any(one.shape.rank == 0 for one in tf.nest.flatten(other)):
            raise UsageError(
                f"a dataset has batches of texts, of the shape {shape}, but single {name}: batch "
                "both, or neither"
            )

    def flat(*element):
        (texts,) = tf.nest.flatten(element[0])
        return tf.reshape(texts, [-1]) if batched else texts, *element[1:]

    return dataset.map(flat), batched


def rows(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """The same, one text after the other, as tuples."""
    dataset, batched = columns(dataset)
    return dataset.unbatch() if batched else dataset


def as_dataset(data: Any, shuffle: bool = False) -> Any:
    """What gives texts from Python, as a tf.data.Dataset; anything else as it is.

    Args:
        data: a generator, which is read once, or a ``keras.utils.PyDataset``; of single texts or
            of batches.
        shuffle: whether batches of a PyDataset that ends come in a new order each time.
    """
    if isinstance(data, types.GeneratorType):
        first = list(itertools.islice(data, 1))
        every = itertools.chain(first, data)
        if not first or not is_texts(_inputs(first[0])):
            return (one for one in every)  # Keras knows generators by their type
        return _of_python(lambda: every, first[0])
    if isinstance(data, keras.utils.PyDataset) and data.num_batches != 0:
        first = _tuple(data[0])
        if not is_texts(first[0]):
            return data
        dataset = _of_python(lambda: _epoch(data, shuffle), first)
        count = tf.data.INFINITE_CARDINALITY if data.num_batches is None else data.num_batches
        return dataset.apply(tf.data.experimental.assert_cardinality(count))
    return data


def check_some(count: int) -> None:
    """Refuses a dataset of no texts; ``count`` is its cardinality.

    Raises:
        UsageError: if it is 0.
    """
    if count == 0:
        raise UsageError("there are no texts: the dataset is empty")


def watched(callbacks: Any, steps: dict[str, Any], /, **data: Any) -> Any:
    """Callbacks, with one more where a dataset may turn out to be empty.

    Args:
        callbacks: as Keras takes them.
        steps: how many batches are read, by the names of the data below; a name that lacks means
            all of them.
        data: what Keras will read; only of datasets it is known how long they are.

    Raises:
        UsageError: for what would be read for ever, where no callback may end it.
    """
    datasets = {name: one for name, one in data.items() if isinstance(one, tf.data.Dataset)}
    lengths = {name: int(one.cardinality()) for name, one in datasets.items()}
    for name, length in lengths.items():
        check_some(length)
        if length == tf.data.INFINITE_CARDINALITY and steps.get(name) is None and not callbacks:
            raise UsageError(f"the dataset has no end: give {name}")
    is_keras = isinstance(callbacks, keras.callbacks.CallbackList)
    if is_keras or tf.data.UNKNOWN_CARDINALITY not in lengths.values():
        return callbacks
    callbacks = callbacks or []
    return [_SomeTexts(), *(callbacks if isinstance(callbacks, list | tuple) else [callbacks])]


class _SomeTexts(keras.callbacks.Callback):
    """Refuses a dataset of unknown length that turns out to be empty, which Keras cannot read."""

    seen = 0

    def _begin(self, *args, **kwargs):
        self.seen = 0

    def _batch(self, *args, **kwargs):
        self.seen = 1

    def _end(self, *args, **kwargs):
        check_some(self.seen)

    on_epoch_begin = on_test_begin = on_predict_begin = _begin
    on_train_batch_end = on_test_batch_end = on_predict_batch_end = _batch
    on_epoch_end = on_test_end = on_predict_end = _end


@contextlib.contextmanager
def told_in_a_line(all_batches: bool) -> Iterator[None]:
    """Where data are read: TensorFlow's error of a number that is no class or word is one line.

    Args:
        all_batches: whether the end of a dataset of unknown length is none too early.
    """
    try:
        with warnings.catch_warnings():
            if all_batches:
                warnings.filterwarnings("ignore", "Your input ran out of data")
            yield
    except Exception as error:
        for pattern, told in WRONG.items():
            if found := re.search(pattern, str(error)):
                raise ValueError(told.format(*found.groups())) from None
        raise


def _inputs(element):
    return element[0] if isinstance(element, tuple) and element else element


def _tuple(element):
    """An element of a PyDataset, which may be a list of what others give as a tuple."""
    if isinstance(element, list) and not is_texts(element):
        return tuple(element)
    return element if isinstance(element, tuple) else (element,)


def _epoch(data, shuffle) -> Iterator[tuple]:
    data.on_epoch_begin()
    places: Any = itertools.count() if data.num_batches is None else range(data.num_batches)
    if shuffle and data.num_batches is not None:
        places = random.sample(places, len(places))
    for place in places:
        yield _tuple(data[place])
    data.on_epoch_end()


def _of_python(elements: Callable[[], Iterator], first) -> tf.data.Dataset:
    """A dataset of what an iterator gives; ``first`` shows of which types."""
    batched = not isinstance(_inputs(first), str | bytes)

    def converted(element):
        element = element if isinstance(element, tuple) else (element,)
        texts = text_tensor(element[0] if batched else [element[0]])
        return texts if batched else texts[0], *map(np.asarray, element[1:])

    def signature(value):
        shape = value.shape
        return tf.TensorSpec((None, *shape[1:]) if batched else shape, value.dtype)

    return tf.data.Dataset.from_generator(
        lambda: map(converted, elements()),
        output_signature=tuple(map(signature, converted(first))),
    )
