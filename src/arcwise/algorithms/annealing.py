"""Runs annealed particles or populations over a space; returns the posterior they estimate."""

from __future__ import annotations

import time
from collections.abc import Sequence

from arcwise.algorithms.annealed_results import AnnealedResults
from arcwise.algorithms.assembly import assemble, order_weights
from arcwise.algorithms.chains import acceptance
from arcwise.algorithms.population_plan import planned, too_short
from arcwise.algorithms.prior_constant import constant_in_time
from arcwise.algorithms.sampling_session import Environment, SamplingSession, opened_session
from arcwise.diagnostics.evidence import doubts_of_populations
from arcwise.diagnostics.findings import advice
from arcwise.engines.sampling_jobs import AnnealedRuns, AnnealingJob
from arcwise.errors import InterruptedWarning, TimeIsUpError
from arcwise.model import Model
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.posterior.lower_bounds import lower_bound, lower_bounds
from arcwise.records.algorithm import Algorithm
from arcwise.records.convergence import Convergence
from arcwise.records.runs import AnnealingRun, PopulationPlan
from arcwise.records.settings import AnnealingSettings
from arcwise.records.traces import Traces
from arcwise.runs.control import AnnealingController
from arcwise.runs.driver import AnnealingDriver
from arcwise.statistics.log_estimate import LogEstimate
from arcwise.statistics.log_weights import effective_runs
from arcwise.sums import ScoreSums
from arcwise.support.running import running
from arcwise.support.warnings import warn

_PIECE = 16
_SHARE_OF_CONSTANT = 0.3  # of the time, for the constant of the prior
_UNITS = {Algorithm.AIS: "particles", Algorithm.SMC: "populations"}
_METHODS = {
    Algorithm.AIS: "annealed importance sampling",
    Algorithm.SMC: "sequential Monte Carlo",
}


def anneal(
    model: Model,
    settings: AnnealingSettings,
    sums: ScoreSums | None,
    environment: Environment,
    fewer: Sequence[int] = (),
) -> Posterior:
    """Anneal particles, or populations, and return the posterior; see `ais` and `smc`.

    Parameters
    ----------
    model
        The model.
    settings
        The settings.
    sums
        The score sums, if already computed.
    environment
        Where and how to run.
    fewer
        Numbers of particles of a population to make do with, if the time is too short.
    """
    start = time.perf_counter()
    with opened_session(model, settings, sums, environment) as session:
        constant = constant_in_time(
            model,
            settings.recording.modularity,
            settings.space,
            seed=session.settings.seed,
            threads=environment.threads,
            deadline=environment.deadline.part(_SHARE_OF_CONSTANT),
        )
        plan = None
        if session.settings.population is not None:
            session, plan = planned(session, fewer)
        settings = session.settings
        annealed = session.engine.annealed_runs(_job(session, plan))
        interrupted = _anneal_all(session, annealed)
    results = AnnealedResults.of(annealed)
    recording = settings.recording
    found = assemble(model, recording, results.records, results.finite_log_weights)
    evidence = None if constant is None else _evidence(session, results, plan, constant)
    run = AnnealingRun(
        settings=settings,
        runs=len(annealed),
        runs_of_weight_zero=len(annealed) - len(results.records),
        moves=acceptance([annealed.moves()]),
        dags=0 if found.dags is None else len(found.dags),
        interrupted=interrupted,
        convergence=Convergence(
            ess=_states_per_run(settings) * effective_runs(results.log_weights)
        ),
        plan=plan,
        order_weights=order_weights(found.dags, recording, results.records),
        seconds=time.perf_counter() - start,
    )
    return Posterior(
        variables=model.variables,
        modularity=recording.modularity,
        run=run,
        edges=found.edges,
        edge_errors=found.edge_errors,
        adjacency_errors=found.adjacency_errors,
        evidence=evidence,
        map_dag=found.best,
        map_log_weight=found.best_log_weight,
        dags=found.dags,
        traces=Traces((results.log_weights,), _steps_per_run(settings, plan)),
        provenance=model.provenance(),
        model=None if model.stored else model,
    )


def _job(session: SamplingSession[AnnealingSettings], plan: PopulationPlan | None) -> AnnealingJob:
    settings = session.settings
    path = settings.schedule.path(len(session.model.ordinary)) if plan is None else plan.path
    return AnnealingJob(
        session.sums,
        settings.space,
        session.core_space,
        path,
        settings.stretch,
        settings.thinning,
        settings.recording.options(edge_batches=2),
        settings.seed,
        settings.budget.open_ended,
        _states_per_run(settings),
        () if plan is None else plan.steps,
    )


def _states_per_run(settings: AnnealingSettings) -> int:
    return 1 if settings.population is None else settings.population.particles


def _steps_per_run(settings: AnnealingSettings, plan: PopulationPlan | None) -> int:
    steps = settings.schedule.steps if plan is None else sum(plan.steps)
    return steps + settings.stretch


def _anneal_all(session: SamplingSession[AnnealingSettings], annealed: AnnealedRuns) -> bool:
    """Anneal until the budget is spent; return whether Ctrl-C came first."""
    settings, environment = session.settings, session.environment
    units = _UNITS[settings.algorithm]
    checkpoints = None
    if session.directory is not None:
        checkpoints = session.directory.annealing_checkpoints(annealed)
    try:
        with running(environment.threads, environment.progress, settings.algorithm) as stage:
            # Populations take long, and are run as many at a time as there are threads.
            size = _PIECE if settings.population is None else stage.threads
            driver = AnnealingDriver(
                annealed,
                AnnealingController.of(settings.budget, size),
                stage,
                checkpoints,
                environment.deadline,
                fewest=session.engine.fewest_runs_at_once,
                may_be_cut=settings.population is not None,
            )
            driver.drive()
    except TimeIsUpError:
        raise too_short(settings) from None
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
        environment.deadline.cut(f"{len(annealed)} {units} were annealed, as the time was up.")
    return False


def least_variance(settings: AnnealingSettings, plan: PopulationPlan | None) -> float:
    """Return the relative variance that the weight of a population has if all its moves are ideal.

    From one temperature to the next, a share of the particles remains effective, which leaves
    the mean of P weights a relative variance of (1 / share - 1) / P; these add up.
    """
    population = settings.population
    if plan is None or population is None:
        return 0.0
    # One particle is always effective.
    share = max(population.effective_share, 1.0 / population.particles)
    of_a_step = (1.0 / share - 1.0) / population.particles
    return len(plan.steps) * of_a_step


def _evidence(
    session: SamplingSession[AnnealingSettings],
    results: AnnealedResults,
    plan: PopulationPlan | None,
    of_prior: tuple[float, float],
) -> Evidence:
    settings = session.settings
    constant, constant_error = of_prior
    totals = results.log_totals(settings.recording.weighted)
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
            totals + constant, _states_per_run(settings), least_variance(settings, plan)
        ),
        method=_METHODS[settings.algorithm],
        advice=advice(settings),
        constant=constant,
        constant_error=constant_error,
        lower_bounds=bounds,
        doubts=[] if settings.population is None else doubts_of_populations(session.model),
    )
