"""`arcwise sample`: a sample from the posterior, written to a folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import arcwise
from arcwise.algorithms.sample import Sampler, SamplerOptions, settings_of_sampler
from arcwise.cli.composition import options_of
from arcwise.cli.folders import PosteriorOut, save_data
from arcwise.cli.options import DataOptions, RunOptions
from arcwise.cli.output import Result
from arcwise.cli.questions import ModelOptions
from arcwise.cli.results import show_posterior


def sample(
    *,
    data: DataOptions,
    asked: ModelOptions,
    algorithm: Annotated[Sampler, typer.Option("--algorithm", help="The sampler.")] = "mcmc",
    options: Annotated[dict[str, Any], options_of(SamplerOptions, without=("bins", "confidence"))],
    run: RunOptions,
    out: PosteriorOut = None,
) -> Result:
    """Sample the posterior: edge probabilities with standard errors, DAGs, and the evidence.

    mcmc runs Markov chains; mc3 couples each chain to heated ones, which helps with several modes;
    ais anneals independent particles, whose mean weight estimates the evidence; smc anneals
    populations of particles, which are resampled on the way.

    [bold]Example:[/bold] arcwise sample data.csv --space buckets:5 --max-indegree 3 --out results
    """
    settings = settings_of_sampler(algorithm, **options)  # before anything takes time
    folder = run.get("directory") if out is None else out
    if folder is not None:
        save_data(data, folder)
    with asked.model(data, run, settings.modularity) as (model, engine):
        posterior = arcwise.sample(
            model, algorithm=algorithm, engine=engine, progress=True, **run, **options
        )
    return show_posterior(posterior, folder)
