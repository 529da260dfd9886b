"""`resume`: goes on with a run from its directory alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from arcwise.algorithms.ais import ais
from arcwise.algorithms.budgets import Budget
from arcwise.algorithms.chain_posterior import Tempering, sample_chains
from arcwise.posterior import Posterior
from arcwise.records.recording import Recording
from arcwise.runs.directory import CHECKPOINT_SECONDS, MODEL, read_settings
from arcwise.runs.plain_settings import read_space, read_sums
from arcwise.runs.stored_model import read_model
from arcwise.support.running import Progress

_OF_ANNEALING = (
    "target",
    "runs",
    "seconds",
    "effective_samples",
    "steps",
    "schedule",
    "stretch",
    "thinning",
    "bins",
    "confidence",
    "dags_per_state",
    "dag_time_share",
    "extension_budget",
    "estimate_extensions",
    "seed",
)


def resume(
    directory: str | os.PathLike[str],
    *,
    engine: Any = None,
    threads: int | None = None,
    progress: Progress = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Go on with a run that was stopped, or return what it found if it has come to its end.

    For a budget in steps (or of annealing runs) the result is the same, to the last
    bit, as if the run had never been stopped. A budget in seconds counts the time
    before the stop, up to the last checkpoint.

    Parameters
    ----------
    directory
        The directory the run was begun with, by ``directory=`` of `mcmc`, `mc3` or
        `ais`, or by ``arcwise sample --run``.
    engine, threads, progress
        As for `mcmc`; none need be as before.
    checkpoint_seconds
        The time between two checkpoints.

    Returns
    -------
    Posterior
        What the run would have returned.

    Raises
    ------
    RunDirectoryError
        If another process is at it, or the run was begun by another version.

    Examples
    --------
    >>> import tempfile
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate.asia().sample(300, seed=1), max_indegree=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = arcwise.mcmc(model, "partitions", steps=4000, seed=1, directory=folder)
    ...     again = arcwise.resume(folder)
    >>> bool((first.edges == again.edges).all())
    True
    """
    path = Path(directory)
    settings = read_settings(path)
    model = read_model(path / MODEL, settings["model"])
    sums = read_sums(settings["sums"], model, threads)
    space = read_space(settings["space"])
    if settings["algorithm"] == "ais":
        return ais(
            model,
            space,
            **{name: settings[name] for name in _OF_ANNEALING},
            sums=sums,
            engine=engine,
            threads=threads,
            progress=progress,
            directory=path,
            checkpoint_seconds=checkpoint_seconds,
        )
    return sample_chains(
        settings["algorithm"],
        model,
        space,
        Tempering(**settings["tempering"]),
        Budget(**settings["budget"]),
        Recording(**settings["recording"]),
        chains=settings["chains"],
        seed=settings["seed"],
        sums=sums,
        engine=engine,
        threads=threads,
        progress=progress,
        directory=path,
        checkpoint_seconds=checkpoint_seconds,
    )
