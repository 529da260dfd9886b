"""How long samplers run: `Budget`, stopping rules, and the convergence figures they use."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

from arcwise import _core
from arcwise.errors import ArgumentError, Wording, option
from arcwise.model import Model
from arcwise.model.model import Modularity, as_modularity
from arcwise.model.score_sums import NodeMethod, ScoreSums, Tabulated, checked_sums
from arcwise.spaces import NAMED_SPACES, Space, as_space, space_words
from arcwise.support.checks import (
    MOST_INT,
    open_fraction,
    positive_number,
    real_number,
    real_numbers,
    refuse_beyond_memory,
    true_or_false,
    whole_number,
)
from arcwise.support.names import as_list, quoted, shown
from arcwise.support.running import Deadline
from arcwise.support.settings import Settings, setting


class Algorithm(StrEnum):
    """The algorithm that computed a posterior.

    Examples
    --------
    >>> Algorithm("mcmc") is Algorithm.MCMC
    True
    """

    EXACT = "exact"
    MCMC = "mcmc"
    MC3 = "mc3"
    AIS = "ais"
    SMC = "smc"
    UNIQUE_DAGS = "unique-dags"
    IMPUTATION = "imputation"


@dataclass(frozen=True)
class Convergence:
    """The agreement of chains and their effective sample sizes.

    Figures that do not apply are None: all of them for an exact run, all but an effective sample
    size for annealing, and the difference for a single chain.

    Parameters
    ----------
    rhat
        R-hat of the log posterior; infinite if every chain is constant at a different value.
    ess
        The effective sample size of the log posterior; for annealing, of the particles.
    edge_rhat
        The largest R-hat of an edge.
    edge_ess
        The smallest known effective sample size of an edge.
    difference
        The largest difference of an edge probability between two chains, as averaged along the
        chains, or from their DAGs if chains do not average it.

    Examples
    --------
    >>> Convergence(rhat=1.01).ess is None
    True
    """

    rhat: float | None = None
    ess: float | None = None
    edge_rhat: float | None = None
    edge_ess: float | None = None
    difference: float | None = None


# A quantity that has not changed in fewer draws than this may still change.
_FEWEST_STATES = 1_000
# On which side of its bound each figure of `Convergence` must be.
_SENSES = {"rhat": "<", "ess": ">", "edge_rhat": "<", "edge_ess": ">", "difference": "<"}
# Bounds at or below these can never be met.
_FLOORS = {"rhat": 1.0, "edge_rhat": 1.0, "ess": 0.0, "edge_ess": 0.0, "difference": 0.0}


@dataclass(frozen=True)
class Condition:
    """A convergence figure and the bound it must meet."""

    name: str
    bound: float

    def __str__(self) -> str:
        """Return the rule as users write it."""
        return f"{self.name}{_SENSES[self.name]}{self.bound:g}"

    def progress(self, measured: Convergence, states: int) -> float:
        """Return how close the figure is to its bound, 1 if the condition is met."""
        value: float | None = getattr(measured, self.name)
        if value is None:  # the quantity never changed; a difference is always defined
            return float(self.name != "difference" and states >= _FEWEST_STATES)
        if _SENSES[self.name] == ">":
            return min(1.0, value / self.bound)
        if value < self.bound:
            return 1.0
        floor = _FLOORS[self.name]
        return min(0.99, (self.bound - floor) / (value - floor))


@dataclass(frozen=True)
class StoppingRule:
    """Conditions that must all hold.

    Examples
    --------
    >>> rule = StoppingRule.parse("rhat < 1.01, ess > 400")
    >>> str(rule)
    'rhat<1.01, ess>400'
    """

    conditions: tuple[Condition, ...]

    @classmethod
    def parse(cls, text: Any) -> StoppingRule:
        """Parse a rule, with conditions separated by commas or "and"."""
        if isinstance(text, StoppingRule):
            return text
        if not isinstance(text, str):
            raise ArgumentError(option("until"), f" is {shown(text)}; {_FORM}")
        return cls(tuple(_condition(part) for part in re.split(r",|;|\band\b", text)))

    def __str__(self) -> str:
        """Return the rule as users write it."""
        return ", ".join(map(str, self.conditions))

    def __and__(self, other: StoppingRule) -> StoppingRule:
        """Return the rule that requires both."""
        return StoppingRule(self.conditions + other.conditions)

    def refuse_unknowable(self, chains: int, dags_per_state: int) -> None:
        """Refuse conditions that such a run cannot evaluate."""
        names = {condition.name for condition in self.conditions}
        if "difference" in names and chains < 2:
            raise ArgumentError(
                option("until"),
                " requires a difference between chains, but there is only one chain; set ",
                option("chains"),
                " to 2 or more",
            )
        if names & {"edge_rhat", "edge_ess"} and dags_per_state < 1:
            raise ArgumentError(
                option("until"),
                " uses edge_rhat or edge_ess, which are computed from DAGs, but ",
                option("dags_per_state"),
                " is 0; set it to 1 or more",
            )

    @property
    def needs_edges(self) -> bool:
        """Whether it has a condition on edges, which take longer to check than traces."""
        return any(condition.name not in ("rhat", "ess") for condition in self.conditions)

    def progress(self, measured: Convergence, states: int) -> float:
        """Return how close the farthest condition is to being met; 1 if all are met."""
        return min(condition.progress(measured, states) for condition in self.conditions)


_EXAMPLES = {"rhat": 1.01, "ess": 400, "edge_rhat": 1.1, "edge_ess": 100, "difference": 0.05}
_WORDS = {"<": "below", ">": "above"}
_FORM = (
    "give conditions such as 'rhat<1.01, ess>400' on rhat, ess, edge_rhat, edge_ess or difference"
)


def _condition(text: str) -> Condition:
    """Parse one condition of a rule."""

    def refused(remedy: str) -> ArgumentError:
        return ArgumentError(option("until"), f" has {text.strip()!r}; {remedy}")

    found = re.fullmatch(r"\s*([a-z_-]+)\s*([<>])=?\s*([0-9.eE+-]+)\s*", text)
    name = found[1].replace("-", "_") if found else ""
    if found is None or name not in _SENSES:
        raise refused(_FORM)
    sense = _SENSES[name]
    if found[2] != sense:
        example = f"{name}{sense}{_EXAMPLES[name]}"
        raise refused(f"require {name} to be {_WORDS[sense]} a number, as in {example}")
    try:
        bound = float(found[3])
    except ValueError:
        raise refused(_FORM) from None
    if not _FLOORS[name] < bound < float("inf"):
        raise refused(f"give {name} a bound above {_FLOORS[name]:g}")
    return Condition(name, bound)


def as_stopping_rule(value: Any) -> StoppingRule | None:
    """Return the stopping rule from an object or a text; None for None."""
    return None if value is None else StoppingRule.parse(value)


# The default number of draws of each chain is one in 2 n steps, within these bounds. More would
# add little information, and DAGs drawn from them would fill the memory.
_FEWEST_DRAWS = 1_000
_MOST_DRAWS = 10_000
# The fraction discarded from chains that begin at random states, which is about that of a run with
# a stopping rule, and from chains that begin where chains of orders have converged.
_USUAL_BURN_IN = 0.5
_SETTLED_BURN_IN = 0.2

_DEFAULT_RUNS = {Algorithm.AIS: 100, Algorithm.SMC: 8}


def _only_one(*names: str) -> ArgumentError:
    one, other = map(option, names)
    return ArgumentError("both ", one, " and ", other, " were given; give only one of them")


@dataclass(frozen=True)
class Budget:
    """How long chains run: a number of steps, a time, or until a stopping rule is met."""

    steps: int | None = None  # steps of each chain, burn-in included
    seconds: float | None = None  # wall-clock time, burn-in included
    # The requested effective sample size of the log posterior, over all chains: shorthand for a
    # stopping rule.
    effective_samples: float | None = None
    # The fraction of steps or seconds discarded at the start; None for a half, or for a fifth if
    # chains begin where chains of orders have converged.
    burn_in: float | None = None
    # Steps between draws; None for 2 n, but at least 1,000 and at most 10,000 draws of each chain.
    thinning: int | None = None
    until: StoppingRule | None = None  # steps or seconds are then upper limits

    def __post_init__(self) -> None:
        """Refuse incompatible limits."""
        if self.steps is not None and self.seconds is not None:
            raise _only_one("steps", "seconds")
        if self.rule is not None and self.burn_in not in (None, _USUAL_BURN_IN):
            raise ArgumentError(
                option("burn_in"),
                f" is {shown(self.burn_in)}, but with a stopping rule the burn-in is always about "
                "half of the run; leave it out, or give no stopping rule",
            )

    @property
    def rule(self) -> StoppingRule | None:
        """The stopping rule, if any, including that for the effective sample size."""
        rule = self.until
        if self.effective_samples is None:
            return rule
        wanted = StoppingRule((Condition("ess", self.effective_samples),))
        return wanted if rule is None else rule & wanted

    @property
    def discarded(self) -> float:
        """The fraction discarded at the start, a half by default; see `resolved`."""
        return _USUAL_BURN_IN if self.burn_in is None else self.burn_in

    def resolved(self, nodes: int, *, settled_start: bool) -> Budget:
        """Return the budget with the default burn-in, and the default steps if it has no limit."""
        burn_in = self.discarded
        if self.burn_in is None and self.rule is None and settled_start:
            burn_in = _SETTLED_BURN_IN
        limited = (self.steps, self.seconds, self.rule) != (None, None, None)
        steps = self.steps if limited else max(20_000, 200 * nodes**2)
        return replace(self, burn_in=burn_in, steps=steps)

    def thinned(self, steps: int, nodes: int) -> int:
        """Return the steps between draws for a chain of this many steps."""
        if self.thinning is not None:
            return self.thinning
        draws = min(_MOST_DRAWS, max(_FEWEST_DRAWS, steps // (2 * nodes)))
        return max(1, steps // draws)


@dataclass(frozen=True)
class AnnealingBudget:
    """The number of annealing runs, their total time, or the effective sample size to reach."""

    runs: int | None = None  # the number of runs: particles of `ais`, populations of `smc`
    seconds: float | None = None
    effective_samples: float | None = None

    def named(self, runs: str) -> AnnealingBudget:
        """Return the budget, or refuse a number of runs, called `runs`, besides another limit."""
        if self.runs is not None and self.open_ended:
            raise _only_one(runs, "effective_samples" if self.seconds is None else "seconds")
        return self

    @property
    def open_ended(self) -> bool:
        """Whether the number of runs is not fixed in advance."""
        return self.seconds is not None or self.effective_samples is not None

    def resolved(self, algorithm: Algorithm) -> AnnealingBudget:
        """Return the budget with the default number of runs, if it has no limit."""
        unlimited = self == AnnealingBudget()
        return replace(self, runs=_DEFAULT_RUNS[algorithm]) if unlimited else self


# --- Ladders --------------------------------------------------------------------------------------

# Temperature ladders, from the uniform distribution or over the bridge, to the posterior.
#
# The bridge leads from the order-modular posterior, where chains mix well, to the modular one,
# and positions on it run from 0 to 1. A point of a path is an inverse temperature at the end of
# the bridge, or a pair of an inverse temperature and a position.


PathPoint = float | tuple[float, float]
"""An inverse temperature, at the end of the bridge or with its position on the bridge."""

Path = Sequence[PathPoint]
"""The points on the way to the posterior, which is the last one."""


def path_of(inverse_temperatures: Sequence[float], bridge: Sequence[float] | None) -> Path:
    """Return inverse temperatures, with their positions if they are on the bridge."""
    if bridge is None:
        return list(inverse_temperatures)
    return list(zip(inverse_temperatures, bridge, strict=True))


@dataclass(frozen=True)
class Tempering:
    """The inverse temperatures of a coupled chain, and how states are exchanged."""

    inverse_temperatures: tuple[float, ...]  # increasing to 1, that of the posterior
    adapt: bool = False  # whether to adapt them during the burn-in
    bridge: tuple[float, ...] | None = None  # positions on the bridge; None if all are at its end
    steps_between_exchanges: int = 1  # steps at each temperature between exchanges of states
    # The maximum number of temperatures that the burn-in may choose; None to leave it unchanged.
    most_temperatures: int | None = None

    def __post_init__(self) -> None:
        """Refuse numbers from files that the core cannot represent."""
        for name in ("steps_between_exchanges", "most_temperatures"):
            value = getattr(self, name)
            if value is not None:
                number = whole_number(value, option(name), at_least=1, at_most=MOST_INT)
                object.__setattr__(self, name, number)

    @classmethod
    def of(cls, path: Sequence[PathPoint], *, adapt: bool = False) -> Tempering:
        """Return the temperatures along a path."""
        if not any(isinstance(point, tuple) for point in path):
            return cls(tuple(float(point) for point in path if not isinstance(point, tuple)), adapt)
        pairs = [point if isinstance(point, tuple) else (point, 1.0) for point in path]
        inverses, places = zip(*pairs, strict=True)
        return cls(inverses, adapt, bridge=places)

    @property
    def path(self) -> Path:
        """The temperatures, with their positions if they are on the bridge."""
        return path_of(self.inverse_temperatures, self.bridge)

    @property
    def reaches_uniform(self) -> bool:
        """Whether the hottest temperature is the uniform distribution, which evidence requires."""
        return self.inverse_temperatures[0] == 0.0

    @property
    def spans_bridge(self) -> bool:
        """Whether it goes from the order-modular posterior itself to the modular one."""
        return self.bridge is not None and self.path[0] == (1.0, 0.0)


LADDERS = ("linear", "harmonic", "adapted", "bridge", "uniform bridge")
"""The ladders that have a name."""

FIRST_TEMPERATURES = 8
"""The initial number of temperatures if the burn-in chooses their number."""

MOST_TEMPERATURES = 64
"""The maximum number of temperatures that a burn-in chooses."""

USUAL_TEMPERATURES = 16
"""The number of temperatures of a ladder that does not adapt."""

_OVER_BRIDGE = ("bridge", "uniform bridge")
_ADAPTING = ("adapted", *_OVER_BRIDGE)
_LADDER_WORDS = ", ".join(f"'{name}'" for name in LADDERS)

# At the last position before the end, the expected number of variables that lack a required parent
# is one over this.
_LAST_PLACES = 4
# The size of a number in a list; the memory of a chain at a temperature is checked later.
_BYTES_PER_TEMPERATURE = 64


def linear(steps: int) -> list[float]:
    """Return 0, 1/K, 2/K, ..., 1 for K steps."""
    return [i / steps for i in range(steps)] + [1.0]


def harmonic(steps: int) -> list[float]:
    """Return 1/(K + 1), 1/K, ..., 1/2, 1 for K steps: many hot, few cold; never uniform (0)."""
    return [1 / (steps + 1 - i) for i in range(steps + 1)]


def bridge(steps: int, nodes: int) -> list[float]:
    """Return K + 1 positions on the bridge from 0 to 1, in equal steps of -log(1 - position).

    The last step, which is infinite on that scale, begins where the number of nodes that lack a
    required parent is a fraction of one.
    """
    if steps == 1:
        return [0.0, 1.0]
    last = 1 / (_LAST_PLACES * nodes)
    return [1 - last ** (i / (steps - 1)) for i in range(steps)] + [1.0]


def uniform_bridge(steps: int, nodes: int, hold: int = 1) -> list[tuple[float, float]]:
    """Return a path of K steps from the uniform distribution to the bridge, and over it."""
    before = max(1, steps // 2)
    over = max(1, steps - before)
    places = bridge(max(1, over // hold), nodes)
    held = [places[1 + i * (len(places) - 1) // over] for i in range(over)]
    path = [(inverse, 0.0) for inverse in linear(before)]
    return [*path, *((1.0, place) for place in held)] if steps > 1 else [(0.0, 0.0), (1.0, 1.0)]


def checked_ladder(value: object) -> str | tuple[PathPoint, ...]:
    """Return the name of a ladder, or its points, or refuse anything else."""
    if not isinstance(value, str):
        return tuple(as_path(value))
    if value not in LADDERS:
        raise ArgumentError(
            option("ladder"),
            f" is {shown(value)}; give one of {_LADDER_WORDS}, or increasing numbers up to 1",
        )
    return value


def leads_over_bridge(ladder: str | Path) -> bool:
    """Return whether a checked ladder goes over the bridge."""
    if isinstance(ladder, str):
        return ladder in _OVER_BRIDGE
    return any(isinstance(point, tuple) for point in ladder)


def adapts(ladder: object) -> bool:
    """Return whether a ladder adapts during the burn-in."""
    return isinstance(ladder, str) and ladder in _ADAPTING


def tempering_along(ladder: str | Path, temperatures: int | None, nodes: int) -> Tempering:
    """Return the temperatures of coupled chains."""
    if not isinstance(ladder, str):
        return Tempering.of(ladder)
    adapting = adapts(ladder)
    if temperatures is not None:
        refuse_beyond_memory(temperatures, option("temperatures"), _BYTES_PER_TEMPERATURE)
    usual = FIRST_TEMPERATURES if adapting else USUAL_TEMPERATURES
    path = _named(ladder, (temperatures or usual) - 1, nodes)
    most = MOST_TEMPERATURES if adapting and temperatures is None else None
    return replace(Tempering.of(path, adapt=adapting), most_temperatures=most)


def _named(name: str, steps: int, nodes: int) -> Path:
    if name == "harmonic":
        return harmonic(steps)
    if name == "bridge":
        return [(1.0, place) for place in bridge(steps, nodes)]
    return uniform_bridge(steps, nodes) if name == "uniform bridge" else linear(steps)


def usual_steps_between_exchanges(nodes: int) -> int:
    """Return the number of steps at each temperature between exchanges: one for four nodes.

    A step changes little of a large state, and threads that move the temperatures of a chain wait
    for each other at every exchange.
    """
    return max(1, nodes // 4)


def refuse_without_bridge(space: Space, name: str) -> None:
    """Refuse a ladder or a schedule over the bridge in a space without a bridge."""
    if not space.has_bridge:
        having = quoted(word for word, kind in NAMED_SPACES.items() if kind.has_bridge)
        raise ArgumentError(
            option(name),
            " goes over the bridge from the order-modular posterior to the modular one, which "
            f"{type(space).__name__} does not have; use the space {having}",
        )


def as_path(value: object) -> Path:
    """Return inverse temperatures, or pairs of them and positions on the bridge, up to 1."""
    given = as_list(value, option("ladder"), "increasing numbers up to 1")
    if not any(isinstance(point, tuple | list) for point in given):
        return as_rising(given, "ladder")
    numbers = real_numbers(given, option("ladder"))
    pairs = [(row[0], row[1]) for row in numbers.tolist()] if numbers.shape[1:] == (2,) else []
    rising = all(
        low[0] <= high[0] and low[1] <= high[1] and low != high for low, high in pairwise(pairs)
    )
    if len(pairs) < 2 or not rising or min(pairs[0]) < 0 or pairs[-1] != (1.0, 1.0):
        raise ArgumentError(
            option("ladder"),
            f" is {shown(value)}; give pairs of which no number falls, from 0 or more up to (1, 1)",
        )
    return pairs


def as_rising(value: object, name: str) -> list[float]:
    """Return inverse temperatures as a list, or refuse unless they increase from >= 0 to 1."""
    given = real_numbers(value, option(name))
    numbers: list[float] = given.tolist() if given.ndim == 1 else []
    increasing = all(low < high for low, high in pairwise(numbers))
    if len(numbers) < 2 or not increasing or numbers[0] < 0 or numbers[-1] != 1:
        raise ArgumentError(
            option(name), f" is {shown(value)}; give increasing numbers from 0 or more up to 1"
        )
    return numbers


# --- Settings -------------------------------------------------------------------------------------

# The options that samplers share; further options of a sampler are in its own file.
#
# Together with the model, the seed and the seconds of the `Run` they reproduce a run, to the last
# bit unless its budget is a time; a run directory stores them.


Struct = TypeVar("Struct")

_BUDGET_BEFORE_ESTIMATE = 50_000


@dataclass(frozen=True)
class Recording(Settings):
    """The space and the posterior that are sampled, and the DAGs drawn from the states."""

    space: Any = setting(
        "linear",
        "The space that the states move in: `LinearOrders`, `BucketOrders`, `PartialOrders`, "
        "`CanonicalOrders`, `Partitions`, `Layerings`, `Dags`, or a name such as "
        '``"buckets:5"``.',
        check=lambda value, name: as_space(value),
        help="The space that chains or particles move in.",
        metavar="|".join(space_words()),
        kind=str | None,
        stored=Space,
    )
    _: KW_ONLY
    modularity: Modularity = setting(
        "modular",
        "Which posterior to sample, see `exact`.",
        check=lambda value, name: as_modularity(value),
        help="modular: --prior is the prior on DAGs. order-modular: each DAG counts once for every "
        "order of the variables that it agrees with, as in order MCMC, which is faster and exact "
        "for more variables, but favours DAGs that agree with many orders.",
    )
    dags_per_state: int = setting(
        1,
        "The number of DAGs drawn from each kept state; 0 for none, where the estimates do not "
        "need them.",
        check=partial(whole_number, at_least=0, at_most=MOST_INT),
        metavar="N",
        help="Number of DAGs drawn from each kept state.",
    )
    dag_time_share: float | None = setting(
        None,
        "If given, the number of DAGs drawn from each kept state is as large as this fraction of "
        "the time spent on reaching it allows. The number is fixed in advance, so that DAGs that "
        "are slow to weight are not under-represented.",
        check=lambda value, name: real_number(
            value, name, lambda x: 0.0 < x < 10.0, "a fraction of the sampling time, such as 0.25"
        ),
        in_shell=False,
    )
    extension_budget: int | None = setting(
        None,
        "The maximum number of sets stored while counting the topological orders of a DAG; None "
        "for the default of the counter.",
        check=partial(whole_number, at_least=1),
        in_shell=False,
    )
    estimate_extensions: bool = setting(
        False,
        "Whether to estimate counts beyond that budget; otherwise they are an error. The estimates "
        "are unbiased; their inverses, the weights, have a relative bias of about the square of "
        "the relative error, which the run reports.",
        check=true_or_false,
        help="Estimate the number of topological orders of a DAG where counting them takes too "
        "long, instead of stopping with an error.",
    )

    def __post_init__(self) -> None:
        """Refuse a posterior that the space cannot sample."""
        super().__post_init__()
        if self.space.modularity == "modular" and self.modularity == "order-modular":
            raise ArgumentError(
                f"{self.space!r} samples the modular posterior, but ",
                option("modularity"),
                " is 'order-modular'; use a space of orders",
            )

    @property
    def weighted(self) -> bool:
        """Whether DAGs need weights: the inverse of their numbers of topological orders."""
        return bool(self.space.modularity != self.modularity)

    def bytes_per_state(self, nodes: int) -> int:
        """Return the approximate memory of a kept state and the DAGs drawn from it."""
        of_dag = 8 * nodes * ((nodes + 63) // 64) + 16
        return 2 * nodes + 12 + of_dag * max(1, self.dags_per_state)

    def record_options(self, edge_batches: int) -> _core.RecordOptions:
        """Return the options of the core."""
        fewest = int(self.weighted)
        whole_number(self.dags_per_state, option("dags_per_state"), at_least=fewest)
        options = filled(
            _core.RecordOptions(),
            self,
            count_extensions=self.weighted,
            edges=not self.weighted,
            edge_batches=edge_batches,
        )
        if self.extension_budget is None and self.estimate_extensions:
            # If an estimate is acceptable, counting for seconds is not worthwhile.
            options.extension_budget = _BUDGET_BEFORE_ESTIMATE
        return options


@dataclass(frozen=True)
class SumSettings:
    """How score sums are computed; see `ScoreSums`."""

    methods: tuple[NodeMethod, ...]  # the method for each node
    tolerance: float
    tabulate: Tabulated

    @classmethod
    def of(cls, sums: ScoreSums) -> SumSettings:
        """Return the settings of score sums."""
        return cls(tuple(sums.methods), sums.tolerance, sums.tabulated)

    def build(self, model: Model, threads: int | None) -> ScoreSums:
        """Return the score sums of a model with these settings."""
        built = partial(
            ScoreSums, model, tolerance=self.tolerance, tabulate=self.tabulate, threads=threads
        )
        sums = built()
        # If they differ, the user chose a method, which is the same for all nodes.
        return sums if tuple(sums.methods) == self.methods else built(method=self.methods[0])

    def __str__(self) -> str:
        """Return the settings in words."""
        counts = [f"{self.methods.count(way)} nodes by {way}" for way in sorted({*self.methods})]
        return f"{', '.join(counts)} (tolerance {self.tolerance:g})"


def filled(struct: Struct, *settings: object, **values: Any) -> Struct:
    """Set the fields of a struct of the core from settings by name, and from values."""
    for name in dir(struct):
        for each in settings:
            value = None if name.startswith("_") else getattr(each, name, None)
            if value is not None:
                setattr(struct, name, value)
    for name, value in values.items():
        setattr(struct, name, value)
    return struct


def _checked_sums(value: Any, name: object) -> ScoreSums | SumSettings:
    return value if isinstance(value, SumSettings) else checked_sums(value)


@dataclass(frozen=True, kw_only=True)
class SamplerSettings(Recording):
    """The options of every sampler.

    In the record of a run they are complete, including defaults that depend on the model.
    """

    sums: ScoreSums | SumSettings | None = setting(
        None,
        "The score sums, if already computed; otherwise they are computed, with a tolerance of "
        "1e-9 for nodes with too many candidate parents for a table.",
        check=_checked_sums,
        in_shell=False,
        stored=SumSettings,
    )

    sampler: ClassVar[Algorithm]

    def __init_subclass__(cls, **further: Any) -> None:
        """Register the settings by the name of their algorithm."""
        super().__init_subclass__(**further)
        if "sampler" in vars(cls):
            SETTINGS_OF[cls.sampler] = cls

    @property
    @abstractmethod
    def remedy(self) -> str:
        """What to change if runs with these settings do not converge.

        The text is saved with results and shown in Python, in the shell and in reports, so it
        names neither arguments nor options.
        """

    @abstractmethod
    def completed(self, model: Model, sums: ScoreSums, deadline: Deadline) -> Self:
        """Return the settings complete with the defaults that depend on the model."""

    @abstractmethod
    def refuse_two_budgets(self, seconds: float | None) -> None:
        """Refuse seconds beside another budget."""

    def _on(self, sums: ScoreSums, **values: Any) -> Self:
        return replace(self, space=self.space.on(sums), sums=SumSettings.of(sums), **values)


SETTINGS_OF: dict[Algorithm, type[SamplerSettings]] = {}
"""The settings of each sampler, which their classes register."""


_MOST_GIVEN_ORDER_STEPS = 1 << 62
_MOST_DIGITS = 30  # beyond, Python may refuse to read them


def _start(value: Any, name: Wording) -> str | int:
    """Return the start of chains: a word, or the steps of chains of linear orders."""
    if isinstance(value, str):
        if value in ("orders", "random"):
            return value
        if value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS:
            value = int(value)
    if isinstance(value, str):
        raise ArgumentError(
            name,
            f" is {shown(value)}; give 'orders', 'random', or the number of steps of the chains of "
            "linear orders that the others begin from",
        )
    return whole_number(value, name, at_least=0, at_most=_MOST_GIVEN_ORDER_STEPS)


# Chains of linear orders converge within a few times n^2 ln n steps. The number of steps per second
# of the time limit takes a tenth of it, even with many variables.
_TIMES = 4
_MOST_ORDER_STEPS = 10_000_000
_ORDER_STEPS_PER_SECOND = 30_000


def usual_order_steps(nodes: int, seconds: float | None) -> int:
    """Return the usual length of the chains of linear orders that other chains start from.

    Examples
    --------
    >>> usual_order_steps(20, None), usual_order_steps(400, 10.0)
    (4871, 300000)
    """
    steps = min(_MOST_ORDER_STEPS, round(_TIMES * nodes**2 * math.log(nodes + 1)))
    if seconds is not None:
        steps = round(min(steps, seconds * _ORDER_STEPS_PER_SECOND))
    return max(1, steps)


def _burn_in(value: Any, name: Wording) -> float:
    return real_number(
        value, name, lambda x: 0.0 <= x < 1.0, "a fraction of at least 0 and below 1"
    )


@dataclass(frozen=True, kw_only=True)
class ChainSettings(SamplerSettings):
    """The options of every sampler that runs chains."""

    steps: int | None = setting(
        None,
        "Steps of each chain, burn-in included, as the budget or the limit; without any, "
        "``200 n**2`` steps, at least 20,000.",
        check=partial(whole_number, at_least=2),
        help="Number of steps of each chain, burn-in included; for ais, number of annealing steps "
        "of each particle; for smc, of its steps at each temperature.",
        metavar="N",
    )
    effective_samples: float | None = setting(
        None,
        "The effective sample size to reach: of the log posterior, over all chains, or of the "
        "weights of particles, (sum of weights)^2 / (sum of squared weights).",
        check=positive_number,
        in_shell=False,
    )
    until: str | StoppingRule | None = setting(
        None,
        "A stopping rule, which ends the run before the steps or seconds are spent, such as "
        '``"rhat<1.01, ess>400"``: conditions, all of which must hold, on ``rhat`` and ``ess`` '
        "(R-hat and effective sample size of the log posterior), ``edge_rhat`` and ``edge_ess`` "
        "(those of the worst edge), and ``difference`` (the largest difference between chains in "
        "an edge probability, as each has averaged it). The rule is checked whenever the run has "
        "doubled in length, on its second half; `effective_samples` is the rule on ``ess``. "
        "Without a limit in steps or seconds, the run continues until the rule is met.",
        check=lambda value, name: StoppingRule.parse(value),
        help="Stopping rule of mcmc and mc3 on rhat, ess, edge_rhat, edge_ess and difference, "
        "such as 'rhat<1.01, ess>400'; --steps or --seconds is then the limit.",
        metavar="RULE",
        kind=str | None,
        stored=StoppingRule,
    )
    burn_in: float | None = setting(
        None,
        "The fraction of steps or seconds discarded at the start. None for a fifth where chains "
        "begin from orders that had their usual number of steps to settle, otherwise for a half, "
        "as always about with a stopping rule.",
        check=_burn_in,
        in_shell=False,
    )
    thinning: int | None = setting(
        None,
        "The number of steps between kept states; None for ``2 n``, but with at least 1,000 and at "
        "most 10,000 kept states per chain. Where edge probabilities are averaged, so are those of "
        "states in between, as often as about a third of the time allows.",
        check=partial(whole_number, at_least=1),
        help="Number of steps between kept states (default: by the length of the run); edges are "
        "averaged over states in between, too.",
        metavar="N",
    )
    chains: int = setting(
        4,
        "The number of chains, each with its own random numbers. Of more than four, those that end "
        "in states of negligible posterior probability, 8 nats or more below four others, are left "
        "out of the result (`run.left_out`).",
        check=partial(whole_number, at_least=1),
        help="Number of chains of mcmc and mc3 (default: 4; for mcmc, learn runs 16 up to 32 "
        "variables and 8 up to 128).",
        metavar="N",
    )
    start: str | int = setting(
        "orders",
        'Where chains begin. ``"orders"``: at a DAG drawn given the last state of a chain of '
        "linear orders, which settles easily where others do not; `LinearOrders`, `BucketOrders` "
        "and `PartialOrders`, and all temperatures of `mc3` but the posterior's, begin at a random "
        'state. ``"random"``: so do all. A number: the steps of the chains of linear orders, by '
        "default ``4 n**2 log(n)``, but not more than take a tenth of the seconds.",
        check=_start,
        help="Where the chains of mcmc and mc3 begin: where chains of linear orders have settled "
        "(the default; or after this number of their steps), or at a random state.",
        metavar="orders|random|STEPS",
        kind=str | None,
        stored=Any,
    )
    known_dag: Any = setting(
        None,
        "A DAG that is known to be good, in any form that `Model.log_weight_of` takes: the first "
        "chain begins there, so that a mode that all others miss is seen by the disagreement. None "
        "to search for one, with up to 128 variables. Only where the others begin from orders.",
        in_shell=False,
        stored=tuple[tuple[str, ...], ...] | None,
    )

    coupled: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse a stopping rule that such a run cannot evaluate."""
        super().__post_init__()
        rule = self.budget(None).rule
        if rule is not None:
            rule.refuse_unknowable(self.chains, self.dags_per_state)

    @property
    def rule(self) -> StoppingRule | None:
        """The stopping rule, if any, including that for the effective sample size."""
        return self.budget(None).rule

    @property
    def order_steps(self) -> int | None:
        """The steps of the chains of linear orders; 0 for random states, None for the default."""
        if isinstance(self.start, int):
            return self.start
        return 0 if self.start == "random" else None

    @property
    def remedy(self) -> str:
        """What to change if such runs do not converge."""
        others = ["mc3", *self.space.advice(self.modularity)]
        return f"run more steps, or use {' or '.join(others)}"

    def budget(self, seconds: float | None) -> Budget:
        """Return the budget of the chains, with this time limit."""
        assert not isinstance(self.until, str)
        return Budget(
            self.steps, seconds, self.effective_samples, self.burn_in, self.thinning, self.until
        )

    def refuse_two_budgets(self, seconds: float | None) -> None:
        """Refuse seconds beside steps."""
        self.budget(seconds)

    def tempering(self, nodes: int) -> Tempering:
        """Return the temperatures of each chain, in a model of this many variables."""
        return Tempering((1.0,))

    def completed(self, model: Model, sums: ScoreSums, deadline: Deadline) -> Self:
        """Return the settings complete with the defaults that depend on the model."""
        nodes, order_steps = len(sums.variables), self.order_steps
        if order_steps is None:
            # Use the remaining time, not the original budget.
            left = deadline.left if deadline.limited else None
            order_steps = usual_order_steps(nodes, left)
        # Coupled chains adapt their temperatures during the burn-in, and the hot ones start at
        # random states.
        settled = (
            self.space.modularity == "modular"
            and not self.coupled
            and order_steps >= usual_order_steps(nodes, None)
        )
        budget = self.budget(deadline.seconds).resolved(nodes, settled_start=settled)
        return self._on(sums, steps=budget.steps, burn_in=budget.burn_in, start=order_steps)


