"""`ChainRecord`: the draws of one chain or one annealing run; `Traces`: their log posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.support.arrays import logarithms
from arcwise.support.checks import real_numbers, whole_number
from arcwise.support.devices import Processors


@dataclass(frozen=True, eq=False)
class Traces:
    """The unnormalised log posterior of each draw of each chain.

    For annealing it contains instead the log importance weights of the particles.

    Examples
    --------
    >>> traces = Traces((np.array([-3.0, -2.0, -2.5]), np.array([-4.0, -2.5])), steps=10)
    >>> traces.log_weights_matrix()
    array([[-3. , -2. ],
           [-4. , -2.5]])
    """

    log_weights: tuple[NDArray[np.float64], ...]  # for each chain; they may differ in length
    steps: int = 1  # the number of steps between draws

    def __post_init__(self) -> None:
        rows = tuple(real_numbers(row, "log_weights") for row in self.log_weights)
        if not rows or any(row.ndim != 1 for row in rows):
            raise ArgumentError(
                "log_weights must hold a vector of numbers for each of one or more chains"
            )
        object.__setattr__(self, "log_weights", rows)
        object.__setattr__(self, "steps", whole_number(self.steps, "steps", at_least=1))

    def log_weights_matrix(self) -> NDArray[np.float64]:
        """Return the values as (chains, draws), cut to the length of the shortest chain."""
        shortest = min(len(row) for row in self.log_weights)
        return np.stack([row[:shortest] for row in self.log_weights])


# The arrays with an entry for each state, and those with an entry for each DAG.
_OF_STATES = ("log_weights", "codes", "dag_counts")
_OF_DAGS = ("parents", "log_extensions", "extension_errors")


@dataclass(frozen=True, eq=False)
class ChainRecord:
    """The draws of one chain or one annealing run."""

    log_weights: NDArray[np.float64]  # the unnormalised log posterior of each state
    codes: NDArray[np.uint16]  # each state as whole numbers
    dag_counts: NDArray[np.uint32]  # the number of DAGs drawn from each state
    parents: NDArray[np.uint64]  # the parents of every node of each DAG, as bits
    log_extensions: NDArray[np.float64]  # for each DAG the log number of topological orders
    extension_errors: NDArray[np.float64]  # their standard errors, 0 if counted
    # Sums of the conditional edge probabilities, over all states and over batches of them; None if
    # they were not requested. Those of a state are averaged over the states since the last one.
    edge_sums: NDArray[np.float64] | None = None
    edge_batches: NDArray[np.float64] | None = None
    edge_batch_size: int = 0
    summed: int | None = None  # the number of states in the edge sums, if it exceeds that here
    every: int = 1  # additional thinning: every n-th draw is here

    @property
    def states(self) -> int:
        """The number of states here."""
        return len(self.log_weights)

    @property
    def states_summed(self) -> int:
        """The number of draws of the chain, all of which are in the edge sums."""
        return self.states if self.summed is None else self.summed

    def between(self, first: int, last: int, edge_sums: NDArray[np.float64] | None) -> ChainRecord:
        """Return the draws from one state up to, but excluding, another, with their edge sums."""
        ends = np.concatenate([[0], np.cumsum(self.dag_counts, dtype=np.int64)])
        states, dags = slice(first, last), slice(int(ends[first]), int(ends[last]))
        batches = self.edge_batches
        if batches is not None:
            size = self.edge_batch_size  # keep batches that lie entirely within
            batches = batches[-(-first // size) : last // size]
        return replace(
            self,
            **{name: getattr(self, name)[states] for name in _OF_STATES},
            **{name: getattr(self, name)[dags] for name in _OF_DAGS},
            edge_sums=edge_sums,
            edge_batches=batches,
            summed=None,
        )

    def log_dag_weights(self) -> NDArray[np.float64]:
        """Return for each DAG the log of 1 / (DAGs of its state x topological orders)."""
        each = np.repeat(self.dag_counts, self.dag_counts).astype(np.float64)
        return -logarithms(each) - self.log_extensions

    def log_state_means(self) -> NDArray[np.float64]:
        """Return for each state the log of the mean of 1 / (topological orders) of its DAGs."""
        counts = self.dag_counts
        if len(counts) > 0 and (counts == counts[0]).all():  # as in most runs
            rows = -self.log_extensions.reshape(len(counts), int(counts[0]))
            return np.asarray(np.logaddexp.reduce(rows, axis=1) - math.log(counts[0]))
        ends = np.cumsum(counts)
        return np.array(
            [
                np.logaddexp.reduce(-self.log_extensions[end - count : end]) - math.log(count)
                for end, count in zip(ends.tolist(), counts.tolist(), strict=True)
            ]
        )


DRAW_ARRAYS = _OF_STATES + _OF_DAGS


def refuse_other_draws(record: dict[str, Any], like: dict[str, Any]) -> None:
    """Refuse draws read from a file whose types or shapes differ from those of the core."""
    for name in DRAW_ARRAYS:
        one, other = record[name], like[name]
        if one.dtype != other.dtype or one.ndim != other.ndim:
            raise ValueError(name)
    states, dags = len(record["log_weights"]), len(record["parents"])
    lengths = (states, states, states, dags, dags, dags)
    if tuple(len(record[name]) for name in DRAW_ARRAYS) != lengths:
        raise ValueError("the draws are of different lengths")
    if record["parents"].shape[1:] != like["parents"].shape[1:]:
        raise ValueError("parents")
    if int(record["dag_counts"].sum(dtype=np.uint64)) != dags:
        raise ValueError("dag_counts")
    if _core.find_faulty_dag(record["parents"], Processors.available().threads) is not None:
        raise ValueError("parents")
