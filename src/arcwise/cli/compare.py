"""`arcwise compare`: whether two posteriors agree, or how close one comes to a known graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.edge_files import read_edge_file
from arcwise.cli.folders import SavedPosterior, saved_posterior
from arcwise.cli.output import Columns, Result, print_table, with_verdicts
from arcwise.graphs import Dag

_EDGES_SHOWN = 10

_FOUND = {
    "of": "{row.of}",
    ">probability at least": "{row.threshold:g}",
    ">true": "{row.counts.true_positives}",
    ">false": "{row.counts.false_positives}",
    ">missed": "{row.counts.false_negatives}",
    ">precision": "{row.counts.precision:.3f}",
    ">recall": "{row.counts.recall:.3f}",
}

_DIFFERENCES: Columns = {
    "source": "{row.source}",
    "target": "{row.target}",
    ">first": "{row.first:.4f}",
    ">second": "{row.second:.4f}",
    ">difference": lambda row: f"{row.second - row.first:+.4f}",
    ">in standard errors": "{row.in_errors:.1f}",
}


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
        print_table("What of the known graph was found", _FOUND, with_graph.rows())
        print(*with_graph.sentences, sep="\n")
        return with_verdicts(posterior, with_graph.as_dict)
    found = arcwise.compare(posterior, saved_posterior(other))
    print_table("The edges that differ most", _DIFFERENCES, found.largest(_EDGES_SHOWN))
    print(*found.sentences, sep="\n")
    return found.as_dict
