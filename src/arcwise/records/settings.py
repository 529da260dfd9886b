"""`ChainSettings` and `AnnealingSettings`: all that a sampling run is asked for.

They are enough to make the run again from its model, to the last bit if its budget is
no matter of time; a run directory keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from arcwise.errors import ArgumentError
from arcwise.model import Model
from arcwise.records.algorithm import Algorithm
from arcwise.records.budget import Budget
from arcwise.records.ladders import linear
from arcwise.records.recording import Recording
from arcwise.records.tempering import Tempering
from arcwise.spaces.space import Space
from arcwise.sums import ScoreSums
from arcwise.support.checks import whole_number

_USUAL_PARTICLES = 100


@dataclass(frozen=True)
class SumSettings:
    """How score sums are found.

    Parameters
    ----------
    methods
        The method of each node.
    tolerance
        The largest share of a sum that may be left out.
    tabulate
        What tables hold.
    """

    methods: tuple[Literal["table", "rows", "walk", "scan"], ...]
    tolerance: float
    tabulate: Literal["sums", "maxima", "both"]

    @classmethod
    def of(cls, sums: ScoreSums) -> SumSettings:
        """Return the settings of score sums."""
        return cls(tuple(sums.methods), sums.tolerance, sums.tabulated)

    def build(self, model: Model, threads: int | None) -> ScoreSums:
        """Return the score sums of a model by these settings."""
        sums = ScoreSums(model, tolerance=self.tolerance, tabulate=self.tabulate, threads=threads)
        if tuple(sums.methods) != self.methods:
            # They were asked for by name then, which is one for all.
            sums = ScoreSums(
                model,
                method=self.methods[0],
                tolerance=self.tolerance,
                tabulate=self.tabulate,
                threads=threads,
            )
        return sums

    def __str__(self) -> str:
        """Return it in words."""
        counts = [f"{self.methods.count(way)} nodes by {way}" for way in sorted({*self.methods})]
        return f"{', '.join(counts)} (tolerance {self.tolerance:g})"


@dataclass(frozen=True)
class ChainSettings:
    """What a run of chains is asked for.

    Parameters
    ----------
    space
        Where they move.
    budget
        How long.
    recording
        What is kept of their states, and for which posterior.
    chains, seed
        How many chains there are, and the seed of all.
    tempering
        The temperatures of coupled chains; None for one temperature, the posterior's.
    sums
        How score sums are found; None before they are made.
    """

    space: Space
    budget: Budget
    recording: Recording
    chains: int
    seed: int
    tempering: Tempering | None = None
    sums: SumSettings | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that are none, and a rule about what such a run cannot tell."""
        object.__setattr__(self, "chains", whole_number(self.chains, "chains", at_least=1))
        object.__setattr__(self, "seed", whole_number(self.seed, "seed", at_least=0))
        if self.budget.rule is not None:
            self.budget.rule.refuse_unknowable(self.chains, self.recording.dags_per_state)

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm these are settings of."""
        return Algorithm.MCMC if self.tempering is None else Algorithm.MC3

    def on(self, space: Space, sums: ScoreSums) -> ChainSettings:
        """Return them with all that was left to the model chosen."""
        return replace(
            self,
            space=space,
            recording=self.recording.on(space),
            budget=self.budget.resolved(len(sums.variables)),
            sums=SumSettings.of(sums),
        )


@dataclass(frozen=True)
class AnnealingBudget:
    """How many annealing runs are made, for how long, or to what effect.

    Parameters
    ----------
    particles, seconds, effective_samples
        As for `ais`.
    """

    particles: int | None = None
    seconds: float | None = None
    effective_samples: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.particles is not None:
            whole_number(self.particles, "particles", at_least=1)
            if self.open_ended:
                raise ArgumentError("give particles, or seconds and effective_samples, not both")
        for name in ("seconds", "effective_samples"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ArgumentError(f"{name} is {value!r}; give a positive number")

    @property
    def open_ended(self) -> bool:
        """Whether the number of runs is not known beforehand."""
        return self.seconds is not None or self.effective_samples is not None

    def resolved(self) -> AnnealingBudget:
        """Return it with the usual number of runs, if it sets no end."""
        return self if self != AnnealingBudget() else replace(self, particles=_USUAL_PARTICLES)


@dataclass(frozen=True)
class Schedule:
    """The inverse temperatures an annealing run goes through.

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
        """Return them written out."""
        return linear(self.steps) if self.given is None else list(self.given)


@dataclass(frozen=True)
class AnnealingSettings:
    """What annealing runs are asked for.

    Parameters
    ----------
    space, recording, seed, sums
        As for `ChainSettings`.
    budget
        How many runs.
    schedule
        The temperatures of each.
    stretch, thinning
        Steps at the posterior at the end of a run, and between two kept states of them.
    bins, confidence
        Of a lower bound of the evidence that is wanted besides the usual ones.
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
        """Refuse numbers that are none."""
        for name, least in (("stretch", 0), ("thinning", 1), ("seed", 0)):
            value = whole_number(getattr(self, name), name, at_least=least)
            object.__setattr__(self, name, value)

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm these are settings of."""
        return Algorithm.AIS

    def on(self, space: Space, sums: ScoreSums) -> AnnealingSettings:
        """Return them with all that was left to the model chosen."""
        return replace(
            self,
            space=space,
            recording=self.recording.on(space),
            budget=self.budget.resolved(),
            sums=SumSettings.of(sums),
        )


SamplingSettings = ChainSettings | AnnealingSettings
