"""What differs between Keras' backends, TensorFlow and JAX: each difference in a function."""

import importlib.util
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from zoo.errors import UsageError, unknown

BACKENDS = ("tensorflow", "jax")
MOST = 8  # batches at a time, for all of them are in memory


def check_backend() -> None:
    """Refuses a backend of Keras on which zoo does not run, or that is not installed."""
    backend = os.environ.get("KERAS_BACKEND") or "tensorflow"
    if backend not in BACKENDS:
        raise unknown("KERAS_BACKEND", backend, BACKENDS)
    if backend == "jax" and importlib.util.find_spec("jax") is None:
        raise UsageError("KERAS_BACKEND is jax, which is not installed: pip install jax")


def compiled(function: Callable) -> Callable:
    """The function, compiled by XLA for each shape of its arguments.

    XLA makes one pass over memory out of the many that TensorFlow makes. Whole models are not
    compiled: each length of a batch would cost seconds, and loops and matrix products get slower.
    On JAX the function itself, as there whole steps are compiled; and on Apple's GPUs, for which
    TensorFlow has no XLA.
    """
    import keras

    if keras.backend.backend() != "tensorflow":
        return function
    import tensorflow as tf

    if sys.platform == "darwin" and tf.config.list_physical_devices("GPU"):
        return function
    return tf.function(function, jit_compile=True)


def is_mirrored() -> bool:
    """Within a strategy's scope: what is of a batch, each device has for its part alone."""
    import keras

    if keras.backend.backend() != "tensorflow":
        return False
    import tensorflow as tf

    return tf.distribute.has_strategy()


def prediction_threads() -> int:
    """How many batches are best predicted side by side: one for each core of a CPU.

    One batch on all cores is slower, as each of its hundreds of operations starts and ends with
    waiting; least of it where ``TF_NUM_INTRAOP_THREADS`` is 1. A GPU, and JAX, take one.
    """
    import keras  # takes seconds

    if keras.backend.backend() != "tensorflow":
        return 1
    import tensorflow as tf

    return 1 if tf.config.list_logical_devices("GPU") else min(os.cpu_count() or 1, MOST)


def in_threads(function: Callable, items: Iterable, threads: int) -> Iterator:
    """What the function gives for each item, in their order.

    Args:
        function: of one item; several threads call it at a time.
        items: any number; no more than ``threads`` of them are read ahead.
        threads: how many; 1 calls the function here.
    """
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        running = deque()
        for item in items:
            running.append(pool.submit(function, item))
            if len(running) > threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
