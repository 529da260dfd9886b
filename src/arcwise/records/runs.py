"""The settings, cost and diagnostics of a run: one type for each kind of run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from arcwise.records.settings import (
    Algorithm,
    AnnealingSettings,
    ChainSettings,
    Convergence,
    Path,
    path_of,
)

Acceptance = Mapping[str, float | None]
"""The acceptance rate of each kind of move; None if none was proposed."""


@dataclass(frozen=True)
class OrderWeights:
    """The quality of weights of DAGs that are 1 / (number of topological orders)."""

    effective_dags: float  # Kish's effective sample size of the weights
    estimated: int = 0  # the number of DAGs whose topological orders were estimated, not counted
    largest_error: float = 0.0  # the largest standard error of such an estimate, on the log scale


@dataclass(frozen=True, kw_only=True)
class RunRecord(ABC):
    """The record that runs of every kind have."""

    dags: int = 0  # the number of DAGs drawn
    seconds: float | None = None  # the running time of the call; None if it is not known
    interrupted: bool = False  # whether Ctrl-C ended it
    convergence: Convergence = field(default_factory=Convergence)
    order_weights: OrderWeights | None = None  # None if DAGs need no weights

    @property
    @abstractmethod
    def algorithm(self) -> Algorithm:
        """The algorithm."""

    @property
    def draws(self) -> int:
        """The number of draws over which edge probabilities are averaged."""
        return self.dags

    @property
    def annealed(self) -> bool:
        """Whether it consists of independent annealing runs with importance weights."""
        return False

    @property
    def acceptance(self) -> Acceptance:
        """The acceptance rate of each kind of move."""
        return {}


@dataclass(frozen=True, kw_only=True)
class ExactRun(RunRecord):
    """An exact computation.

    Parameters
    ----------
    paths
        Whether the probabilities of paths were computed.
    seed
        The seed of the DAGs drawn; None if none were drawn.
    tolerance
        The rounding error allowed in a probability; None if it is not known.

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

    algorithm: ClassVar[Algorithm] = Algorithm.EXACT


@dataclass(frozen=True)
class EvidenceRatio:
    """The ratio of the evidence under the modular prior to that under the order-modular one."""

    # The log ratio of the sums of the weights of all DAGs, counting each once or once for each of
    # its topological orders.
    log_weights: float
    # The difference of the log evidences, that is, the same with normalised priors; None if the
    # constants of the priors are not known exactly.
    log_ratio: float | None
    # The Monte Carlo standard error of both. If chains of orders miss some modes, it does not
    # include them; ``evidence(model, "bridge")`` starts from exact draws instead.
    standard_error: float


@dataclass(frozen=True)
class Exchanges:
    """The exchanges of states in coupled chains."""

    inverse_temperatures: tuple[tuple[float, ...], ...]  # the final ones of each chain
    # The acceptance rates of exchanges between adjacent temperatures, the hottest first, over all
    # chains or, if they have different numbers of temperatures, for the chain with the lowest.
    acceptance: tuple[float | None, ...]
    # For each chain, the number of round trips of a state between the hottest and the coldest
    # temperature after the burn-in.
    round_trips: tuple[int, ...]
    # The final positions of each chain on the bridge; None if all are at its end.
    bridge: tuple[tuple[float, ...], ...] | None = None
    evidence_ratio: EvidenceRatio | None = None  # if the ladder consists of the bridge

    @property
    def temperatures(self) -> tuple[int, int]:
        """The smallest and the largest number of temperatures of a chain."""
        counts = [len(each) for each in self.inverse_temperatures]
        return min(counts), max(counts)


