"""`ChainSettings` and `AnnealingSettings`: the complete settings of a sampling run.

Together with the model they reproduce the run, to the last bit unless its budget is a
time; a run directory stores them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from arcwise.errors import ArgumentError, option
from arcwise.model import Model
from arcwise.records.algorithm import Algorithm
from arcwise.records.budget import Budget
from arcwise.records.ladders import as_rising, linear, uniform_bridge
from arcwise.records.recording import Recording
from arcwise.records.start import as_order_steps, usual_order_steps
from arcwise.records.tempering import Path, Tempering
from arcwise.spaces.space import Space
from arcwise.sums import ScoreSums
from arcwise.support.checks import (
    MOST_INT,
    checked_seed,
    open_fraction,
    positive_number,
    whole_number,
)

_DEFAULT_RUNS = {Algorithm.AIS: 100, Algorithm.SMC: 8}


@dataclass(frozen=True)
class SumSettings:
    """How score sums are computed.

    Parameters
    ----------
    methods
        The method for each node.
    tolerance
        The largest fraction of a sum that may be left out.
    tabulate
        What the tables hold.
    """

    methods: tuple[Literal["table", "rows", "walk", "scan"], ...]
    tolerance: float
    tabulate: Literal["sums", "maxima", "both"]

    @classmethod
    def of(cls, sums: ScoreSums) -> SumSettings:
        """Return the settings of score sums."""
        return cls(tuple(sums.methods), sums.tolerance, sums.tabulated)

    def build(self, model: Model, threads: int | None) -> ScoreSums:
        """Return the score sums of a model with these settings."""
        sums = ScoreSums(model, tolerance=self.tolerance, tabulate=self.tabulate, threads=threads)
        if tuple(sums.methods) != self.methods:
            # Then the user chose a method, which is the same for all nodes.
            sums = ScoreSums(
                model,
                method=self.methods[0],
                tolerance=self.tolerance,
                tabulate=self.tabulate,
                threads=threads,
            )
        return sums

    def __str__(self) -> str:
        """Return the settings in words."""
        counts = [f"{self.methods.count(way)} nodes by {way}" for way in sorted({*self.methods})]
        return f"{', '.join(counts)} (tolerance {self.tolerance:g})"


@dataclass(frozen=True)
class ChainSettings:
    """The settings of a run of Markov chains.

    Parameters
    ----------
    space
        The state space.
    budget
        How long the chains run.
    recording
        What is recorded of their states, and for which posterior.
    chains, seed
        The number of chains, and the seed for all of them.
    tempering
        The temperatures of coupled chains; None for the posterior alone.
    sums
        How score sums are computed; None before they are made.
    order_steps
        Chains begin where one of linear orders is after so many steps; 0 for random states,
        None for the usual number.
    adapt_moves
        Whether the shares of the kinds of moves are adapted during the burn-in.
    known_dag
        The edges of the DAG at which the first chain begins, if one was given.
    """

    space: Space
    budget: Budget
    recording: Recording
    chains: int
    seed: int
    tempering: Tempering | None = None
    sums: SumSettings | None = None
    order_steps: int | None = 0
    adapt_moves: bool = False
    known_dag: tuple[tuple[str, str], ...] | None = None

    def __post_init__(self) -> None:
        """Refuse invalid numbers, and a stopping rule that such a run cannot evaluate."""
        chains = whole_number(self.chains, option("chains"), at_least=1)
        object.__setattr__(self, "chains", chains)
        object.__setattr__(self, "seed", checked_seed(self.seed))
        if self.order_steps is not None:
            object.__setattr__(self, "order_steps", as_order_steps(self.order_steps))
        if self.adapt_moves and not self.space.adapts_moves:
            raise ArgumentError(
                option("adapt_moves"),
                f" was given with the space {self.space!r}; the shares of moves are adapted in the "
                "space 'dags' alone, and where they are not given",
            )
        if self.budget.rule is not None:
            self.budget.rule.refuse_unknowable(self.chains, self.recording.dags_per_state)

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm of these settings."""
        return Algorithm.MCMC if self.tempering is None else Algorithm.MC3

    def on(self, space: Space, sums: ScoreSums) -> ChainSettings:
        """Return the settings with everything resolved that depends on the model."""
        nodes, order_steps = len(sums.variables), self.order_steps
        if order_steps is None:
            order_steps = usual_order_steps(nodes, self.budget.seconds)
        # Coupled chains adapt their temperatures meanwhile, and are hot ones at random states.
        settled = (
            space.modularity == "modular"
            and self.tempering is None
            and order_steps >= usual_order_steps(nodes, None)
        )
        return replace(
            self,
            space=space,
            recording=self.recording.on(space),
            budget=self.budget.resolved(nodes, settled_start=settled),
            sums=SumSettings.of(sums),
            order_steps=order_steps,
        )


