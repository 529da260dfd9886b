"""The engine of a sampler that is asked to run on a graphics processor."""

from __future__ import annotations

from typing import Any

from arcwise.engines import Threads
from arcwise.gpu.choice import chosen_device
from arcwise.gpu.engine import GpuEngine
from arcwise.gpu.order_tables import MOST_PARENTS
from arcwise.gpu.swap_chains import MOST_NODES
from arcwise.model import Model
from arcwise.records.recording import Recording
from arcwise.spaces import CanonicalOrders, LinearOrders, Space
from arcwise.support.devices import Choice, as_device

_FEWEST_CHAINS = 256  # where no device is named: fewer keep cores busier than a device


def engine_on_device(
    model: Model,
    space: Space,
    recording: Recording,
    chains: int | None,
    *,
    states: int = 1,
    device: object,
    engine: Any,
    directory: object,
) -> Any:
    """Return the engine that a sampler uses: the one given, or that of a graphics processor.

    Parameters
    ----------
    model, space, recording
        What is sampled, and what is recorded of it.
    chains
        The number of chains, particles or populations; None if that is not known beforehand.
    states
        The states of each: temperatures, or particles of a population.
    device, engine, directory
        As for `mcmc`.
    """
    if as_device(device) is Choice.PROCESSORS:
        return engine
    refusal = _refusal(model, space, recording, chains, engine, directory)
    count = (chains or 0) * states
    tables = sum(1 << min(_possible_parents(model, node), 40) for node in range(_nodes(model)))
    found = chosen_device(
        device,
        refusal=refusal,
        worthwhile=count >= _FEWEST_CHAINS,
        needed=16 * tables + count * 200 * _nodes(model),
    )
    return engine if found is None else GpuEngine(found, model.weights.table)


def _refusal(
    model: Model,
    space: Space,
    recording: Recording,
    chains: int | None,
    engine: Any,
    directory: object,
) -> str | None:
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
    if directory is not None:
        return "a run directory cannot keep such runs; leave out one of them"
    if chains is None:
        return "seconds and effective samples do not bound a run there; give particles or runs"
    if recording.dag_time_share is not None or recording.estimate_extensions:
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
