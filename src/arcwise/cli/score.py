"""`arcwise score`: the scores of all families, printed or written to a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import options_of, out_option
from arcwise.cli.options import DataOptions
from arcwise.cli.output import Result, note_data, print_table
from arcwise.cli.questions import ScoringOptions
from arcwise.errors import ArgumentError
from arcwise.scores import FamilyScores, as_score
from arcwise.support.descriptions import words_of
from arcwise.support.devices import Gpu, as_device
from arcwise.support.running import Run


def score(
    *,
    data: DataOptions,
    scoring: ScoringOptions,
    run: Annotated[dict[str, Any], options_of(Run, "seed", "threads", "device")],
    out: Annotated[Path | None, out_option("Write all scores to this .jkl file.")] = None,
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
    families, device = scoring.families, run.pop("device", None)
    if isinstance(as_device(device), Gpu) and families.grow:
        raise ArgumentError("--device scores given families, and --grow finds them; leave out one")
    note_data(data)
    chosen = as_score(scoring.score, data)
    study = families.parents(data, chosen, "sparse", Run(**run))
    if study.growth is not None:
        scores = study.growth.model.scores
    else:
        scores = arcwise.score(
            study.asked,
            engine=scoring.cluster,
            device=device,
            threads=run.get("threads"),
            progress=True,
        )
    print(f"{len(scores):,} families scored by {words_of(chosen)}")
    if best:
        headings = ("node", "parents", ">log score", ">gain over no parents")
        columns = {heading: itemgetter(place) for place, heading in enumerate(headings)}
        print_table("Best parent sets", columns, _rows(scores, best))
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


def _rows(scores: FamilyScores, count: int) -> Iterator[tuple[str, ...]]:
    for node in scores.variables:
        alone = scores.log_score(node, [])
        for rank, (parents, value) in enumerate(scores.best(node, count)):
            yield (
                node if rank == 0 else "",
                ", ".join(parents) or "-",
                f"{value:.3f}",
                f"{value - alone:+.3f}" if alone > float("-inf") else "",
            )
