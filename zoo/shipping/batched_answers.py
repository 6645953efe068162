"""Requests that arrive one by one are answered together, in batches."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np


class Full(Exception):
    """Too many texts wait already."""


class BatchedAnswers:
    """A bounded queue of requests, whose texts several threads answer in batches.

    Args:
        answers: a function from texts to ``[texts, classes]`` probabilities, which several threads
            call.
        most: the largest number of texts that may wait.
        batch: the largest number of texts that are computed together, unless a request has more.
        threads: number of threads that compute answers.
    """

    def __init__(self, answers: Callable, most: int = 2_048, batch: int = 16, threads: int = 2):
        self.answers, self.most, self.batch = answers, most, batch
        self.waiting = 0  # texts that are in the queue or being computed
        self._queue, self._pool = asyncio.Queue(), ThreadPoolExecutor(threads)
        self._workers = [asyncio.create_task(self._work()) for _ in range(threads)]

    async def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """Answers a request: the probabilities of its texts.

        Raises:
            Full: immediately, if too many texts wait.
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
        """Ends the threads once all waiting requests are answered."""
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
            except Exception as error:  # each of these requests gets it; the worker goes on
                found = error
            for some, answered in requests:
                if not answered.done():  # else the client has disconnected
                    if isinstance(found, Exception):
                        answered.set_exception(found)
                    else:
                        answered.set_result(found[start : start + len(some)])
                start += len(some)
                self._queue.task_done()