@dataclass(frozen=True, kw_only=True)
class ChainRun(RunRecord):
    """A run of Markov chains.

    Parameters
    ----------
    settings, seed
        The settings, complete, and the seed.
    burn_in_steps, thinning
        The steps of each chain in the burn-in, and between draws.
    states
        The number of draws of each chain.
    every
        The thinning when draws were read back from disk: every n-th one was used.
    rule_met
        Whether its stopping rule ended it; None without a stopping rule.
    left_out
        The number of excluded chains, whose states have negligible posterior probability.
    moves
        The acceptance rate of each kind of move.
    move_shares
        The share of each kind of move among all proposals; empty if not known.
    exchanges
        The exchanges of coupled chains; None at a single temperature.
    seconds_sampling
        The running time of the chains.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> run = arcwise.mcmc(model, "partitions", steps=4000, chains=2).run
    >>> run.settings.space, run.states
    (Partitions(moves=None), (1066, 1066))
    """

    settings: ChainSettings
    seed: int
    burn_in_steps: int
    thinning: int
    states: tuple[int, ...]
    every: int = 1
    rule_met: bool | None = None
    left_out: int = 0
    moves: Acceptance
    move_shares: Mapping[str, float] = field(default_factory=dict)
    exchanges: Exchanges | None = None
    seconds_sampling: float | None = None

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm."""
        return self.settings.sampler

    @property
    def chains(self) -> int:
        """The number of chains."""
        return self.settings.chains

    @property
    def draws(self) -> int:
        """The number of draws over which edge probabilities are averaged."""
        return sum(self.states)

    @property
    def steps_after_burn_in(self) -> tuple[int, ...]:
        """The number of steps of each chain after the burn-in."""
        return tuple(count * self.thinning for count in self.states)

    @property
    def acceptance(self) -> Acceptance:
        """The acceptance rate of each kind of move."""
        return self.moves

    @property
    def exchange_acceptance(self) -> tuple[float | None, ...]:
        """The acceptance rates of exchanges between adjacent temperatures."""
        return () if self.exchanges is None else self.exchanges.acceptance

    @property
    def round_trips(self) -> tuple[int, ...] | None:
        """The round trips of states through all temperatures, for each coupled chain."""
        return None if self.exchanges is None else self.exchanges.round_trips


@dataclass(frozen=True)
class PopulationPlan:
    """The path of the populations of sequential Monte Carlo, as chosen by their pilot."""

    inverse_temperatures: tuple[float, ...]
    bridge: tuple[float, ...] | None  # the positions on the bridge, if any
    steps: tuple[int, ...]  # the number of steps at each temperature but the first

    @property
    def path(self) -> Path:
        """The path, as a list."""
        return path_of(self.inverse_temperatures, self.bridge)


@dataclass(frozen=True, kw_only=True)
class AnnealingRun(RunRecord):
    """Annealed importance sampling or sequential Monte Carlo; `convergence.ess` is in particles.

    Parameters
    ----------
    settings, seed
        The settings, complete, and the seed.
    runs, runs_of_weight_zero
        The number of runs, and of those that ended with weight zero.
    moves
        The acceptance rate of each kind of move.
    plan
        The temperatures and steps of the populations of sequential Monte Carlo.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> run = arcwise.ais(model, "partitions", particles=20, steps=50).run
    >>> run.runs, run.settings.steps
    (20, 50)
    """

    settings: AnnealingSettings
    seed: int
    runs: int
    runs_of_weight_zero: int
    moves: Acceptance
    plan: PopulationPlan | None = None

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm."""
        return self.settings.sampler

    @property
    def draws(self) -> int:
        """The number of draws over which edge probabilities are averaged."""
        return self.runs

    @property
    def annealed(self) -> bool:
        """Return True: all runs are annealing runs."""
        return True

    @property
    def acceptance(self) -> Acceptance:
        """The acceptance rate of each kind of move."""
        return self.moves


@dataclass(frozen=True, kw_only=True)
class UniqueDagsRun(RunRecord):
    """Distinct DAGs collected from sampled orders.

    Parameters
    ----------
    settings, seed
        The settings of the chains over orders, and the seed.
    thinning
        Steps between draws.
    coverage
        The requested fraction of the posterior of each order covered by its DAGs.
    orders, orders_short_of_coverage
        The number of orders, and of those whose DAGs cover less.
    effective_dags
        Kish's effective sample size of the weights.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> from arcwise.algorithms import unique_dags
    >>> unique_dags(model, steps=100, thinning=10, chains=1, most_dags=20).run.orders
    5
    """

    settings: ChainSettings
    seed: int
    thinning: int
    coverage: float
    orders: int
    orders_short_of_coverage: int
    effective_dags: float

    algorithm: ClassVar[Algorithm] = Algorithm.UNIQUE_DAGS


@dataclass(frozen=True, kw_only=True)
class ImputationRun(RunRecord):
    """Completed tables drawn by chains over DAGs, parameters and missing cells.

    Parameters
    ----------
    missing
        The number of missing values of each incomplete column.
    completions
        The number of completed tables over which the posterior is averaged.
    chains
        The number of chains that drew them.
    burn_in, thinning
        The sweeps of each chain before the first table, and between the last two tables.
    steps, steps_on_a_table
        The steps over DAGs in a sweep, and on a table that is kept; None if DAGs are drawn
        from the exact posterior.
    seed
        The seed.

    Examples
    --------
    >>> import arcwise
    >>> data = {"a": [0, 0, 1, 1, None] * 5, "b": [0, 0, 1, None, 1] * 5}
    >>> run = arcwise.learn(data, completions=8, progress=None).run
    >>> run.missing, run.completions, run.chains
    ({'a': 5, 'b': 5}, 8, 4)
    """

    missing: Mapping[str, int]
    completions: int
    chains: int
    burn_in: int
    thinning: int
    steps: int | None
    steps_on_a_table: int | None
    seed: int

    algorithm: ClassVar[Algorithm] = Algorithm.IMPUTATION

    @property
    def draws(self) -> int:
        """The number of completed tables."""
        return self.completions


@dataclass(frozen=True, kw_only=True)
class MergedRun(RunRecord):
    """Several runs of one model merged, either of chains or of annealing.

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
    >>> [part.seed for part in (one + other).run.parts]
    [1, 2]
    """

    parts: tuple[ChainRun | AnnealingRun, ...]
    difference_between_parts: float | None = None

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm of the runs; mc3 if there are both mcmc and mc3."""
        found = {part.algorithm for part in self.parts}
        return found.pop() if len(found) == 1 else Algorithm.MC3

    @property
    def annealed(self) -> bool:
        """Whether the runs are annealing runs."""
        return self.parts[0].annealed

    @property
    def chains(self) -> int:
        """The total number of chains."""
        return sum(part.chains for part in self.parts if isinstance(part, ChainRun))

    @property
    def states(self) -> tuple[int, ...]:
        """The number of draws of each chain of all runs."""
        chains = [part for part in self.parts if isinstance(part, ChainRun)]
        return tuple(count for part in chains for count in part.states)

    @property
    def runs(self) -> int:
        """The total number of particles."""
        return sum(part.runs for part in self.parts if isinstance(part, AnnealingRun))


AnyRun = ExactRun | ChainRun | AnnealingRun | MergedRun | UniqueDagsRun | ImputationRun
