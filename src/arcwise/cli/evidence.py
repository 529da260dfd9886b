"""`arcwise evidence`: the probability of the data, with its error and lower bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import arcwise
from arcwise.cli.options import (
    Chains,
    CheckpointSeconds,
    Cluster,
    DataOptions,
    FamilyOptions,
    Particles,
    PriorName,
    RunFolder,
    ScoreOptions,
    Seconds,
    Seed,
    SpaceName,
    Steps,
    TargetName,
    Threads,
    refuse_options,
)
from arcwise.cli.results import evidence_lines
from arcwise.engines import opened_engine
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import as_space
from arcwise.support.files import write_json


def evidence(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    prior: PriorName = "uniform",
    method: Annotated[
        Literal["ais", "mc3", "exact"], typer.Option("--method", help="How it is found.")
    ] = "ais",
    space: SpaceName = "linear",
    target: TargetName = "modular",
    steps: Steps = None,
    seconds: Seconds = None,
    chains: Chains = None,
    particles: Particles = None,
    bins: Annotated[
        int | None, typer.Option("--bins", help="For ais: one more lower bound, of so many bins.")
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", help="The confidence of that bound.")
    ] = 0.95,
    seed: Seed = 0,
    run: RunFolder = None,
    checkpoint: CheckpointSeconds = CHECKPOINT_SECONDS,
    threads: Threads = None,
    cluster: Cluster = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The .json file to write it to.")
    ] = None,
) -> None:
    """Find the log evidence: how probable the data are under the model, over all structures.

    Differences of it between scores, priors or bounds on the parents compare these. With ais it
    comes with lower bounds that hold with the stated probability.

    [bold]Example:[/bold] arcwise evidence data.csv --max-indegree 3 --out evidence.json
    """
    told = {"chains": chains, "particles": particles, "bins": bins}
    options: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    if run is not None:
        options |= {"directory": run, "checkpoint_seconds": checkpoint}
    refuse_options(options, method, "--method")
    if bins is not None:
        options["confidence"] = confidence
    if method != "exact":
        options |= {"space": as_space(space), "steps": steps, "seconds": seconds, "seed": seed}
    print(data.describe())
    with opened_engine(cluster) as engine:
        parents = families.parents(data, score, prior, seed=seed, threads=threads)
        model = parents.model(engine=engine, threads=threads, progress=True)
        if method != "exact":
            options["engine"] = engine
        found = arcwise.evidence(
            model, method, target=target, threads=threads, progress=True, **options
        )
    for line in evidence_lines(found):
        print(line)
    if out is not None:
        write_json(
            found.as_dict() | {"target": target, "provenance": model.provenance().as_dict()}, out
        )
        print(f"Evidence written to {out}")
