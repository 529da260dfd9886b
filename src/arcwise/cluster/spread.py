"""`Spread`: the driver's loop, which submits numbered units of work and collects results.

A unit counts once, however often it was done: results are identified by the numbers of
their units. Tasks are blocks of units sized to take a few seconds, by the time units have
taken so far; as each unit is a function of its number, blocks do not affect results. A
future is dropped as soon as its result has arrived, so that the death of a worker costs
only its current work.
"""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arcwise.cluster.work import Done, Failed, Missing, Unfit, Versions, Work
from arcwise.errors import ArcwiseError, EngineError

if TYPE_CHECKING:
    from arcwise.cluster.connection import Cluster

_SHORTEST_TASK = 2.0
# Scheduler and driver handle several hundred small tasks per second; many end at the same time.
_TASKS_PER_SECOND = 50.0
_FEWEST_MEASURED = 16
_GROWTH = 8
_MOST_DEATHS = 3
_NO_WORKERS = 120.0
_LOOK_AROUND = 1.0
own_versions = Versions.own


@dataclass(eq=False)
class _Block:
    """Units first, ..., first + count - 1 as one task, and the worker it must run on, if any."""

    first: int
    count: int
    worker: str | None = None
    deaths: int = 0


@dataclass(eq=False)
class Spread:
    """The distribution of units of work over a cluster.

    Parameters
    ----------
    cluster
        The cluster.
    total
        The number of units.
    work
        A function that makes a task, given the number of its first unit and of its units.
    collect
        A function of the number of the first unit, the number of units and the result of
        their task; returns False if the task must continue on the same worker.
    where
        A function that returns the worker a unit must run on, or None for any; units then run
        one by one.
    share
        A function called with the fraction done whenever it changes, or None.
    """

    cluster: Cluster
    total: int
    work: Callable[[int, int], Work]
    collect: Callable[[int, int, Done], bool | None]
    where: Callable[[int], str | None] | None = None
    share: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        """Begin with nothing done."""
        self._done: set[int] = set()
        self._next = 0
        self._again: deque[_Block] = deque()
        self._flying: dict[Any, _Block] = {}
        self._landed: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._seconds = 0.0
        self._units = 0
        self._largest = 1

    def run(self) -> None:
        """Run until every unit has been collected; if it ends early, the rest is cancelled."""
        looked = alone_since = time.monotonic()
        try:
            self._slots = self.cluster.slots()
            while len(self._done) < self.total:
                self._hand_out()
                self._land(self._wait())
                now = time.monotonic()
                if now - looked < _LOOK_AROUND:
                    continue
                looked = now
                self._slots = self.cluster.slots()
                if self._slots:
                    alone_since = now
                    self._free_pinned()
                elif now - alone_since > _NO_WORKERS:
                    raise EngineError(
                        f"{self.cluster} has had no workers for {_NO_WORKERS:.0f} seconds; start "
                        "some and run again"
                    )
        except Exception as error:
            if isinstance(error, ArcwiseError) or self.cluster.is_reachable():
                raise
            raise EngineError(
                f"the scheduler of {self.cluster} no longer responds ({type(error).__name__}); "
                "restart it and its workers"
            ) from error
        finally:
            flying = list(self._flying)
            self._flying.clear()
            if flying and self.cluster.is_reachable():
                self.cluster.cancel(flying)

    def _hand_out(self) -> None:
        """Submit enough tasks to keep every worker busy."""
        slots = max(1, sum(self._slots.values()))
        room = slots * (2 if self._units else 1) - len(self._flying)
        blocks: list[_Block] = []
        while len(blocks) < room:
            if self._again:
                blocks.append(self._again.popleft())
                continue
            size = self._size(slots)
            if size == 0:
                break
            worker = None if self.where is None else self.where(self._next)
            blocks.append(_Block(self._next, size, worker))
            self._next += size
        free = [block for block in blocks if block.worker is None]
        for group, worker in [(free, None)] + [([b], b.worker) for b in blocks if b.worker]:
            if group:
                works = [self.work(block.first, block.count) for block in group]
                for future, block in zip(self.cluster.submit(works, worker), group, strict=True):
                    self._flying[future] = block
                    future.add_done_callback(self._landed.put)

    def _size(self, slots: int) -> int:
        """Return the number of units of the next task."""
        left = self.total - self._next
        if left == 0 or self.where is not None or self._units < min(slots, _FEWEST_MEASURED):
            return min(left, 1)
        wanted = max(_SHORTEST_TASK, slots / _TASKS_PER_SECOND)
        each = max(self._seconds / self._units, 1e-6)
        whole = int(wanted / each)
        # Not so many that some workers would be idle towards the end, and not so few that there
        # would be more tasks than can be submitted. The first tasks to return are the shortest,
        # which makes all of them look short: so tasks grow gradually.
        fewest = min(whole // 3, -(-self.total // slots))
        even = max(-(-left // (2 * slots)), fewest)
        return max(1, min(whole, even, _GROWTH * self._largest, left))

    def _wait(self) -> list[Any]:
        """Return all futures that are done, waiting for one if there is none."""
        try:
            landed = [self._landed.get(timeout=_LOOK_AROUND)]
        except queue.Empty:
            return []
        while not self._landed.empty():
            landed.append(self._landed.get())
        return [future for future in landed if future in self._flying]

    def _land(self, futures: list[Any]) -> None:
        missing: list[str] = []
        for future, result in self.cluster.results(futures):
            block = self._flying.pop(future)
            if isinstance(result, Done):
                self._take(block, result)
            elif isinstance(result, Missing):
                missing.append(result.worker)
                self._again.append(block)
            elif isinstance(result, Unfit):
                raise disagreement(result.worker, result.versions)
            elif isinstance(result, Failed):
                raise result.kind(result.sentence)
            elif isinstance(result, BaseException):
                self._again.append(self._after(block, result))
        if missing:
            self.cluster.send_files(missing)

    def _take(self, block: _Block, result: Done) -> None:
        self._seconds += result.seconds
        self._units += block.count
        self._largest = max(self._largest, block.count)
        units = range(block.first, block.first + block.count)
        if any(unit in self._done for unit in units):
            return
        if self.collect(block.first, block.count, result) is False:
            self._again.append(_Block(block.first, block.count, result.worker))
            return
        self._done.update(units)
        if self.share is not None:
            self.share(len(self._done) / self.total)

    def _after(self, block: _Block, error: BaseException) -> _Block:
        """Return the block to retry, or raise its error."""
        if not self.cluster.is_loss(error):
            raise error
        if block.deaths + 1 >= _MOST_DEATHS:
            raise EngineError(
                "several workers died while running the same task; check their logs, and whether "
                "they have enough memory"
            ) from error
        return _Block(block.first, block.count, None, block.deaths + 1)

    def _free_pinned(self) -> None:
        """Release work that waits for a worker that is gone."""
        stranded = [
            future
            for future, block in self._flying.items()
            if block.worker is not None and block.worker not in self._slots
        ]
        for future in stranded:
            block = self._flying.pop(future)
            self._again.append(_Block(block.first, block.count, None, block.deaths))
        if stranded:
            self.cluster.cancel(stranded)


def disagreement(worker: str, versions: Versions) -> EngineError:
    """Return the error that states how a worker differs from the driver."""
    own = own_versions()
    kinds = {
        "arcwise": "arcwise",
        "python": "Python",
        "score_table": "the format of score tables",
    }
    for name, what in kinds.items():
        theirs, ours = getattr(versions, name), getattr(own, name)
        if theirs != ours:
            return EngineError(
                f"the worker {worker} has version {theirs} of {what}, but this process has {ours}; "
                "install the same version on both"
            )
    return EngineError(
        f"the worker {worker} has the byte order {versions.byte_order}, but this machine has "
        f"{own.byte_order}; use machines of the same kind"
    )
