"""`Cluster`: a connection to a Dask cluster for tasks, results and files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from arcwise.cluster.host_files import HostFile, finish, store
from arcwise.cluster.spread import disagreement
from arcwise.cluster.work import About, Versions, Work, about, perform
from arcwise.errors import EngineError, MissingDependencyError, option
from arcwise.support.checks import file_path

_CONNECT = 10.0
_GATHER = 30.0  # seconds within which the result of a task that is done arrives
_CHUNK = 8 << 20
_CHUNKS_ON_THE_WAY = 4
_MOST_TRIES = 5


def distributed(module: str = "distributed") -> Any:
    """Return the package or one of its modules, or refuse in one sentence."""
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
    """Return a client of the scheduler given by an address or a scheduler file.

    Parameters
    ----------
    address
        The address, or the path of a scheduler file.
    security
        A `distributed.Security`; None for that of Dask's configuration, if any.
    """
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
    """A connection to a cluster.

    Parameters
    ----------
    client
        A `distributed.Client`.
    chunk
        The number of bytes of a file sent at once.
    """

    def __init__(self, client: Any, chunk: int = _CHUNK) -> None:
        self.client = client
        self._address = client.scheduler.address  # which a closed client forgets
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
        # The key need not be a hash of the work, but must be new each time, or a task repeated
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
        """Yield each future with its result, or with the error it raised."""
        for future in futures:
            try:
                yield future, future.result(timeout=_GATHER)
            except TimeoutError as error:
                # Its worker was lost after the task and before the result came; bound to that
                # worker, the task would wait for it for ever.
                self.cancel([future])
                yield future, error
            except Exception as error:
                yield future, error

    def cancel(self, futures: list[Any]) -> None:
        """Cancel tasks whose results are not needed."""
        self.client.cancel(futures, force=True)

    @staticmethod
    def is_loss(error: BaseException) -> bool:
        """Whether a task failed because workers were lost, not because of an error of its own."""
        losses = (
            distributed().KilledWorker,
            distributed("distributed.comm").CommClosedError,
            distributed("distributed.utils").CancelledError,
            TimeoutError,
        )
        return isinstance(error, losses)

    def share(self, file: HostFile, path: Path) -> None:
        """Make a file readable by all current workers; later ones receive it on request.

        Parameters
        ----------
        file
            The file as tasks refer to it.
        path
            Its path in this process.
        """
        self._files[file] = path
        self._users[file] += 1
        workers = list(self.slots())
        if not workers:
            return  # they may still be starting
        self.send_files(workers)

    def send_files(self, workers: list[str]) -> None:
        """Send the files to the machines of these workers that lack them, once to each."""
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
        except OSError:  # a worker left meanwhile
            return self._lacking(workers)
        result: dict[str, str] = {}
        for worker, answer in answers.items():
            if isinstance(answer, OSError):
                continue  # gone, or without room, which shows when it is sent the file
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
        """Send a file to workers in chunks, which they pass on to each other.

        A worker that dies meanwhile is left out; which machines have the file is checked
        afterwards.
        """
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
                    return  # the worker has just died; missing files are checked again
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
        """Wait until tasks are done or their workers are gone."""
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