@dataclass(frozen=True)
class AnnealingBudget:
    """The number of annealing runs, their total time, or the effective sample size to reach.

    Parameters
    ----------
    runs
        The number of runs: particles of `ais`, populations of `smc`.
    seconds, effective_samples
        As for `ais`.
    """

    runs: int | None = None
    seconds: float | None = None
    effective_samples: float | None = None

    @classmethod
    def of(
        cls,
        name: str,
        runs: int | None,
        seconds: float | None = None,
        effective_samples: float | None = None,
    ) -> AnnealingBudget:
        """Return the budget, or refuse invalid values; `name` is the argument for the runs."""
        budget = cls(runs, seconds, effective_samples)
        if runs is not None:
            budget = replace(budget, runs=whole_number(runs, option(name), at_least=1))
            if budget.open_ended:
                raise ArgumentError(
                    "both ",
                    option(name),
                    " and ",
                    option("effective_samples" if seconds is None else "seconds"),
                    " were given; give only one of them",
                )
        if seconds is not None:
            budget = replace(budget, seconds=positive_number(seconds, option("seconds")))
        if effective_samples is not None:
            wanted = positive_number(effective_samples, option("effective_samples"))
            budget = replace(budget, effective_samples=wanted)
        return budget

    @property
    def open_ended(self) -> bool:
        """Whether the number of runs is not fixed in advance."""
        return self.seconds is not None or self.effective_samples is not None

    def resolved(self, algorithm: Algorithm) -> AnnealingBudget:
        """Return it with the default number of runs, if it sets no limit."""
        unlimited = self == AnnealingBudget()
        return replace(self, runs=_DEFAULT_RUNS[algorithm]) if unlimited else self


@dataclass(frozen=True)
class Schedule:
    """The inverse temperatures of an annealing run.

    Parameters
    ----------
    steps
        The number of steps from 0 to 1.
    given
        The inverse temperatures; None for equal steps.
    bridge
        Whether it goes over the bridge: half of the steps to the order-modular posterior, and
        half from there to the modular one.
    """

    steps: int
    given: tuple[float, ...] | None = None
    bridge: bool = False

    def __post_init__(self) -> None:
        """Refuse temperatures that do not lead from 0 or more to 1."""
        whole_number(self.steps, option("steps"), at_least=1)
        if self.given is not None:
            as_rising(self.given, "schedule")

    @property
    def kind(self) -> str:
        """The word for it."""
        if self.bridge:
            return "bridge"
        return "linear" if self.given is None else "given"

    def path(self, nodes: int) -> Path:
        """Return the temperatures of a model of this many variables, as a list."""
        if self.bridge:
            return list(uniform_bridge(self.steps, nodes, hold=nodes))
        return list(linear(self.steps) if self.given is None else self.given)


@dataclass(frozen=True)
class Population:
    """The populations of sequential Monte Carlo.

    Parameters
    ----------
    particles
        The number of particles of each.
    steps
        The number of steps of a particle at each temperature; None to move until log
        weights have decorrelated.
    effective_share
        The effective share of a population that remains from one temperature to the next.
    """

    particles: int
    steps: int | None = None
    effective_share: float = 0.9

    def __post_init__(self) -> None:
        """Refuse invalid numbers."""
        whole_number(self.particles, option("particles"), at_least=2, at_most=MOST_INT)
        if self.steps is not None:
            whole_number(self.steps, option("steps"), at_least=1)
        open_fraction(self.effective_share, option("effective_share"))


@dataclass(frozen=True)
class AnnealingSettings:
    """The settings of annealed importance sampling, or of sequential Monte Carlo.

    Parameters
    ----------
    space, recording, seed, sums
        As for `ChainSettings`.
    budget
        The number of runs.
    schedule
        The annealing schedule, of which populations choose their temperatures.
    stretch, thinning
        Steps at the posterior at the end of a run, and steps between draws of these.
    bins, confidence
        The bins and the confidence of an additional lower bound on the evidence.
    population
        The populations of sequential Monte Carlo; None for annealed importance sampling.
    """

    space: Space
    budget: AnnealingBudget
    schedule: Schedule
    stretch: int
    thinning: int
    recording: Recording
    seed: int
    bins: int | None = None
    confidence: float = 0.95
    population: Population | None = None
    sums: SumSettings | None = None

    def __post_init__(self) -> None:
        """Refuse invalid numbers."""
        for name, least in (("stretch", 0), ("thinning", 1)):
            value = whole_number(getattr(self, name), option(name), at_least=least)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "seed", checked_seed(self.seed))
        if self.bins is not None:
            whole_number(self.bins, option("bins"), at_least=1)
        open_fraction(self.confidence, option("confidence"))

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm of these settings."""
        return Algorithm.AIS if self.population is None else Algorithm.SMC

    def on(self, space: Space, sums: ScoreSums) -> AnnealingSettings:
        """Return the settings with everything resolved that depends on the model."""
        return replace(
            self,
            space=space,
            recording=self.recording.on(space),
            budget=self.budget.resolved(self.algorithm),
            sums=SumSettings.of(sums),
        )


SamplingSettings = ChainSettings | AnnealingSettings
