"""`arcwise map`: the DAG of maximum posterior probability, written to a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import arcwise
from arcwise.algorithms.map import MOST_VARIABLES, all_families_fit
from arcwise.cli.options import (
    ClusterOptions,
    DataOptions,
    FamilyOptions,
    PriorName,
    ScoreOptions,
    Seed,
    Threads,
)
from arcwise.cli.output import Result, note_data, note_nothing_kept
from arcwise.cli.results import map_lines, print_dag, write_map
from arcwise.learning.choose_parents import scored
from arcwise.posterior import MapResult
from arcwise.support.progress import tell
from arcwise.support.running import Run


def map(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    cluster: ClusterOptions,
    prior: PriorName = None,
    method: Annotated[
        Literal["auto", "exact", "search"],
        typer.Option(
            "--method",
            help=f"auto: exact for up to {MOST_VARIABLES} variables, otherwise search.",
        ),
    ] = "auto",
    restarts: Annotated[
        int | None,
        typer.Option(
            "--restarts", help="Number of restarts of the search (default: 8).", metavar="N"
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            help="Stop after this time, reading the data included, with the best DAG found.",
            metavar="SECONDS",
        ),
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Folder for edges.csv, cpdag.csv and summary.json.", metavar="FOLDER"
        ),
    ] = None,
) -> Result:
    """Find the best DAG: the one of maximum posterior probability, and its equivalence class.

    The search is restarted several times; the more restarts reach the same score, the more reliable
    the result. The equivalence class is given as a CPDAG, whose undirected edges are those that can
    point either way.

    [bold]Example:[/bold] arcwise map data.csv --candidates pc+greedy:10 --out results
    """
    note_data(data)
    asked = families.method is not None or method == "exact"
    if not asked and not all_families_fit(data.variables, **families.constraints):
        tell("There are too many parent sets to score them all, so candidate parents are grown.")
        families = replace(families, grow=True)
    run = Run(seconds=seconds, seed=seed, engine=cluster, threads=threads)
    study = families.parents(data, score, prior, run, keep_interrupted=True)
    best = None if study.growth is None else study.growth.best
    if best is None or restarts is not None or seconds is not None:
        best = arcwise.map(
            scored(study, run.deadline).model,
            method=method,
            restarts=restarts,
            starts=[] if best is None else [best.dag],
            seconds=seconds,
            seed=seed,
            threads=threads,
            progress=True,
        )
    print_dag(best)
    print(*map_lines(best), sep="\n")
    if out is not None:
        print(f"{write_map(best, out)} written to {out}")
    else:
        note_nothing_kept()
    return partial(_result, best)


def _result(best: MapResult) -> Mapping[str, Any]:
    return {"dag": [list(edge) for edge in best.dag.edges], **best.summary()}
