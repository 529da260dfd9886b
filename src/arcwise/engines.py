"""`Engine`: where independent parts of a computation run; `arcwise.cluster` has one for Dask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.support.names import as_list, shown
from arcwise.support.running import Progress, Stage, running

if TYPE_CHECKING:
    from arcwise.model.score_sums import ScoreSums
    from arcwise.spaces import Space

__all__ = ["Engine", "Threads", "batch", "opened_engine"]


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
        """Close the connections that the engine opened."""
        self.close()

    def close(self) -> None:  # noqa: B027
        """Close the connections that the engine opened."""

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
        """Return the scores of families, and save them in a file at `path` as they are computed."""

    @abstractmethod
    def map(self, function: Callable[[Any], Any], things: Sequence[Any], run: Stage) -> list[Any]:
        """Apply a function to each of several inputs, and return the results in order."""


class Threads(Engine):
    """The threads of this process, up to the number that ``threads`` allows.

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
        """Apply a function to inputs one after another, because it may itself use threads."""
        results = []
        for thing in things:
            results.append(function(thing))
            if run.progress is not None:
                run.progress(len(results) / len(things))
        return results


@contextmanager
def opened_engine(value: Any) -> Iterator[Engine]:
    """Yield the engine that an argument specifies, and close it afterwards if opened here.

    Parameters
    ----------
    value
        None for the threads of this process, an `Engine`, a `distributed.Client`, or
        the address of a scheduler, as for `DaskEngine`.

    Examples
    --------
    >>> with opened_engine(None) as engine:
    ...     type(engine).__name__
    'Threads'
    """
    if value is None:
        yield Threads()
    elif isinstance(value, Engine):
        yield value
    else:
        # The engine closes a connection that it opened to an address, but not a given client.
        from arcwise.cluster.dask_engine import open_cluster

        with open_cluster(value) as engine:
            yield engine


Result = TypeVar("Result")


def batch(
    function: Callable[[Any], Result],
    datasets: Iterable[Any],
    *,
    engine: Any = None,
    progress: Progress = None,
) -> list[Result]:
    """Apply a function to each of many data sets, and return the results in order.

    Parameters
    ----------
    function
        A function of one data set. On a cluster, it should run samplers with
        ``threads=1``, as workers have one thread for each task.
    datasets
        The data sets, in any form the function accepts; on a cluster, each is sent with
        its task, so large ones are better given as a path that the workers can read.
    engine
        None to process them one after another in this process; or a cluster, see `mcmc`.
    progress
        True for a progress bar, or a function of the fraction done.

    Examples
    --------
    >>> import arcwise
    >>> network = arcwise.networks.asia()
    >>> def tub_to_either(data):
    ...     return float(arcwise.exact(arcwise.Model(data, max_indegree=2)).edges[1, 5])
    >>> found = batch(tub_to_either, [network.sample(200, seed=seed) for seed in (1, 2, 3)])
    >>> len(found)
    3
    """
    if not callable(function):
        raise ArgumentError(f"function is {shown(function)}; give a function of one data set")
    things = as_list(datasets, "datasets", "a list of data sets")
    with opened_engine(engine) as active, running(None, progress, "batch") as run:
        return active.map(function, things, run)


Listener = Callable[[float], None] | None
"""A function that receives the fraction of a call that is done."""

Moves = dict[str, tuple[int, int]]
"""The numbers of proposed and accepted moves of each kind."""


class Chains(Protocol):
    """Markov chains that run in the core or on a cluster."""

    def __len__(self) -> int:
        """Return the number of chains."""

    def start(self, burn_in: int, threads: int, progress: Listener) -> None:
        """Start every chain from a random state and run its burn-in."""

    def burn_in(self, steps: int, threads: int, progress: Listener) -> None:
        """Continue the chains without draws, and reset the counts of moves and exchanges."""

    def set_thinning(self, thinning: int) -> None:
        """Set the number of steps between draws."""

    def sample(self, draws: int, threads: int, progress: Listener) -> None:
        """Continue the chains for this many draws."""

    def record(self, chain: int, /) -> dict[str, Any]:
        """Return the record of a chain."""

    def take_draws(self, chain: int) -> dict[str, Any]:
        """Return the record of a chain, and discard its draws from memory."""

    def save_state(self) -> bytes:
        """Return everything that determines the continuation of the chains."""

    def restore_state(self, state: bytes) -> None:
        """Continue from the state returned by `save_state` of identically made chains."""

    def moves(self, chain: int, /) -> Moves:
        """Return the numbers of proposed and accepted moves of each kind."""

    def path(self, chain: int, /) -> list[tuple[float, float]]:
        """Return the inverse temperatures, which may be adapted, and positions on the bridge."""

    def exchanges(self, chain: int, /) -> list[tuple[int, int]]:
        """Return the numbers of proposed and accepted exchanges, by pair of temperatures."""

    def round_trips(self, chain: int, /) -> int:
        """Return the number of round trips of a state between the extreme temperatures."""

    def ratios(self, chain: int, /) -> list[Any]:
        """Return log sums of batches, their count and batch size, by pair of temperatures."""


class AnnealedRuns(Protocol):
    """The annealing runs requested so far, in the core or on a cluster."""

    def __len__(self) -> int:
        """Return the number of runs."""

    def run(self, first: int, count: int, threads: int, progress: Listener) -> None:
        """Perform runs by index; an interruption keeps those before the first unfinished one."""

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log importance weight of every run."""

    def record(self, run: int, /) -> dict[str, Any]:
        """Return the record of a run."""

    def moves(self) -> Moves:
        """Return the numbers of proposed and accepted moves of each kind."""

    def save_runs(self, first: int) -> bytes:
        """Return the runs from an index on, as saved by the core."""

    def restore_runs(self, runs: bytes) -> None:
        """Add runs returned by `save_runs`."""


def total_moves(chains: Chains) -> Moves:
    """Return the numbers of proposed and accepted moves of each kind, over all chains."""
    counts = [chains.moves(chain) for chain in range(len(chains))]
    return {
        name: (sum(own[name][0] for own in counts), sum(own[name][1] for own in counts))
        for name in counts[0]
    }


def acceptance(moves: Moves) -> dict[str, float | None]:
    """Return the acceptance rate of each kind of move; None if it was not proposed."""
    return {name: accepted / count if count else None for name, (count, accepted) in moves.items()}


@dataclass(frozen=True, eq=False)
class ChainJob:
    """Everything that defines the chains of a run."""

    sums: ScoreSums
    space: Space
    core_space: _core.Space  # the same space in the core
    options: _core.ChainOptions
    seed: int
    count: int  # the number of chains

    def in_core(self) -> _core.Chains:
        """Return the chains of this process."""
        return _core.Chains(self.core_space, self.options, self.seed, 0, self.count)


@dataclass(frozen=True, eq=False)
class AnnealingJob:
    """Everything that defines the annealing runs."""

    sums: ScoreSums
    space: Space
    core_space: _core.Space
    options: _core.AnnealingOptions
    seed: int
    open_ended: bool  # whether the number of runs is not fixed in advance

    def in_core(self) -> _core.AnnealedRuns:
        """Return the runs of this process."""
        return _core.AnnealedRuns(self.core_space, self.options, self.seed)


class ScoringJob(Protocol):
    """The interface of engines to `arcwise.scores.family_scores.FamilyScoring`."""

    def score_all(self, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Score all families in this process, and save them in a file if a path is given."""
