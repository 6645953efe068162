"""Differences between TensorFlow and JAX, the backends of Keras.

Differences in devices are in :mod:`zoo.backend.devices`. What relies on private parts of Keras is
in :mod:`zoo.backend.keras_private` and :mod:`zoo.backend.keras_export`, and what concerns
TensorFlow's log messages is in :mod:`zoo.backend.tensorflow_log`.
"""

import contextlib
import importlib.util
import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from zoo.backend.tensorflow_log import quiet_tensorflow as quiet_tensorflow  # for notebooks, too
from zoo.errors import UsageError, unknown

BACKENDS = ("tensorflow", "jax")
MOST_THREADS = 8  # batches at a time, for all of them are in memory
COLLECTORS = ("__del__", "_xla_gc_callback")  # functions of a garbage collection; the latter JAX's


def check_backend() -> None:
    """Refuses a backend of Keras on which zoo does not run, or that is not installed."""
    backend = os.environ.get("KERAS_BACKEND") or "tensorflow"
    if backend not in BACKENDS:
        raise unknown("KERAS_BACKEND", backend, BACKENDS)
    if backend == "jax" and importlib.util.find_spec("jax") is None:
        raise UsageError("KERAS_BACKEND is jax, which is not installed: pip install jax")


def backend_name() -> str:
    """The name of the backend in use."""
    import keras  # takes seconds

    return keras.backend.backend()


def compiled(function: Callable) -> Callable:
    """The function, compiled by XLA for each shape of its arguments.

    XLA makes a single pass over memory where TensorFlow makes many. Whole models are not compiled:
    each length of a batch would cost seconds, and loops and matrix products get slower. On JAX the
    function is returned as it is, because whole steps are compiled there, and so it is on Apple's
    GPUs, for which TensorFlow has no XLA.
    """
    if backend_name() == "jax":
        return function
    import tensorflow as tf

    if sys.platform == "darwin" and tf.config.list_physical_devices("GPU"):
        return function
    return tf.function(function, jit_compile=True)


def compiles_each_shape() -> bool:
    """Whether a batch with a new shape costs seconds, as JAX compiles a step for each shape."""
    return backend_name() == "jax"


def call_once(model, shape: tuple[int, ...]) -> None:
    """Calls a model on word ids of a shape, so that it creates its weights.

    On JAX the call is symbolic, because JAX would compile each operation separately.
    """
    import keras

    if backend_name() == "jax":
        model.compute_output_spec(keras.KerasTensor(shape, "int32"))
    else:
        model.call(keras.ops.zeros(shape, "int32"))


def readable(tensor) -> Any:
    """A tensor of TensorFlow in a form that the backend reads; JAX reads NumPy arrays."""
    import numpy as np

    return tensor if backend_name() == "tensorflow" else np.asarray(tensor)


def leave_gpus_to_jax() -> None:
    """On JAX, keeps TensorFlow, which there only reads texts, from taking the memory of GPUs."""
    if backend_name() == "jax":
        import tensorflow as tf

        with contextlib.suppress(RuntimeError):  # where TensorFlow has it already
            tf.config.set_visible_devices([], "GPU")


def steps_per_execution(steps: int) -> int:
    """How many steps are best executed at a time: a divisor of the number of steps.

    On a GPU, JAX's steps take less time than Python needs to start them.
    """
    return max(n for n in range(1, 11) if steps % n == 0) if backend_name() == "jax" else 1


def prediction_threads() -> int:
    """How many batches are best predicted in parallel: one for each core of a CPU.

    One batch on all cores is slower, because each of its hundreds of operations starts and ends
    with waiting. There is least waiting if ``TF_NUM_INTRAOP_THREADS`` is 1. A GPU, and JAX, take a
    single batch.
    """
    if backend_name() == "jax":
        return 1
    import tensorflow as tf

    return 1 if tf.config.list_logical_devices("GPU") else min(os.cpu_count() or 1, MOST_THREADS)


def few_threads_an_operation() -> None:
    """Lets TensorFlow, if it has not started, keep each core busy with a batch to predict."""
    if "tensorflow" not in sys.modules:
        threads = math.ceil((os.cpu_count() or 1) / MOST_THREADS)
        os.environ.setdefault("TF_NUM_INTRAOP_THREADS", str(threads))


def in_threads(function: Callable, items: Iterable, threads: int) -> Iterator:
    """The results of a function for items, in the order of the items.

    Args:
        function: takes an item; several threads call it at a time.
        items: any number of items; at most ``threads`` of them are read ahead.
        threads: the number of threads; 1 calls the function in this thread.
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
