"""`arcwise compare`: whether two posteriors agree, or how close one comes to a known graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.edge_files import read_edge_file
from arcwise.cli.folders import SavedPosterior, saved_posterior
from arcwise.cli.output import Result, print_table, with_verdicts
from arcwise.comparison import PosteriorComparison, RunComparison
from arcwise.graphs import Dag

_EDGES_SHOWN = 10


def compare(
    posterior: SavedPosterior,
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
    if other.is_file():
        known = Dag.from_edges(posterior.variables, read_edge_file(other))
        with_graph = arcwise.compare(posterior, known)
        _print_found(with_graph)
        print(*with_graph.sentences, sep="\n")
        return with_verdicts(posterior, with_graph.as_dict)
    found = arcwise.compare(posterior, saved_posterior(other))
    _print_differences(found)
    print(*found.sentences, sep="\n")
    return found.as_dict


def _print_differences(found: RunComparison) -> None:
    print_table(
        "The edges that differ most",
        ("source", "target", ">first", ">second", ">difference", ">in standard errors"),
        (
            (
                row.source,
                row.target,
                f"{row.first:.4f}",
                f"{row.second:.4f}",
                f"{row.second - row.first:+.4f}",
                f"{row.in_errors:.1f}",
            )
            for row in found.largest(_EDGES_SHOWN)
        ),
    )


def _print_found(found: PosteriorComparison) -> None:
    print_table(
        "What of the known graph was found",
        (
            *("of", ">probability at least", ">true", ">false", ">missed"),
            *(">precision", ">recall"),
        ),
        (
            (
                row.of,
                f"{row.threshold:g}",
                str(row.counts.true_positives),
                str(row.counts.false_positives),
                str(row.counts.false_negatives),
                f"{row.counts.precision:.3f}",
                f"{row.counts.recall:.3f}",
            )
            for row in found.rows()
        ),
    )
