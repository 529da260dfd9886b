"""`arcwise sample`: a sample from the posterior, written to a folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import arcwise
from arcwise.algorithms.sample import SamplerOptions, settings_of_sampler
from arcwise.cli.composition import options_of
from arcwise.cli.folders import save_data
from arcwise.cli.options import (
    ClusterOptions,
    DataOptions,
    FamilyOptions,
    PriorName,
    RunOptions,
    ScoreOptions,
)
from arcwise.cli.output import Result, note_data, note_nothing_kept, posterior_result
from arcwise.cli.results import print_sampled
from arcwise.engines import opened_engine
from arcwise.learning.choose_parents import scored
from arcwise.support.running import Run


def sample(
    *,
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    cluster: ClusterOptions,
    prior: PriorName = None,
    algorithm: Annotated[
        Literal["mcmc", "mc3", "ais", "smc"], typer.Option("--algorithm", help="The sampler.")
    ] = "mcmc",
    options: Annotated[dict[str, Any], options_of(SamplerOptions, without=("bins", "confidence"))],
    run: RunOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Folder for edges.csv, evidence.json, summary.json and posterior.npz.",
            metavar="FOLDER",
        ),
    ] = None,
) -> Result:
    """Sample the posterior: edge probabilities with standard errors, DAGs, and the evidence.

    mcmc runs Markov chains; mc3 couples each chain to heated ones, which helps with several modes;
    ais anneals independent particles, whose mean weight estimates the evidence; smc anneals
    populations of particles, which are resampled on the way.

    [bold]Example:[/bold] arcwise sample data.csv --space buckets:5 --max-indegree 3 --out results
    """
    settings = settings_of_sampler(algorithm, **options)  # before anything takes time
    note_data(data)
    folder = run.get("directory") if out is None else out
    if folder is not None:
        save_data(data, folder)
    with opened_engine(cluster) as engine:
        run |= {"engine": engine, "progress": True}
        own = Run(**run)
        study = families.parents(data, score, prior, own, settings.modularity)
        model = scored(study, own.deadline).model
        posterior = arcwise.sample(model, algorithm=algorithm, **run, **options)
    print_sampled(posterior, folder)
    if folder is None:
        note_nothing_kept()
    return partial(posterior_result, posterior)
