"""Devices: which precision fits them, and how a training is spread over several of them."""

import contextlib
import functools
import re
import socket
import time
from collections.abc import Iterator
from typing import Any

from zoo.datasets.batches import Share
from zoo.errors import UsageError

WAIT = 7 * 24 * 3600  # seconds for the first of several processes, when the others are done
CONNECT = 300  # seconds for the others, until it has started


def auto_precision() -> str:
    """The precision that suits this machine: 16 bits where the GPU has fast arithmetic for them.

    bfloat16 has float32's range, so it is taken before float16 where both are fast: NVIDIA's
    compute capability 8.0 (2020), and TPUs; float16 from 7.0 (2017). On CPUs 16 bits mostly cost
    more than they save.
    """
    capability = _capability()
    if capability is None or capability < (7, 0):
        return "float32"
    return "mixed_bfloat16" if capability >= (8, 0) else "mixed_float16"


def _capability() -> tuple[int, int] | None:
    import keras

    if keras.backend.backend() == "jax":
        import jax

        device = jax.devices()[0]
        if device.platform == "tpu":
            return (8, 0)
        capability = str(getattr(device, "compute_capability", None))
        found = re.fullmatch(r"(\d+)\.(\d+)", capability)  # NVIDIA's; AMD's are names
        return found and tuple(map(int, found.groups()))
    import tensorflow as tf

    for gpu in tf.config.list_physical_devices("GPU"):
        return tf.config.experimental.get_device_details(gpu).get("compute_capability")
    return None


@contextlib.contextmanager
def spread(
    devices: str = "1",
    coordinator: str | None = None,
    processes: int = 1,
    process_id: int = 0,
) -> Iterator[Share | None]:
    """Builds and trains over several devices what is built and trained inside.

    Args:
        devices: how many of this process's, or "all".
        coordinator: ``host:port`` of the first process, for several processes, on JAX.
        processes: how many there are.
        process_id: the number of this one.

    Yields:
        How batches are to be shared; None for one device.

    Raises:
        UsageError: if there are fewer devices, the backend cannot spread so, or the first process
            cannot be reached.
    """
    import keras

    backend = keras.backend.backend()
    if processes != 1 or process_id or coordinator:
        if backend != "jax":
            raise UsageError(
                "several processes need JAX: pip install jax, KERAS_BACKEND=jax zoo train ... "
                "(TensorFlow's multi-worker strategy does not work under Keras 3)"
            )
        if coordinator is None or not 0 <= process_id < processes:
            raise UsageError(
                f"process {process_id} of {processes} at {coordinator}: coordinator (host:port), "
                f"processes and process_id (0 to {processes - 1}) go together"
            )
        if not re.fullmatch(r".+:\d+", coordinator) or int(coordinator.rpartition(":")[2]) >= 2**16:
            raise UsageError(f"coordinator is host:port, as in host0:1234: got {coordinator!r}")
        import jax

        # Not by Keras' initialize, under which the first process must end soon after the others;
        # but it has the model to score and to write.
        if not jax.distributed.is_initialized():  # by a training before
            (await_coordinator if process_id else check_free)(coordinator)
            jax.distributed.initialize(
                coordinator, processes, process_id, shutdown_timeout_seconds=WAIT
            )
    if backend == "jax":
        with _on_jax(devices, processes, process_id) as share:
            yield share
        return
    import tensorflow as tf

    kind = "GPU" if tf.config.list_physical_devices("GPU") else "CPU"
    found = tf.config.list_logical_devices(kind)
    number = _number(devices, len(found), kind)
    if number == 1:
        yield None
        return
    with _mirrored(tuple(device.name for device in found[:number])).scope():
        yield Share(number, devices=number)


def check_free(coordinator: str) -> None:
    """Refuses a port that the first process cannot have; JAX would wait for it without a word.

    Raises:
        UsageError: if another program listens there, or the port is not for every user.
    """
    port = coordinator.rpartition(":")[2]
    try:
        socket.create_server(("", int(port))).close()
    except OSError as error:
        raise UsageError(
            f"process 0 cannot listen at port {port} of this machine ({error.strerror}): choose "
            "another port of the coordinator, in all processes"
        ) from None


def await_coordinator(coordinator: str, seconds: float = CONNECT) -> None:
    """Returns once the first process answers; JAX would end Python where it never does.

    Raises:
        UsageError: if it does not within so many seconds.
    """
    host, _, port = coordinator.rpartition(":")
    end = time.monotonic() + seconds
    while True:
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=10):
                return
        except OSError as error:  # names may come to be known later, too
            if time.monotonic() > end:
                raise UsageError(
                    f"nothing answers at {coordinator} ({error}): has process 0 started, and can "
                    "this machine reach it?"
                ) from None
        time.sleep(1)


@functools.cache
def _mirrored(devices: tuple[str, ...]):
    """The strategy of these devices: a second one would number its messages as the first does."""
    import tensorflow as tf

    return tf.distribute.MirroredStrategy(devices)


@contextlib.contextmanager
def _on_jax(devices, processes, process_id):
    import jax
    import keras

    number = _number(devices, jax.local_device_count(), jax.default_backend().upper())
    if number * processes == 1:
        yield None
        return
    chosen = [
        f"{device.platform}:{device.id}"  # as Keras names them
        for process in range(processes)
        for device in jax.local_devices(process)[:number]
    ]
    previous = keras.distribution.distribution()
    keras.distribution.set_distribution(
        keras.distribution.DataParallel(devices=chosen, auto_shard_dataset=False)
    )
    try:
        yield Share(processes, process_id, number * processes)
    finally:
        keras.distribution.set_distribution(previous)


def _number(devices: Any, found: int, kind: str) -> int:
    number = found if devices == "all" else int(devices) if str(devices).isdecimal() else 0
    if not 1 <= number <= found:
        there = f"1 to {found}, which is how many {kind}s there are"
        if kind == "CPU" and found == 1:
            there = "1, as there is no GPU, and one training takes all cores of the CPU"
        raise UsageError(f"devices must be all, or {there}: got {devices!r}")
    return number
