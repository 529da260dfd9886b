"""`Cluster`, a connection to a Dask cluster, and `Spread`, the loop that distributes work over it.

Units of work are numbered, and each counts once, however often it was done. Tasks are blocks of
units that take a few seconds, according to the time of earlier units; as each unit is a function of
its number, blocks do not affect results. A future is released as soon as its result has arrived, so
that the death of a worker costs only its current work.
"""

from __future__ import annotations

import os
import queue
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from arcwise.cluster.host_files import HostFile, finish, store
from arcwise.cluster.work import About, Done, Failed, Missing, Unfit, Versions, Work, about, perform
from arcwise.errors import ArcwiseError, EngineError, MissingDependencyError, option
from arcwise.support.checks import file_path

_CONNECT = 10.0  # seconds
_GATHER = 30.0  # seconds within which the result of a completed task arrives
_CHUNK = 8 << 20  # bytes of a file
_CHUNKS_ON_THE_WAY = 4
_MOST_TRIES = 5


def distributed(module: str = "distributed") -> Any:
    """Return the package or one of its modules, or raise an error if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(
            "a cluster needs the packages dask and distributed, which are not installed; install "
            "them with `pip install 'arcwise[cluster]'`"
        ) from None


@dataclass(frozen=True)
class SecureAddress:
    """The address of a scheduler that is reached by TLS.

    Parameters
    ----------
    address
        The address, such as ``"tls://10.0.0.1:8786"``, or the path of a scheduler file.
    ca_file
        The certificate of the authority that signed those of the cluster (PEM).
    certificate, key
        The certificate of this process, and its private key (PEM).

    Examples
    --------
    >>> SecureAddress("10.0.0.1:8786", "ca.pem", "me.pem", "me-key.pem").address
    '10.0.0.1:8786'
    """

    address: str
    ca_file: str | os.PathLike[str]
    certificate: str | os.PathLike[str]
    key: str | os.PathLike[str]

    def security(self) -> Any:
        """Return the settings of Dask, which refuse a scheduler without TLS."""
        for name in ("ca_file", "certificate", "key"):
            path = file_path(getattr(self, name), f"tls_{name}")
            try:
                path.read_bytes()
            except OSError as error:
                raise EngineError(
                    option(f"tls_{name}"), f" is '{path}', which cannot be read ({error.strerror})"
                ) from None
        return distributed().Security(
            tls_ca_file=os.fspath(self.ca_file),
            tls_client_cert=os.fspath(self.certificate),
            tls_client_key=os.fspath(self.key),
            require_encryption=True,
        )


def connect(address: str, security: Any = None) -> Any:
    """Return a client of the scheduler given by an address or a scheduler file."""
    dask = distributed()
    named = address.removeprefix("dask://")
    if security is not None and "://" not in named and not named.endswith(".json"):
        named = f"tls://{named}"
    known: dict[str, Any] = {"address": named}
    if named.endswith(".json"):
        if not Path(named).exists():
            raise EngineError(
                f"there is no scheduler file '{named}'; start the scheduler with "
                f"'dask scheduler --scheduler-file {named}', or check the path"
            )
        known = {"scheduler_file": named}
    client = dask.Client.__new__(dask.Client)
    try:
        client.__init__(**known, security=security, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        # Otherwise closing would wait for a scheduler that was never reached.
        client.status = "closed"
        way = (
            "start one with 'dask scheduler', or check the address"
            if security is None
            else "check the address, and that its certificates and these are of one authority"
        )
        raise EngineError(
            f"no Dask scheduler responds at '{address}' ({type(error).__name__}); {way}"
        ) from None
    return client


class Cluster:
    """A connection to a cluster."""

    def __init__(self, client: Any, chunk: int = _CHUNK) -> None:
        self.client = client
        self._address = client.scheduler.address  # not available from a closed client
        self._chunk = chunk
        self._versions = Versions.own()
        self._files: dict[HostFile, Path] = {}
        self._users: Counter[HostFile] = Counter()
        self._numbers = count()

    def __str__(self) -> str:
        """Return a phrase that names the cluster."""
        return f"the cluster at {self._address}"

    def is_reachable(self) -> bool:
        """Return whether the scheduler still responds."""
        if self.client.status != "running":
            return False
        try:
            self.client.sync(self.client.scheduler.identity, callback_timeout=_CONNECT)
        except (OSError, RuntimeError):  # those of a closed connection among them
            return False
        return True

    def slots(self) -> dict[str, int]:
        """Return the number of concurrent tasks of each worker, by address."""
        found: dict[str, int] = self.client.nthreads()
        return found

    def submit(self, works: Sequence[Work], worker: str | None) -> list[Any]:
        """Submit tasks, all in one message, and return their futures."""
        # The key need not be a hash of the work, but must be unique, as otherwise a task repeated
        # after a loss could receive its first result.
        keys = [f"arcwise-{id(self):x}-{os.getpid()}-{next(self._numbers)}" for _ in works]
        futures: list[Any] = self.client.map(
            perform,
            works,
            versions=self._versions,
            key=keys,
            pure=False,
            workers=None if worker is None else [worker],
        )
        return futures

    def results(self, futures: list[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield each future with its result or error."""
        for future in futures:
            try:
                yield future, future.result(timeout=_GATHER)
            except TimeoutError as error:
                # Its worker was lost after completing the task but before the result arrived; a
                # task bound to that worker would never end.
                self.cancel([future])
                yield future, error
            except Exception as error:
                yield future, error

    def cancel(self, futures: list[Any]) -> None:
        """Cancel tasks whose results are not needed."""
        self.client.cancel(futures, force=True)

    @staticmethod
    def is_loss(error: BaseException) -> bool:
        """Return whether a task failed because workers were lost, not because of its own error."""
        losses = (
            distributed().KilledWorker,
            distributed("distributed.comm").CommClosedError,
            distributed("distributed.utils").CancelledError,
            TimeoutError,
        )
        return isinstance(error, losses)

    def share(self, file: HostFile, path: Path) -> None:
        """Make a file readable by all current workers; workers that join later request it."""
        self._files[file] = path
        self._users[file] += 1
        workers = list(self.slots())
        if not workers:
            return  # they may still be starting
        self.send_files(workers)

    def send_files(self, workers: list[str]) -> None:
        """Send the files once to each machine of these workers that lacks them."""
        for _ in range(_MOST_TRIES):
            lacking = self._lacking(workers)
            if not lacking:
                return
            for file, path in self._files.items():
                self._send(file, path, list(lacking.values()))
        raise EngineError(
            f"the files of this run could not be stored on the machine of {workers[0]}; check "
            "whether its disk is full, or set ARCWISE_CACHE there to another folder"
        )

    def forget(self, file: HostFile) -> None:
        """Stop sending a file when none of its users remains."""
        self._users[file] -= 1
        if self._users[file] <= 0:
            self._files.pop(file, None)

    def _lacking(self, workers: list[str]) -> dict[str, str]:
        """Return one worker for each location that lacks a file."""
        alive = self.slots()
        asked = [worker for worker in workers if worker in alive]
        if not asked:
            return {}
        try:
            answers: dict[str, About | BaseException] = self.client.run(
                about, tuple(self._files), workers=asked, on_error="return"
            )
        except OSError:  # a worker has left
            return self._lacking(workers)
        result: dict[str, str] = {}
        for worker, answer in answers.items():
            if isinstance(answer, OSError):
                continue  # it has left, or its disk is full, which sending the file reveals
            # A worker that cannot unpickle the request responds with the text of that error.
            if isinstance(answer, Exception) and "ModuleNotFoundError" in str(answer):
                raise EngineError(
                    f"the worker {worker} cannot import arcwise ({answer}); install version "
                    f"{self._versions.arcwise} there"
                )
            if isinstance(answer, BaseException):
                raise answer
            if answer.versions != self._versions:
                raise disagreement(worker, answer.versions)
            if not answer.has_files:
                result.setdefault(answer.place, worker)
        return result

    def _send(self, file: HostFile, path: Path, workers: list[str]) -> None:
        """Send a file to workers in chunks, which they pass on; lost workers are skipped."""
        flying: list[dict[Any, str]] = []
        with open(path, "rb") as source:
            for offset in range(0, file.size, self._chunk):
                chunk = source.read(self._chunk)
                alive = [worker for worker in workers if worker in self.slots()]
                if not alive:
                    return
                try:
                    held = self.client.scatter(chunk, workers=[alive[0]], hash=False)
                except Exception:
                    if alive[0] in self.slots():
                        raise
                    return  # the worker has just died; files are checked afterwards
                flying.append({self._on(each, store, file, offset, held): each for each in alive})
                if len(flying) >= _CHUNKS_ON_THE_WAY:
                    self._settle(flying.pop(0))
            for stored in flying:
                self._settle(stored)
        alive = [worker for worker in workers if worker in self.slots()]
        self._settle({self._on(worker, finish, file): worker for worker in alive})

    def _on(self, worker: str, function: Any, *arguments: Any) -> Any:
        key = f"arcwise-file-{id(self):x}-{os.getpid()}-{next(self._numbers)}"
        return self.client.submit(
            function, *arguments, key=key, workers=[worker], priority=100, pure=False
        )

    def _settle(self, tasks: dict[Any, str]) -> None:
        """Wait until tasks are completed or their workers are lost."""
        wait = distributed().wait
        while True:
            alive = self.slots()
            waiting = [task for task, worker in tasks.items() if worker in alive]
            if not waiting:
                return
            try:
                with self.client.as_current():
                    wait(waiting, timeout=1.0)
                return
            except TimeoutError:
                continue
            except Exception as error:
                if not self.is_loss(error):
                    raise
                return


