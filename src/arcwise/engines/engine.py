"""`Engine`: where the independent pieces of a computation run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol

from arcwise import _core
from arcwise.engines.sampling_jobs import AnnealedRuns, AnnealingJob, ChainJob, Chains
from arcwise.support.running import Run


class ScoringJob(Protocol):
    """The scoring of families, as an engine sees it; `arcwise.scores.job` has it."""

    def score_all(self, run: Run) -> _core.FamilyTable:
        """Score all families in this process."""
        ...


class Engine(ABC):
    """Where annealing runs, chains, the scoring of families and batches of data sets run.

    The engine never changes a result: with the same seed it is the same, bit for bit.
    An engine is a context manager; leaving it closes what it opened itself.

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
        """Return it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close what it opened itself."""
        self.close()

    def close(self) -> None:  # noqa: B027
        """Close what it opened itself."""

    @abstractmethod
    def annealed_runs(self, job: AnnealingJob) -> AnnealedRuns:
        """Return annealing runs, none of them made yet."""

    @property
    def fewest_runs_at_once(self) -> int:
        """How many annealing runs to ask for at least, so that nobody is idle for long."""
        return 1

    @abstractmethod
    def chains(self, job: ChainJob) -> Chains:
        """Return chains, none of them started yet."""

    @abstractmethod
    def score(self, job: ScoringJob, run: Run) -> _core.FamilyTable:
        """Return the scores of families."""

    @abstractmethod
    def map(self, function: Callable[[Any], Any], things: Sequence[Any], run: Run) -> list[Any]:
        """Return what a function makes of each of some things, in their order."""


class Threads(Engine):
    """The threads of this process, as many as ``threads=`` says.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> here = arcwise.ais(model, "partitions", particles=50, steps=300, engine=Threads())
    >>> here.log_evidence == arcwise.ais(model, "partitions", particles=50, steps=300).log_evidence
    True
    """

    def __repr__(self) -> str:
        """Say what it is."""
        return "Threads()"

    def annealed_runs(self, job: AnnealingJob) -> AnnealedRuns:
        """Return annealing runs of the core itself."""
        return job.in_core()

    def chains(self, job: ChainJob) -> Chains:
        """Return chains of the core itself."""
        return job.in_core()

    def score(self, job: ScoringJob, run: Run) -> _core.FamilyTable:
        """Return the scores of families."""
        return job.score_all(run)

    def map(self, function: Callable[[Any], Any], things: Sequence[Any], run: Run) -> list[Any]:
        """Return what a function makes of things, one after the other: it has threads itself."""
        results = []
        for thing in things:
            results.append(function(thing))
            if run.progress is not None:
                run.progress(len(results) / len(things))
        return results
