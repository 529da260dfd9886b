"""`network`: a drawing of the network, with more probable links wider and darker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.dynamics.lagged_edges import slices_of
from arcwise.errors import ArgumentError, option
from arcwise.exchange.graphs import Exchanged
from arcwise.layout.in_time import slices_picture
from arcwise.layout.marks import COLOURS, lines_of
from arcwise.layout.picture import Link, Picture, links_of, modules_of, starting_threshold
from arcwise.plots.figures import axes_for
from arcwise.posterior import Posterior
from arcwise.records.account import UNCONVERGED
from arcwise.support.checks import checked_probability, whole_number
from arcwise.support.optional import optional

_PADDING = 4.0  # points around a label
_GAP = 8.0  # points between the boxes of neighbours
_MAX_SIDE = 40.0  # inches
_LINE_SPACING = 1.2
_LIGHTEST, _DARKEST = 0.78, 0.05
_THINNEST, _THICKEST = 0.5, 2.6
_MOST_NUMBERED = 60
_BETWEEN_MODULES = 0.25
_SHOWN = (0.25, 0.5, 0.75, 1.0)


def network(
    graph: Exchanged, threshold: float | None = None, *, module: int | None = None, axes: Any = None
) -> Any:
    """Draw the network of probable adjacencies in layers, parents above their children.

    An arrow has the direction that is at least nine times as probable as the other. If the
    direction is open, a line without arrowheads shows the probabilities of both. A network of more
    than 60 joined variables is drawn in modules, with variables without an edge below. A time
    series is drawn slice by slice, with the present on the right.

    Parameters
    ----------
    graph
        A posterior, or a `Dag` or `Cpdag`.
    threshold
        The smallest probability of an edge in either direction at which two variables are joined.
        By default one half, and more for large networks with more than two edges per variable.
    module
        The module to draw alone, from 1 for the largest; by default all of them. A number after a
        plus sign is the number of edges to other modules.
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
    >>> axes = network(arcwise.exact(model), 0.9)
    >>> len([text for text in axes.texts if text.get_gid() == "node"])
    8
    """
    links, threshold = links_from(graph, threshold)
    picture = picture_of(graph, links, module)
    drawn = NetworkPlot(picture, axes)
    if isinstance(graph, Posterior):
        drawn.add_title(graph, threshold)
    return drawn.axes


def links_from(graph: Exchanged, threshold: float | None) -> tuple[list[Link], float]:
    """Return the links to draw, and the threshold, given or chosen."""
    links = links_of(graph)
    if not isinstance(graph, Posterior):
        return links, 0.0
    least = (
        starting_threshold(links, len(graph.variables))
        if threshold is None
        else checked_probability(threshold, option("threshold"))
    )
    return [link for link in links if link.probability >= least], least


def picture_of(graph: Exchanged, links: list[Link], module: int | None) -> Picture:
    """Return the whole picture, of a time series by slices, or the picture of one module."""
    slices = slices_of(graph) if isinstance(graph, Posterior) else None
    if module is None and slices is not None and slices.lags:
        return slices_picture(slices, links)
    if module is None:
        return Picture.whole(graph.variables, links)
    parts = modules_of(links, len(graph.variables))
    number = whole_number(module, option("module"), at_least=1)
    if number > len(parts):
        raise ArgumentError(
            option("module"),
            f" is {number}, but the network has {len(parts)}; give a number up to that, or none "
            "for the whole network",
        )
    return Picture.part(graph.variables, links, parts[number - 1])


class NetworkPlot:
    """A picture on matplotlib axes."""

    def __init__(self, picture: Picture, axes: Any = None, width: float | None = None) -> None:
        self.picture = picture
        places = np.array(list(picture.drawing.positions.values()))
        corners = np.array(picture.drawing.frames).reshape(-1, 2)
        every = np.concatenate([places, corners, *self._curves()])
        self.low, self.high = every.min(axis=0), every.max(axis=0)
        extent = self.high - self.low + 1.0
        nodes = len(picture.variables)
        self.size = 10.0 if nodes <= 25 else 8.0 if nodes <= 80 else 6.5
        self.labels = {name: "\n".join(lines_of(name)) for name in picture.variables}
        wide, high = self._natural_shape(extent)
        self.scale = width / wide if axes is None and width is not None else 1.0
        self.axes = axes_for(axes, (wide * self.scale, high * self.scale), "plots.network")
        if axes is not None:
            room = self.axes.get_window_extent().width / self.axes.figure.dpi * 72.0 / extent[0]
            needed = self._widest() + 2 * _PADDING
            self.scale = min(1.0, max(0.3, (room - _GAP / 2) / needed))
        self.size *= self.scale
        self.axes.set(
            xlim=(self.low[0] - 0.6, self.high[0] + 0.6),
            ylim=(self.high[1] + 0.45, self.low[1] - 0.45),
        )
        self.axes.set_axis_off()
        self.halves = {name: self._half(name) for name in self.labels}
        self._add_frames()
        self._add_links()
        self._add_nodes()

    def _curves(self) -> list[Any]:
        """Return the links that are not straight, which may extend beyond all nodes."""
        names, drawing = self.picture.variables, self.picture.drawing
        ends = [(names[link.source], names[link.target]) for link in self.picture.links]
        return [
            smooth(np.array([drawing.positions[one], *bends, drawing.positions[other]]))
            for one, other in ends
            if (bends := drawing.routes[one, other])
        ]

    def _natural_shape(self, extent: Any) -> tuple[float, float]:
        """Return the size in inches at which names fit and edges can be distinguished."""
        wide = extent[0] * (self._widest() + 2 * _PADDING + _GAP) / 72.0
        lines = max(label.count("\n") + 1 for label in self.labels.values())
        layer = (4.0 + _LINE_SPACING * lines) * self.size + min(1.1 * extent[0], 30.0)
        shape = max(4.5, wide), max(3.0, extent[1] * layer / 72.0 + 0.8)
        return min(_MAX_SIDE, shape[0]), min(_MAX_SIDE, shape[1])

    def _widest(self) -> float:
        return max(self._width(name) for name in self.labels)

    def _width(self, name: str) -> float:
        """Return the width of a label in points."""
        outlines = optional("matplotlib.textpath", "plots.network")
        # Blanks at the ends have no outline, so a dot is added at each end.
        return max(
            float(outlines.TextPath((0, 0), f".{line}.", size=self.size).get_extents().width)
            for line in self.labels[name].split("\n")
        )

    def _half(self, name: str) -> tuple[float, float]:
        """Return half the width and height of the box around a label, in points."""
        lines = self.labels[name].count("\n") + 1
        return (
            self._width(name) / 2 + _PADDING * self.scale,
            (0.1 + 0.5 * _LINE_SPACING * lines) * self.size + _PADDING * self.scale / 2,
        )

    def _add_frames(self) -> None:
        patches = optional("matplotlib.patches", "plots.network")
        for left, top, right, bottom in self.picture.drawing.frames:
            self.axes.add_patch(
                patches.FancyBboxPatch(
                    (left, top),
                    right - left,
                    bottom - top,
                    boxstyle="round,pad=0,rounding_size=0.3",
                    facecolor="#f6f7f9",
                    edgecolor="#dfe3e8",
                    linewidth=0.8 * self.scale,
                    zorder=0.2,
                )
            )
        drawing = self.picture.drawing
        if drawing.alone and len(drawing.alone) < len(drawing.positions):
            top = min(drawing.positions[name][1] for name in drawing.alone) - 0.5
            left, right = self.low[0] - 0.5, self.high[0] + 0.5
            look = {"color": "#dfe3e8", "linewidth": 0.8 * self.scale, "zorder": 0.2}
            self.axes.plot([left, right], [top, top], **look)
            look = {"fontsize": 0.8 * self.size, "color": "#56606b", "va": "bottom"}
            self.axes.text(left, top, "without an edge", **look, gid="rule")

    def _frame_of(self, name: str) -> int | None:
        x, y = self.picture.drawing.positions[name]
        frames = enumerate(self.picture.drawing.frames)
        around = (n for n, (left, top, right, low) in frames if left < x < right and top < y < low)
        return next(around, None)

    def _add_links(self) -> None:
        patches = optional("matplotlib.patches", "plots.network")
        names, drawing = self.picture.variables, self.picture.drawing
        numbered = len(self.picture.links) <= _MOST_NUMBERED
        box = self.axes.get_window_extent()
        points = np.array([box.width, -box.height]) / self.axes.figure.dpi * 72.0
        # A unit of the drawing in points, y upwards.
        self.unit = points / np.abs(
            [np.diff(self.axes.get_xlim())[0], np.diff(self.axes.get_ylim())[0]]
        )
        self.numbers: list[Any] = []
        for link in self.picture.links:
            source, target = names[link.source], names[link.target]
            between = self._frame_of(source) != self._frame_of(target)
            bends = drawing.routes[source, target]
            self.axes.add_patch(
                patches.FancyArrowPatch(
                    drawing.positions[source],
                    drawing.positions[target],
                    connectionstyle=Route(
                        self.axes, bends, self.halves[source], self.halves[target]
                    ),
                    arrowstyle="-" if link.is_open else "-|>",
                    mutation_scale=0.9 * self.size,
                    **_style(link.probability, self.scale),
                    alpha=_BETWEEN_MODULES if between else 1.0,
                    zorder=0.5 if between else 1.0 + link.probability,
                    gid=f"{source} {'--' if link.is_open else '->'} {target}",
                )
            )
            if link.is_open and numbered and (link.forward, link.backward) != (0.5, 0.5):
                ends = [drawing.positions[source], *bends, drawing.positions[target]]
                self._add_numbers(link, ends)

    def _add_numbers(self, link: Link, points: Any) -> None:
        """Write the probabilities of both directions on a link, if there is room."""
        curve = smooth(np.array(points) * self.unit)
        across, up = curve[-1] - curve[0]
        upright = abs(up) > 0.3 * abs(across)
        there, back = ("↑↓" if up > 0 else "↓↑") if upright else ("→←" if across > 0 else "←→")
        for share in (0.5, 0.4, 0.6, 0.3, 0.7):
            place = curve[round(share * (len(curve) - 1))]
            if self._take(place):
                x, y = place / self.unit
                self.axes.text(
                    x,
                    y,
                    f"{there}{link.forward:.2f} {back}{link.backward:.2f}",
                    ha="center",
                    va="center",
                    fontsize=0.7 * self.size,
                    color="#1b1f24",
                    zorder=2.5,
                    gid="shares",
                    bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
                )
                return

    def _take(self, place: Any) -> bool:
        """Reserve a place for numbers unless it is occupied; return whether it was free."""
        half = np.array([2.2, 0.5]) * self.size
        boxes = [
            (np.array(self.picture.drawing.positions[name]) * self.unit, np.array(half))
            for name, half in self.halves.items()
        ]
        for centre, size in [*boxes, *((taken, half) for taken in self.numbers)]:
            if (np.abs(place - centre) < half + size).all():
                return False
        self.numbers.append(place)
        return True

    def _add_nodes(self) -> None:
        for name, (x, y) in self.picture.drawing.positions.items():
            self.axes.text(
                x,
                y,
                self.labels[name],
                ha="center",
                va="center",
                fontsize=self.size,
                linespacing=_LINE_SPACING,
                parse_math=False,
                zorder=3.0,
                gid="node",
                bbox={
                    "boxstyle": f"round,pad={_PADDING * self.scale / self.size / 1.4}",
                    "facecolor": "white",
                    "edgecolor": "#444444",
                    "linewidth": 0.8 * self.scale,
                },
            )

        for name, count in zip(self.picture.variables, self.picture.elsewhere, strict=True):
            if count:
                self.axes.annotate(
                    f"+{count}",
                    self.picture.drawing.positions[name],
                    xytext=self.halves[name],
                    textcoords="offset points",
                    fontsize=0.7 * self.size,
                    color=COLOURS[0],
                    gid="elsewhere",
                )

    def add_title(self, posterior: Posterior, threshold: float, what: str = "Adjacent") -> None:
        """Add a title, with the verdict if it is bad, and a legend of widths and shades."""
        lines = optional("matplotlib.lines", "plots.network")
        # Title and legend scale with the figure.
        words = float(
            np.clip(self.axes.get_window_extent().width / self.axes.figure.dpi, 9.0, 18.0)
        )
        words *= min(1.0, self.scale)
        title = f"{what} with probability {threshold:.2g} or more"
        verdict = posterior.diagnose().verdict
        # A picture is often shown without any other information on the run.
        remark = f"\n(computation: {verdict})" if verdict in UNCONVERGED else ""
        self.axes.set_title(title + remark, fontsize=words)
        shown = [share for share in _SHOWN if share >= threshold]
        self.axes.legend(
            [lines.Line2D([], [], **_style(share, self.scale)) for share in shown],
            [f"{share:.0%}" for share in shown],
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncol=len(shown),
            frameon=False,
            fontsize=words,
        )


def _style(probability: float, scale: float) -> dict[str, Any]:
    """Return the width and colour of a link, the same in the picture and in the legend."""
    grey = _LIGHTEST + (_DARKEST - _LIGHTEST) * probability
    return {
        "linewidth": scale * (_THINNEST + (_THICKEST - _THINNEST) * probability),
        "color": (grey, grey, grey),
    }


Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Route:
    """A connection style for matplotlib arrows: the path of an edge from box to box through points.

    Labels have a fixed size in points whatever the scale of the axes, so the points where an edge
    meets its boxes are known only when it is drawn.
    """

    axes: Any
    bends: Sequence[tuple[float, float]]  # the points to pass through, in data coordinates
    # Half the width and height in points of the boxes at both ends.
    source: tuple[float, float]
    target: tuple[float, float]

    def __call__(self, start: Any, end: Any, **_: Any) -> Any:
        """Return the path between two points in display coordinates, as matplotlib requires."""
        points = [np.asarray(start, dtype=np.float64)]
        if self.bends:
            points += list(self.axes.transData.transform(np.array(self.bends)))
        points.append(np.asarray(end, dtype=np.float64))
        scale = self.axes.figure.dpi / 72.0
        curve = smooth(np.array(points))
        curve = outside(curve, np.array(self.source) * scale)
        curve = outside(curve[::-1], np.array(self.target) * scale)[::-1]
        return optional("matplotlib.path", "plots").Path(curve)


def smooth(points: Points) -> Points:
    """Return closely spaced points on Catmull-Rom splines through the given points."""
    padded = np.concatenate([2 * points[:1] - points[1:2], points, 2 * points[-1:] - points[-2:-1]])
    steps = np.linspace(0.0, 1.0, 12, endpoint=False)[:, np.newaxis]
    segments = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        segments.append(
            b
            + 0.5 * steps * (c - a)
            + steps**2 * (a - 2.5 * b + 2 * c - 0.5 * d)
            + 0.5 * steps**3 * (3 * (b - c) + d - a)
        )
    return np.concatenate([*segments, points[-1:]])


def outside(curve: Points, half: Points) -> Points:
    """Return the part of a curve outside the box, of half size `half`, around its start."""
    ratio = (np.abs(curve - curve[0]) / half).max(axis=1)
    within = np.flatnonzero(ratio <= 1.0)
    last = int(within[-1])
    if last + 1 >= len(curve):  # the boxes touch, and an empty path is not allowed
        return curve[-2:]
    share = (1.0 - ratio[last]) / (ratio[last + 1] - ratio[last])
    edge = curve[last] + share * (curve[last + 1] - curve[last])
    return np.concatenate([edge[np.newaxis], curve[last + 1 :]])
