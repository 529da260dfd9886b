"""`arcwise sample`: the posterior by sampling, written to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from arcwise.algorithms.ais import ais
from arcwise.algorithms.mc3 import mc3
from arcwise.algorithms.mcmc import mcmc
from arcwise.cli.options import (
    CheckpointSeconds,
    Cluster,
    DataOptions,
    FamilyOptions,
    PriorName,
    RunFolder,
    Runs,
    ScoreOptions,
    Seconds,
    Seed,
    SpaceName,
    Steps,
    TargetName,
    Threads,
    build_model,
)
from arcwise.cli.results import print_sampled
from arcwise.engines import opened_engine
from arcwise.errors import ArgumentError
from arcwise.model import Model
from arcwise.posterior import Posterior
from arcwise.records.stopping_rule import StoppingRule
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import Space, as_space


def sample(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    prior: PriorName = "uniform",
    space: SpaceName = "linear",
    algorithm: Annotated[
        Literal["mcmc", "mc3", "ais"], typer.Option("--algorithm", help="How it is sampled.")
    ] = "mcmc",
    target: TargetName = "modular",
    steps: Steps = None,
    seconds: Seconds = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            help="A rule that ends mcmc and mc3, such as 'rhat<1.01, ess>400'; also on edge_rhat, "
            "edge_ess and difference. --steps or --seconds limit the run besides.",
            metavar="RULE",
        ),
    ] = None,
    chains: Runs = None,
    levels: Annotated[
        int, typer.Option("--levels", help="Temperatures of mc3 besides the hottest.")
    ] = 15,
    ladder: Annotated[
        Literal["linear", "harmonic", "adapted"],
        typer.Option("--ladder", help="How the temperatures of mc3 are spread."),
    ] = "linear",
    dags: Annotated[int, typer.Option("--dags", help="DAGs drawn from each kept state.")] = 1,
    estimate_extensions: Annotated[
        bool,
        typer.Option(
            "--estimate-extensions",
            help="Estimate numbers of orders that are too large to count; else they are refused.",
        ),
    ] = False,
    seed: Seed = 0,
    run: RunFolder = None,
    checkpoint: CheckpointSeconds = CHECKPOINT_SECONDS,
    threads: Threads = None,
    cluster: Cluster = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Folder for edges.csv, evidence.json, summary.json and posterior.npz."
        ),
    ] = None,
) -> None:
    """Sample the posterior: edge probabilities with their errors, DAGs, and the evidence.

    mcmc runs Markov chains; mc3 couples each to hotter ones, which helps where there are several
    modes; ais anneals independent samples, whose mean weight is the evidence.

    [bold]Example:[/bold] arcwise sample data.csv --space buckets:5 --max-indegree 3 --out results
    """
    chosen = as_space(space)  # refused before anything takes time
    if until is not None:
        if algorithm == "ais":
            raise ArgumentError("--until belongs to mcmc and mc3; leave it out, or give --seconds")
        StoppingRule.parse(until)
    print(data.describe())
    with opened_engine(cluster) as engine:
        model = build_model(families, data, score, prior, seed, threads, engine).model
        common: dict[str, Any] = {
            "target": target,
            "dags_per_state": dags,
            "estimate_extensions": estimate_extensions,
            "seed": seed,
            "engine": engine,
            "threads": threads,
            "progress": True,
            "directory": run,
            "checkpoint_seconds": checkpoint,
        }
        posterior = _run(
            algorithm, model, chosen, steps, seconds, until, chains, levels, ladder, common
        )
    print_sampled(posterior, run if out is None else out)


def _run(
    algorithm: str,
    model: Model,
    space: Space,
    steps: int | None,
    seconds: float | None,
    until: str | None,
    chains: int | None,
    levels: int,
    ladder: str,
    common: dict[str, Any],
) -> Posterior:
    if algorithm == "ais":
        if seconds is not None and chains is not None:
            raise ArgumentError("--chains is the number of runs of ais; give it or --seconds")
        return ais(model, space, steps=steps, seconds=seconds, runs=chains, **common)
    common |= {"steps": steps, "seconds": seconds, "until": until}
    common["chains"] = 4 if chains is None else chains
    if algorithm == "mc3":
        return mc3(model, space, levels=levels, ladder=ladder, **common)
    return mcmc(model, space, **common)
