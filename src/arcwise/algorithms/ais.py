"""`ais`: annealed importance sampling, and the evidence with guaranteed bounds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from arcwise.algorithms.annealing import anneal
from arcwise.algorithms.device_engine import engine_on_device
from arcwise.algorithms.rates import steps_per_second
from arcwise.algorithms.sampling_session import Environment
from arcwise.errors import ArgumentError, option
from arcwise.model import Model, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.posterior import Posterior
from arcwise.records.ladders import as_rising, refuse_without_bridge
from arcwise.records.recording import Recording
from arcwise.records.settings import AnnealingBudget, AnnealingSettings, Schedule
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import as_space
from arcwise.sums import ScoreSums
from arcwise.support.checks import refuse_beyond_memory, whole_number
from arcwise.support.clock import Deadline
from arcwise.support.running import Progress
from arcwise.support.words import shown

_ROWS_IF_UNKNOWN = 1000
_STATES_PER_RUN = 10
# Particles that there should be time for, and the steps of one with its stretch.
_PARTICLES_IN_TIME = 96
_STEPS_WITH_STRETCH = 1.25
_BYTES_PER_STEP = 48  # its inverse temperature, in a list and in the core


def ais(
    model: Model,
    space: Any = "linear",
    *,
    modularity: Modularity = "modular",
    particles: int | None = None,
    seconds: float | Deadline | None = None,
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
    device: object = None,
    progress: Progress = None,
    directory: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Sample the posterior by annealed importance sampling.

    Every particle starts from a uniformly random state and takes one step at each of
    many temperatures down to the posterior; its importance weight corrects for having
    been out of equilibrium on the way. Particles are independent, so the mean of their
    weights is an unbiased estimate of the evidence and yields lower bounds that hold with
    high probability.

    Parameters
    ----------
    model, space
        As for `mcmc`.
    modularity
        Which posterior to sample, see `exact`.
    particles, seconds, effective_samples
        The budget: a number of particles (100 by default), wall-clock time, or an
        effective sample size, (sum of weights)^2 / (sum of squared weights).
    steps
        The number of annealing steps of a particle; None for variables x rows, or with
        `seconds` for fewer if about a hundred particles would otherwise take longer.
    schedule
        ``"linear"``, or the inverse temperatures themselves, rising from 0 to 1; for
        `CanonicalOrders` also ``"bridge"``: half of the steps lead to the order-modular
        posterior, and half from there to the modular one.
    stretch
        The number of steps at the posterior after annealing, from which states are kept;
        None for a quarter of the annealing steps.
    thinning
        Steps of the stretch between kept states; None to keep about ten states.
    bins, confidence
        The number of bins and the confidence of a further lower bound.
    dags_per_state, dag_time_share, extension_budget, estimate_extensions, seed, sums, engine, \
threads, device, progress, directory, checkpoint_seconds
        As for `mcmc`; a device needs a number of particles.

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
    checked_model(model)
    deadline = Deadline.of(seconds)
    chosen = as_space(space)
    temperatures = _schedule(schedule, steps, model, deadline)
    if temperatures.bridge:
        refuse_without_bridge(chosen, "schedule")
    if stretch is None:
        stretch = temperatures.steps // 4
    stretch = whole_number(stretch, "stretch", at_least=0)
    if thinning is None:
        thinning = max(1, stretch // _STATES_PER_RUN)
    settings = AnnealingSettings(
        space=chosen,
        budget=AnnealingBudget.of("particles", particles, deadline.seconds, effective_samples),
        schedule=temperatures,
        stretch=stretch,
        thinning=thinning,
        recording=Recording(
            as_modularity(modularity),
            dags_per_state,
            dag_time_share,
            extension_budget,
            estimate_extensions,
        ),
        seed=seed,
        bins=bins,
        confidence=confidence,
    )
    engine = engine_on_device(
        model,
        chosen,
        settings.recording,
        settings.budget.resolved(settings.algorithm).runs,
        device=device,
        engine=engine,
        directory=directory,
    )
    environment = Environment(engine, threads, progress, directory, checkpoint_seconds, deadline)
    return anneal(model, settings, sums, environment)


def _schedule(
    schedule: str | Sequence[float], steps: int | None, model: Model, deadline: Deadline
) -> Schedule:
    if not isinstance(schedule, str):
        if steps is not None:
            raise ArgumentError("both steps and a schedule were given; give only one of them")
        ladder = as_rising(schedule, "schedule")
        if ladder[0] != 0.0:
            raise ArgumentError(f"schedule starts at {ladder[0]!r}; let it rise from 0 to 1")
        return Schedule(len(ladder) - 1, tuple(ladder))
    if schedule not in ("linear", "bridge"):
        raise ArgumentError(
            f"schedule is {shown(schedule)}; give 'linear', 'bridge' or rising numbers from 0 to 1"
        )
    bridge = schedule == "bridge"
    if steps is not None:
        count = whole_number(steps, option("steps"), at_least=2 if bridge else 1)
        refuse_beyond_memory(count, option("steps"), _BYTES_PER_STEP)
        return Schedule(count, bridge=bridge)
    rows = _ROWS_IF_UNKNOWN if model.data is None else model.data.rows
    n = len(model.ordinary)
    most = n * max(rows, 2 if bridge else 0)
    if deadline.seconds is not None:
        # Particles come in pieces, and their number is the less random the more pieces there are.
        in_time = (
            deadline.seconds * steps_per_second(n) / (_PARTICLES_IN_TIME * _STEPS_WITH_STRETCH)
        )
        most = max(n, min(most, int(in_time)))
    return Schedule(max(most, 2 if bridge else 1), bridge=bridge)
