"""`resume`: goes on with a run from its directory alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from arcwise.algorithms.annealing import anneal
from arcwise.algorithms.chain_posterior import sample_chains
from arcwise.algorithms.sampling_session import Environment
from arcwise.posterior import Posterior
from arcwise.records.run_files import read_settings
from arcwise.records.settings import AnnealingSettings
from arcwise.runs.directory import CHECKPOINT_SECONDS, MODEL, read_directory
from arcwise.runs.stored_model import read_model
from arcwise.support.running import Progress


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
    stored = read_directory(path)
    settings = read_settings(stored)
    model = read_model(path / MODEL, stored["model"])
    assert settings.sums is not None  # a run directory has them
    sums = settings.sums.build(model, threads)
    environment = Environment(engine, threads, progress, path, checkpoint_seconds)
    if isinstance(settings, AnnealingSettings):
        return anneal(model, settings, sums, environment)
    return sample_chains(model, settings, sums, environment)
