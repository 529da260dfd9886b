"""Prints the edges of a time series: from which time to which, and over all lags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import arcwise
from arcwise.cli.output import print_table
from arcwise.data.slices import Place
from arcwise.dynamics.steps import StepPosteriors
from arcwise.posterior import Posterior
from arcwise.support.words import plural

EDGES_SHOWN = 15
LIKELY = 0.5
# Of the process graph, below which an edge is not worth a line.
_WORTH_TELLING = 0.1
_LEAST_OF_A_LAG = 0.01


def print_edges_in_time(posterior: Posterior, remark: str) -> None:
    """Print the most probable edges into the present slice, and the process graph.

    Parameters
    ----------
    posterior
        The posterior of a time series.
    remark
        What is to be said of it in the title, such as that it has not converged.
    """
    edges = arcwise.dynamics.lagged_edges(posterior)
    likely = sum(edge.probability >= LIKELY for edge in edges)
    title = (
        f"The {min(EDGES_SHOWN, len(edges))} most probable of {len(edges)} edges into the present "
        f"slice, t ({likely} of at least {LIKELY}){remark}"
    )
    columns: dict[str, str | Callable[[Any], str]] = {
        ">source": lambda edge: Place(edge.source, edge.lag).name,
        "": "→",
        "target": lambda edge: Place(edge.target, 0).name,
        ">probability": "{row.probability:.4f}",
    }
    if posterior.edge_errors is not None:
        columns[">standard error"] = "{row.standard_error:.4f}"
    print_table(title, columns, edges[:EDGES_SHOWN])
    _print_process_graph(posterior)


def print_steps(steps: StepPosteriors) -> None:
    """Print the probable edges of each step, a line for each."""
    print(
        f"A network for each of {plural(len(steps), 'step')}, with its edges of at least {LIKELY}:"
    )
    for time, posterior in steps.items():
        edges = ", ".join(
            f"{Place(edge.source, edge.lag).name} → {edge.target}(t) {edge.probability:.2f}"
            for edge in arcwise.dynamics.lagged_edges(posterior, LIKELY)
        )
        print(f"  to {time}: {edges or 'none'}")
    if steps.log_evidence is not None:
        print(f"log evidence {steps.log_evidence:.4f}, the sum over all steps")


def _print_process_graph(posterior: Posterior) -> None:
    found = arcwise.dynamics.process_graph(posterior, _WORTH_TELLING)
    print(
        f"Over all lags: {plural(len(found), 'edge', zero='no')} with a probability of at least "
        f"{_WORTH_TELLING}"
    )
    for edge in found[: 2 * EDGES_SHOWN]:
        lags = ", ".join(
            f"{'static' if lag is None else f'lag {lag}'}: {probability:.2f}"
            for lag, probability in edge.by_lag.items()
            if probability >= _LEAST_OF_A_LAG
        )
        print(f"  {edge.source} → {edge.target}  {edge.probability:.4f}  ({lags})")
    if len(found) > 2 * EDGES_SHOWN:
        print(f"  ... and {len(found) - 2 * EDGES_SHOWN} more")