_SHORTEST_TASK = 2.0  # seconds
# Scheduler and driver handle several hundred small tasks per second; many end simultaneously.
_TASKS_PER_SECOND = 50.0
_FEWEST_MEASURED = 16  # units before tasks grow
_GROWTH = 8  # largest ratio of the size of a task to that of earlier ones
_MOST_DEATHS = 3  # of workers on one task
_NO_WORKERS = 120.0  # seconds without workers before the run ends
_LOOK_AROUND = 1.0  # seconds between inquiries about workers
own_versions = Versions.own


@dataclass(eq=False)
class _Block:
    """The units first, ..., first + count - 1 as one task, possibly bound to a worker."""

    first: int
    count: int
    worker: str | None = None
    deaths: int = 0


@dataclass(eq=False)
class Spread:
    """The distribution of units of work over a cluster."""

    cluster: Cluster
    total: int  # the number of units
    # Creates a task, given its first unit and the number of its units.
    work: Callable[[int, int], Work]
    # Receives the first unit, the number of units and the result of a task; returns False if the
    # task must continue on the same worker.
    collect: Callable[[int, int, Done], bool | None]
    # Returns the worker on which a unit must run, or None for any; every unit is then a task.
    where: Callable[[int], str | None] | None = None
    share: Callable[[float], None] | None = None  # receives the completed fraction

    def __post_init__(self) -> None:
        """Set the state of a distribution that has not begun."""
        self._done: set[int] = set()
        self._next = 0
        self._again: deque[_Block] = deque()
        self._flying: dict[Any, _Block] = {}
        self._landed: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._seconds = 0.0
        self._units = 0
        self._largest = 1

    def run(self) -> None:
        """Run until every unit has been collected; cancel the remaining tasks after an error."""
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
        # Large tasks would leave some workers idle towards the end, and with small ones there would
        # be more tasks than can be submitted. The first tasks to return are the shortest, which
        # would underestimate the time of a unit, so tasks grow gradually.
        fewest = min(whole // 3, -(-self.total // slots))
        even = max(-(-left // (2 * slots)), fewest)
        return max(1, min(whole, even, _GROWTH * self._largest, left))

    def _wait(self) -> list[Any]:
        """Return all completed futures, after waiting for one if necessary."""
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
        """Release the tasks that are bound to lost workers."""
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
    """Return the error that describes how the versions of a worker differ from the driver's."""
    own = own_versions()
    kinds = {"arcwise": "arcwise", "python": "Python", "score_table": "the format of score tables"}
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
