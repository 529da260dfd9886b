"""`Engine`: where independent parts of a computation run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from arcwise import _core
from arcwise.engines.sampling_jobs import AnnealedRuns, AnnealingJob, ChainJob, Chains
from arcwise.support.running import Stage


class ScoringJob(Protocol):
    """The scoring of families, as engines see it; implemented in `arcwise.scores.job`."""

    def score_all(self, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Score all families in this process; a file keeps them if there is a path."""
        ...


class Engine(ABC):
    """Where chains, annealing runs, the scoring of families and batches of data sets run.

    The engine never changes a result: with the same seed it is the same, bit for bit. An
    engine is a context manager, which closes the connections it opened on exit.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> engine: Engine = arcwise.engines.Threads()
    >>> with engine:
    ...     posterior = arcwise.ais(model, "partitions", particles=50, steps=300, engine=engine)
    >>> posterior.algorithm
    'ais'
    """

    def __enter__(self) -> Engine:
        """Return the engine."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connections it opened."""
        self.close()

    def close(self) -> None:  # noqa: B027
        """Close the connections it opened."""

    @abstractmethod
    def annealed_runs(self, job: AnnealingJob) -> AnnealedRuns:
        """Return annealing runs, not yet started."""

    @property
    def fewest_runs_at_once(self) -> int:
        """The smallest number of annealing runs to request at once, so that no worker idles."""
        return 1

    @abstractmethod
    def chains(self, job: ChainJob) -> Chains:
        """Return chains, not yet started."""

    @abstractmethod
    def score(self, job: ScoringJob, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return the scores of families; a file at `path` keeps them as they are made."""

    @abstractmethod
    def map(self, function: Callable[[Any], Any], things: Sequence[Any], run: Stage) -> list[Any]:
        """Apply a function to each of several inputs, and return the results in order."""


class Threads(Engine):
    """The threads of this process, as many as ``threads`` allows.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> here = arcwise.ais(model, "partitions", particles=50, steps=300, engine=Threads())
    >>> here.log_evidence == arcwise.ais(model, "partitions", particles=50, steps=300).log_evidence
    True
    """

    def __repr__(self) -> str:
        """Show the constructor."""
        return "Threads()"

    def annealed_runs(self, job: AnnealingJob) -> AnnealedRuns:
        """Return annealing runs in the core."""
        return job.in_core()

    def chains(self, job: ChainJob) -> Chains:
        """Return chains in the core."""
        return job.in_core()

    def score(self, job: ScoringJob, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return the scores of families."""
        return job.score_all(run, path)

    def map(self, function: Callable[[Any], Any], things: Sequence[Any], run: Stage) -> list[Any]:
        """Apply a function to inputs one after another, as it may use threads itself."""
        results = []
        for thing in things:
            results.append(function(thing))
            if run.progress is not None:
                run.progress(len(results) / len(things))
        return results
