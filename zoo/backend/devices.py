"""Devices as TensorFlow and JAX know them, and what is done on several of them at once."""

import contextlib
import functools
import re
from collections.abc import Callable, Iterator

from zoo.backend import backend_name

WAIT = 7 * 24 * 3600  # seconds for the first of several processes, when the others are done


def capability() -> tuple[int, int] | None:
    """NVIDIA's compute capability of the first GPU; of a TPU that of a GPU with its types."""
    if backend_name() == "jax":
        import jax

        device = jax.devices()[0]
        if device.platform == "tpu":
            return (8, 0)
        told = str(getattr(device, "compute_capability", None))
        found = re.fullmatch(r"(\d+)\.(\d+)", told)  # NVIDIA's; AMD's are names
        return (int(found[1]), int(found[2])) if found else None
    import tensorflow as tf

    for gpu in tf.config.list_physical_devices("GPU"):
        return tf.config.experimental.get_device_details(gpu).get("compute_capability")
    return None


def own_devices() -> tuple[str, int]:
    """The kind of this process's devices, and how many there are."""
    if backend_name() == "jax":
        import jax

        return jax.default_backend().upper(), jax.local_device_count()
    import tensorflow as tf

    kind = "GPU" if tf.config.list_physical_devices("GPU") else "CPU"
    return kind, len(tf.config.list_logical_devices(kind))


@contextlib.contextmanager
def on_devices(number: int, processes: int, process_id: int) -> Iterator[tuple[int, int | None]]:
    """What is built and trained inside, is on so many devices of each process.

    Yields:
        Into how many parts a batch is divided, and which of them this process reads: on TensorFlow
        all, one for each device, which is None; on JAX one for each process.
    """
    import keras

    if backend_name() == "tensorflow":
        with _mirrored(own_devices()[0], number).scope():
            yield number, None
        return
    import jax

    chosen = [
        f"{device.platform}:{device.id}"  # as Keras names them
        for process in range(processes)
        for device in jax.local_devices(process)[:number]
    ]
    before = keras.distribution.distribution()
    keras.distribution.set_distribution(
        keras.distribution.DataParallel(devices=chosen, auto_shard_dataset=False)
    )
    try:
        yield processes, process_id
    finally:
        keras.distribution.set_distribution(before)


@functools.cache
def _mirrored(kind, number):
    """One for all trainings: a second one would number its messages as the first does."""
    import tensorflow as tf

    devices = tf.config.list_logical_devices(kind)[:number]
    return tf.distribute.MirroredStrategy([device.name for device in devices])


def connect(check: Callable, coordinator: str, processes: int, process_id: int) -> None:
    """Makes JAX's processes know each other, unless they do, after a check of the coordinator.

    Not by Keras' ``initialize``, under which the first process must end soon after the others; but
    it has the model to score and to write.
    """
    from jax import distributed

    if not distributed.is_initialized():
        check(coordinator)
        distributed.initialize(coordinator, processes, process_id, shutdown_timeout_seconds=WAIT)


def is_mirrored() -> bool:
    """Within a strategy's scope: what is of a batch, each device has for its part alone."""
    if backend_name() == "jax":
        return False
    import tensorflow as tf

    return tf.distribute.has_strategy()


def scope_of(model) -> contextlib.AbstractContextManager:
    """Where variables that go with a model's are made: on all devices that it is built for."""
    if backend_name() == "jax":
        return contextlib.nullcontext()
    return model.distribute_strategy.scope()
