"""`arcwise sample`: a sample from the posterior, written to a folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import arcwise
from arcwise.cli.folders import save_data
from arcwise.cli.options import (
    AdaptMoves,
    Chains,
    CheckpointSeconds,
    ClusterOptions,
    DataOptions,
    DeviceName,
    FamilyOptions,
    Ladder,
    ModularityName,
    Particles,
    PriorName,
    RunFolder,
    Runs,
    ScoreOptions,
    Seconds,
    Seed,
    Start,
    Steps,
    Temperatures,
    Thinning,
    Threads,
    UsualSpaceName,
    refuse_options,
)
from arcwise.cli.output import Result, note_data, note_nothing_kept, posterior_result
from arcwise.cli.results import print_sampled
from arcwise.engines import opened_engine
from arcwise.learning.choose_parents import scored
from arcwise.learning.request import Request
from arcwise.records.stopping_rule import StoppingRule
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import as_space
from arcwise.support.clock import Deadline
from arcwise.support.devices import as_device


def sample(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    cluster: ClusterOptions,
    prior: PriorName = None,
    space: UsualSpaceName = None,
    algorithm: Annotated[
        Literal["mcmc", "mc3", "ais", "smc"], typer.Option("--algorithm", help="The sampler.")
    ] = "mcmc",
    modularity: ModularityName = "modular",
    steps: Steps = None,
    seconds: Seconds = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            help="Stopping rule of mcmc and mc3 on rhat, ess, edge_rhat, edge_ess and difference, "
            "such as 'rhat<1.01, ess>400'; --steps or --seconds is then the limit.",
            metavar="RULE",
        ),
    ] = None,
    chains: Chains = None,
    particles: Particles = None,
    runs: Runs = None,
    temperatures: Temperatures = None,
    ladder: Ladder = None,
    thinning: Thinning = None,
    start: Start = None,
    adapt_moves: AdaptMoves = False,
    dags_per_state: Annotated[
        int,
        typer.Option(
            "--dags-per-state", help="Number of DAGs drawn from each kept state.", metavar="N"
        ),
    ] = 1,
    estimate_extensions: Annotated[
        bool,
        typer.Option(
            "--estimate-extensions",
            help="Estimate the number of topological orders of a DAG where counting them takes too "
            "long, instead of stopping with an error.",
            metavar="",
        ),
    ] = False,
    seed: Seed = 0,
    run: RunFolder = None,
    checkpoint: CheckpointSeconds = CHECKPOINT_SECONDS,
    threads: Threads = None,
    device: DeviceName = None,
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
    chosen = None if space is None else as_space(space)  # before anything takes time
    as_device(device)
    given = {
        "until": until,
        "chains": chains,
        "particles": particles,
        "runs": runs,
        "temperatures": temperatures,
        "ladder": ladder,
        "thinning": thinning,
        "start": start,
        "adapt_moves": adapt_moves or None,
    }
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    refuse_options(options, algorithm, "--algorithm")
    if until is not None:
        StoppingRule.parse(until)
    note_data(data)
    folder = run if out is None else out
    if folder is not None:
        save_data(data, folder)
    with opened_engine(cluster) as engine:
        deadline = Deadline.of(seconds)
        request = Request(
            modularity=modularity,
            deadline=deadline,
            seed=seed,
            engine=engine,
            threads=threads,
            device=device,
        )
        study = families.parents(data, score, prior, request)
        posterior = arcwise.sample(
            scored(study, deadline).model,
            chosen,
            algorithm,
            modularity=modularity,
            steps=steps,
            seconds=seconds,
            dags_per_state=dags_per_state,
            estimate_extensions=estimate_extensions,
            seed=seed,
            engine=engine,
            threads=threads,
            device=device,
            progress=True,
            directory=run,
            checkpoint_seconds=checkpoint,
            **options,
        )
    print_sampled(posterior, folder)
    if folder is None:
        note_nothing_kept()
    return partial(posterior_result, posterior)
