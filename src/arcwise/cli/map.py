"""`arcwise map`: the DAG of maximum posterior probability, written to a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import arcwise
from arcwise.algorithms.map import MapArguments, all_families_fit
from arcwise.cli.composition import options_of, out_option
from arcwise.cli.edges_in_time import EDGES_SHOWN
from arcwise.cli.options import DataOptions
from arcwise.cli.output import Columns, Result, note_data, note_nothing_kept, print_table
from arcwise.cli.questions import ModelOptions
from arcwise.cli.results import write_files
from arcwise.learning.choose_parents import scored
from arcwise.posterior import MapResult
from arcwise.support.progress import tell
from arcwise.support.running import Run

_OPTIONS = ("method", "restarts", "seconds", "seed", "threads")


def map(
    data: DataOptions,
    asked: ModelOptions,
    search: Annotated[dict[str, Any], options_of(MapArguments, *_OPTIONS)],
    out: Annotated[
        Path | None, out_option("Folder for edges.csv, cpdag.csv and summary.json.", "FOLDER")
    ] = None,
) -> Result:
    """Find the best DAG: the one of maximum posterior probability, and its equivalence class.

    The search is restarted several times; the more restarts reach the same score, the more reliable
    the result. The equivalence class is given as a CPDAG, whose undirected edges are those that can
    point either way.

    [bold]Example:[/bold] arcwise map data.csv --candidates pc+greedy:10 --out results
    """
    note_data(data)
    families = asked.families
    chosen = families.method is not None or search.get("method") == "exact"
    if not chosen and not all_families_fit(data.variables, **families.constraints):
        tell("There are too many parent sets to score them all, so candidate parents are grown.")
        families = replace(families, grow=True)
    of_run = {name: value for name, value in search.items() if name not in ("method", "restarts")}
    run = Run(engine=asked.cluster, **of_run)
    study = families.parents(data, asked.score, asked.prior, run, keep_interrupted=True)
    best = None if study.growth is None else study.growth.best
    if best is None or search.keys() & {"restarts", "seconds"}:
        best = arcwise.map(
            scored(study, run.deadline).model,
            starts=[] if best is None else [best.dag],
            progress=True,
            **search,
        )
    _print_dag(best)
    print(*_lines(best), sep="\n")
    if out is not None:
        files = {
            "edges.csv": best.write_edges,
            "cpdag.csv": best.write_cpdag,
            "summary.json": best.write_summary,
        }
        print(write_files(out, files))
    else:
        note_nothing_kept()
    return partial(_result, best)


def _result(best: MapResult) -> Mapping[str, Any]:
    return {"dag": [list(edge) for edge in best.dag.edges], **best.summary()}


def _print_dag(best: MapResult) -> None:
    """Print the first edges of the best DAG, and whether its CPDAG directs them."""
    shown = best.dag.edges[:EDGES_SHOWN]
    count = best.dag.number_of_edges
    title = f"The best DAG: {count} edges"
    if count > len(shown):
        title += f", the first {len(shown)}"
    directed = set(best.cpdag.directed)
    columns: Columns = {
        "source": itemgetter(0),
        "target": itemgetter(1),
        "in the CPDAG": lambda edge: "directed" if edge in directed else "undirected",
    }
    print_table(title, columns, shown)


def _lines(best: MapResult) -> list[str]:
    """Return the score of the best DAG and how it was found, in words."""
    lines = [
        f"log score {best.log_score:.6f}, with the log prior {best.log_weight:.6f} (unnormalised "
        "log posterior)"
    ]
    if best.search is None:
        return [*lines, "exact: no DAG has a higher posterior probability"]
    reached = f"search: {best.restarts_at_best} of {best.restarts} restarts reached this optimum"
    classes = "" if best.classes < 2 else f", in {best.classes} equivalence classes"
    return [*lines, f"{reached}{classes}, in {best.seconds:.1f} s"]
