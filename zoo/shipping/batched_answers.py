"""Answers to requests that come one by one, computed together."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np


class Full(Exception):
    """More texts wait than may."""


class BatchedAnswers:
    """A queue of requests with a bound; as many threads as cores answer what waits, together.

    Args:
        answers: texts to ``[texts, classes]`` probabilities; called by several threads.
        most: texts that may wait.
        batch: texts that are computed together, at most, unless a request has more.
        threads: how many compute.
    """

    def __init__(self, answers: Callable, most: int = 2_048, batch: int = 16, threads: int = 2):
        self.answers, self.most, self.batch = answers, most, batch
        self.waiting = 0  # texts, in the queue and in work
        self._queue, self._pool = asyncio.Queue(), ThreadPoolExecutor(threads)
        self._workers = [asyncio.create_task(self._work()) for _ in range(threads)]

    async def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """The probabilities of the texts of a request.

        Raises:
            Full: at once, if too many wait.
        """
        if self.waiting + len(texts) > self.most:
            raise Full
        self.waiting += len(texts)
        answered = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((texts, answered))
        try:
            return await answered
        finally:
            self.waiting -= len(texts)

    async def close(self) -> None:
        """Ends the threads, once all that waits is answered."""
        await self._queue.join()
        for one in self._workers:
            one.cancel()
        self._pool.shutdown()

    async def _work(self):
        while True:
            requests = [await self._queue.get()]
            while not self._queue.empty() and sum(len(one) for one, _ in requests) < self.batch:
                requests.append(self._queue.get_nowait())
            texts = [text for some, _ in requests for text in some]
            loop, start = asyncio.get_running_loop(), 0
            try:
                found = await loop.run_in_executor(self._pool, self.answers, texts)
            except Exception as error:  # of each request, and the next one is answered
                found = error
            for some, answered in requests:
                if not answered.done():  # whose client has not gone
                    if isinstance(found, Exception):
                        answered.set_exception(found)
                    else:
                        answered.set_result(found[start : start + len(some)])
                start += len(some)
                self._queue.task_done()
