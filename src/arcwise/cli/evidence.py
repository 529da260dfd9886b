"""`arcwise evidence`: the probability of the data, with its error and lower bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from arcwise.algorithms.evidence import evidence as log_evidence
from arcwise.cli.options import (
    DataOptions,
    FamilyOptions,
    PriorName,
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
from arcwise.cli.results import evidence_lines
from arcwise.errors import ArgumentError
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
    chains: Runs = None,
    bins: Annotated[
        int | None, typer.Option("--bins", help="For ais: one more lower bound, of so many bins.")
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", help="The confidence of that bound.")
    ] = 0.95,
    seed: Seed = 0,
    threads: Threads = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The .json file to write it to.")
    ] = None,
) -> None:
    """Find the log evidence: how probable the data are under the model, over all structures.

    Differences of it between scores, priors or bounds on the parents compare these. With ais it
    comes with lower bounds that hold with the stated probability.

    [bold]Example:[/bold] arcwise evidence data.csv --max-indegree 3 --out evidence.json
    """
    if bins is not None and method != "ais":
        raise ArgumentError("--bins belongs to --method ais; leave it out")
    options: dict[str, Any] = {"threads": threads, "progress": True}
    if method != "exact":
        options |= {"space": as_space(space), "steps": steps, "seconds": seconds, "seed": seed}
        count = "runs" if method == "ais" else "chains"
        if chains is not None:
            options[count] = chains
    if method == "ais":
        options |= {"bins": bins, "confidence": confidence}
    print(data.describe())
    model = build_model(families, data, score, prior, seed, threads).model
    found = log_evidence(model, method, target=target, **options)
    for line in evidence_lines(found):
        print(line)
    if out is not None:
        write_json(
            found.as_dict() | {"target": target, "provenance": model.provenance().as_dict()}, out
        )
        print(f"Evidence written to {out}")
