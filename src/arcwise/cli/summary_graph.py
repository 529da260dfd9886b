"""`arcwise summary-graph`: one graph for a posterior, and how it compares with a known one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import arcwise
from arcwise.cli.edge_files import read_edge_file
from arcwise.cli.folders import ResultFolder, saved_posterior
from arcwise.cli.output import Result
from arcwise.cli.reliability import print_verdicts, reliability_result
from arcwise.comparison import SummaryGraphComparison, compare_summary_graphs
from arcwise.errors import ArgumentError
from arcwise.exchange import to_dot, to_gml
from arcwise.graphs import Cpdag, Dag, EdgeCounts
from arcwise.posterior import Posterior
from arcwise.posterior.summary_graphs import SUMMARY_GRAPHS, SummaryGraph
from arcwise.support.files import write_table


def summary_graph(
    folder: ResultFolder,
    graph: Annotated[
        SummaryGraph | None,
        typer.Argument(
            metavar="GRAPH",
            help=" ".join(f"{name}: {words}." for name, words in SUMMARY_GRAPHS.items())
            + " By default median; with --truth, all there are.",
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option("--threshold", help="The probability for threshold.", metavar="PROBABILITY"),
    ] = 0.5,
    truth: Annotated[
        Path | None,
        typer.Option(
            "--truth",
            help="A file with the known graph to compare with: a .csv with the columns source and "
            "target, or an adjacency matrix, or .json.",
            metavar="FILE",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="A file for the graph: .csv with the columns source, target and kind, .dot or "
            ".gml.",
            metavar="FILE",
        ),
    ] = None,
) -> Result:
    """Summarise a posterior by one graph, and compare it with a known graph.

    Adjacencies come first: a pair of variables that is probably adjacent is kept although its
    direction may be open.

    [bold]Example:[/bold] arcwise summary-graph results median-cpdag --out graph.csv
    """
    if out is not None and out.suffix not in _WRITERS:
        raise ArgumentError(f"--out is '{out}'; give a file that ends in .csv, .dot or .gml")
    posterior = saved_posterior(folder)
    known = None
    if truth is not None:
        known = Dag.from_edges(posterior.variables, read_edge_file(truth))
    found = None
    if known is None or graph is not None or out is not None:
        name: SummaryGraph = graph or "median"
        found = arcwise.summary_graph(posterior, name, threshold=threshold)
        print(f"{name}: {SUMMARY_GRAPHS[name]}")
        print(*_lines(found), sep="\n")
    compared: tuple[SummaryGraphComparison, ...] = ()
    if known is not None:
        names = None if graph is None else [graph]
        compared = compare_summary_graphs(posterior, known, names, threshold=threshold)
        _print_comparison(compared)
    print_verdicts(posterior)
    if out is not None and found is not None:
        _WRITERS[out.suffix](found, out)
        print(f"Graph written to {out}")
    return partial(_result, posterior, found, compared)


def _result(
    posterior: Posterior, graph: Dag | Cpdag | None, compared: tuple[SummaryGraphComparison, ...]
) -> Mapping[str, Any]:
    rows = [
        {
            "name": row.name,
            "adjacencies": asdict(row.skeleton),
            "directions": asdict(row.directions),
            "cpdag_distance": row.cpdag_distance,
            "arrows": None if row.arrows is None else asdict(row.arrows),
        }
        for row in compared
    ]
    undirected = graph.undirected if isinstance(graph, Cpdag) else ()
    directed = graph.directed if isinstance(graph, Cpdag) else graph.edges if graph else ()
    return {
        "reliability": reliability_result(posterior),
        "directed": list(directed),
        "undirected": list(undirected),
        "compared": rows,
    }


def _lines(graph: Dag | Cpdag) -> list[str]:
    """Return the edges, one to a line."""
    directed = graph.edges if isinstance(graph, Dag) else graph.directed
    undirected = () if isinstance(graph, Dag) else graph.undirected
    lines = [f"  {source} -> {target}" for source, target in directed]
    lines += [f"  {one} -- {other}" for one, other in undirected]
    return lines or ["  (no edges)"]


def _print_comparison(rows: tuple[SummaryGraphComparison, ...]) -> None:
    table = Table(title="Compared with the known graph", title_justify="left")
    table.add_column("graph")
    for heading in ("adjacencies", "directions in the CPDAG", "CPDAG distance", "arrows"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            Text(row.name),
            _counts(row.skeleton),
            _counts(row.directions),
            str(row.cpdag_distance),
            "-" if row.arrows is None else _counts(row.arrows),
        )
    Console().print(table)
    print("Counts are right + wrong, of those in the known graph.")


def _counts(counts: EdgeCounts) -> str:
    known = counts.true_positives + counts.false_negatives
    return f"{counts.true_positives} + {counts.false_positives} of {known}"


def _write_csv(graph: Dag | Cpdag, path: Path) -> None:
    directed = graph.edges if isinstance(graph, Dag) else graph.directed
    rows = [(*edge, "directed") for edge in directed]
    if isinstance(graph, Cpdag):
        rows += [(*edge, "undirected") for edge in graph.undirected]
    write_table(["source", "target", "kind"], rows, path)


def _write_dot(graph: Dag | Cpdag, path: Path) -> None:
    path.write_text(to_dot(graph) + "\n", encoding="utf-8")


def _write_gml(graph: Dag | Cpdag, path: Path) -> None:
    path.write_text(to_gml(graph) + "\n", encoding="utf-8")


_WRITERS = {".csv": _write_csv, ".dot": _write_dot, ".gml": _write_gml}
