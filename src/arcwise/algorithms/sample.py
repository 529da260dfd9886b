"""`sample`: the posterior of a model by any of the samplers."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any, Literal, Unpack

from arcwise.algorithms.ais import ais
from arcwise.algorithms.mc3 import mc3
from arcwise.algorithms.mcmc import mcmc
from arcwise.algorithms.sampler_options import SamplerOptions
from arcwise.algorithms.smc import smc
from arcwise.errors import ArgumentError, option
from arcwise.model import Model, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.posterior import Posterior
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import Dags, LinearOrders, Partitions, Space
from arcwise.support.arguments import refuse_unknown
from arcwise.support.clock import Deadline
from arcwise.support.running import Progress
from arcwise.support.words import quoted, shown

Sampler = Literal["mcmc", "mc3", "ais", "smc"]

SAMPLERS: dict[str, Callable[..., Posterior]] = {
    "mcmc": mcmc,
    "mc3": mc3,
    "ais": ais,
    "smc": smc,
}


def sample(
    model: Model,
    space: Any = None,
    algorithm: Sampler = "mcmc",
    *,
    modularity: Modularity = "modular",
    steps: int | None = None,
    seconds: float | Deadline | None = None,
    until: str | None = None,
    chains: int | None = None,
    particles: int | None = None,
    seed: int = 0,
    engine: Any = None,
    threads: int | None = None,
    device: object = None,
    progress: Progress = None,
    directory: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    **options: Unpack[SamplerOptions],
) -> Posterior:
    """Sample the posterior of a model.

    Parameters
    ----------
    model
        The model. To start from a table of data, use `arcwise.learn`.
    space
        The space to sample: one of `arcwise.spaces`, or a name such as ``"partitions"``. None
        for linear orders if the posterior is order-modular, otherwise for DAGs, or for
        partitions with ``"ais"``, which finds little from DAGs drawn uniformly.
    algorithm
        ``"mcmc"``: Markov chains. ``"mc3"``: chains coupled to heated ones, which helps
        with several modes. ``"ais"``: independent annealed particles, whose mean weight
        estimates the evidence. ``"smc"``: populations of particles, resampled as they cool.
    modularity
        Which posterior to sample, see `exact`.
    steps, seconds
        The budget of each chain, see `mcmc`; with ``"ais"``, the annealing steps of each
        particle and the time for all of them; with ``"smc"``, the steps at each temperature.
    until, chains
        The stopping rule and the number of chains of `mcmc` and `mc3`, 4 by default.
    particles
        The number of particles of `ais`, 100 by default, or of each population of `smc`,
        256 by default.
    seed, engine, threads, progress, directory, checkpoint_seconds
        As for `mcmc`.
    device
        As for `mcmc`; of `mcmc` and `ais`.
    **options
        Further arguments of the algorithm, see `SamplerOptions`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> arcwise.sample(model, "partitions", steps=4000, seed=1)
    <Posterior: mcmc, modular, 8 variables, 4264 DAGs>
    >>> arcwise.sample(model, algorithm="ais", particles=20, steps=200, seed=1).algorithm
    'ais'
    """
    checked_model(model)
    if not isinstance(algorithm, str) or algorithm not in SAMPLERS:
        raise ArgumentError(
            option("algorithm"), f" is {shown(algorithm)}; give one of {quoted(SAMPLERS)}"
        )
    if space is None:
        space = usual_space(algorithm, as_modularity(modularity))
    given = {"until": until, "chains": chains, "particles": particles}
    further = {name: value for name, value in given.items() if value is not None} | dict(options)
    refuse_unknown(further, arguments_of(algorithm), algorithm)
    return SAMPLERS[algorithm](
        model,
        space,
        modularity=modularity,
        steps=steps,
        seconds=seconds,
        seed=seed,
        engine=engine,
        threads=threads,
        device=device,
        progress=progress,
        directory=directory,
        checkpoint_seconds=checkpoint_seconds,
        **further,
    )


def usual_space(algorithm: str, modularity: Modularity) -> Space:
    """Return the space that an algorithm samples unless another is given.

    Examples
    --------
    >>> usual_space("mcmc", "modular"), usual_space("ais", "order-modular")
    (Dags(moves=None), LinearOrders(moves=None))
    """
    if modularity == "order-modular":
        return LinearOrders()
    return Partitions() if algorithm == "ais" else Dags()


def arguments_of(algorithm: str) -> frozenset[str]:
    """Return the names of the arguments a sampler takes besides the model and the space.

    Examples
    --------
    >>> "particles" in arguments_of("ais"), "until" in arguments_of("ais")
    (True, False)
    """
    return frozenset(inspect.signature(SAMPLERS[algorithm]).parameters) - {"model", "space"}
