"""`network`: a drawing of the graph, with more probable edges wider and darker."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise.exchange.weighted_edges import Exchanged, WeightedEdge, edges_of
from arcwise.layout import layered_drawing
from arcwise.plots.figures import INSTALL, axes_for, shortened
from arcwise.plots.routes import Route
from arcwise.posterior import Posterior
from arcwise.support.optional import optional

_MAX_NAME_LENGTH = 16
_PADDING = 4.0  # points around a label
_GAP = 8.0  # points between the boxes of neighbours
_MAX_SIDE = 40.0  # inches
_LIGHTEST, _DARKEST = 0.78, 0.05
_THINNEST, _THICKEST = 0.5, 2.6
_SHOWN = (0.25, 0.5, 0.75, 1.0)


def network(graph: Exchanged, threshold: float = 0.3, *, axes: Any = None) -> Any:
    """Draw the network of probable edges in layers, parents above their children.

    Parameters
    ----------
    graph
        A posterior, or a `Dag` or `Cpdag`.
    threshold
        The smallest probability of an edge in either direction at which a pair is joined; if
        the direction is open, both arrows are drawn.
    axes
        The matplotlib axes to draw into; None for those of a new figure, sized to
        fit the graph.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> axes = network(arcwise.exact(model))
    >>> len(axes.texts)
    8
    """
    patches = optional("matplotlib.patches", "plots.network", INSTALL)
    edges = edges_of(graph, threshold)
    names = list(graph.variables)
    drawing = layered_drawing(names, _weights(names, edges))
    places = drawing.positions
    extent = np.ptp(np.array(list(places.values())), axis=0) + 1.0
    size = 10.0 if len(names) <= 25 else 8.0 if len(names) <= 80 else 6.5
    labels = dict(zip(names, shortened(names, _MAX_NAME_LENGTH), strict=True))
    widest = max(_width(label, size) for label in labels.values())
    if axes is None:
        wide = extent[0] * (widest + 2 * _PADDING + _GAP) / 72.0
        # There must be room between layers for edges to be distinguishable.
        tall = extent[1] * (4.5 * size + 1.1 * extent[0]) / 72.0
        shape = (min(_MAX_SIDE, max(4.0, wide)), min(_MAX_SIDE, max(3.0, tall + 0.8)))
        axes = axes_for(None, shape, "plots.network")
    else:
        room = axes.get_window_extent().width / axes.figure.dpi * 72.0 / extent[0]
        size *= min(1.0, max(0.3, (room - _GAP / 2) / (widest + 2 * _PADDING)))
    low, high = np.min(list(places.values()), axis=0), np.max(list(places.values()), axis=0)
    axes.set(xlim=(low[0] - 0.6, high[0] + 0.6), ylim=(high[1] + 0.45, low[1] - 0.45))
    axes.set_axis_off()
    halves = {
        name: (_width(label, size) / 2 + _PADDING, 0.7 * size + _PADDING / 2)
        for name, label in labels.items()
    }
    pairs = {(edge.source, edge.target) for edge in edges}
    for edge in sorted(edges, key=lambda edge: _probability(edge)):
        share = _probability(edge)
        route = Route(
            axes,
            drawing.routes[edge.source, edge.target],
            halves[edge.source],
            halves[edge.target],
            0.6 * size if (edge.target, edge.source) in pairs else 0.0,
        )
        axes.add_patch(
            patches.FancyArrowPatch(
                places[edge.source],
                places[edge.target],
                connectionstyle=route,
                arrowstyle="-|>" if edge.directed else "-",
                mutation_scale=0.9 * size,
                **_style(share),
                zorder=1.0 + share,
                gid=f"{edge.source} -> {edge.target}",
            )
        )
    for name, (x, y) in places.items():
        axes.text(
            x,
            y,
            labels[name],
            ha="center",
            va="center",
            fontsize=size,
            parse_math=False,
            zorder=3.0,
            bbox={
                "boxstyle": f"round,pad={_PADDING / size / 1.4}",
                "facecolor": "white",
                "edgecolor": "#444444",
                "linewidth": 0.8,
            },
        )
    if isinstance(graph, Posterior):
        # Title and legend scale with the figure.
        words = float(np.clip(axes.get_window_extent().width / axes.figure.dpi, 9.0, 18.0))
        axes.set_title(f"Edges with probability {threshold:.2g} or more", fontsize=words)
        _add_legend(axes, threshold, words)
    return axes


def _probability(edge: WeightedEdge) -> float:
    return 1.0 if edge.probability is None else edge.probability


def _style(probability: float) -> dict[str, Any]:
    """Return the width and colour of an edge, the same in the graph and in the legend."""
    grey = _LIGHTEST + (_DARKEST - _LIGHTEST) * probability
    return {
        "linewidth": _THINNEST + (_THICKEST - _THINNEST) * probability,
        "color": (grey, grey, grey),
    }


def _weights(names: list[str], edges: list[WeightedEdge]) -> Any:
    place = {name: number for number, name in enumerate(names)}
    matrix = np.zeros((len(names),) * 2)
    for edge in edges:
        matrix[place[edge.source], place[edge.target]] = _probability(edge)
    return matrix


def _width(label: str, size: float) -> float:
    """Return the width of a label in points."""
    outlines = optional("matplotlib.textpath", "plots.network", INSTALL)
    # Blanks at the ends have no outline; a dot at each end makes room for them.
    return float(outlines.TextPath((0, 0), f".{label}.", size=size).get_extents().width)


def _add_legend(axes: Any, threshold: float, size: float) -> None:
    lines = optional("matplotlib.lines", "plots.network", INSTALL)
    shown = [share for share in _SHOWN if share >= threshold]
    axes.legend(
        [lines.Line2D([], [], **_style(share)) for share in shown],
        [f"{share:.0%}" for share in shown],
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncol=len(shown),
        frameon=False,
        fontsize=size,
    )
