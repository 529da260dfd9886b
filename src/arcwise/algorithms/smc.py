"""`smc`: sequential Monte Carlo, populations of particles that are resampled as they cool.

From one inverse temperature to the next, b to b', a particle at s gets the weight w(s)^(b' - b).
When the effective share of the weights of a population, (sum of weights)^2 / (n * sum of squares),
has fallen, particles are resampled by these weights, and all move at b'. As a pilot fixes
temperatures and steps beforehand, the product of the mean weights has the mean (sum of all
weights) / (number of states) (Del Moral, Doucet and Jasra 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Self

from arcwise import _core
from arcwise.algorithms.annealing import anneal, too_short
from arcwise.algorithms.chains import SamplingSession
from arcwise.errors import TimeIsUpError
from arcwise.model import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import Posterior
from arcwise.records.runs import PopulationPlan
from arcwise.records.settings import (
    Algorithm,
    AnnealingBudget,
    AnnealingSettings,
    OfModel,
    Schedule,
)
from arcwise.spaces import CanonicalOrders
from arcwise.support.checks import MOST_INT, open_fraction, whole_number
from arcwise.support.running import Deadline, Run
from arcwise.support.settings import keywords_of, setting

_FINEST_STEPS = 20_000  # of the path from which populations choose their temperatures
_DEFAULT_PARTICLES = 256
_FEWER_PARTICLES = (64, 16)


@dataclass(frozen=True, kw_only=True)
class SMC(AnnealingSettings):
    """The options of `smc`; its budget is a number of runs or the seconds."""

    sampler: ClassVar[Algorithm] = Algorithm.SMC

    particles: int | None = setting(
        None,
        "The number of particles of each population, 256 by default.",
        check=partial(whole_number, at_least=2, at_most=MOST_INT),
        metavar="N",
    )
    runs: int | None = setting(
        None,
        "The number of independent populations of `smc`, 8 by default where there is no limit in "
        "seconds. Populations that are under way when the time is over are dropped. If not even "
        "one can be finished in time, that is an error, but without `particles` and `directory` "
        "smaller ones are tried first, of 64 and of 16, with a `CutShortWarning`.",
        check=partial(whole_number, at_least=1),
        help="Number of populations of smc (default: 8).",
        metavar="N",
    )
    steps: int | None = setting(
        None,
        "The number of steps of a particle at each temperature; None to choose it for each.",
        check=partial(whole_number, at_least=1),
        metavar="N",
    )
    effective_share: float = setting(
        0.9,
        "The effective share of the particles that remains from one temperature to the next: "
        "closer to 1, there are more temperatures.",
        check=open_fraction,
        in_shell=False,
    )
    stretch: int | None = setting(
        0,
        "The number of steps at the posterior after annealing, from which states are kept; 0 keeps "
        "one state of each particle.",
        check=partial(whole_number, at_least=0),
        in_shell=False,
    )
    thinning: int | None = setting(
        1,
        "Steps of the stretch between kept states.",
        check=partial(whole_number, at_least=1),
        metavar="N",
    )

    @property
    def states_per_run(self) -> int:
        """The number of particles of a population."""
        return _DEFAULT_PARTICLES if self.particles is None else self.particles

    def limits(self, seconds: float | None) -> AnnealingBudget:
        """Return the number of populations, or their total time."""
        return AnnealingBudget(self.runs, seconds).named("runs")

    @property
    def cooling(self) -> Schedule:
        """The finest schedule, from which populations choose their temperatures."""
        return Schedule(_FINEST_STEPS, bridge=isinstance(self.space, CanonicalOrders))

    def completed(self, model: Model, sums: ScoreSums, deadline: Deadline) -> Self:
        """Return the settings with the defaults that depend on the model."""
        return self._on(
            sums,
            particles=self.states_per_run,
            runs=self.limits(deadline.seconds).resolved(self.sampler).runs,
            stretch=self.stretch or 0,
            thinning=self.thinning or 1,
        )

    def least_variance(self, plan: PopulationPlan | None) -> float:
        """Return the relative variance of the weight of a population with ideal moves.

        From one temperature to the next, a share of the P particles remains effective, so that the
        mean of their weights has the relative variance (1 / share - 1) / P; these add up.
        """
        if plan is None:
            return 0.0
        # One particle is always effective.
        share = max(self.effective_share, 1.0 / self.states_per_run)
        return len(plan.steps) * (1.0 / share - 1.0) / self.states_per_run


def _planned(
    session: SamplingSession[AnnealingSettings], fewer: Sequence[int]
) -> tuple[SamplingSession[AnnealingSettings], PopulationPlan]:
    """Return the plan of populations, and the session with the number of particles that fit."""
    settings, deadline = session.settings, session.run.deadline
    assert isinstance(settings, SMC)
    particles = settings.states_per_run
    for number in (particles, *fewer):
        of_size = replace(settings, particles=number)
        try:
            plan = _plan(session, of_size)
        except TimeIsUpError:
            continue
        if number < particles:
            deadline.cut(
                f"Populations have {number} particles, as those of {particles} would have taken "
                "too long."
            )
        return replace(session, settings=of_size), plan
    raise too_short(settings, session.run)


_CORRELATION = 0.1  # of log weights before and after the steps at a temperature
_MOST_SWEEPS = 64  # at a temperature, of n steps each for n variables
_PILOT = 0x5EED_0F_7E57_F00D  # seeds of pilots


def _plan(session: SamplingSession[AnnealingSettings], settings: SMC) -> PopulationPlan:
    """Run a pilot, whose result depends on the settings alone, and return its plan."""
    n, fixed, run = len(session.model.ordinary), settings.steps, session.run
    with run.quiet.stage("pilot", timed=False) as stage:
        # All threads share the pilot, but each of them then runs a whole population, of the same
        # number of steps.
        in_time = run.deadline.part(1 / (2 + stage.threads))
        points, steps = _core.plan_population(
            session.core_space,
            settings.cooling.path(n),
            settings.states_per_run,
            settings.effective_share,
            _CORRELATION,
            n if fixed is None else fixed,
            _MOST_SWEEPS if fixed is None else 1,
            run.seed ^ _PILOT,
            stage.threads,
            in_time.watch(None),
        )
    inverses, places = zip(*points, strict=True)
    return PopulationPlan(
        tuple(inverses), tuple(places) if settings.cooling.bridge else None, tuple(steps)
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(Run, SMC, OfModel):
    """The arguments of `smc`."""


@keywords_of(_Arguments)
def smc(model: Model, settings: SMC, run: Run) -> Posterior:
    """Sample the posterior by sequential Monte Carlo.

    A population of particles starts from uniformly random states and passes through temperatures
    down to the posterior. At each of them, particles of low weight are replaced by copies of those
    of high weight, and all move until they have decorrelated. A pilot population chooses the
    temperatures, such that the weights of particles stay about equal from one to the next, and the
    number of steps at each; all runs then follow its plan, so that their weights are unbiased
    estimates of the evidence.

    Parameters
    ----------
    model
        The model. On `CanonicalOrders`, the path follows the bridge from the order-modular
        posterior to the modular one.

    Returns
    -------
    Posterior
        With weighted DAGs, edge probabilities and their standard errors, and the evidence
        with its standard error and lower bounds. Ctrl-C or SIGTERM ends the run early and
        returns the result of the populations finished so far, with an `InterruptedWarning`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> posterior = arcwise.smc(model, "canonical", particles=50, seed=1)
    >>> exact = arcwise.exact(model)
    >>> abs(posterior.log_evidence - exact.log_evidence) < 0.5
    True
    """
    with run.telling():
        return populated(model, settings, run)


def populated(model: Model, settings: SMC, run: Run) -> Posterior:
    """Run the populations; see `smc`."""
    # A resumed run must have the number of particles that it began with.
    free = settings.particles is None and run.deadline.limited and run.directory is None
    fewer = _FEWER_PARTICLES if free else ()
    return anneal(model, settings, run, partial(_planned, fewer=fewer))
