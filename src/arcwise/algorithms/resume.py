"""Goes on with a run from its directory alone."""

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
    "particles",
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


def resume_run(
    directory: str | os.PathLike[str],
    *,
    engine: Any = None,
    threads: int | None = None,
    progress: Progress = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Go on with a run from its last checkpoint; see `arcwise.resume`."""
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
