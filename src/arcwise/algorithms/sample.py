"""`sample`: the posterior of a model by any sampler, and the resumption of its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from arcwise.algorithms.ais import AIS
from arcwise.algorithms.annealing import anneal
from arcwise.algorithms.chain_posterior import sample_chains
from arcwise.algorithms.mc3 import MC3
from arcwise.algorithms.mcmc import MCMC
from arcwise.algorithms.smc import SMC, populated
from arcwise.errors import ArgumentError, FileFormatError, Wording, option
from arcwise.model import Model, checked_model
from arcwise.model.model import Modularity, as_modularity
from arcwise.posterior import Posterior
from arcwise.records.run_files import read_settings
from arcwise.records.settings import OfModel, Recording, SamplerSettings, SumSettings
from arcwise.runs.directory import MODEL, read_directory, read_model
from arcwise.spaces import Dags, LinearOrders, Partitions, Space
from arcwise.support.checks import one_of
from arcwise.support.running import Run
from arcwise.support.settings import keywords_of, setting_like

Sampler = Literal["mcmc", "mc3", "ais", "smc"]

SAMPLERS: dict[str, type[SamplerSettings]] = {"mcmc": MCMC, "mc3": MC3, "ais": AIS, "smc": SMC}
"""The options of each sampler, by its name."""


@dataclass(frozen=True)
class SamplerOptions(MCMC, MC3, AIS, SMC):
    """The options of all samplers; each takes its own, and has its own defaults."""

    space: Any = setting_like(
        Recording,
        "space",
        None,
        'The space to sample: one of `arcwise.spaces`, or a name such as ``"partitions"``. None '
        "for linear orders if the posterior is order-modular, otherwise for DAGs, or for "
        'partitions with ``"ais"``, which finds little from DAGs drawn uniformly.',
        help="The space that chains or particles move in (default: dags, partitions with ais, and "
        "linear with --modularity order-modular).",
    )
    _: KW_ONLY
    steps: int | None = setting_like(
        AIS,
        "steps",
        None,
        "The steps of each chain, burn-in included, as the budget or the limit, see `mcmc`; with "
        '``"ais"``, the annealing steps of each particle; with ``"smc"``, its steps at each '
        "temperature.",
        help="Number of steps of each chain, burn-in included; for ais, number of annealing steps "
        "of each particle; for smc, of its steps at each temperature.",
    )
    particles: int | None = setting_like(
        AIS,
        "particles",
        None,
        "The number of particles of `ais`, 100 by default (1,000 for `learn`), or of each "
        "population of `smc`, 256 by default.",
    )


SAMPLED_BY: dict[str, Callable[[Model, Any, Run], Posterior]] = {
    "mcmc": sample_chains,
    "mc3": sample_chains,
    "ais": anneal,
    "smc": populated,
}
"""The function that samples the posterior given the options of each sampler."""


@dataclass(frozen=True)
class _Arguments(Run, SamplerOptions, OfModel):
    """The arguments of `sample`."""

    algorithm: Sampler = "mcmc"


@keywords_of(_Arguments)
def sample(
    model: Model, run: Run, space: Any, algorithm: Sampler, modularity: Modularity, **given: Any
) -> Posterior:
    """Sample the posterior of a model.

    Parameters
    ----------
    model
        The model. To start from a table of data, use `arcwise.learn`.
    algorithm
        ``"mcmc"``: Markov chains. ``"mc3"``: chains coupled to heated ones, which helps
        with several modes. ``"ais"``: independent annealed particles, whose mean weight
        estimates the evidence. ``"smc"``: populations of particles, resampled as they cool.

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
    settings = settings_of_sampler(algorithm, space, modularity, **given)
    with run.telling():
        return SAMPLED_BY[algorithm](model, settings, run)


def settings_of_sampler(
    algorithm: Sampler, space: Any = None, modularity: Modularity = "modular", **given: Any
) -> SamplerSettings:
    """Return the settings of a sampler, or refuse options that it does not have."""
    one_of(Sampler)(algorithm, option("algorithm"))
    refuse_options_of_others(given, algorithm)
    wanted = as_modularity(modularity)
    chosen = usual_space(algorithm, wanted) if space is None else space
    return SAMPLERS[algorithm](chosen, modularity=wanted, **given)


def refuse_options_of_others(
    given: Iterable[str], algorithm: str, chosen_by: str = "algorithm"
) -> None:
    """Refuse options of samplers other than the chosen one."""
    for name in given:
        owners = [each for each in SAMPLERS if name in arguments_of(each)]
        if algorithm not in owners:
            raise ArgumentError(
                option(name),
                " is an option of ",
                Wording(
                    f"the {chosen_by} {' or '.join(map(repr, owners))}",
                    f"--{chosen_by} {' or '.join(owners)}",
                ),
                " only; leave it out",
            )


def usual_space(algorithm: str, modularity: Modularity) -> Space:
    """Return the default space of an algorithm.

    Examples
    --------
    >>> usual_space("mcmc", "modular"), usual_space("ais", "order-modular")
    (Dags(moves=None), LinearOrders(moves=None))
    """
    if modularity == "order-modular":
        return LinearOrders()
    return Partitions() if algorithm == "ais" else Dags()


def arguments_of(algorithm: str) -> frozenset[str]:
    """Return the names of the options of a sampler besides the space and the modularity.

    Examples
    --------
    >>> "particles" in arguments_of("ais"), "until" in arguments_of("ais")
    (True, False)
    """
    names = {each.name for each in fields(SAMPLERS[algorithm])}
    return frozenset(names) - {"space", "modularity"}


def resume_run(path: Path, run: Run) -> Posterior:
    """Resume the run in a folder from its last checkpoint; see `arcwise.resume`."""
    stored = read_directory(path)
    settings, before = read_settings(stored)
    model = read_model(path / MODEL, str(stored.get("model")))
    if not isinstance(settings.sums, SumSettings) or not settings.sums.methods:
        raise FileFormatError(
            f"the settings of the run in '{path}' lack its score sums; restore them from a backup, "
            "or start the run again"
        )
    same = replace(run, directory=path, seed=before.seed, seconds=before.deadline.seconds)
    return SAMPLED_BY[settings.sampler](model, settings, same)
