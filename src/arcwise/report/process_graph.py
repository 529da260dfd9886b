"""The process graph of a time series on the report page: edges over all lags."""

from __future__ import annotations

from typing import Any

from arcwise.dynamics.lagged_edges import ProcessEdge, process_graph, slices_of
from arcwise.layout.in_time import process_picture
from arcwise.layout.labels import pieces
from arcwise.posterior import Posterior
from arcwise.report.network import view_of
from arcwise.support.words import plural

_THRESHOLD = 0.5
_LEAST = 0.05
_MOST_ROWS = 100


def process_contents(posterior: Posterior) -> dict[str, Any] | None:
    """Return the picture and the table of the process graph; None without time."""
    slices = slices_of(posterior)
    if slices is None or not slices.lags:
        return None
    edges = process_graph(posterior, _LEAST)
    variables = (*slices.variables, *slices.static)
    picture = process_picture(variables, edges, _THRESHOLD)
    links = [
        [link.source, link.target, round(link.forward, 6), 0.0, None] for link in picture.links
    ]
    return {
        "network": {
            "variables": list(picture.variables),
            "labels": [[name] for name in picture.variables],
            "pieces": [pieces(name) for name in picture.variables],
            "links": links,
            "views": [
                view_of("Over all lags", range(len(variables)), picture, list(picture.links))
            ],
            "start": {"threshold": _THRESHOLD, "view": 0},
        },
        "rows": [
            (edge.source, edge.target, f"{edge.probability:.3f}", _lags(edge))
            for edge in edges[:_MOST_ROWS]
        ],
        "lead": f"An arrow from one variable to another stands for an edge at any lag, with a "
        f"probability of at least {_THRESHOLD}; ↺ for an effect of a variable's own past.",
        "note": f"{plural(len(edges), 'edge', zero='no')} over all lags have a probability of at "
        f"least {_LEAST}"
        + (f"; the {_MOST_ROWS} most probable are listed." if len(edges) > _MOST_ROWS else "."),
    }


def _lags(edge: ProcessEdge) -> str:
    return ", ".join(
        f"{'static' if lag is None else f'lag {lag}'}: {probability:.3f}"
        for lag, probability in edge.by_lag.items()
        if probability >= 0.001
    )
