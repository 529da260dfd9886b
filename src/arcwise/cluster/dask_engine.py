"""`DaskEngine`: annealing runs, chains and scoring on the workers of a Dask cluster.

Annealing runs and chains have the interface of the core's `AnnealedRuns` and `Chains` and return
the same results, so that algorithms do not depend on where the work is done.
"""

from __future__ import annotations

import os
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.cluster import host_files
from arcwise.cluster.connection import Cluster, SecureAddress, Spread, connect
from arcwise.cluster.host_files import HostFile
from arcwise.cluster.work import (
    AnnealingWork,
    ChainReached,
    ChainWork,
    Command,
    Done,
    FileWork,
    SamplingJob,
    Work,
)
from arcwise.engines import (
    AnnealedRuns,
    AnnealingJob,
    ChainJob,
    Chains,
    Engine,
    Listener,
    ScoringJob,
)
from arcwise.errors import ArgumentError, EngineError
from arcwise.model import score_sums
from arcwise.model.score_sums import ScoreSums
from arcwise.records.chain_record import DRAW_ARRAYS
from arcwise.scores.family_scores import FamilyScoring, KeptScores
from arcwise.support.devices import Processors
from arcwise.support.running import Stage


class DaskEngine(Engine):
    """An engine on the workers of a Dask cluster.

    Score sums and data are written to a file once, sent to each machine once, and
    memory-mapped by all its workers. Workers may join and leave during a run: the work of
    a worker that dies is repeated by another, with the same result.

    Parameters
    ----------
    cluster
        A `distributed.Client`; or the address of a scheduler, such as
        ``"tcp://10.0.0.1:8786"``, with or without ``dask://`` before it; or the path
        of a scheduler file, which ends in ``.json``; or a `SecureAddress`.
    folder
        Where this process writes files for the workers; None for a local folder. On a
        shared file system, workers read them there.
    shared
        Whether workers first look for files at the path of this process, before they are
        sent.
    security
        A `distributed.Security` to connect to an address by TLS; None for that of Dask's
        configuration, if any.

    Examples
    --------
    >>> import arcwise
    >>> from distributed import Client
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> def sample(engine):
    ...     return arcwise.ais(model, particles=20, steps=500, seed=1, engine=engine).log_evidence
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     remote = sample(arcwise.cluster.DaskEngine(client))
    >>> remote == sample(None)
    True
    """

    def __init__(
        self,
        cluster: Any,
        *,
        folder: str | os.PathLike[str] | None = None,
        shared: bool = True,
        security: Any = None,
    ) -> None:
        self._owned = isinstance(cluster, str | os.PathLike | SecureAddress)
        if isinstance(cluster, SecureAddress):
            client = connect(cluster.address, cluster.security())
        elif isinstance(cluster, str | os.PathLike):
            client = connect(os.fspath(cluster), security)
        else:
            client = cluster
        if not hasattr(client, "scatter") or not hasattr(client, "nthreads"):
            raise EngineError(
                f"cluster is of type {type(cluster).__name__}; give a distributed.Client or the "
                "address of a scheduler"
            )
        self.cluster = Cluster(client)
        self._folder = None if folder is None else Path(folder)
        self._shared = shared

    def __repr__(self) -> str:
        """Show the address of the scheduler."""
        return f"DaskEngine({self.cluster.client.scheduler.address!r})"

    def close(self) -> None:
        """Close the connection if this engine opened it."""
        if self._owned:
            self.cluster.client.close()

    @property
    def fewest_runs_at_once(self) -> int:
        """The smallest number of annealing runs to request at once, so that no worker idles."""
        return max(16, 4 * sum(self.cluster.slots().values()))

    def annealed_runs(self, job: AnnealingJob) -> AnnealedRuns:
        """Return annealing runs on the workers."""
        return ClusterAnnealedRuns(self.cluster, self._share_sums(job.sums), job)

    def chains(self, job: ChainJob) -> Chains:
        """Return chains on the workers."""
        return ClusterChains(self.cluster, self._share_sums(job.sums), job)

    def score(self, job: ScoringJob, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return the scores of families."""
        assert isinstance(job, FamilyScoring)
        with self._payload(job) as file:
            return score_on_cluster(self.cluster, job, file, run, path)

    def map(self, function: Callable[[Any], Any], things: Sequence[Any], run: Stage) -> list[Any]:
        """Apply a function to each of several inputs, and return the results in order."""
        results: list[Any] = [None] * len(things)
        with self._payload(function) as file:

            def work(first: int, count: int) -> FileWork:
                return FileWork(_mapped, file, tuple(things[first : first + count]))

            def collect(first: int, count: int, done: Any) -> None:
                results[first : first + count] = done.value

            Spread(self.cluster, len(things), work, collect, share=run.progress).run()
        return results

    def _share_sums(self, sums: ScoreSums) -> HostFile:
        """Write score sums to a file that workers can read, and return its identity."""

        def write(path: Path) -> Any:
            return sums.write(path)

        published = host_files.publish(score_sums.KIND, write, self._folder, self._shared)
        self.cluster.share(*published)
        return published[0]

    @contextmanager
    def _payload(self, thing: Any) -> Iterator[HostFile]:
        """Yield a file with a pickled object that workers can read."""
        file, path = host_files.publish_payload(thing, self._folder, self._shared)
        self.cluster.share(file, path)
        try:
            yield file
        finally:
            self.cluster.forget(file)


def _mapped(function: Callable[[Any], Any], *things: Any) -> list[Any]:
    return [function(thing) for thing in things]


def open_cluster(value: Any) -> Engine:
    """Return the engine of a cluster, given by a client or an address."""
    if isinstance(value, str | os.PathLike) and os.fspath(value) in ("", "dask://"):
        raise ArgumentError(
            f"engine is {value!r}; give the address of a scheduler, such as "
            "'dask://10.0.0.1:8786', a distributed.Client or an Engine"
        )
    return DaskEngine(value)


class ClusterAnnealedRuns(_core.AnnealedRuns):
    """The annealing runs requested so far, performed by workers and stored in this process.

    If their number is not fixed in advance, enough runs are performed ahead of requests to keep all
    workers busy.
    """

    def __init__(self, cluster: Cluster, table: HostFile, job: AnnealingJob) -> None:
        super().__init__(job.core_space, job.options, job.seed)
        self._cluster = cluster
        weakref.finalize(self, cluster.forget, table)
        self._job = SamplingJob.of(table, job)
        self._open_ended = job.open_ended
        self._made: dict[int, bytes] = {}

    def run(self, first: int, count: int, threads: int, progress: Any) -> None:
        """Perform runs by index; if interrupted, keep those before the first unfinished one."""
        ahead = count
        if self._open_ended:
            slots = sum(self._cluster.slots().values())
            ahead = max(count, 4 * slots)
        wanted = range(first, first + count)
        try:
            if any(number not in self._made for number in wanted):
                self._make(first, ahead, progress)
        finally:
            for number in wanted:
                if number not in self._made:
                    break
                self.append_runs(self._made.pop(number))

    def _make(self, first: int, count: int, progress: Listener) -> None:
        numbers = [n for n in range(first, first + count) if n not in self._made]
        start, total = numbers[0], len(numbers)  # the missing runs are at the end of the range

        def work(at: int, some: int) -> Work:
            return AnnealingWork(self._job, start + at, some)

        def collect(at: int, some: int, done: Done) -> None:
            self._made.update(zip(range(start + at, start + at + some), done.value, strict=True))

        Spread(self._cluster, total, work, collect, share=progress).run()


_LONGEST_PIECE = 5.0  # seconds


class ClusterChains(_core.Chains):
    """Chains on workers, each with its own random streams."""

    def __init__(self, cluster: Cluster, table: HostFile, job: ChainJob) -> None:
        super().__init__(job.core_space, job.options, job.seed, 0, job.count)
        self._cluster = cluster
        weakref.finalize(self, cluster.forget, table)
        self._job = SamplingJob.of(table, job)
        self._identity = uuid.uuid4().hex
        self._thinning: int | None = 1
        self._version = 0
        # The core has the chains after the last command, without their draws.
        self._draws: list[list[dict[str, Any]]] = [[] for _ in range(job.count)]
        self._workers: dict[int, str] = {}
        self._unknown: set[int] = set()

    def set_thinning(self, thinning: int) -> None:
        """Set the number of steps between draws."""
        self._thinning = thinning
        super().set_thinning(thinning)

    def start(self, burn_in: int, threads: int, progress: Any) -> None:
        """Start every chain from a random state, and run its burn-in."""
        self._do("start", 0, None)
        if burn_in > 0:
            self.burn_in(burn_in, threads, progress)

    def burn_in(self, steps: int, threads: int, progress: Any) -> None:
        """Continue the chains without draws, and reset the counts of moves and exchanges."""
        self._do("burn in", steps, progress)

    def sample(self, draws: int, threads: int, progress: Any) -> None:
        """Continue the chains for a number of draws."""
        self._do("sample", draws, progress)

    def _do(
        self, what: Literal["start", "burn in", "sample"], amount: int, progress: Listener
    ) -> None:
        command = Command(what, amount, self._thinning)
        arrived: set[int] = set()
        try:
            self._spread(command, range(len(self)), arrived, progress, as_it_is=False)
        except KeyboardInterrupt:
            # The other chains stop at their current states.
            left = [chain for chain in range(len(self)) if chain not in arrived]
            self._spread(command, left, arrived, None, as_it_is=True)
            raise
        finally:
            self._version += 1
            self._thinning = None  # from now on stored in the states of the chains

    def _spread(
        self,
        command: Command,
        chains: Sequence[int],
        arrived: set[int],
        progress: Listener,
        *,
        as_it_is: bool,
    ) -> None:
        shares = dict.fromkeys(chains, 0.0)

        def work(at: int, count: int) -> Work:
            chain = chains[at]
            state = self.save_chain(chain) if chain in self._unknown else None
            return ChainWork(
                self._job,
                self._identity,
                chain,
                self._version,
                command,
                _LONGEST_PIECE,
                state,
                as_it_is,
            )

        def collect(at: int, count: int, done: Done) -> bool:
            chain = chains[at]
            reached: ChainReached = done.value
            if reached.unknown:
                self._unknown.add(chain)
                return False
            self._unknown.discard(chain)
            self._workers[chain] = done.worker
            shares[chain] = reached.share
            if progress is not None:
                progress(sum(shares.values()) / len(shares))
            if reached.state is None:
                return False
            assert reached.draws is not None
            self.restore_chain(chain, reached.state)
            if len(reached.draws["log_weights"]):
                self._draws[chain].append(reached.draws)
            arrived.add(chain)
            return True

        def where(at: int) -> str | None:
            return self._workers.get(chains[at])

        Spread(self._cluster, len(chains), work, collect, where).run()

    def record(self, chain: int) -> dict[str, Any]:
        """Return the record of a chain."""
        record = super().record(chain)
        parts = self._draws[chain]
        if not parts:
            return record
        return record | {
            name: np.concatenate([part[name] for part in parts]) for name in DRAW_ARRAYS
        }

    def take_draws(self, chain: int) -> dict[str, Any]:
        """Return the record of a chain and discard its draws here."""
        record = self.record(chain)
        self._draws[chain] = []
        return record

    def restore_state(self, state: bytes) -> None:
        """Continue from the state returned by `save_state`, here or in the core."""
        super().restore_state(state)
        self._identity = uuid.uuid4().hex
        self._version = 1
        self._thinning = None
        self._unknown = set(range(len(self)))


def score_on_cluster(
    cluster: Cluster, job: FamilyScoring, file: HostFile, run: Stage, path: Path | None
) -> _core.FamilyTable:
    """Return the scores of all families, which workers compute in parts."""
    kept = KeptScores(job, path)
    for first, count in kept.missing():
        _score_stretch(cluster, kept, file, run, first, count)
    return kept.finish(run.threads)


def _score_stretch(
    cluster: Cluster, kept: KeptScores, file: HostFile, run: Stage, start: int, length: int
) -> None:
    def work(first: int, count: int) -> Work:
        return FileWork(_scored, file, (start + first, count))

    def collect(first: int, count: int, done: Done) -> None:
        kept.take(start + first, count, done.value)

    def show(_: float) -> None:
        if run.progress is not None:
            run.progress(kept.share)

    Spread(cluster, length, work, collect, share=show).run()


def _scored(job: FamilyScoring, first: int, count: int) -> NDArray[np.float64]:
    """Return the values of some units of a scoring job, computed by one thread."""
    here = Stage(Processors(1))
    values: NDArray[np.float64] = job.plan.score(first, count, here.threads, here.progress)
    return values
