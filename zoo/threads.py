"""A function of many things, on several cores."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

MOST = 8  # batches at a time, for all of them are in memory


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
