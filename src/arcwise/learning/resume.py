"""`resume`: continues a run from its directory alone, with the account of what was chosen."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from arcwise.algorithms.growth_log import read_log
from arcwise.algorithms.resume import resume_run
from arcwise.errors import ArgumentError, Wording
from arcwise.imputation.checkpoint import FILE as COMPLETIONS
from arcwise.learning.plan import Plan
from arcwise.posterior import Posterior
from arcwise.runs.directory import CHECKPOINT_SECONDS, SETTINGS
from arcwise.support.checks import folder_path
from arcwise.support.running import Progress
from arcwise.support.words import plural

GROWTH = "growth.json"
"""The file with the rounds of growth, before there is anything else."""

SCORES = "scores.partial"
"""The file with scores as they are made, until there is a result."""

RESULT = "posterior.npz"
"""The file with the result of an exact computation, which has no checkpoints."""


def resume(
    directory: str | os.PathLike[str],
    *,
    engine: Any = None,
    threads: int | None = None,
    progress: Progress = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Resume a run that was stopped, or return its result if it is complete.

    For a budget in steps (or in particles) the result is the same, to the last bit, as if
    the run had never been stopped. A budget in seconds counts the time before the stop, up
    to the last checkpoint. A run started by `learn` still has its account of what was chosen
    and why.

    Parameters
    ----------
    directory
        The run directory, given by ``directory=`` of `learn`, `sample`, `mcmc`, `mc3` or
        `ais`, or by ``--run`` of ``arcwise learn`` and ``arcwise sample``.
    engine, threads, progress
        As for `mcmc`; they may differ from those before.
    checkpoint_seconds
        The time between checkpoints.

    Returns
    -------
    Posterior
        What the run would have returned; its `model` is None, as the data are not stored.

    Raises
    ------
    RunDirectoryError
        If another process is using the directory, or another version started the run.

    Examples
    --------
    >>> import tempfile
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = arcwise.mcmc(model, "partitions", steps=4000, seed=1, directory=folder)
    ...     again = arcwise.resume(folder)
    >>> bool((first.edges == again.edges).all())
    True
    """
    start = time.perf_counter()
    path = folder_path(directory, "directory")
    plan = Plan.read(path)
    rounds = read_log(path / GROWTH).get("rounds")
    if plan is None and rounds and not (path / SETTINGS).exists():
        raise ArgumentError(
            f"the computation in '{path}' was stopped while candidate parents were grown, and "
            f"{plural(len(rounds), 'round')} of that are kept; go on by calling ",
            Wording("arcwise.learn", "arcwise learn"),
            " again with the same arguments",
        )
    if plan is not None and not (path / SETTINGS).exists():
        return plan.with_account(_exact_result(path), time.perf_counter() - start)
    posterior = resume_run(
        path,
        engine=engine,
        threads=threads,
        progress=progress,
        checkpoint_seconds=checkpoint_seconds,
    )
    if plan is None:
        return posterior
    return plan.with_account(posterior, time.perf_counter() - start)


def _exact_result(path: Path) -> Posterior:
    if not (path / RESULT).is_file() and (path / COMPLETIONS).exists():
        raise ArgumentError(
            f"the computation in '{path}' was stopped while missing values were imputed, and the "
            "tables completed so far are kept; go on by calling ",
            Wording("arcwise.learn", "arcwise learn"),
            " again with the same arguments",
        )
    if not (path / RESULT).is_file():
        raise ArgumentError(
            f"the computation in '{path}' was stopped before sampling began, or was exact and so "
            "has no checkpoints; call ",
            Wording("arcwise.learn", "arcwise learn"),
            " again with the same arguments",
        )
    return Posterior.load(path / RESULT)
