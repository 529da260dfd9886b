"""`ais`: annealed importance sampling, and the evidence with guaranteed bounds.

A particle starts at a uniformly random state s_0 and makes one step at each of the inverse
temperatures 0 = b_0 < b_1 < ... < b_K = 1. Its weight

    prod_k  w(s_{k-1})^(b_k - b_{k-1})

has the mean (sum of all weights) / (number of states), so that the mean over particles is an
unbiased estimate of the evidence, and their weighted states follow the posterior (Neal 2001;
paper 001, section 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

from arcwise.algorithms.annealing import anneal
from arcwise.errors import ArgumentError, Wording, option
from arcwise.model import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import Posterior
from arcwise.records.settings import (
    Algorithm,
    AnnealingBudget,
    AnnealingSettings,
    OfModel,
    Schedule,
    as_rising,
    refuse_without_bridge,
)
from arcwise.support.checks import positive_number, refuse_beyond_memory, whole_number
from arcwise.support.names import shown
from arcwise.support.running import Deadline, Run
from arcwise.support.settings import keywords_of, setting

_STATES_PER_RUN = 10
_BYTES_PER_STEP = 48  # its inverse temperature, in a list and in the core


def _schedule(value: Any, name: Wording) -> str | tuple[float, ...]:
    if not isinstance(value, str):
        ladder = as_rising(value, "schedule")
        if ladder[0] != 0.0:
            raise ArgumentError(f"schedule starts at {ladder[0]!r}; let it rise from 0 to 1")
        return tuple(ladder)
    if value not in ("linear", "bridge"):
        raise ArgumentError(
            f"schedule is {shown(value)}; give 'linear', 'bridge' or rising numbers from 0 to 1"
        )
    return value


@dataclass(frozen=True, kw_only=True)
class AIS(AnnealingSettings):
    """The options of `ais`."""

    sampler: ClassVar[Algorithm] = Algorithm.AIS

    particles: int | None = setting(
        None,
        "The number of particles of `ais`, 100 by default (1,000 for `learn`), or of each "
        "population of `smc`, 256 by default.",
        check=partial(whole_number, at_least=1),
        help="Number of particles of ais (default: 100, for learn 1000), or of each population of "
        "smc (256).",
        metavar="N",
    )
    effective_samples: float | None = setting(
        None,
        "The effective sample size to reach: (sum of weights)^2 / (sum of squared weights).",
        check=positive_number,
        in_shell=False,
    )
    steps: int | None = setting(
        None,
        "The number of annealing steps of a particle; None for variables x rows, or with `seconds` "
        "for fewer if about a hundred particles would otherwise take longer.",
        check=partial(whole_number, at_least=1),
        metavar="N",
    )
    schedule: str | Sequence[float] = setting(
        "linear",
        '``"linear"``, or the inverse temperatures themselves, rising from 0 to 1; for '
        '`CanonicalOrders` also ``"bridge"``: half of the steps lead to the order-modular '
        "posterior, and half from there to the modular one.",
        check=_schedule,
        in_shell=False,
        stored=Any,
    )

    def __post_init__(self) -> None:
        """Refuse steps besides a schedule, and a schedule that the space does not have."""
        super().__post_init__()
        if self.schedule == "bridge":
            refuse_without_bridge(self.space, "schedule")
        if self.steps is None:
            return
        if not isinstance(self.schedule, str):
            if self.steps != len(self.schedule) - 1:
                raise ArgumentError("both steps and a schedule were given; give only one of them")
            return
        least = 2 if self.schedule == "bridge" else 1
        whole_number(self.steps, option("steps"), at_least=least)
        refuse_beyond_memory(self.steps, option("steps"), _BYTES_PER_STEP)

    @property
    def states_per_run(self) -> int:
        """The number of particles of a run, which is a single one."""
        return 1

    def limits(self, seconds: float | None) -> AnnealingBudget:
        """Return the number of particles, their total time or the effective sample size."""
        return AnnealingBudget(self.particles, seconds, self.effective_samples).named("particles")

    @property
    def cooling(self) -> Schedule:
        """The annealing schedule."""
        if not isinstance(self.schedule, str):
            return Schedule(len(self.schedule) - 1, tuple(self.schedule))
        assert self.steps is not None
        return Schedule(self.steps, bridge=self.schedule == "bridge")

    def completed(self, model: Model, sums: ScoreSums, deadline: Deadline) -> Self:
        """Return the settings with the defaults that depend on the model."""
        steps = self.steps
        if not isinstance(self.schedule, str):
            steps = len(self.schedule) - 1
        elif steps is None:
            steps = _usual_steps(model, deadline, bridge=self.schedule == "bridge")
        stretch = steps // 4 if self.stretch is None else self.stretch
        thinning = max(1, stretch // _STATES_PER_RUN) if self.thinning is None else self.thinning
        particles = self.limits(deadline.seconds).resolved(self.sampler).runs
        settings = self._on(sums, steps=steps, stretch=stretch, thinning=thinning)
        return replace(settings, particles=particles)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(Run, AIS, OfModel):
    """The arguments of `ais`."""


@keywords_of(_Arguments)
def ais(model: Model, settings: AIS, run: Run) -> Posterior:
    """Sample the posterior by annealed importance sampling.

    Every particle starts from a uniformly random state and takes one step at each of many
    temperatures down to the posterior; its importance weight corrects for being out of equilibrium
    meanwhile. Particles are independent, so the mean of their weights is an unbiased estimate of
    the evidence and yields lower bounds that hold with high probability.

    Parameters
    ----------
    model
        The model.

    Returns
    -------
    Posterior
        With weighted DAGs, edge probabilities and their standard errors, and the evidence
        with its standard error and lower bounds. Ctrl-C or SIGTERM ends the run early and
        returns the result of the particles finished so far, with an `InterruptedWarning`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> posterior = arcwise.ais(model, modularity="order-modular", particles=50, steps=800, seed=1)
    >>> bound = posterior.evidence.lower_bounds["slack-2"]
    >>> bound.value < arcwise.exact(model, "order-modular").log_evidence
    True
    """
    return anneal(model, settings, run)


_ROWS_IF_UNKNOWN = 1000
_PARTICLES_IN_TIME = 96
_STEPS_WITH_STRETCH = 1.25  # a particle's steps in all, per annealing step


def _usual_steps(model: Model, deadline: Deadline, *, bridge: bool) -> int:
    """Return variables x rows, or with a deadline fewer if that is too slow for many particles."""
    rows = _ROWS_IF_UNKNOWN if model.data is None else model.data.rows
    n = len(model.ordinary)
    most = n * max(rows, 2 if bridge else 0)
    if deadline.seconds is not None:
        # More, smaller batches make the number of completed particles less variable.
        in_time = (
            deadline.seconds * steps_per_second(n) / (_PARTICLES_IN_TIME * _STEPS_WITH_STRETCH)
        )
        most = max(n, min(most, int(in_time)))
    return max(most, 2 if bridge else 1)


def steps_per_second(variables: int) -> float:
    """Return about how many steps a chain over DAGs makes per second on one core.

    The rate depends on the number of variables alone, and not on the machine, so that choices made
    by it are reproducible.

    Examples
    --------
    >>> [round(steps_per_second(n), -3) for n in (20, 200)]
    [350000.0, 62000.0]
    """
    # Measured at 20 variables, for candidates and one further parent.
    return float(350_000.0 * (max(1, variables) / 20) ** -0.75)
