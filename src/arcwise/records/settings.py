"""The options that samplers share; further options of a sampler are in its own file.

Together with the model, the seed and the seconds of the `Run` they reproduce a run, to the last
bit unless its budget is a time; a run directory stores them.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self, TypeVar

from arcwise import _core
from arcwise.errors import ArgumentError, Wording, option
from arcwise.model import Model
from arcwise.model.model import Modularity, as_modularity
from arcwise.model.score_sums import NodeMethod, ScoreSums, Tabulated, checked_sums
from arcwise.records.budget import Algorithm, AnnealingBudget, Budget, StoppingRule
from arcwise.records.ladders import Path, Tempering, linear, uniform_bridge
from arcwise.spaces import Space, as_space, space_words
from arcwise.support.checks import (
    MOST_INT,
    open_fraction,
    positive_number,
    real_number,
    true_or_false,
    whole_number,
)
from arcwise.support.clock import Deadline
from arcwise.support.settings import Settings, setting
from arcwise.support.words import shown

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
            value,
            name,
            lambda x: 0.0 < x < 10.0,
            "a fraction of the sampling time, such as 0.25",
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
