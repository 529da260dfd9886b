"""What a run was asked for, what it spent, and how it went: a type for each kind of run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from arcwise.records.algorithm import Algorithm
from arcwise.records.convergence import Convergence
from arcwise.records.settings import AnnealingSettings, ChainSettings

Acceptance = Mapping[str, float | None]
"""The share of accepted proposals of each kind of move; None where none was made."""


@dataclass(frozen=True)
class OrderWeights:
    """What the weights of DAGs are worth, where each counts by 1 / (number of its orders).

    Parameters
    ----------
    effective_dags
        How many DAGs of equal weight would vary as little.
    estimated
        How many DAGs had their orders estimated, as counting them took too long.
    largest_error
        The largest standard error of the log of such an estimate.
    """

    effective_dags: float
    estimated: int = 0
    largest_error: float = 0.0


@dataclass(frozen=True)
class Exchanges:
    """How coupled chains exchanged states.

    Parameters
    ----------
    inverse_temperatures
        Of each chain, as they were at the end.
    acceptance
        The share of accepted exchanges between each two neighbouring temperatures.
    """

    inverse_temperatures: tuple[tuple[float, ...], ...]
    acceptance: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class RunRecord(ABC):
    """What runs of every kind tell.

    Parameters
    ----------
    dags
        The number of DAGs that were drawn.
    seconds
        The time the call took; None if it is not known.
    interrupted
        Whether Ctrl-C ended it.
    convergence
        The figures by which it is judged.
    order_weights
        What the weights of DAGs are worth; None where they need none.
    """

    dags: int = 0
    seconds: float | None = None
    interrupted: bool = False
    convergence: Convergence = field(default_factory=Convergence)
    order_weights: OrderWeights | None = None

    @property
    @abstractmethod
    def algorithm(self) -> Algorithm:
        """The algorithm it was."""

    @property
    def annealed(self) -> bool:
        """Whether it was of independent annealing runs, which carry weights."""
        return False

    @property
    def acceptance(self) -> Acceptance:
        """The share of accepted proposals of each kind of move."""
        return {}

    @property
    def exchange_acceptance(self) -> tuple[float | None, ...]:
        """The share of accepted exchanges between neighbouring temperatures."""
        return ()


@dataclass(frozen=True, kw_only=True)
class ExactRun(RunRecord):
    """An exact computation.

    Parameters
    ----------
    paths
        Whether the probabilities of paths were computed.
    seed
        Of the DAGs that were drawn; None if there are none.
    tolerance
        The rounding error that was allowed in a probability; None if it is not known.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> arcwise.exact(model, dags=10, seed=3).run.dags
    10
    """

    paths: bool = False
    seed: int | None = None
    tolerance: float | None = None

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm it was."""
        return Algorithm.EXACT


@dataclass(frozen=True, kw_only=True)
class ChainRun(RunRecord):
    """A run of Markov chains.

    Parameters
    ----------
    settings
        What was asked for.
    burn_in_steps, thinning
        Steps of each chain before the first that counts, and between two kept states.
    states
        The number of states that were kept of each chain.
    every
        Of how many kept states one was read back from disk, the others passed over.
    rule_met
        Whether its stopping rule ended it; None if it had none.
    moves
        The share of accepted proposals of each kind of move.
    exchanges
        How coupled chains exchanged states; None at one temperature.
    seconds_sampling
        The time the chains took.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> run = arcwise.mcmc(model, "partitions", steps=4000, chains=2).run
    >>> run.settings.space, run.states
    (Partitions(moves=None), (1000, 1000))
    """

    settings: ChainSettings
    burn_in_steps: int
    thinning: int
    states: tuple[int, ...]
    every: int = 1
    rule_met: bool | None = None
    moves: Acceptance
    exchanges: Exchanges | None = None
    seconds_sampling: float | None = None

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm it was."""
        return self.settings.algorithm

    @property
    def chains(self) -> int:
        """The number of chains."""
        return self.settings.chains

    @property
    def steps_after_burn_in(self) -> tuple[int, ...]:
        """The steps of each chain that count."""
        return tuple(count * self.thinning for count in self.states)

    @property
    def acceptance(self) -> Acceptance:
        """The share of accepted proposals of each kind of move."""
        return self.moves

    @property
    def exchange_acceptance(self) -> tuple[float | None, ...]:
        """The share of accepted exchanges between neighbouring temperatures."""
        return () if self.exchanges is None else self.exchanges.acceptance


@dataclass(frozen=True, kw_only=True)
class AnnealingRun(RunRecord):
    """Independent annealing runs; `convergence.ess` is their effective number.

    Parameters
    ----------
    settings
        What was asked for.
    runs, runs_of_weight_zero
        How many were made, and how many of them ended where the weight is zero.
    moves
        The share of accepted proposals of each kind of move.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> run = arcwise.ais(model, "partitions", particles=20, steps=50).run
    >>> run.runs, run.settings.schedule.steps
    (20, 50)
    """

    settings: AnnealingSettings
    runs: int
    runs_of_weight_zero: int
    moves: Acceptance

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm it was."""
        return Algorithm.AIS

    @property
    def annealed(self) -> bool:
        """It was of annealing runs."""
        return True

    @property
    def acceptance(self) -> Acceptance:
        """The share of accepted proposals of each kind of move."""
        return self.moves


@dataclass(frozen=True, kw_only=True)
class UniqueDagsRun(RunRecord):
    """Different DAGs collected from sampled orders.

    Parameters
    ----------
    settings
        What the chains over orders were asked for.
    thinning
        Steps between two kept orders.
    coverage
        The share of its weight that the DAGs of each order were to carry.
    orders, orders_short_of_coverage
        The number of orders, and of those whose DAGs carry less.
    effective_dags
        How many DAGs of equal weight would vary as little.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> from arcwise.algorithms import unique_dags
    >>> unique_dags(model, steps=100, thinning=10, chains=1, most_dags=20).run.orders
    5
    """

    settings: ChainSettings
    thinning: int
    coverage: float
    orders: int
    orders_short_of_coverage: int
    effective_dags: float

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm it was."""
        return Algorithm.UNIQUE_DAGS


@dataclass(frozen=True, kw_only=True)
class MergedRun(RunRecord):
    """Several runs of one model as one: all of chains, or all of annealing.

    Parameters
    ----------
    parts
        The runs.
    difference_between_parts
        The largest difference of an edge probability between two of them.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> one, other = (arcwise.mcmc(model, "dags", steps=400, seed=seed) for seed in (1, 2))
    >>> [part.settings.seed for part in (one + other).run.parts]
    [1, 2]
    """

    parts: tuple[ChainRun | AnnealingRun, ...]
    difference_between_parts: float | None = None

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm they were; of chains of both kinds, the one with temperatures."""
        found = {part.algorithm for part in self.parts}
        return found.pop() if len(found) == 1 else Algorithm.MC3

    @property
    def annealed(self) -> bool:
        """Whether they were of annealing runs."""
        return self.parts[0].annealed

    @property
    def chains(self) -> int:
        """The number of chains of all."""
        return sum(part.chains for part in self.parts if isinstance(part, ChainRun))

    @property
    def states(self) -> tuple[int, ...]:
        """The number of states that were kept of each chain of all."""
        chains = [part for part in self.parts if isinstance(part, ChainRun)]
        return tuple(count for part in chains for count in part.states)

    @property
    def runs(self) -> int:
        """The number of annealing runs of all."""
        return sum(part.runs for part in self.parts if isinstance(part, AnnealingRun))


AnyRun = ExactRun | ChainRun | AnnealingRun | MergedRun | UniqueDagsRun
