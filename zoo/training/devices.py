"""Devices: which precision fits them, and how a training is spread over several of them."""

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from typing import Any

from zoo.backend import backend_name
from zoo.backend.devices import capability, connect, on_devices, own_devices
from zoo.datasets.batches import Share
from zoo.errors import UsageError

CONNECT = 300  # seconds for the others, until it has started


def auto_precision() -> str:
    """The precision that suits this machine: 16 bits where the GPU has fast arithmetic for them.

    bfloat16 has float32's range, so it is taken before float16 where both are fast: NVIDIA's
    compute capability 8.0 (2020), and TPUs; float16 from 7.0 (2017). On CPUs 16 bits mostly cost
    more than they save.
    """
    found = capability()
    if found is None or found < (7, 0):
        return "float32"
    return "mixed_bfloat16" if found >= (8, 0) else "mixed_float16"


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
    if processes != 1 or process_id or coordinator:
        if backend_name() != "jax":
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
        check = await_coordinator if process_id else check_free
        connect(check, coordinator, processes, process_id)
    number = _number(devices, *own_devices())
    if number * processes == 1:
        yield None
        return
    with on_devices(number, processes, process_id) as (parts, part):
        yield Share(parts, part, number * processes)


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


def _number(devices: Any, kind: str, found: int) -> int:
    number = found if devices == "all" else int(devices) if str(devices).isdecimal() else 0
    if not 1 <= number <= found:
        there = f"1 to {found}, which is how many {kind}s there are"
        if kind == "CPU" and found == 1:
            there = "1, as there is no GPU, and one training takes all cores of the CPU"
        raise UsageError(f"devices must be all, or {there}: got {devices!r}")
    return number
