"""A cluster that exists on paper: tasks take simulated time, workers die when they are told to."""

from __future__ import annotations

import heapq
import pickle
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from arcwise.cluster.work import Done, Work


class Lost(Exception):
    """The worker of a task is gone."""


class Future:
    """A task on its way."""

    def __init__(self, work: Work, worker: str | None) -> None:
        self.work, self.worker = work, worker
        self.callback: Callable[[Any], None] = lambda future: None

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self.callback = callback

    def land(self) -> None:
        self.callback(self)


class SimulatedCluster:
    """What a `Spread` sees of a cluster.

    Parameters
    ----------
    workers
        How many there are, each with one slot.
    fate
        Given the number of a task, what becomes of it: None if all goes well, or what
        comes back instead of its result.
    """

    def __init__(self, workers: int, fate: Callable[..., Any] = lambda number: None) -> None:
        self.workers = [f"worker {i}" for i in range(workers)]
        self.free = [0.0] * workers
        self.fate = fate
        self.now = 0.0
        self.tasks = 0
        self.bytes: list[int] = []
        self.cancelled: list[Future] = []
        self.sent_files_to: list[str] = []
        self._order = count()
        self._flying: list[tuple[float, int, Future]] = []

    def __str__(self) -> str:
        return "the simulated cluster"

    def is_reachable(self) -> bool:
        return True

    def slots(self) -> dict[str, int]:
        return dict.fromkeys(self.workers, 1)

    def submit(self, works: Sequence[Work], worker: str | None) -> list[Future]:
        futures = [Future(work, worker) for work in works]
        for future in futures:
            self.bytes.append(len(pickle.dumps(future.work)))
            start = max(self.now, heapq.heappop(self.free))
            end = start + future.work.seconds  # type: ignore[attr-defined]
            heapq.heappush(self.free, end)
            heapq.heappush(self._flying, (end, next(self._order), future))
        return futures

    def land(self) -> None:
        """Let the tasks that are done next come down."""
        if self._flying:
            self.now = self._flying[0][0]
        while self._flying and self._flying[0][0] <= self.now:
            heapq.heappop(self._flying)[2].land()

    def results(self, futures: list[Future]) -> Iterator[tuple[Future, Any]]:
        for future in futures:
            fate = self.fate(self.tasks)
            self.tasks += 1
            work = future.work
            yield future, fate or Done(work.do(), work.seconds, "worker 0")  # type: ignore[attr-defined]

    def cancel(self, futures: list[Future]) -> None:
        self.cancelled += futures

    def is_loss(self, error: BaseException) -> bool:
        return isinstance(error, Lost)

    def send_files(self, workers: list[str]) -> None:
        self.sent_files_to += workers
