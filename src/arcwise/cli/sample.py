"""`arcwise sample`: a sample from the posterior; `arcwise status` and `resume` for long runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.algorithms.sample import Sampler, SamplerOptions, settings_of_sampler
from arcwise.cli.composition import PosteriorOut, Result, options_of, out_option, save_data
from arcwise.cli.options import ClusterOptions, DataOptions, ModelOptions, RunOptions
from arcwise.cli.results import show_posterior
from arcwise.support.running import Run


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


RunDirectory = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The run directory given by --run.")
]


def status(directory: RunDirectory) -> Result:
    """Show the progress of a run: steps, rate, acceptance, R-hat, last checkpoint, time left.

    [bold]Example:[/bold] arcwise status runs/first
    """
    found = arcwise.status(directory)
    print(found)
    return found.as_dict


def resume(
    directory: RunDirectory,
    cluster: ClusterOptions,
    run: Annotated[dict[str, Any], options_of(Run, "threads", "checkpoint_seconds")],
    out: Annotated[
        Path | None, out_option("Folder for the results (default: the run directory).", "FOLDER")
    ] = None,
) -> Result:
    """Resume a run from its last checkpoint; the result is as if it had never been stopped.

    Only the run directory is needed. If the run is already complete, its results are written again.

    [bold]Example:[/bold] arcwise resume runs/first
    """
    posterior = arcwise.resume(directory, engine=cluster, progress=True, **run)
    return show_posterior(posterior, directory if out is None else out)
