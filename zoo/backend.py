"""Keras' backends: what differs between TensorFlow and JAX, and TensorFlow without its remarks."""

import contextlib
import importlib.util
import logging
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.abc import MetaPathFinder

from zoo.errors import UsageError, unknown

BACKENDS = ("tensorflow", "jax")
MOST_THREADS = 8  # batches at a time, for all of them are in memory


def check_backend() -> None:
    """Refuses a backend of Keras on which zoo does not run, or that is not installed."""
    backend = os.environ.get("KERAS_BACKEND") or "tensorflow"
    if backend not in BACKENDS:
        raise unknown("KERAS_BACKEND", backend, BACKENDS)
    if backend == "jax" and importlib.util.find_spec("jax") is None:
        raise UsageError("KERAS_BACKEND is jax, which is not installed: pip install jax")


def quiet_tensorflow() -> None:
    """Shows our own messages and hides TensorFlow's; to be called before it is imported.

    Who sets ``TF_CPP_MIN_LOG_LEVEL`` to another than 3 sees what that lets through.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("zoo").setLevel(logging.INFO)
    for name in ("absl", "tensorflow"):  # TensorFlow Datasets speaks through the first
        logging.getLogger(name).setLevel(logging.ERROR)
    wanted = os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3") == "3"
    if wanted and not any(isinstance(finder, _QuietImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _QuietImport())  # what the import says, no setting hides


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


def scope_of(model) -> contextlib.AbstractContextManager:
    """Where variables that go with a model's are made: on all devices that it is built for."""
    import keras

    if keras.backend.backend() != "tensorflow":
        return contextlib.nullcontext()
    return model.distribute_strategy.scope()


def prediction_threads() -> int:
    """How many batches are best predicted side by side: one for each core of a CPU.

    One batch on all cores is slower, as each of its hundreds of operations starts and ends with
    waiting; least of it where ``TF_NUM_INTRAOP_THREADS`` is 1. A GPU, and JAX, take one.
    """
    import keras  # takes seconds

    if keras.backend.backend() != "tensorflow":
        return 1
    import tensorflow as tf

    return 1 if tf.config.list_logical_devices("GPU") else min(os.cpu_count() or 1, MOST_THREADS)


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


class _QuietImport(MetaPathFinder):
    """Imports TensorFlow with standard error shut."""

    def find_spec(self, name, path=None, target=None):
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        if (spec := importlib.util.find_spec(name)) is not None:
            load = spec.loader.exec_module

            def quietly(module):
                with _shut_standard_error():
                    load(module)

            spec.loader.exec_module = quietly
        return spec


@contextlib.contextmanager
def _shut_standard_error():
    """Also that of C++, which is file descriptor 2."""
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
