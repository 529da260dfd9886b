"""What samplers keep of the states they visit, as settings and as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.model.targets import Target
from arcwise.spaces.space import Space
from arcwise.support.checks import whole_number

_BUDGET_BEFORE_ESTIMATE = 50_000


@dataclass(frozen=True)
class Recording:
    """How many DAGs are drawn from each kept state, and how their orders are counted.

    Parameters
    ----------
    target
        The posterior that is wanted.
    dags_per_state
        The number of DAGs drawn from each kept state.
    dag_time_share
        If given, as many DAGs as this share of the sampling time allows instead.
    extension_budget
        The most sets a count of orders may keep; None for the counter's own.
    estimate_extensions
        Whether counts beyond the budget are estimated; else they are refused.
    sampled
        The posterior the states of the space follow. If it is not the one wanted,
        every DAG needs the inverse of its number of orders as a weight.
    """

    target: Target
    dags_per_state: int = 1
    dag_time_share: float | None = None
    extension_budget: int | None = None
    estimate_extensions: bool = False
    sampled: Target = "order-modular"

    @property
    def weighted(self) -> bool:
        """Whether DAGs need weights."""
        return self.sampled != self.target

    def on(self, space: Space) -> Recording:
        """Return it for the states of a space, or refuse a target they do not lead to."""
        if space.target == "modular" and self.target == "order-modular":
            raise ArgumentError(
                f"{space!r} samples the modular posterior, and target is 'order-modular'; "
                "use a space of orders for it"
            )
        return replace(self, sampled=space.target)

    def bytes_per_state(self, nodes: int) -> int:
        """Return about what a kept state and the DAGs drawn from it take."""
        of_dag = 8 * nodes * ((nodes + 63) // 64) + 16
        return 2 * nodes + 12 + of_dag * max(1, self.dags_per_state)

    def options(self, edge_batches: int) -> _core.RecordOptions:
        """Return them as the core wants them."""
        options = _core.RecordOptions()
        fewest = int(self.weighted)
        options.dags = whole_number(self.dags_per_state, "dags_per_state", at_least=fewest)
        if self.dag_time_share is not None:
            if not 0 < self.dag_time_share < 10:
                raise ArgumentError(
                    f"dag_time_share is {self.dag_time_share!r}; give a share of the sampling "
                    "time, such as 0.25"
                )
            options.dag_time_share = float(self.dag_time_share)
        if self.extension_budget is not None:
            options.extension_budget = whole_number(
                self.extension_budget, "extension_budget", at_least=1
            )
        elif self.estimate_extensions:
            # Where an estimate is good enough, it is not worth counting for seconds.
            options.extension_budget = _BUDGET_BEFORE_ESTIMATE
        options.estimate_extensions = self.estimate_extensions
        options.count_extensions = self.weighted
        options.edges = not self.weighted
        options.edge_batches = edge_batches
        return options


# The parts of a record that grow with it: by state, and then by DAG.
OF_DRAWS = (
    "log_weights",
    "codes",
    "dag_counts",
    "parents",
    "log_extensions",
    "extension_errors",
)


@dataclass(frozen=True, eq=False)
class Kept:
    """What was kept of one chain or one annealing run.

    Parameters
    ----------
    log_weights
        The log weight of each state.
    codes
        Each state as whole numbers.
    dag_counts
        How many DAGs were drawn from each state.
    parents
        The parents of every node of each DAG, as bits.
    log_extensions, extension_errors
        For each DAG the log of its number of orders, and the standard error of
        that if it is an estimate.
    edge_sums, edge_batches, edge_batch_size
        Sums of the edge probabilities given each state, over all states and over
        batches of them; None if they were not asked for.
    summed
        How many states the edge sums are over, if more than are here.
    every
        Of how many states one is here, the others having been passed over.
    """

    log_weights: NDArray[np.float64]
    codes: NDArray[np.uint16]
    dag_counts: NDArray[np.uint32]
    parents: NDArray[np.uint64]
    log_extensions: NDArray[np.float64]
    extension_errors: NDArray[np.float64]
    edge_sums: NDArray[np.float64] | None = None
    edge_batches: NDArray[np.float64] | None = None
    edge_batch_size: int = 0
    summed: int | None = None
    every: int = 1

    @classmethod
    def of(cls, record: dict[str, Any]) -> Kept:
        """Return the record of the core with names for its parts."""
        return cls(**record)

    @property
    def states(self) -> int:
        """How many states are here."""
        return len(self.log_weights)

    @property
    def states_summed(self) -> int:
        """How many states were kept of the chain, and are in the edge sums."""
        return self.states if self.summed is None else self.summed

    def between(self, first: int, last: int, edge_sums: NDArray[np.float64] | None) -> Kept:
        """Return what was kept from one state to before another, with its sums of edges."""
        ends = np.concatenate([[0], np.cumsum(self.dag_counts, dtype=np.int64)])
        states, dags = slice(first, last), slice(int(ends[first]), int(ends[last]))
        batches = self.edge_batches
        if batches is not None:
            # Only batches that lie within it as a whole.
            size = self.edge_batch_size
            batches = batches[-(-first // size) : last // size]
        return replace(
            self,
            log_weights=self.log_weights[states],
            codes=self.codes[states],
            dag_counts=self.dag_counts[states],
            parents=self.parents[dags],
            log_extensions=self.log_extensions[dags],
            extension_errors=self.extension_errors[dags],
            edge_sums=edge_sums,
            edge_batches=batches,
            summed=None,
        )

    def log_dag_weights(self) -> NDArray[np.float64]:
        """Return for each DAG the log of its share of all DAGs of its state, over the orders."""
        each = np.repeat(self.dag_counts, self.dag_counts).astype(np.float64)
        return -np.log(each) - self.log_extensions

    def log_state_means(self) -> NDArray[np.float64]:
        """Return for each state the log of the mean over its DAGs of 1 / (number of orders)."""
        ends = np.cumsum(self.dag_counts)
        return np.array(
            [
                np.logaddexp.reduce(-self.log_extensions[end - count : end]) - np.log(count)
                for end, count in zip(ends.tolist(), self.dag_counts.tolist(), strict=True)
            ]
        )
