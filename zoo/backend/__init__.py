"""What differs between TensorFlow and JAX, the backends of Keras.

What differs in devices is in :mod:`zoo.backend.devices`; what is of Keras, and not promised by it,
in :mod:`zoo.backend.keras_private` and :mod:`zoo.backend.keras_export`; TensorFlow's remarks are in
:mod:`zoo.backend.tensorflow_log`.
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
    """Which of the backends is in use."""
    import keras  # takes seconds

    return keras.backend.backend()


def compiled(function: Callable) -> Callable:
    """The function, compiled by XLA for each shape of its arguments.

    XLA makes one pass over memory out of the many that TensorFlow makes. Whole models are not
    compiled: each length of a batch would cost seconds, and loops and matrix products get slower.
    On JAX the function itself, as there whole steps are compiled; and on Apple's GPUs, for which
    TensorFlow has no XLA.
    """
    if backend_name() == "jax":
        return function
    import tensorflow as tf

    if sys.platform == "darwin" and tf.config.list_physical_devices("GPU"):
        return function
    return tf.function(function, jit_compile=True)


def compiles_each_shape() -> bool:
    """Whether a batch of a new shape costs seconds: JAX compiles a step for each."""
    return backend_name() == "jax"


def call_once(model, shape: tuple[int, ...]) -> None:
    """Calls a model on word ids of a shape, so that it makes its weights.

    On JAX without values, as it would compile each operation by itself.
    """
    import keras

    if backend_name() == "jax":
        model.compute_output_spec(keras.KerasTensor(shape, "int32"))
    else:
        model.call(keras.ops.zeros(shape, "int32"))


def readable(tensor) -> Any:
    """A tensor of TensorFlow as one that the backend reads: JAX reads NumPy's."""
    import numpy as np

    return tensor if backend_name() == "tensorflow" else np.asarray(tensor)


def leave_gpus_to_jax() -> None:
    """On JAX, keeps TensorFlow, which there only reads texts, from taking the memory of GPUs."""
    if backend_name() == "jax":
        import tensorflow as tf

        with contextlib.suppress(RuntimeError):  # where TensorFlow has it already
            tf.config.set_visible_devices([], "GPU")


def steps_per_execution(steps: int) -> int:
    """How many of so many steps are best executed at a time: a part of them without a rest.

    JAX's steps on a GPU are done before Python is.
    """
    return max(n for n in range(1, 11) if steps % n == 0) if backend_name() == "jax" else 1


def prediction_threads() -> int:
    """How many batches are best predicted side by side: one for each core of a CPU.

    One batch on all cores is slower, as each of its hundreds of operations starts and ends with
    waiting; least of it where ``TF_NUM_INTRAOP_THREADS`` is 1. A GPU, and JAX, take one.
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
