"""`RunRecord`: what runs of every kind record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from arcwise.records.budget import Algorithm, Convergence
from arcwise.records.ladders import Path, path_of
from arcwise.records.settings import AnnealingSettings, ChainSettings

Acceptance = Mapping[str, float | None]
"""The acceptance rate of each kind of move; None if none was proposed."""


@dataclass(frozen=True)
class OrderWeights:
    """Quality of the weights of DAGs, where each is 1 / (number of topological orders)."""

    effective_dags: float  # kish's effective sample size of the weights
    # The number of DAGs whose topological orders were estimated rather than counted.
    estimated: int = 0
    largest_error: float = 0.0  # the largest standard error of such an estimate, on the log scale


@dataclass(frozen=True, kw_only=True)
class RunRecord(ABC):
    """What runs of every kind record."""

    dags: int = 0  # the number of DAGs drawn
    seconds: float | None = None  # the running time of the call; None if it is not known
    interrupted: bool = False  # whether Ctrl-C ended it
    convergence: Convergence = field(default_factory=Convergence)  # the convergence figures
    # The quality of the weights of DAGs; None if they need none.
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


@dataclass(frozen=True, kw_only=True)
class ImputationRun(RunRecord):
    """Completed tables drawn by chains over DAGs, parameters and missing cells.

    Parameters
    ----------
    missing
        The number of missing values of each column that has any.
    completions
        The number of completed tables that the posterior is averaged over.
    chains
        The number of chains they are from.
    burn_in, thinning
        The sweeps of each chain before the first table, and between the last two tables.
    steps, steps_on_a_table
        The steps over DAGs in a sweep, and on a table that is kept; None where DAGs are drawn
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


@dataclass(frozen=True)
class EvidenceRatio:
    """How much more probable the data are under the modular prior than the order-modular one."""

    # The log ratio of the summed weights of all DAGs, counted once each or once for each of their
    # topological orders.
    log_weights: float
    # The difference of the log evidences: the same with normalised priors; None where the constants
    # of the priors are not known exactly.
    log_ratio: float | None
    # The Monte Carlo standard error of both. Where chains of orders are stuck in some of several
    # modes, it does not know of the others; ``evidence(model, "bridge")`` starts from exact draws
    # instead.
    standard_error: float


@dataclass(frozen=True)
class Exchanges:
    """The exchanges of states in coupled chains."""

    # The final inverse temperatures of each chain.
    inverse_temperatures: tuple[tuple[float, ...], ...]
    # The acceptance rates of exchanges between adjacent temperatures, the hottest first: of all
    # chains together or, where they have different numbers of temperatures, of the one that accepts
    # fewest.
    acceptance: tuple[float | None, ...]
    # For each chain, how often a state went from the hottest temperature to the coldest and back
    # after the burn-in.
    round_trips: tuple[int, ...]
    # The final places of each chain on the bridge; None if all are at its end.
    bridge: tuple[tuple[float, ...], ...] | None = None
    # The ratio of the modular to the order-modular evidence, where the bridge is all of the ladder.
    evidence_ratio: EvidenceRatio | None = None

    @property
    def temperatures(self) -> tuple[int, int]:
        """The smallest and the largest number of temperatures of a chain."""
        counts = [len(each) for each in self.inverse_temperatures]
        return min(counts), max(counts)


@dataclass(frozen=True, kw_only=True)
class ExactRun(RunRecord):
    """An exact computation.

    Parameters
    ----------
    paths
        Whether the probabilities of paths were computed.
    seed
        The seed of the DAGs drawn; None if there are none.
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
        The thinning when draws were read back from disk: one in this many was used.
    rule_met
        Whether its stopping rule ended it; None if it had none.
    left_out
        The number of chains that do not count, because what they found has next to no
        posterior probability.
    moves
        The acceptance rate of each kind of move.
    move_shares
        How often each kind of move was proposed, as a share of all proposals; empty if not known.
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
        """The number of draws that edge probabilities are the mean of."""
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
    """The path of the populations of sequential Monte Carlo, as their pilot chose it."""

    # The inverse temperatures, and the places on the bridge, if any.
    inverse_temperatures: tuple[float, ...]
    bridge: tuple[float, ...] | None
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
        """The number of draws that edge probabilities are the mean of."""
        return self.runs

    @property
    def annealed(self) -> bool:
        """Whether it consists of annealing runs: always."""
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
class MergedRun(RunRecord):
    """Several runs of one model merged: all of chains, or all of annealing.

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
