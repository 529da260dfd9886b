"""`arcwise compare`: whether two posteriors agree, or how close one comes to a known graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import arcwise
from arcwise.cli.edge_files import read_edge_file
from arcwise.cli.folders import ResultFolder, saved_posterior
from arcwise.cli.output import Result
from arcwise.cli.reliability import print_verdicts, reliability_result
from arcwise.comparison import PosteriorComparison, RunComparison
from arcwise.graphs import Dag

_EDGES_SHOWN = 10


def compare(
    folder: ResultFolder,
    other: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER|FILE",
            help="Another such folder, or a file with the known graph: a .csv of source,target "
            "pairs, an adjacency matrix with a header, or a .json.",
        ),
    ],
) -> Result:
    """Compare a posterior with another over the same variables, or with a known graph.

    With another posterior: whether they agree, and where they differ. Differences are given in
    units of their standard errors, so that Monte Carlo error is not mistaken for disagreement.

    With a known graph: how many of its edges are found, how many others, and how far a DAG of the
    posterior is from it on average.

    [bold]Examples:[/bold] arcwise compare results results-of-another-seed;
    arcwise compare results truth.csv
    """
    posterior = saved_posterior(folder)
    if other.is_file():
        known = Dag.from_edges(posterior.variables, read_edge_file(other))
        with_graph = arcwise.compare(posterior, known)
        Console().print(_found_table(with_graph))
        print(*with_graph.sentences, sep="\n")
        print_verdicts(posterior)
        return lambda: {"reliability": reliability_result(posterior), **with_graph.as_dict()}
    found = arcwise.compare(posterior, saved_posterior(other))
    Console().print(_difference_table(found))
    print(*found.sentences, sep="\n")
    return found.as_dict


def _difference_table(found: RunComparison) -> Table:
    table = Table(title="The edges that differ most", title_justify="left")
    for name in ("source", "target"):
        table.add_column(name)
    for name in ("first", "second", "difference", "in standard errors"):
        table.add_column(name, justify="right")
    for row in found.largest(_EDGES_SHOWN):
        table.add_row(
            Text(row.source),
            Text(row.target),
            f"{row.first:.4f}",
            f"{row.second:.4f}",
            f"{row.second - row.first:+.4f}",
            f"{row.in_errors:.1f}",
        )
    return table


def _found_table(found: PosteriorComparison) -> Table:
    table = Table(title="What of the known graph was found", title_justify="left")
    table.add_column("of")
    for name in ("probability at least", "true", "false", "missed", "precision", "recall"):
        table.add_column(name, justify="right")
    for row in found.rows():
        counts = row.counts
        table.add_row(
            row.of,
            f"{row.threshold:g}",
            str(counts.true_positives),
            str(counts.false_positives),
            str(counts.false_negatives),
            f"{counts.precision:.3f}",
            f"{counts.recall:.3f}",
        )
    return table
