"""The engine of a sampler that is asked to run on a graphics processor."""

from __future__ import annotations

from typing import Any

from arcwise.engines import Threads
from arcwise.gpu.choice import chosen_device
from arcwise.gpu.engine import GpuEngine
from arcwise.gpu.order_tables import MOST_PARENTS
from arcwise.gpu.swap_chains import MOST_NODES
from arcwise.model import Model
from arcwise.records.settings import AnnealingSettings, SamplingSettings
from arcwise.spaces import CanonicalOrders, LinearOrders
from arcwise.support.devices import Choice, as_device
from arcwise.support.running import Run

_FEWEST_CHAINS = 256  # where no device is named: fewer keep cores busier than a device


def engine_on_device(model: Model, settings: SamplingSettings, run: Run) -> Any:
    """Return the engine of a sampler: the one specified, or that of a graphics processor."""
    if as_device(run.device) is Choice.PROCESSORS:
        return run.engine
    runs, states = _chains_and_states(model, settings, run)
    count = (runs or 0) * states
    tables = sum(1 << min(_possible_parents(model, node), 40) for node in range(_nodes(model)))
    found = chosen_device(
        run.device,
        refusal=_refusal(model, settings, runs, run),
        worthwhile=count >= _FEWEST_CHAINS,
        needed=16 * tables + count * 200 * _nodes(model),
    )
    return run.engine if found is None else GpuEngine(found, model.weights.table)


def _chains_and_states(
    model: Model, settings: SamplingSettings, run: Run
) -> tuple[int | None, int]:
    """Return the number of chains or runs, None if not known, and of the states of each."""
    if isinstance(settings, AnnealingSettings):
        budget = settings.limits(run.deadline.seconds).resolved(settings.sampler)
        return budget.runs, settings.states_per_run
    tempering = settings.tempering(len(model.ordinary))
    states = tempering.most_temperatures or len(tempering.inverse_temperatures)
    return settings.chains, states


def _refusal(model: Model, settings: SamplingSettings, chains: int | None, run: Run) -> str | None:
    space, engine = settings.space, run.engine
    if model.parent_only:
        return "a model with parent-only variables cannot be sampled there; leave it out"
    if not isinstance(space, (LinearOrders, CanonicalOrders)):
        return (
            f"{space!r} cannot be sampled there; use the space 'linear' or 'canonical', or leave "
            "it out"
        )
    if _nodes(model) > MOST_NODES:
        return (
            f"the model has {_nodes(model)} variables, and orders there have up to {MOST_NODES}; "
            "leave it out"
        )
    if engine is not None and type(engine) is not Threads:
        return "an engine was given as well; give one of them"
    if run.directory is not None:
        return "a run directory cannot keep such runs; leave out one of them"
    if chains is None:
        return "seconds and effective samples do not bound a run there; give particles or runs"
    if settings.dag_time_share is not None or settings.estimate_extensions:
        return "DAGs by time and estimated extensions are not available there; leave them out"
    most = max(_possible_parents(model, node) for node in range(_nodes(model)))
    if most > MOST_PARENTS:
        return (
            f"a node has {most} possible parents, and chains there take up to {MOST_PARENTS}; "
            "give fewer candidates, or leave it out"
        )
    return None


def _nodes(model: Model) -> int:
    return len(model.variables)


def _possible_parents(model: Model, node: int) -> int:
    table = model.weights.table
    return len(table.candidates(node)) + len(table.required(node))
