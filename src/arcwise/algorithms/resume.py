"""Resumes a run from its directory alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from arcwise.algorithms.annealing import anneal
from arcwise.algorithms.chain_posterior import sample_chains
from arcwise.algorithms.sampling_session import Environment
from arcwise.errors import FileFormatError
from arcwise.posterior import Posterior
from arcwise.records.run_files import read_settings
from arcwise.records.settings import AnnealingSettings
from arcwise.runs.directory import CHECKPOINT_SECONDS, MODEL, read_directory
from arcwise.runs.stored_model import read_model
from arcwise.support.running import Progress


def resume_run(
    directory: str | os.PathLike[str],
    *,
    engine: Any = None,
    threads: int | None = None,
    progress: Progress = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Resume a run from its last checkpoint; see `arcwise.resume`."""
    path = Path(directory)
    stored = read_directory(path)
    settings = read_settings(stored)
    model = read_model(path / MODEL, str(stored.get("model")))
    if settings.sums is None or not settings.sums.methods:
        raise FileFormatError(
            f"the settings of the run in '{path}' lack its score sums; restore them from a backup, "
            "or start the run again"
        )
    sums = settings.sums.build(model, threads)
    environment = Environment(engine, threads, progress, path, checkpoint_seconds)
    if isinstance(settings, AnnealingSettings):
        return anneal(model, settings, sums, environment)
    return sample_chains(model, settings, sums, environment)
