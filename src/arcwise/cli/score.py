"""`arcwise score`: the scores of all families, printed or written to a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import arcwise
from arcwise.cli.options import (
    ClusterOptions,
    DataOptions,
    DeviceName,
    FamilyOptions,
    ScoreOptions,
    Seed,
    Threads,
)
from arcwise.cli.output import Result, note_data
from arcwise.errors import ArgumentError
from arcwise.scores import FamilyScores, as_score
from arcwise.support.descriptions import words_of
from arcwise.support.devices import Gpu, as_device
from arcwise.support.running import Run


def score(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    cluster: ClusterOptions,
    seed: Seed = 0,
    threads: Threads = None,
    device: DeviceName = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write all scores to this .jkl file.", metavar="FILE"),
    ] = None,
    best: Annotated[
        int,
        typer.Option(
            "--best", help="Number of best parent sets to print for each node.", metavar="N"
        ),
    ] = 1,
) -> Result:
    """Score every parent set of every node.

    Prints the best parent sets of each node and, with --out, writes all scores to a .jkl file,
    which GOBNILP and other programs read. Scores are log marginal likelihoods (natural logarithms).

    [bold]Example:[/bold] arcwise score data.csv --score bdeu --max-indegree 3 --out scores.jkl
    """
    if best < 0:
        raise ArgumentError(f"--best is {best}; give 0 or more")
    if isinstance(as_device(device), Gpu) and families.grow:
        raise ArgumentError("--device scores given families, and --grow finds them; leave out one")
    note_data(data)
    chosen = as_score(score, data)
    run = Run(seed=seed, threads=threads)
    study = families.parents(data, chosen, None, run, by_evidence=False)
    if study.growth is not None:
        scores = study.growth.model.scores
    else:
        scores = arcwise.score(
            study.asked, engine=cluster, device=device, threads=threads, progress=True
        )
    print(f"{len(scores):,} families scored by {words_of(chosen)}")
    if best:
        Console().print(_best_table(scores, best))
    if out is not None:
        scores.write_jkl(out)
        print(f"Scores written to {out}")
    return partial(_result, scores, repr(chosen), best)


def _result(scores: FamilyScores, score: str, count: int) -> Mapping[str, Any]:
    return {
        "score": score,
        "families": len(scores),
        "best": {
            node: [
                {"parents": list(parents), "log_score": value}
                for parents, value in scores.best(node, count)
            ]
            for node in scores.variables
        },
    }


def _best_table(scores: FamilyScores, count: int) -> Table:
    table = Table(title="Best parent sets", title_justify="left")
    table.add_column("node")
    table.add_column("parents")
    table.add_column("log score", justify="right")
    table.add_column("gain over no parents", justify="right")
    for node in scores.variables:
        alone = scores.log_score(node, [])
        for rank, (parents, value) in enumerate(scores.best(node, count)):
            table.add_row(
                Text(node if rank == 0 else ""),  # names may look like markup
                Text(", ".join(parents) or "-"),
                f"{value:.3f}",
                f"{value - alone:+.3f}" if alone > float("-inf") else "",
            )
    return table
