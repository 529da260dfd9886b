"""The network of the report page: links, layout, details of each node, and the process graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.dynamics.lagged_edges import ProcessEdge, process_graph, slices_of
from arcwise.layout.in_time import detours, process_picture, slices_picture
from arcwise.layout.marks import lines_of, pieces
from arcwise.layout.picture import Link, Picture, links_of_matrix, modules_of, starting_threshold
from arcwise.posterior import Posterior
from arcwise.posterior.matrices import relation_probabilities
from arcwise.support.names import number, plural

SMALLEST_PROBABILITY = 0.001
MOST_LINKS = 4000
_MOST_IN_PANEL = 12
_SMALLEST_IN_PANEL = 0.005
_NO_PARENT_SETS = "This posterior has neither sampled DAGs nor probabilities of parent sets."
_NO_BLANKETS = (
    "Markov blankets, which depend on a node's children and their other parents, are estimated "
    "from sampled DAGs, and this posterior has none."
)


def network(posterior: Posterior) -> dict[str, Any]:
    """Return the links, the views of the network, and a note on links that are left out.

    A link is [source, target, probability of that direction, of the other one, standard error of
    the adjacency or None], with nodes given by index. The first view is the whole network; a large
    network also has a view for each module, the first of which is shown initially.
    """
    variables, edges = posterior.variables, posterior.edges
    links = links_of_matrix(edges, SMALLEST_PROBABILITY)[:MOST_LINKS]
    threshold = starting_threshold(links, len(variables))
    shown = [link for link in links if link.probability >= threshold]
    has_errors = posterior.edge_errors is not None
    errors = (
        posterior.matrix("skeleton").standard_errors if has_errors else np.full_like(edges, np.nan)
    )
    slices = slices_of(posterior)
    in_time = slices is not None and bool(slices.lags)
    if slices is not None and in_time:
        everything = range(len(variables))
        views = [view_of("Slices in time", everything, slices_picture(slices, shown), links)]
    else:
        views = _views(variables, links, shown)
    return {
        "variables": list(variables),
        "labels": [lines_of(name) for name in variables],
        "pieces": [pieces(name) for name in variables],
        "links": [
            [u, v, *(round(float(value), 6) for value in (*directions, errors[u, v]))]
            for u, v, *directions in map(astuple, links)
        ],
        "views": views,
        "start": {"threshold": threshold, "view": 1 if len(views) > 1 else 0},
        "has_errors": has_errors,
        "left_out": _left_out(edges, len(links)),
        "in_time": in_time,
    }


def _views(
    variables: Sequence[str], links: Sequence[Link], shown: Sequence[Link]
) -> list[dict[str, Any]]:
    count = len(variables)
    whole = view_of("Whole network", range(count), Picture.whole(variables, shown), links)
    parts = modules_of(shown, count)
    if len(parts) <= 1:
        return [whole]
    views = [whole]
    degree = np.zeros(count)
    for link in shown:
        degree[[link.source, link.target]] += link.probability
    for place, part in enumerate(parts):
        middle = variables[max(part, key=lambda node: degree[node])]
        title = f"Module {place + 1}: {plural(len(part), 'variable')} around {middle}"
        views.append(view_of(title, part, Picture.part(variables, shown, part), links))
    alone = sorted(set(range(count)).difference(*parts))
    if alone:
        title = f"{plural(len(alone), 'variable')} without an edge"
        views.append(view_of(title, alone, Picture.part(variables, shown, alone), links))
    return views


def view_of(
    title: str, nodes: Sequence[int], picture: Picture, links: Sequence[Link]
) -> dict[str, Any]:
    """Return the places of the nodes, and the routes of links that are not straight, by number."""
    drawing, names = picture.drawing, picture.variables
    points = np.array([drawing.positions[name] for name in names]).reshape(-1, 2)
    place = {node: number for number, node in enumerate(nodes)}
    alone = set(drawing.alone)  # the page arranges them in lines, like words
    inside = [
        (number, place[link.source], place[link.target])
        for number, link in enumerate(links)
        if link.source in place and link.target in place
    ]
    ways: dict[int, Any] = {}
    straight = []
    for own, source, target in inside:
        route = drawing.routes.get((names[source], names[target]))
        if route:
            ways[own] = route
        elif alone.isdisjoint((names[source], names[target])):
            straight.append((own, source, target))
    # Links between modules are straight, and may cross anything.
    if straight and not drawing.frames:
        _, sources, targets = np.array(straight).T
        for (own, *_), middle in zip(straight, detours(points, sources, targets), strict=True):
            if len(middle):
                ways[own] = middle
    return {
        "title": title,
        "nodes": list(nodes),
        "places": np.round(points, 3).tolist(),
        "ways": {str(own): np.round(np.array(way), 3).tolist() for own, way in ways.items()},
        "frames": np.round(np.array(drawing.frames), 3).tolist(),
        "alone": [number for number, name in enumerate(names) if name in alone],
    }


def _left_out(probabilities: NDArray[np.float64], shown: int) -> str:
    n = len(probabilities)
    possible = n * (n - 1) // 2
    if shown == possible:
        return f"All {plural(shown, 'pair')} of variables are on this page."
    either = np.sort((probabilities + probabilities.T)[np.triu_indices(n, 1)])[::-1]
    return (
        f"This page holds {plural(shown, 'pair', zero='no')} out of {number(possible)} pairs of "
        f"variables; the others are adjacent with a probability of at most "
        f"{number(float(either[shown]), 2)}."
    )


def nodes(posterior: Posterior) -> dict[str, Any]:
    """Return the most probable parent sets and the Markov blanket of each node, or why not."""
    place = {name: index for index, name in enumerate(posterior.variables)}
    sets = blankets = None
    if posterior.family_probabilities is not None or posterior.dags is not None:
        sets = [
            [
                [[place[parent] for parent in parents], round(probability, 4)]
                for parents, probability in posterior.parent_sets(name, _MOST_IN_PANEL)
                if probability >= _SMALLEST_IN_PANEL
            ]
            for name in posterior.variables
        ]
    if posterior.dags is not None:
        blankets = [_largest(row) for row in relation_probabilities(posterior.dags, "blanket")]
    return {
        "parent_sets": sets,
        "blankets": blankets,
        "why_no_parent_sets": None if sets is not None else _NO_PARENT_SETS,
        "why_no_blankets": None if blankets is not None else _NO_BLANKETS,
    }


def _largest(row: NDArray[np.float64]) -> list[list[Any]]:
    order = np.argsort(-row, kind="stable")
    return [
        [int(index), round(float(row[index]), 4)]
        for index in order
        if row[index] >= _SMALLEST_IN_PANEL
    ][: 2 * _MOST_IN_PANEL]


_THRESHOLD = 0.5
_LEAST = 0.05
_MOST_ROWS = 100


def process_contents(posterior: Posterior) -> dict[str, Any] | None:
    """Return the picture and the table of the process graph of a time series, if it is one."""
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