@dataclass(frozen=True)
class Schedule:
    """The inverse temperatures of an annealing run."""

    steps: int  # the number of steps from 0 to 1
    given: tuple[float, ...] | None = None  # the inverse temperatures; None for equal steps
    # Whether it goes over the bridge: half of the steps lead to the order-modular posterior, and
    # half from there to the modular one.
    bridge: bool = False

    @property
    def kind(self) -> str:
        """The kind in one word."""
        if self.bridge:
            return "bridge"
        return "linear" if self.given is None else "given"

    def path(self, nodes: int) -> Path:
        """Return the temperatures of a model of this many variables, as a list."""
        if self.bridge:
            return list(uniform_bridge(self.steps, nodes, hold=nodes))
        return list(linear(self.steps) if self.given is None else self.given)


@dataclass(frozen=True, kw_only=True)
class AnnealingSettings(SamplerSettings):
    """The options of every sampler that anneals."""

    stretch: int | None = setting(
        None,
        "The number of steps at the posterior after annealing, from which states are kept; None "
        "for a quarter of the annealing steps.",
        check=partial(whole_number, at_least=0),
        in_shell=False,
    )
    thinning: int | None = setting(
        None,
        "Steps of the stretch between kept states; None to keep about ten states.",
        check=partial(whole_number, at_least=1),
        metavar="N",
    )
    bins: int | None = setting(
        None,
        "The number of bins of a further lower bound on the evidence.",
        check=partial(whole_number, at_least=1),
        help="For ais and smc: compute a further lower bound, from the runs in this number of "
        "groups.",
        metavar="N",
    )
    confidence: float = setting(
        0.95,
        "The confidence of that bound.",
        check=open_fraction,
        help="The confidence of the bound that --bins adds.",
        metavar="NUMBER",
    )

    @property
    def remedy(self) -> str:
        """What to change if such runs do not converge."""
        return "use more annealing steps, or more particles"

    @abstractmethod
    def limits(self, seconds: float | None) -> AnnealingBudget:
        """Return the number of runs, their total time or the effective sample size to reach."""

    def refuse_two_budgets(self, seconds: float | None) -> None:
        """Refuse seconds beside a number of runs."""
        self.limits(seconds)

    @property
    @abstractmethod
    def cooling(self) -> Schedule:
        """The annealing schedule; populations choose their temperatures from it."""

    @property
    @abstractmethod
    def states_per_run(self) -> int:
        """The number of particles of a run."""

    def least_variance(self, plan: Any) -> float:
        """Return the relative variance of a run's weight if all its moves were ideal."""
        return 0.0


SamplingSettings = ChainSettings | AnnealingSettings


@dataclass(frozen=True)
class OfModel(Settings):
    """The first argument of a sampler."""

    model: Model
