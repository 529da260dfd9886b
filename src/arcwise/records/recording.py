"""`Recording`: what samplers record of the states they visit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arcwise import _core
from arcwise.errors import ArgumentError, option
from arcwise.model.modularity import Modularity
from arcwise.spaces.space import Space
from arcwise.support.checks import MOST_INT, real_number, true_or_false, whole_number

_BUDGET_BEFORE_ESTIMATE = 50_000


@dataclass(frozen=True)
class Recording:
    """How many DAGs are drawn from each kept state, and how topological orders are counted.

    Parameters
    ----------
    modularity
        The requested posterior.
    dags_per_state
        The number of DAGs drawn from each kept state.
    dag_time_share
        If given, draw instead as many DAGs as this fraction of the sampling time allows.
    extension_budget
        The maximum number of sets stored while counting topological orders; None for the
        default.
    estimate_extensions
        Whether counts beyond the budget are estimated rather than refused.
    sampled
        The posterior that the states of the space follow. If it is not the requested one,
        every DAG is weighted by the inverse of its number of topological orders.
    """

    modularity: Modularity
    dags_per_state: int = 1
    dag_time_share: float | None = None
    extension_budget: int | None = None
    estimate_extensions: bool = False
    sampled: Modularity = "order-modular"

    @property
    def weighted(self) -> bool:
        """Whether DAGs need weights."""
        return self.sampled != self.modularity

    def on(self, space: Space) -> Recording:
        """Return it for the states of a space, or refuse a posterior the space cannot sample."""
        if space.modularity == "modular" and self.modularity == "order-modular":
            raise ArgumentError(
                f"{space!r} samples the modular posterior, but ",
                option("modularity"),
                " is 'order-modular'; use a space of orders",
            )
        return replace(self, sampled=space.modularity)

    def __post_init__(self) -> None:
        """Refuse invalid values."""
        whole_number(self.dags_per_state, option("dags_per_state"), at_least=0, at_most=MOST_INT)
        if self.dag_time_share is not None:
            real_number(
                self.dag_time_share,
                "dag_time_share",
                lambda x: 0.0 < x < 10.0,
                "a fraction of the sampling time, such as 0.25",
            )
        true_or_false(self.estimate_extensions, "estimate_extensions")
        if self.extension_budget is not None:
            whole_number(self.extension_budget, "extension_budget", at_least=1)

    def bytes_per_state(self, nodes: int) -> int:
        """Return the approximate memory of a kept state and the DAGs drawn from it."""
        of_dag = 8 * nodes * ((nodes + 63) // 64) + 16
        return 2 * nodes + 12 + of_dag * max(1, self.dags_per_state)

    def options(self, edge_batches: int) -> _core.RecordOptions:
        """Return the options of the core."""
        options = _core.RecordOptions()
        fewest = int(self.weighted)
        options.dags = whole_number(self.dags_per_state, option("dags_per_state"), at_least=fewest)
        if self.dag_time_share is not None:
            options.dag_time_share = float(self.dag_time_share)
        if self.extension_budget is not None:
            options.extension_budget = int(self.extension_budget)
        elif self.estimate_extensions:
            # If an estimate is acceptable, counting for seconds is not worth it.
            options.extension_budget = _BUDGET_BEFORE_ESTIMATE
        options.estimate_extensions = bool(self.estimate_extensions)
        options.count_extensions = self.weighted
        options.edges = not self.weighted
        options.edge_batches = edge_batches
        return options
