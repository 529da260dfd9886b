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
from arcwise.records.ladders import linear
from arcwise.records.recording import Recording
from arcwise.records.tempering import Tempering
from arcwise.spaces.space import Space
from arcwise.sums import ScoreSums
from arcwise.support.checks import checked_seed, open_fraction, positive_number, whole_number

_DEFAULT_PARTICLES = 100


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
    """

    space: Space
    budget: Budget
    recording: Recording
    chains: int
    seed: int
    tempering: Tempering | None = None
    sums: SumSettings | None = None

    def __post_init__(self) -> None:
        """Refuse invalid numbers, and a stopping rule that such a run cannot evaluate."""
        chains = whole_number(self.chains, option("chains"), at_least=1)
        object.__setattr__(self, "chains", chains)
        object.__setattr__(self, "seed", checked_seed(self.seed))
        if self.budget.rule is not None:
            self.budget.rule.refuse_unknowable(self.chains, self.recording.dags_per_state)

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm of these settings."""
        return Algorithm.MCMC if self.tempering is None else Algorithm.MC3

    def on(self, space: Space, sums: ScoreSums) -> ChainSettings:
        """Return the settings with everything resolved that depends on the model."""
        return replace(
            self,
            space=space,
            recording=self.recording.on(space),
            budget=self.budget.resolved(len(sums.variables)),
            sums=SumSettings.of(sums),
        )


@dataclass(frozen=True)
class AnnealingBudget:
    """The number of annealing runs, their total time, or the effective sample size to reach.

    Parameters
    ----------
    particles, seconds, effective_samples
        As for `ais`.
    """

    particles: int | None = None
    seconds: float | None = None
    effective_samples: float | None = None

    def __post_init__(self) -> None:
        """Refuse invalid values."""
        if self.particles is not None:
            count = whole_number(self.particles, option("particles"), at_least=1)
            object.__setattr__(self, "particles", count)
            if self.open_ended:
                raise ArgumentError(
                    "both ",
                    option("particles"),
                    " and ",
                    option("effective_samples" if self.seconds is None else "seconds"),
                    " were given; give only one of them",
                )
        for name in ("seconds", "effective_samples"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, positive_number(value, option(name)))

    @property
    def open_ended(self) -> bool:
        """Whether the number of runs is not fixed in advance."""
        return self.seconds is not None or self.effective_samples is not None

    def resolved(self) -> AnnealingBudget:
        """Return it with the default number of runs, if it sets no limit."""
        return self if self != AnnealingBudget() else replace(self, particles=_DEFAULT_PARTICLES)


@dataclass(frozen=True)
class Schedule:
    """The inverse temperatures of an annealing run.

    Parameters
    ----------
    steps
        The number of steps from 0 to 1.
    given
        The inverse temperatures; None for equal steps.
    """

    steps: int
    given: tuple[float, ...] | None = None

    def inverse_temperatures(self) -> list[float]:
        """Return the inverse temperatures as a list."""
        return linear(self.steps) if self.given is None else list(self.given)


@dataclass(frozen=True)
class AnnealingSettings:
    """The settings of annealed importance sampling.

    Parameters
    ----------
    space, recording, seed, sums
        As for `ChainSettings`.
    budget
        The number of particles.
    schedule
        The annealing schedule.
    stretch, thinning
        Steps at the posterior at the end of a run, and steps between draws of these.
    bins, confidence
        The bins and the confidence of an additional lower bound on the evidence.
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
        return Algorithm.AIS

    def on(self, space: Space, sums: ScoreSums) -> AnnealingSettings:
        """Return the settings with everything resolved that depends on the model."""
        return replace(
            self,
            space=space,
            recording=self.recording.on(space),
            budget=self.budget.resolved(),
            sums=SumSettings.of(sums),
        )


SamplingSettings = ChainSettings | AnnealingSettings
