"""From a model and a space to the posterior of independent annealing runs."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from arcwise.algorithms.annealed_results import AnnealedResults
from arcwise.algorithms.assembly import assemble, order_weights
from arcwise.algorithms.chains import acceptance
from arcwise.algorithms.prior_constant import prior_constant
from arcwise.algorithms.sampling_session import Environment, SamplingSession, opened_session
from arcwise.engines.sampling_jobs import AnnealedRuns, AnnealingJob
from arcwise.errors import InterruptedWarning
from arcwise.model import Model
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence, effective_runs, log_mean, lower_bound, lower_bounds
from arcwise.records.convergence import Convergence
from arcwise.records.runs import AnnealingRun
from arcwise.records.settings import AnnealingBudget, AnnealingSettings
from arcwise.records.traces import Traces
from arcwise.runs.annealing_log import AnnealingLog
from arcwise.sums import ScoreSums
from arcwise.support.running import ProgressUpdate, Run, running
from arcwise.support.warnings import warn

_MOST_RUNS_OF_WEIGHT_ZERO = 4096
_PIECE = 16


def anneal(
    model: Model, settings: AnnealingSettings, sums: ScoreSums | None, environment: Environment
) -> Posterior:
    """Make annealing runs and return what they say; see `ais`.

    Parameters
    ----------
    model
        The model.
    settings
        What is asked for.
    sums
        The score sums, if they are at hand already.
    environment
        Where it runs.
    """
    start = time.perf_counter()
    with opened_session(model, settings, sums, environment) as session:
        settings = session.settings
        annealed = session.engine.annealed_runs(_job(session))
        log = None if session.directory is None else session.directory.annealing_log(annealed)
        interrupted = _make_runs(session, annealed, log)
    results = AnnealedResults.of(annealed)
    recording = settings.recording
    found = assemble(model, recording, results.records, results.finite_log_weights)
    evidence = _evidence(session, results)
    run = AnnealingRun(
        settings=settings,
        runs=len(annealed),
        runs_of_weight_zero=len(annealed) - len(results.records),
        moves=acceptance([annealed.moves()]),
        dags=0 if found.dags is None else len(found.dags),
        interrupted=interrupted,
        convergence=Convergence(ess=effective_runs(results.log_weights)),
        order_weights=order_weights(found.dags, recording, results.records),
        seconds=time.perf_counter() - start,
    )
    return Posterior(
        variables=model.variables,
        target=recording.target,
        run=run,
        edges=found.edges,
        edge_errors=found.edge_errors,
        evidence=evidence,
        map_dag=found.best,
        map_log_weight=found.best_log_weight,
        dags=found.dags,
        traces=Traces((results.log_weights,), settings.schedule.steps + settings.stretch),
        provenance=model.provenance(),
        model=None if model.stored else model,
    )


def _job(session: SamplingSession[AnnealingSettings]) -> AnnealingJob:
    settings = session.settings
    return AnnealingJob(
        session.sums,
        settings.space,
        session.core_space,
        settings.schedule.inverse_temperatures(),
        settings.stretch,
        settings.thinning,
        settings.recording.options(edge_batches=2),
        settings.seed,
        settings.budget.open_ended,
    )


def _make_runs(
    session: SamplingSession[AnnealingSettings], annealed: AnnealedRuns, log: AnnealingLog | None
) -> bool:
    """Make runs until there are enough; say whether Ctrl-C came first."""
    budget, environment = session.settings.budget, session.environment
    try:
        with running(environment.threads, environment.progress, session.settings.algorithm) as run:
            if not budget.open_ended:
                assert budget.particles is not None
                fewest = session.engine.fewest_runs_at_once
                _make_so_many(annealed, budget.particles, fewest, run, log)
            elif log is None or not log.finished:
                _make_by_pieces(annealed, budget, run, log)
        if log is not None:
            log.save(finished=True)
    except KeyboardInterrupt:
        if log is not None:
            log.save()
        if len(annealed) == 0:
            raise
        warn(
            f"the run was interrupted; the result rests on the {len(annealed)} particles "
            "finished so far",
            InterruptedWarning,
        )
        return True
    return False


def _make_so_many(
    annealed: AnnealedRuns, count: int, fewest: int, run: Run, log: AnnealingLog | None
) -> None:
    if run.progress is None and log is None:
        annealed.run(0, count, run.threads, None)
        return
    reporter = _ProgressReporter(annealed, run.progress)
    # As many again each time: every run has random numbers of its own, wherever pieces end.
    while (done := len(annealed)) < count:
        left = count - done
        piece = min(max(_PIECE, fewest, done), left)
        piece = piece if log is None else min(max(log.part(piece), fewest), left)

        def within(share: float, done: int = done, piece: int = piece) -> None:
            reporter.report((done + share * piece) / count, done + share * piece)

        annealed.run(done, piece, run.threads, within)
        if log is not None:
            log.rest()
        reporter.measure()
    reporter.report(1.0, count)


def _make_by_pieces(
    annealed: AnnealedRuns, budget: AnnealingBudget, run: Run, log: AnnealingLog | None
) -> None:
    start = time.perf_counter() if log is None else log.began
    reporter = _ProgressReporter(annealed, run.progress)
    # Whole pieces of the same size: were the last runs cut off, long ones would be too rare.
    while True:
        done = len(annealed)
        if done > 0 and done % _PIECE == 0:
            effective = reporter.measure()
            shares = []
            if budget.seconds is not None:
                shares.append((time.perf_counter() - start) / budget.seconds)
            if budget.effective_samples is not None:
                shares.append(effective / budget.effective_samples)
            reporter.report(min(1.0, max(shares)), done)
            if max(shares) >= 1.0 or (done >= _MOST_RUNS_OF_WEIGHT_ZERO and effective == 0):
                return
        annealed.run(done, _PIECE - done % _PIECE, run.threads, None)
        if log is not None:
            log.rest()


class _ProgressReporter:
    """Tells how annealing stands: runs in a second, and what their weights are worth."""

    def __init__(self, annealed: AnnealedRuns, progress: Callable[[float], None] | None) -> None:
        self._annealed = annealed
        self._progress = progress
        self._effective: float | None = None
        self._start = time.perf_counter()

    def measure(self) -> float:
        self._effective = effective_runs(self._annealed.log_weights())
        return self._effective

    def report(self, share: float, runs: float) -> None:
        if self._progress is None:
            return
        seconds = time.perf_counter() - self._start
        update = ProgressUpdate(
            share,
            steps=int(runs),
            rate=runs / seconds if runs > 0 and seconds > 0 else None,
            unit="runs",
            effective=self._effective,
            seconds_left=seconds * (1 / share - 1) if share > 0 else None,
        )
        self._progress(update)


def _evidence(session: SamplingSession[AnnealingSettings], results: AnnealedResults) -> Evidence:
    settings = session.settings
    constant, constant_error = prior_constant(
        session.model,
        settings.recording.target,
        settings.space,
        seed=settings.seed,
        threads=session.environment.threads,
    )
    totals = results.log_totals(settings.recording.weighted)
    totals = totals + session.core_space.log_size - constant
    bounds = {}
    # With an estimated constant there is no guarantee left to state.
    if constant_error == 0.0:
        bounds = lower_bounds(totals)
        if settings.bins is not None:
            bound = lower_bound(totals, settings.bins, settings.confidence)
            bounds[f"{settings.bins} bins"] = bound
    estimate, error = log_mean(totals)
    return Evidence(
        log_evidence=estimate,
        standard_error=float(np.hypot(error, constant_error)),
        lower_bounds=bounds,
        log_prior_constant=constant,
        log_prior_constant_error=constant_error,
        method="annealed importance sampling",
    )
