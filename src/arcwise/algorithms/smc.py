"""`smc`: sequential Monte Carlo, populations of particles that are resampled as they cool."""

from __future__ import annotations

import os
from typing import Any

from arcwise.algorithms.annealing import anneal
from arcwise.algorithms.device_engine import engine_on_device
from arcwise.algorithms.sampling_session import Environment
from arcwise.model import Model, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.posterior import Posterior
from arcwise.records.recording import Recording
from arcwise.records.settings import AnnealingBudget, AnnealingSettings, Population, Schedule
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import CanonicalOrders, as_space
from arcwise.sums import ScoreSums
from arcwise.support.clock import Deadline, shared_clock
from arcwise.support.running import Progress

_FINEST_STEPS = 20_000  # of the path from which populations choose their temperatures
_DEFAULT_PARTICLES = 256
_FEWER_PARTICLES = (64, 16)


def smc(
    model: Model,
    space: Any = "linear",
    *,
    modularity: Modularity = "modular",
    particles: int | None = None,
    runs: int | None = None,
    seconds: float | Deadline | None = None,
    steps: int | None = None,
    effective_share: float = 0.9,
    stretch: int = 0,
    thinning: int = 1,
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
    """Sample the posterior by sequential Monte Carlo.

    A population of particles starts from uniformly random states and passes through
    temperatures down to the posterior. At each of them, particles that have fallen behind
    are replaced by copies of those ahead, and all move until they have forgotten where they
    came from. A pilot population chooses the temperatures, so that the weights of particles
    stay about equal from one to the next, and the number of steps at each; all runs then
    follow its plan, so that their weights are unbiased estimates of the evidence.

    Parameters
    ----------
    model, space
        As for `mcmc`. On `CanonicalOrders` the path leads over the bridge, from the
        order-modular posterior to the modular one.
    modularity
        Which posterior to sample, see `exact`.
    particles
        The number of particles of each population, 256 by default.
    runs, seconds
        The budget: a number of independent populations (8 by default), or wall-clock time.
        Populations that are under way when it ends are dropped. If not even one can be
        finished in time, that is an error, but without `particles` and `directory` smaller
        ones are tried first, of 64 and of 16, with a `CutShortWarning`.
    steps
        The number of steps of a particle at each temperature; None to choose it for each.
    effective_share
        The effective share of the particles that remains from one temperature to the next:
        closer to 1, there are more temperatures.
    stretch, thinning, bins, confidence
        As for `ais`; a stretch of 0 keeps one state of each particle.
    dags_per_state, dag_time_share, extension_budget, estimate_extensions, seed, sums, engine, \
threads, device, progress, directory, checkpoint_seconds
        As for `mcmc`; a device needs a number of runs, and the pilot, which plans temperatures and
        steps, runs on processors.

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
    checked_model(model)
    with shared_clock(seconds) as deadline:
        chosen = as_space(space)
        settings = AnnealingSettings(
            space=chosen,
            budget=AnnealingBudget.of("runs", runs, deadline.seconds),
            schedule=Schedule(_FINEST_STEPS, bridge=isinstance(chosen, CanonicalOrders)),
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
            population=Population(
                _DEFAULT_PARTICLES if particles is None else particles, steps, effective_share
            ),
        )
        population = settings.population
        assert population is not None
        engine = engine_on_device(
            model,
            chosen,
            settings.recording,
            settings.budget.resolved(settings.algorithm).runs,
            states=population.particles,
            device=device,
            engine=engine,
            directory=directory,
        )
        environment = Environment(
            engine, threads, progress, directory, checkpoint_seconds, deadline
        )
        # A run that is resumed must find the particles it was begun with.
        free = particles is None and deadline.limited and directory is None
        return anneal(model, settings, sums, environment, _FEWER_PARTICLES if free else ())
