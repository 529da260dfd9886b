"""Records of runs as samplers would make them, for posteriors made by hand."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from arcwise import Posterior
from arcwise.algorithms.ais import AIS
from arcwise.algorithms.mc3 import MC3
from arcwise.algorithms.mcmc import MCMC
from arcwise.records.account import Account
from arcwise.records.runs import AnnealingRun, AnyRun, ChainRun, Exchanges, MergedRun, OrderWeights
from arcwise.records.settings import Convergence
from arcwise.spaces import Partitions

LEVELS = (0.0, 0.25, 0.5, 1.0)


def chain_run(*, tempered: bool = False, **changes: Any) -> ChainRun:
    """Return a run of chains over partitions; changes are of it or of its settings."""
    chains: dict[str, Any] = {"steps": 2000, "thinning": 10, "chains": 3, "start": "random"}
    settings = (
        MC3(Partitions(), ladder=LEVELS, steps_between_exchanges=1, **chains)
        if tempered
        else MCMC(Partitions(), **chains)
    )
    run = ChainRun(
        settings=settings,
        seed=3,
        burn_in_steps=1000,
        thinning=10,
        states=(20, 17, 0),
        moves={"swap": 0.25},
        exchanges=Exchanges((LEVELS,) * 3, (0.5, 0.4, None), round_trips=(3, 2, 0))
        if tempered
        else None,
        convergence=Convergence(rhat=1.01, ess=30.0),
        seconds_sampling=1.5,
        seconds=2.0,
    )
    changed: ChainRun = _changed(run, changes)
    return changed


def annealing_run(**changes: Any) -> AnnealingRun:
    """Return annealing runs over partitions; changes are of them or of their settings."""
    settings = AIS(Partitions(), particles=50, steps=400, stretch=100, thinning=10)
    run = AnnealingRun(
        settings=settings,
        seed=3,
        runs=50,
        runs_of_weight_zero=0,
        moves={"swap": 0.25},
        convergence=Convergence(ess=40.0),
        seconds=2.0,
    )
    changed: AnnealingRun = _changed(run, changes)
    return changed


def _changed(run: Any, changes: dict[str, Any]) -> Any:
    own = {field.name for field in fields(run)}
    of_run = {name: value for name, value in changes.items() if name in own}
    of_settings = {name: value for name, value in changes.items() if name not in of_run}
    return replace(run, settings=replace(run.settings, **of_settings), **of_run)


def chains_of(posterior: Posterior) -> ChainRun:
    """Return the run of chains a posterior is from."""
    assert isinstance(posterior.run, ChainRun)
    return posterior.run


def annealing_of(posterior: Posterior) -> AnnealingRun:
    """Return the annealing runs a posterior is from."""
    assert isinstance(posterior.run, AnnealingRun)
    return posterior.run


def merged_of(posterior: Posterior) -> MergedRun:
    """Return the merged runs a posterior is from."""
    assert isinstance(posterior.run, MergedRun)
    return posterior.run


def weights_of(posterior: Posterior) -> OrderWeights:
    """Return what is known of the weights of the DAGs."""
    assert posterior.run.order_weights is not None
    return posterior.run.order_weights


def temperatures_of(posterior: Posterior) -> tuple[tuple[float, ...], ...]:
    """Return the inverse temperatures of each of coupled chains."""
    exchanges = chains_of(posterior).exchanges
    assert exchanges is not None
    return exchanges.inverse_temperatures


def account_of(posterior: Posterior) -> Account:
    """Return what the one call told of a posterior."""
    assert posterior.account is not None
    return posterior.account


def untimed(run: AnyRun) -> AnyRun:
    """Return a run without the times it took, which no two runs share."""
    if isinstance(run, ChainRun):
        return replace(run, seconds=None, seconds_sampling=None)
    return replace(run, seconds=None)
