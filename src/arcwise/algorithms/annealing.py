"""Anneals particles or populations over a space, and returns the posterior they estimate."""

from __future__ import annotations

import time
from collections.abc import Callable

from arcwise import _core
from arcwise.algorithms.chains import SamplingSession, opened_session
from arcwise.algorithms.estimates import AnnealedResults, assemble, order_weights
from arcwise.algorithms.normalizing_constants import constant_in_time
from arcwise.diagnostics.findings import doubts_of_populations
from arcwise.engines import AnnealedRuns, AnnealingJob, acceptance
from arcwise.errors import InterruptedWarning, TimeIsUpError, option
from arcwise.model import Model
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence, lower_bound, lower_bounds
from arcwise.records.chain_record import Traces
from arcwise.records.runs import AnnealingRun, PopulationPlan
from arcwise.records.settings import Algorithm, AnnealingSettings, Convergence, filled
from arcwise.runs.driver import AnnealingDriver
from arcwise.statistics.log_estimates import LogEstimate, effective_runs
from arcwise.support.running import Run, warn

_SHARE_OF_CONSTANT = 0.3  # of the time, for the constant of the prior
_UNITS = {Algorithm.AIS: "particles", Algorithm.SMC: "populations"}
_METHODS = {Algorithm.AIS: "annealed importance sampling", Algorithm.SMC: "sequential Monte Carlo"}


Planned = Callable[
    [SamplingSession[AnnealingSettings]], tuple[SamplingSession[AnnealingSettings], PopulationPlan]
]
"""Returns the plan of populations, and the session with the number of particles that fit."""


def anneal(
    model: Model, settings: AnnealingSettings, run: Run, planned: Planned | None = None
) -> Posterior:
    """Anneal particles, or populations by a plan, and return the posterior; see `ais` and `smc`."""
    start = time.perf_counter()
    with opened_session(model, settings, run) as session:
        constant = constant_in_time(
            model, settings.modularity, settings.space, run.within(_SHARE_OF_CONSTANT)
        )
        plan = None
        if planned is not None:
            session, plan = planned(session)
        settings = session.settings
        annealed = session.engine.annealed_runs(_job(session, plan))
        interrupted = _anneal_all(session, annealed)
    results = AnnealedResults.of(annealed)
    found = assemble(model, settings, results.records, results.finite_log_weights)
    evidence = None if constant is None else _evidence(session, results, plan, constant)
    record = AnnealingRun(
        settings=settings,
        seed=run.seed,
        runs=len(annealed),
        runs_of_weight_zero=len(annealed) - len(results.records),
        moves=acceptance(annealed.moves()),
        dags=0 if found.dags is None else len(found.dags),
        interrupted=interrupted,
        convergence=Convergence(ess=settings.states_per_run * effective_runs(results.log_weights)),
        plan=plan,
        order_weights=order_weights(found.dags, settings, results.records),
        seconds=time.perf_counter() - start,
    )
    traces = Traces((results.log_weights,), _steps_per_run(settings, plan))
    return found.posterior(model, record, evidence=evidence, traces=traces)


def _job(session: SamplingSession[AnnealingSettings], plan: PopulationPlan | None) -> AnnealingJob:
    settings = session.settings
    path = settings.cooling.path(len(session.model.ordinary)) if plan is None else plan.path
    return AnnealingJob(
        session.sums,
        settings.space,
        session.core_space,
        filled(
            _core.AnnealingOptions(),
            settings,
            path=path,
            record=settings.record_options(edge_batches=2),
            population=settings.states_per_run,
            steps_by_temperature=() if plan is None else plan.steps,
        ),
        session.run.seed,
        settings.limits(session.run.deadline.seconds).open_ended,
    )


def _steps_per_run(settings: AnnealingSettings, plan: PopulationPlan | None) -> int:
    steps = settings.cooling.steps if plan is None else sum(plan.steps)
    return steps + (settings.stretch or 0)


def _anneal_all(session: SamplingSession[AnnealingSettings], annealed: AnnealedRuns) -> bool:
    """Anneal until the budget is spent; return whether the run was interrupted."""
    settings, run = session.settings, session.run
    units = _UNITS[settings.sampler]
    fewest = session.engine.fewest_runs_at_once
    try:
        with run.stage(settings.sampler, timed=False) as stage:
            driver = AnnealingDriver(
                annealed, settings, fewest, stage, run.deadline, session.checkpoints
            )
            driver.drive()
    except TimeIsUpError:
        raise too_short(settings, run) from None
    except KeyboardInterrupt:
        if len(annealed) == 0:
            raise
        warn(
            f"the run was interrupted; the result is based on the {len(annealed)} {units} "
            "finished so far",
            InterruptedWarning,
        )
        return True
    if driver.was_cut:
        run.deadline.cut(f"{len(annealed)} {units} were annealed, as the time was up.")
    return False


def too_short(settings: AnnealingSettings, run: Run) -> TimeIsUpError:
    """Return the error of a budget in seconds in which not even one run can be finished."""
    name = "steps" if settings.sampler is Algorithm.AIS else "particles"
    return TimeIsUpError(
        option("seconds"),
        f" is {run.deadline.seconds!r}, which is too short for a single "
        f"{_UNITS[settings.sampler][:-1]}; give more, or fewer ",
        option(name),
    )


def _evidence(
    session: SamplingSession[AnnealingSettings],
    results: AnnealedResults,
    plan: PopulationPlan | None,
    of_prior: tuple[float, float],
) -> Evidence:
    settings = session.settings
    constant, constant_error = of_prior
    totals = results.log_totals(settings.weighted)
    totals = totals + session.core_space.log_size - constant
    bounds = {}
    # With an estimated constant the bounds would no longer be guaranteed.
    if constant_error == 0.0:
        bounds = lower_bounds(totals)
        if settings.bins is not None:
            bound = lower_bound(totals, settings.bins, settings.confidence)
            bounds[f"{settings.bins} bins"] = bound
    return Evidence.estimated(
        LogEstimate.of_weights(
            totals + constant, settings.states_per_run, settings.least_variance(plan)
        ),
        method=_METHODS[settings.sampler],
        advice=settings.remedy,
        constant=constant,
        constant_error=constant_error,
        lower_bounds=bounds,
        doubts=[] if plan is None else doubts_of_populations(session.model),
    )
