"""`mc3`: Metropolis-coupled chains at several temperatures, and the evidence they estimate."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arcwise.algorithms.chain_posterior import sample_chains
from arcwise.algorithms.sampling_session import Environment
from arcwise.model import Model, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.posterior import Posterior
from arcwise.records.budget import Budget
from arcwise.records.ladders import as_ladder, refuse_without_bridge
from arcwise.records.recording import Recording
from arcwise.records.settings import ChainSettings
from arcwise.records.start import as_order_steps
from arcwise.records.stopping_rule import as_stopping_rule
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import as_space
from arcwise.sums import ScoreSums
from arcwise.support.checks import MOST_INT, whole_number
from arcwise.support.clock import Deadline
from arcwise.support.running import Progress

_EXCHANGES_PER_PAIR = 4
_EXCHANGES_ON_BRIDGE = 2  # each takes as long as summing up two states


def mc3(
    model: Model,
    space: Any = "linear",
    *,
    temperatures: int = 16,
    ladder: str | Sequence[float] | Sequence[tuple[float, float]] = "linear",
    exchanges_per_step: int | None = None,
    modularity: Modularity = "modular",
    steps: int | None = None,
    seconds: float | Deadline | None = None,
    effective_samples: float | None = None,
    until: str | None = None,
    burn_in: float = 0.5,
    thinning: int | None = None,
    chains: int = 4,
    start: str | int = "orders",
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
    """Sample the posterior by Metropolis-coupled Markov chains.

    Each chain holds one state for each temperature, from a (nearly) uniform distribution
    to the posterior. Adjacent temperatures exchange their states, which lets the coldest
    one move between separate modes, and all temperatures together yield an estimate of the
    evidence.

    Parameters
    ----------
    model, space
        As for `mcmc`.
    temperatures
        The number of temperatures, the posterior's included.
    ladder
        ``"linear"``: inverse temperatures from 0 to 1 in equal steps. ``"harmonic"``: 1 / T,
        1 / (T - 1), ..., 1 / 2, 1 for T temperatures; as none is 0, the evidence is not
        estimated. ``"adapted"``: linear at first, then adapted during burn-in so that all
        exchanges have the same acceptance rate. ``"bridge"``, for `CanonicalOrders`: not
        temperatures but places on the way from the order-modular posterior to the modular one,
        adapted likewise; the ratio of the two evidences is estimated. ``"uniform bridge"``: the
        same after temperatures that lead from the uniform distribution to the order-modular
        posterior, so that the evidence is estimated. Or the inverse temperatures themselves,
        increasing to 1, and starting at 0 if the evidence is to be estimated; or pairs of these
        and of places on the bridge, from 0 to 1.
    exchanges_per_step
        The number of exchanges between adjacent temperatures proposed after each step,
        which cost next to nothing; None for 4 per adjacent pair. On the bridge they do cost,
        and None stands for 2 in all.
    modularity, steps, seconds, effective_samples, until, burn_in, thinning, chains, start, \
dags_per_state, dag_time_share, extension_budget, estimate_extensions, seed, sums, engine, \
threads, progress, directory, checkpoint_seconds
        As for `mcmc`; a step moves the states of all temperatures once.

    Returns
    -------
    Posterior
        As for `mcmc`, with the evidence.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mc3(model, temperatures=8, steps=4000, seed=1)
    >>> abs(posterior.log_evidence - arcwise.exact(model).log_evidence) < 0.5
    True
    """
    deadline = Deadline.of(seconds)
    chosen = as_space(space)
    checked_model(model)
    tempering = as_ladder(ladder, temperatures, len(model.variables))
    if tempering.bridge is not None:
        refuse_without_bridge(chosen, "ladder")
        exchanges = _EXCHANGES_ON_BRIDGE
    else:
        exchanges = _EXCHANGES_PER_PAIR * (len(tempering.inverse_temperatures) - 1)
    if exchanges_per_step is not None:
        exchanges = whole_number(
            exchanges_per_step, "exchanges_per_step", at_least=0, at_most=MOST_INT
        )
    settings = ChainSettings(
        space=chosen,
        budget=Budget(
            steps, deadline.seconds, effective_samples, burn_in, thinning, as_stopping_rule(until)
        ),
        recording=Recording(
            as_modularity(modularity),
            dags_per_state,
            dag_time_share,
            extension_budget,
            estimate_extensions,
        ),
        chains=chains,
        seed=seed,
        order_steps=as_order_steps(start),
        tempering=replace(tempering, exchanges_per_step=exchanges),
    )
    environment = Environment(engine, threads, progress, directory, checkpoint_seconds, deadline)
    return sample_chains(model, settings, sums, environment)
