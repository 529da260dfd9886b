"""`ais`: independent weighted samples by annealing, and the evidence with guaranteed bounds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.algorithms.annealed_results import AnnealedResults
from arcwise.algorithms.assembly import assemble
from arcwise.algorithms.chain_posterior import acceptance, sums_for, weight_summary
from arcwise.algorithms.prior_constant import prior_constant
from arcwise.engines import opened_engine
from arcwise.errors import ArgumentError, InterruptedWarning
from arcwise.model import Model
from arcwise.model.targets import Target, as_target
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence, effective_runs, log_mean, lower_bound, lower_bounds
from arcwise.records.ladders import as_rising, linear
from arcwise.records.recording import Recording
from arcwise.records.traces import Traces
from arcwise.runs.annealing_log import AnnealingLog
from arcwise.runs.directory import CHECKPOINT_SECONDS, RunDirectory
from arcwise.runs.plain_settings import plain_space, plain_sums
from arcwise.spaces import as_space
from arcwise.sums import ScoreSums
from arcwise.support.checks import whole_number
from arcwise.support.running import Moment, Progress, Run, running
from arcwise.support.warnings import warn

_PARTICLES = 100
_ROWS_IF_UNKNOWN = 1000
_STATES_PER_RUN = 10
_MOST_RUNS_OF_WEIGHT_ZERO = 4096
_PIECE = 16


def ais(
    model: Model,
    space: Any = "linear",
    *,
    target: Target = "modular",
    particles: int | None = None,
    seconds: float | None = None,
    effective_samples: float | None = None,
    steps: int | None = None,
    schedule: str | Sequence[float] = "linear",
    stretch: int | None = None,
    thinning: int | None = None,
    bins: int | None = None,
    confidence: float = 0.95,
    dags_per_state: int = 1,
    dag_time_share: float | None = None,
    extension_budget: int | None = None,
    estimate_extensions: bool = False,
    seed: int = 0,
    sums: ScoreSums | None = None,
    engine: Any = None,
    threads: int | None = None,
    progress: Progress = None,
    directory: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Sample the posterior by annealed importance sampling.

    Every particle starts from a uniformly random state and moves once at each of
    many temperatures down to the posterior; its weight makes up for what it
    missed on the way. Particles are independent, so the mean of the weights is an
    unbiased estimate of the evidence and bounds it from below with high
    probability.

    Parameters
    ----------
    model, space
        As for `mcmc`.
    target
        Which posterior is wanted, see `exact`.
    particles, seconds, effective_samples
        The budget: a number of particles (100 by default), or wall-clock time, or their
        effective number, (sum of weights)^2 / (sum of their squares).
    steps
        The number of annealing steps of a particle; None for variables x rows.
    schedule
        ``"linear"``, or the inverse temperatures themselves, rising from 0 to 1.
    stretch
        Steps at the posterior after the annealing, from which states are kept;
        None for a quarter of the annealing steps.
    thinning
        Steps of the stretch between two kept states; None for what keeps some ten.
    bins, confidence
        Besides the usual lower bounds, one from so many bins at that confidence.
    dags_per_state, dag_time_share, extension_budget, estimate_extensions, seed, sums, engine, \
threads, progress, directory, checkpoint_seconds
        As for `mcmc`.

    Returns
    -------
    Posterior
        With weighted DAGs, edge probabilities and their errors, and the evidence
        with its standard error and lower bounds. Ctrl-C or SIGTERM ends it early and
        returns what the finished particles say, with an `InterruptedWarning`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> posterior = arcwise.ais(model, target="order-modular", particles=50, steps=800, seed=1)
    >>> bound = posterior.evidence.lower_bounds["slack-2"]
    >>> bound.value < arcwise.exact(model, "order-modular").log_evidence
    True
    """
    start = time.perf_counter()
    wanted = as_target(target)
    chosen = as_space(space)
    recording = Recording(
        wanted, dags_per_state, dag_time_share, extension_budget, estimate_extensions
    ).on(chosen)
    ladder = _schedule(schedule, steps, model)
    stretch_steps = (
        (len(ladder) - 1) // 4 if stretch is None else whole_number(stretch, "stretch", at_least=0)
    )
    thinned = (
        max(1, stretch_steps // _STATES_PER_RUN)
        if thinning is None
        else whole_number(thinning, "thinning", at_least=1)
    )
    score_sums = sums_for(model, sums, threads)
    chosen = chosen.on(score_sums)
    core_space = chosen.build(score_sums)
    budget = _Wanted(particles, seconds, effective_samples).resolved()
    with ExitStack() as stack:
        active = stack.enter_context(opened_engine(engine))
        annealed = active.annealed_runs(score_sums, chosen, open_ended=budget.open_ended)(
            core_space,
            ladder,
            stretch_steps,
            thinned,
            recording.options(edge_batches=2),
            whole_number(seed, "seed", at_least=0),
        )
        log = None
        if directory is not None:
            settings = {
                "algorithm": "ais",
                "space": plain_space(chosen, model.variables),
                "target": wanted,
                **asdict(budget),
                "steps": len(ladder) - 1 if isinstance(schedule, str) else None,
                "schedule": schedule if isinstance(schedule, str) else ladder,
                "stretch": stretch_steps,
                "thinning": thinned,
                "bins": bins,
                "confidence": confidence,
                "dags_per_state": dags_per_state,
                "dag_time_share": dag_time_share,
                "extension_budget": extension_budget,
                "estimate_extensions": estimate_extensions,
                "seed": seed,
                "sums": plain_sums(score_sums),
            }
            place = RunDirectory(Path(directory), settings, model, checkpoint_seconds)
            log = stack.enter_context(place).annealing_log(annealed)
        interrupted = _run(annealed, budget, threads, progress, log)
    results = AnnealedResults.of(annealed)
    found = assemble(model, recording, results.kept, results.kept_log_weights)
    constant, constant_error = prior_constant(model, wanted, chosen, seed=seed, threads=threads)
    totals = results.log_totals(recording.weighted) + core_space.log_size - constant
    evidence = _evidence(totals, constant, constant_error)
    if bins is not None and constant_error == 0.0:
        bound = {f"{bins} bins": lower_bound(totals, bins, confidence)}
        evidence = replace(evidence, lower_bounds={**evidence.lower_bounds, **bound})
    summary = {
        "space": repr(chosen),
        "score_sums": repr(score_sums),
        "runs": len(annealed),
        "runs_of_weight_zero": len(annealed) - len(results.kept),
        "annealing_steps": len(ladder) - 1,
        "schedule": schedule if isinstance(schedule, str) else "given",
        "stretch": stretch_steps,
        "thinning": thinned,
        "seed": seed,
        "dags": 0 if found.dags is None else len(found.dags),
        "interrupted": interrupted,
        "acceptance": acceptance([annealed.moves()]),
        "effective_runs": effective_runs(results.log_weights),
        **weight_summary(found.dags, recording, results.kept),
        "seconds": time.perf_counter() - start,
    }
    return Posterior(
        variables=model.variables,
        target=wanted,
        algorithm="ais",
        edges=found.edges,
        edge_errors=found.edge_errors,
        evidence=evidence,
        map_dag=found.best,
        map_log_weight=found.best_log_weight,
        dags=found.dags,
        traces=Traces((results.log_weights,), len(ladder) - 1 + stretch_steps),
        summary=summary,
        provenance=model.provenance(),
        model=None if model.stored else model,
    )


@dataclass(frozen=True)
class _Wanted:
    """How many particles, how long, or to what effect."""

    particles: int | None
    seconds: float | None
    effective_samples: float | None

    @property
    def open_ended(self) -> bool:
        return self.seconds is not None or self.effective_samples is not None

    def __post_init__(self) -> None:
        if self.particles is not None:
            whole_number(self.particles, "particles", at_least=1)
            if self.seconds is not None or self.effective_samples is not None:
                raise ArgumentError("give particles, or seconds and effective_samples, not both")
        for name in ("seconds", "effective_samples"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ArgumentError(f"{name} is {value!r}; give a positive number")

    def resolved(self) -> _Wanted:
        """Return it with the usual number of particles, if it sets no end."""
        return self if self != _Wanted(None, None, None) else replace(self, particles=_PARTICLES)


def _schedule(schedule: str | Sequence[float], steps: int | None, model: Model) -> list[float]:
    if not isinstance(schedule, str):
        if steps is not None:
            raise ArgumentError("give steps or the schedule itself, not both")
        ladder = as_rising(schedule, "schedule")
        if ladder[0] != 0.0:
            raise ArgumentError(f"schedule starts at {ladder[0]!r}; let it rise from 0 to 1")
        return ladder
    if schedule != "linear":
        raise ArgumentError(
            f"schedule is {schedule!r}; give 'linear' or rising numbers from 0 to 1"
        )
    if steps is not None:
        return linear(whole_number(steps, "steps", at_least=1))
    rows = _ROWS_IF_UNKNOWN if model.data is None else model.data.rows
    return linear(len(model.variables) * rows)


def _run(
    annealed: Any,
    wanted: _Wanted,
    threads: int | None,
    progress: Progress,
    log: AnnealingLog | None,
) -> bool:
    """Make runs until there are enough; say whether Ctrl-C came first."""
    try:
        with running(threads, progress, "ais") as run:
            if not wanted.open_ended:
                assert wanted.particles is not None
                _run_so_many(annealed, wanted.particles, run, log)
            elif log is None or not log.finished:
                _run_by_pieces(annealed, wanted, run, log)
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


def _run_so_many(annealed: Any, count: int, run: Run, log: AnnealingLog | None) -> None:
    if run.progress is None and log is None:
        annealed.run(0, count, run.threads, None)
        return
    teller = _Teller(annealed, run.progress)
    least = getattr(annealed, "least_piece", 1)  # an engine may need many to be busy
    # As many again each time: every run has random numbers of its own, wherever pieces end.
    while (done := len(annealed)) < count:
        left = count - done
        piece = min(max(_PIECE, least, done), left)
        piece = piece if log is None else min(max(log.part(piece), least), left)

        def within(share: float, done: int = done, piece: int = piece) -> None:
            teller.tell((done + share * piece) / count, done + share * piece)

        annealed.run(done, piece, run.threads, within)
        if log is not None:
            log.rest()
        teller.look()
    teller.tell(1.0, count)


def _run_by_pieces(annealed: Any, wanted: _Wanted, run: Run, log: AnnealingLog | None) -> None:
    start = time.perf_counter() if log is None else log.began
    teller = _Teller(annealed, run.progress)
    # Whole pieces of the same size: were the last runs cut off, long ones would be too rare.
    while True:
        done = len(annealed)
        if done > 0 and done % _PIECE == 0:
            effective = teller.look()
            shares = []
            if wanted.seconds is not None:
                shares.append((time.perf_counter() - start) / wanted.seconds)
            if wanted.effective_samples is not None:
                shares.append(effective / wanted.effective_samples)
            teller.tell(min(1.0, max(shares)), done)
            if max(shares) >= 1.0 or (done >= _MOST_RUNS_OF_WEIGHT_ZERO and effective == 0):
                return
        annealed.run(done, _PIECE - done % _PIECE, run.threads, None)
        if log is not None:
            log.rest()


class _Teller:
    """Tells how annealing stands: runs in a second, and what their weights are worth."""

    def __init__(
        self, annealed: _core.AnnealedRuns, progress: Callable[[float], None] | None
    ) -> None:
        self._annealed = annealed
        self._progress = progress
        self._effective: float | None = None
        self._start = time.perf_counter()

    def look(self) -> float:
        self._effective = effective_runs(self._annealed.log_weights())
        return self._effective

    def tell(self, share: float, runs: float) -> None:
        if self._progress is None:
            return
        seconds = time.perf_counter() - self._start
        moment = Moment(
            share,
            steps=int(runs),
            rate=runs / seconds if runs > 0 and seconds > 0 else None,
            unit="runs",
            effective=self._effective,
            seconds_left=seconds * (1 / share - 1) if share > 0 else None,
        )
        self._progress(moment)


def _evidence(totals: NDArray[np.float64], constant: float, constant_error: float) -> Evidence:
    estimate, error = log_mean(totals)
    return Evidence(
        log_evidence=estimate,
        standard_error=float(np.hypot(error, constant_error)),
        # With an estimated constant there is no guarantee left to state.
        lower_bounds=lower_bounds(totals) if constant_error == 0.0 else {},
        log_prior_constant=constant,
        log_prior_constant_error=constant_error,
        method="annealed importance sampling",
    )
