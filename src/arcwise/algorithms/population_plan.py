"""The pilot of sequential Monte Carlo: what all populations do, and how large they can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arcwise import _core
from arcwise.algorithms.sampling_session import SamplingSession
from arcwise.errors import TimeIsUpError, option
from arcwise.records.runs import PopulationPlan
from arcwise.records.settings import AnnealingSettings, Population
from arcwise.support.clock import Deadline
from arcwise.support.running import running

_CORRELATION = 0.1  # of log weights before and after the steps at a temperature
_MOST_SWEEPS = 64  # at a temperature, each of as many steps as there are variables
_PILOT = 0x5EED_0F_7E57_F00D  # seeds of pilots


def planned(
    session: SamplingSession[AnnealingSettings], fewer: Sequence[int]
) -> tuple[SamplingSession[AnnealingSettings], PopulationPlan]:
    """Return the plan of populations, and the session with particles there is time for.

    Parameters
    ----------
    session
        The session.
    fewer
        Numbers of particles to make do with if the pilot of more takes too long.
    """
    population, deadline = session.settings.population, session.environment.deadline
    assert population is not None
    for particles in (population.particles, *fewer):
        of_size = replace(population, particles=particles)
        try:
            plan = _plan(session, of_size, deadline)
        except TimeIsUpError:
            continue
        if particles < population.particles:
            deadline.cut(
                f"Populations have {particles} particles, as those of {population.particles} "
                "would have taken too long."
            )
        settings = replace(session.settings, population=of_size)
        return replace(session, settings=settings), plan
    raise too_short(session.settings)


def too_short(settings: AnnealingSettings) -> TimeIsUpError:
    """Return the error of a budget in seconds in which not even one run can be finished."""
    unit, name = "particle", "steps"
    if settings.population is not None:
        unit, name = "population", "particles"
    return TimeIsUpError(
        option("seconds"),
        f" is {settings.budget.seconds!r}, which is too short for a single {unit}; give more, or "
        "fewer ",
        option(name),
    )


def _plan(
    session: SamplingSession[AnnealingSettings], population: Population, deadline: Deadline
) -> PopulationPlan:
    """Run a pilot, which is the same for the same settings wherever it runs."""
    settings, n = session.settings, len(session.model.ordinary)
    fixed = population.steps
    with running(session.environment.threads, None, "pilot") as run:
        # All threads share the pilot, but then each takes a population of its own, which has as
        # many steps.
        in_time = deadline.part(1 / (2 + run.threads))
        points, steps = _core.plan_population(
            session.core_space,
            settings.schedule.path(n),
            population.particles,
            population.effective_share,
            _CORRELATION,
            n if fixed is None else fixed,
            _MOST_SWEEPS if fixed is None else 1,
            settings.seed ^ _PILOT,
            run.threads,
            in_time.watch(None),
        )
    inverses, places = zip(*points, strict=True)
    return PopulationPlan(
        tuple(inverses), tuple(places) if settings.schedule.bridge else None, tuple(steps)
    )
