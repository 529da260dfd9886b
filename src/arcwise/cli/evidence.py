"""`arcwise evidence`: the marginal likelihood of the data, with its error and lower bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import arcwise
from arcwise.cli.options import (
    Chains,
    CheckpointSeconds,
    ClusterOptions,
    DataOptions,
    FamilyOptions,
    ModularityName,
    Particles,
    PriorName,
    RunFolder,
    Runs,
    ScoreOptions,
    Seconds,
    Seed,
    SpaceName,
    Steps,
    Threads,
    refuse_options,
)
from arcwise.cli.results import evidence_lines
from arcwise.engines import opened_engine
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import as_space
from arcwise.support.clock import Deadline
from arcwise.support.files import write_json


def evidence(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    cluster: ClusterOptions,
    prior: PriorName = "uniform",
    method: Annotated[
        Literal["ais", "smc", "mc3", "exact"],
        typer.Option("--method", help="How to compute it."),
    ] = "ais",
    space: SpaceName = "linear",
    modularity: ModularityName = "modular",
    steps: Steps = None,
    seconds: Seconds = None,
    chains: Chains = None,
    particles: Particles = None,
    runs: Runs = None,
    bins: Annotated[
        int | None,
        typer.Option(
            "--bins",
            help="For ais and smc: compute a further lower bound, from this number of bins.",
            metavar="N",
        ),
    ] = None,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence", help="The confidence of the bound that --bins adds.", metavar="NUMBER"
        ),
    ] = 0.95,
    seed: Seed = 0,
    run: RunFolder = None,
    checkpoint: CheckpointSeconds = CHECKPOINT_SECONDS,
    threads: Threads = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The .json file to write.", metavar="FILE")
    ] = None,
) -> None:
    """Compute the log evidence: the log marginal likelihood of the data, summed over structures.

    Its difference between two models, such as two scores, two priors or two values of
    --max-indegree, is their log Bayes factor. With ais it comes with lower bounds that hold with
    the stated probability.

    [bold]Example:[/bold] arcwise evidence data.csv --max-indegree 3 --out evidence.json
    """
    given = {"chains": chains, "particles": particles, "runs": runs, "bins": bins}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if run is not None:
        options |= {"directory": run, "checkpoint_seconds": checkpoint}
    refuse_options(options, method, "--method")
    if bins is not None:
        options["confidence"] = confidence
    if method != "exact":
        options |= {"space": as_space(space), "steps": steps, "seed": seed}
    print(data.describe())
    with opened_engine(cluster) as engine:
        deadline = Deadline.of(seconds)
        parents = families.parents(
            data, score, prior, seed=seed, deadline=deadline, threads=threads
        )
        model = parents.model(engine=engine, deadline=deadline, threads=threads, progress=True)
        options["seconds"] = seconds
        if method != "exact":
            options["engine"] = engine
        found = arcwise.evidence(
            model, method, modularity=modularity, threads=threads, progress=True, **options
        )
    for line in evidence_lines(found):
        print(line)
    if out is not None:
        write_json(
            found.as_dict()
            | {"modularity": modularity, "provenance": model.provenance().as_dict()},
            out,
        )
        print(f"Evidence written to {out}")
