"""Resumes a run from its directory alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from arcwise.algorithms.sample import SAMPLED_BY
from arcwise.errors import FileFormatError
from arcwise.posterior import Posterior
from arcwise.records.run_files import read_settings
from arcwise.records.settings import SumSettings
from arcwise.runs.directory import MODEL, read_directory
from arcwise.runs.stored_model import read_model
from arcwise.support.running import Run


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
