"""`RunRecord`: what runs of every kind record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from arcwise.records.algorithm import Algorithm
from arcwise.records.convergence import Convergence

Acceptance = Mapping[str, float | None]
"""The acceptance rate of each kind of move; None if none was proposed."""


@dataclass(frozen=True)
class OrderWeights:
    """Quality of the weights of DAGs, where each is 1 / (number of topological orders).

    Parameters
    ----------
    effective_dags
        Kish's effective sample size of the weights.
    estimated
        The number of DAGs whose topological orders were estimated rather than counted.
    largest_error
        The largest standard error of such an estimate, on the log scale.
    """

    effective_dags: float
    estimated: int = 0
    largest_error: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RunRecord(ABC):
    """What runs of every kind record.

    Parameters
    ----------
    dags
        The number of DAGs drawn.
    seconds
        The running time of the call; None if it is not known.
    interrupted
        Whether Ctrl-C ended it.
    convergence
        The convergence figures.
    order_weights
        The quality of the weights of DAGs; None if they need none.
    """

    dags: int = 0
    seconds: float | None = None
    interrupted: bool = False
    convergence: Convergence = field(default_factory=Convergence)
    order_weights: OrderWeights | None = None

    @property
    @abstractmethod
    def algorithm(self) -> Algorithm:
        """The algorithm."""

    @property
    def draws(self) -> int:
        """The number of draws that edge probabilities are the mean of."""
        return self.dags

    @property
    def annealed(self) -> bool:
        """Whether it consists of independent annealing runs with importance weights."""
        return False

    @property
    def acceptance(self) -> Acceptance:
        """The acceptance rate of each kind of move."""
        return {}
