"""`mc3`: Metropolis-coupled chains at several temperatures, and the evidence they estimate."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arcwise.algorithms.chain_posterior import sample_chains
from arcwise.algorithms.device_engine import engine_on_device
from arcwise.algorithms.first_dag import known_edges
from arcwise.algorithms.sampling_session import Environment
from arcwise.model import Model, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.posterior import Posterior
from arcwise.records.budget import Budget
from arcwise.records.ladders import (
    as_ladder,
    refuse_without_bridge,
    usual_steps_between_exchanges,
)
from arcwise.records.recording import Recording
from arcwise.records.settings import ChainSettings
from arcwise.records.start import as_order_steps
from arcwise.records.stopping_rule import as_stopping_rule
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import as_space
from arcwise.sums import ScoreSums
from arcwise.support.clock import Deadline
from arcwise.support.running import Progress


def mc3(
    model: Model,
    space: Any = "linear",
    *,
    temperatures: int | None = None,
    ladder: str | Sequence[float] | Sequence[tuple[float, float]] = "linear",
    steps_between_exchanges: int | None = None,
    modularity: Modularity = "modular",
    steps: int | None = None,
    seconds: float | Deadline | None = None,
    effective_samples: float | None = None,
    until: str | None = None,
    burn_in: float | None = None,
    thinning: int | None = None,
    chains: int = 4,
    start: str | int = "orders",
    known_dag: Any = None,
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
    """Sample the posterior by Metropolis-coupled Markov chains.

    Each chain holds one state for each temperature, from a (nearly) uniform distribution
    to the posterior. Adjacent temperatures exchange their states, which lets the coldest
    one move between separate modes, and all temperatures together yield an estimate of the
    evidence. Exchanges alternate between every other pair of temperatures and the pairs
    between these, so that a state travels on in its direction (Syed et al. 2022); the run
    records how often one went from the hottest temperature to the coldest and back.

    Parameters
    ----------
    model, space
        As for `mcmc`.
    temperatures
        The number of temperatures, the posterior's included. None: where the ladder adapts,
        8 at first, to which the burn-in adds as many as it takes to accept about half of the
        exchanges, up to 64, for each chain by itself; otherwise 16.
    ladder
        ``"linear"``: inverse temperatures from 0 to 1 in equal steps. ``"harmonic"``: 1 / T,
        1 / (T - 1), ..., 1 / 2, 1 for T temperatures; as none is 0, the evidence is not
        estimated. ``"adapted"``: linear at first, then adapted during burn-in so that all
        exchanges have the same acceptance rate: better where modes are separate or the
        evidence is wanted, at the price of fewer cold temperatures. ``"bridge"``, for
        `CanonicalOrders`: not temperatures but places on the way from the order-modular
        posterior to the modular one, adapted likewise; the ratio of the two evidences is
        estimated. ``"uniform bridge"``: the same after temperatures that lead from the
        uniform distribution to the order-modular posterior, so that the evidence is estimated.
        Or the inverse temperatures themselves, increasing to 1, and starting at 0 if the
        evidence is to be estimated; or pairs of these and of places on the bridge, from 0 to 1.
    steps_between_exchanges
        The number of steps of each temperature before exchanges are proposed. None for a
        quarter of the number of variables. Where there are more threads than chains, the
        temperatures of a chain share them during these steps.
    modularity, steps, seconds, effective_samples, until, burn_in, thinning, chains, start, \
known_dag, dags_per_state, dag_time_share, extension_budget, estimate_extensions, seed, sums, \
engine, threads, device, progress, directory, checkpoint_seconds
        As for `mcmc`; a step moves the states of all temperatures once. On a device every chain
        has the same temperatures, adapted to all of them, and numberings of `CanonicalOrders`
        stay as they are.

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
    tempering = as_ladder(ladder, temperatures, len(model.ordinary))
    if tempering.bridge is not None:
        refuse_without_bridge(chosen, "ladder")
    between = steps_between_exchanges
    if between is None:
        between = usual_steps_between_exchanges(len(model.ordinary))
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
        known_dag=known_edges(model, known_dag),
        tempering=replace(tempering, steps_between_exchanges=between),
    )
    engine = engine_on_device(
        model,
        chosen,
        settings.recording,
        settings.chains,
        states=tempering.most_temperatures or len(tempering.inverse_temperatures),
        device=device,
        engine=engine,
        directory=directory,
    )
    environment = Environment(engine, threads, progress, directory, checkpoint_seconds, deadline)
    return sample_chains(model, settings, sums, environment)
