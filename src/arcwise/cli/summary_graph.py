"""`arcwise summary-graph`: one graph for a posterior, and how it compares with a known one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import group_of
from arcwise.cli.edge_files import read_edge_file
from arcwise.cli.folders import SavedPosterior
from arcwise.cli.output import Columns, Result, print_table, with_verdicts
from arcwise.comparison import SummaryGraphComparison, compare_summary_graphs
from arcwise.errors import ArgumentError
from arcwise.exchange import to_dot, to_gml
from arcwise.exchange.weighted_edges import edges_of
from arcwise.graphs import Cpdag, Dag, EdgeCounts
from arcwise.posterior.summary_graphs import SUMMARY_GRAPHS, SummaryGraph
from arcwise.support.files import write_table
from arcwise.support.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class Use(Settings):
    """What is done with a summary graph."""

    threshold: float = setting(0.5, "The probability for threshold.", metavar="PROBABILITY")
    truth: Path | None = setting(
        None,
        "A file with the known graph to compare with: a .csv with the columns source and target, "
        "or an adjacency matrix, or .json.",
        metavar="FILE",
    )
    out: Path | None = setting(
        None,
        "A file for the graph: .csv with the columns source, target and kind, .dot or .gml.",
        metavar="FILE",
    )


def summary_graph(
    *,
    posterior: SavedPosterior,
    graph: Annotated[
        SummaryGraph | None,
        typer.Argument(
            metavar="GRAPH",
            help=" ".join(f"{name}: {words}." for name, words in SUMMARY_GRAPHS.items())
            + " By default median; with --truth, all there are.",
        ),
    ] = None,
    use: Annotated[Use, group_of(Use)],
) -> Result:
    """Summarise a posterior by one graph, and compare it with a known graph.

    Adjacencies come first: a pair of variables that is probably adjacent is kept although its
    direction may be open.

    [bold]Example:[/bold] arcwise summary-graph results median-cpdag --out graph.csv
    """
    truth, out = use.truth, use.out
    if out is not None and out.suffix not in _WRITERS:
        raise ArgumentError(f"--out is '{out}'; give a file that ends in .csv, .dot or .gml")
    known = None
    if truth is not None:
        known = Dag.from_edges(posterior.variables, read_edge_file(truth))
    found = None
    if known is None or graph is not None or out is not None:
        name: SummaryGraph = graph or "median"
        found = arcwise.summary_graph(posterior, name, threshold=use.threshold)
        print(f"{name}: {SUMMARY_GRAPHS[name]}")
        print(*_lines(found), sep="\n")
    compared: tuple[SummaryGraphComparison, ...] = ()
    if known is not None:
        names = None if graph is None else [graph]
        compared = compare_summary_graphs(posterior, known, names, threshold=use.threshold)
        print_table("Compared with the known graph", _COMPARED, compared)
        print("Counts are right + wrong, of those in the known graph.")
    result = with_verdicts(posterior, partial(_result, found, compared))
    if out is not None and found is not None:
        _WRITERS[out.suffix](found, out)
        print(f"Graph written to {out}")
    return result


def _result(
    graph: Dag | Cpdag | None, compared: tuple[SummaryGraphComparison, ...]
) -> Mapping[str, Any]:
    words = {"skeleton": "adjacencies"}
    rows = [
        {words.get(name, name): value for name, value in asdict(row).items() if name != "graph"}
        for row in compared
    ]
    edges = [] if graph is None else edges_of(graph, 0.0)
    return {
        "directed": [(edge.source, edge.target) for edge in edges if edge.directed],
        "undirected": [(edge.source, edge.target) for edge in edges if not edge.directed],
        "compared": rows,
    }


def _lines(graph: Dag | Cpdag) -> list[str]:
    """Return the edges, one to a line."""
    signs = {True: "->", False: "--"}
    lines = [f"  {edge.source} {signs[edge.directed]} {edge.target}" for edge in edges_of(graph, 0)]
    return lines or ["  (no edges)"]


def _counts(counts: EdgeCounts) -> str:
    known = counts.true_positives + counts.false_negatives
    return f"{counts.true_positives} + {counts.false_positives} of {known}"


_COMPARED: Columns = {
    "graph": "{row.name}",
    ">adjacencies": lambda row: _counts(row.skeleton),
    ">directions in the CPDAG": lambda row: _counts(row.directions),
    ">CPDAG distance": "{row.cpdag_distance}",
    ">arrows": lambda row: "-" if row.arrows is None else _counts(row.arrows),
}


def _write_csv(graph: Dag | Cpdag, path: Path) -> None:
    kinds = {True: "directed", False: "undirected"}
    rows = [(edge.source, edge.target, kinds[edge.directed]) for edge in edges_of(graph, 0.0)]
    write_table(["source", "target", "kind"], rows, path)


def _write_text(form: Callable[[Dag | Cpdag], str], graph: Dag | Cpdag, path: Path) -> None:
    path.write_text(form(graph) + "\n", encoding="utf-8")


_WRITERS: Mapping[str, Callable[[Dag | Cpdag, Path], None]] = {
    ".csv": _write_csv,
    ".dot": partial(_write_text, to_dot),
    ".gml": partial(_write_text, to_gml),
}
