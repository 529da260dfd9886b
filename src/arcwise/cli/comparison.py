"""Comparisons: `arcwise compare` (posteriors), `compare-models` and `summary-graph`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import (
    Columns,
    Result,
    SavedPosterior,
    group_of,
    out_option,
    print_table,
    saved_posterior,
    with_verdicts,
)
from arcwise.cli.options import read_edge_file
from arcwise.comparison import ModelEvidence, SummaryGraphComparison, compare_summary_graphs
from arcwise.errors import ArgumentError
from arcwise.exchange import to_dot, to_gml
from arcwise.exchange.graphs import edges_of
from arcwise.graphs import Cpdag, Dag, EdgeCounts
from arcwise.posterior.summary_graphs import SUMMARY_GRAPHS, SummaryGraph
from arcwise.support.files import write_json, write_table
from arcwise.support.settings import Settings, setting

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


_COLUMNS = {
    "model": "{row.name}",
    ">probability": "{row.probability:.4f}",
    ">95 % interval": "{row.interval.low:.4f} to {row.interval.high:.4f}",
    ">log evidence": "{row.evidence.log_evidence:.2f}",
    ">log Bayes factor": "{row.log_bayes_factor:.2f}",
    "evidence is": "{row.evidence.verdict}",
}


def compare_models(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Files that `arcwise evidence --out` wrote, or folders of results with an "
            "evidence.json, two or more.",
        ),
    ],
    prior: Annotated[
        list[float] | None,
        typer.Option(
            "--prior",
            help="The prior probability of each model, in any unit and in the order of the files; "
            "once for each (default: all are equal).",
            metavar="NUMBER",
        ),
    ] = None,
    out: Annotated[Path | None, out_option("The .json file to write.")] = None,
) -> Result:
    """Compare models of the same data: their posterior probabilities, by their evidence.

    Models may differ in anything but the data: the score, --equivalent-sample-size, --prior,
    --max-indegree and other constraints. Intervals are for the Monte Carlo error of estimated
    evidences.

    [bold]Example:[/bold] arcwise compare-models one.json ten.json
    """
    models = {str(path): ModelEvidence.read(_file(path)) for path in files}
    found = arcwise.compare_models(models, prior=prior)
    print_table("The models, the most probable first", _COLUMNS, found.models)
    print(*found.sentences, sep="\n")
    if out is not None:
        write_json(found.as_dict(), out)
        print(f"Comparison written to {out}")
    return found.as_dict


def _file(path: Path) -> Path:
    file = path / "evidence.json" if path.is_dir() else path
    if not file.is_file():
        raise ArgumentError(
            f"there is no file '{file}'; give files that `arcwise evidence --out` wrote"
        )
    return file


@dataclass(frozen=True, kw_only=True)
class Use(Settings):
    """The options of a summary graph."""

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
