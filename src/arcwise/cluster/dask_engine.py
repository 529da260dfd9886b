"""`DaskEngine`: an engine on the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arcwise import _core
from arcwise.cluster import host_files
from arcwise.cluster.connection import Cluster, SecureAddress, connect
from arcwise.cluster.host_files import HostFile
from arcwise.cluster.sampling import ClusterAnnealedRuns, ClusterChains
from arcwise.cluster.scoring import score_on_cluster
from arcwise.cluster.spread import Spread
from arcwise.cluster.work import FileWork
from arcwise.engines.engine import Engine, ScoringJob
from arcwise.engines.sampling_jobs import AnnealedRuns, AnnealingJob, ChainJob, Chains
from arcwise.errors import ArgumentError, EngineError
from arcwise.scores.job import FamilyScoring
from arcwise.sums import ScoreSums, score_table
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

        published = host_files.publish(score_table.KIND, write, self._folder, self._shared)
        self.cluster.share(*published)
        return published[0]

    @contextmanager
    def _payload(self, thing: Any) -> Iterator[HostFile]:
        """Yield a file that workers can read, holding a pickled object."""
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
