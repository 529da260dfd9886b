"""`draw`: the network as an SVG, PDF or PNG file, for a paper."""

from __future__ import annotations

import os
from math import floor, sqrt
from pathlib import Path
from typing import Any

from arcwise.dynamics.lagged_edges import process_graph, required_slices
from arcwise.errors import ArgumentError, option
from arcwise.exchange.weighted_edges import Exchanged
from arcwise.layout.in_time import process_picture
from arcwise.plots.network import NetworkPlot, links_from, picture_of
from arcwise.posterior import Posterior
from arcwise.support.checks import (
    checked_probability,
    file_path,
    real_number,
    true_or_false,
    whole_number,
)
from arcwise.support.files import replacing
from arcwise.support.optional import optional
from arcwise.support.words import shown

FORMATS = ("svg", "pdf", "png")
# Letters stay letters, which a reader can search and an editor can change; the same picture gives
# the same file.
_SETTINGS = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "arcwise"}
_USUAL_DOTS = 300.0
_USUAL_THRESHOLD = 0.5
_USUAL_LIMIT, _LIMIT = 40e6, 150e6  # dots of a whole picture, by default and at most
_WITHOUT_DATE: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}


def draw(
    graph: Exchanged,
    path: str | os.PathLike[str],
    threshold: float | None = None,
    *,
    module: int | None = None,
    process: bool = False,
    width: float | None = None,
    dpi: int | None = None,
) -> Path:
    """Write a picture of the network to a file, in the format of its ending.

    That of a time series has its slices side by side, the present on the right.

    Parameters
    ----------
    graph
        A posterior, or a `Dag` or `Cpdag`.
    path
        The file, ending in .svg, .pdf or .png.
    threshold, module
        What to draw; see `arcwise.plots.network`.
    process
        Of a time series, whether to draw the process graph instead: edges at any lag, with ↺
        where a variable depends on its own past.
    width
        The width in inches, to which letters and lines are scaled, too; by default as wide as the
        network needs, with letters of 6.5 to 10 points.
    dpi
        The dots per inch of a .png file; by default 300, and less for a very large picture.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import arcwise, pathlib, tempfile
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = draw(arcwise.exact(model), pathlib.Path(folder) / "network.svg", width=3.5)
    ...     "bronc" in file.read_text(encoding="utf-8")
    True
    """
    file = file_path(path, "path")
    ending = file.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise ArgumentError(
            f"the picture is to be written to {shown(str(file))}; give a file that ends in .svg, "
            ".pdf or .png"
        )
    if dpi is not None:
        whole_number(dpi, option("dpi"), at_least=1, at_most=2400)
    if width is not None:
        width = real_number(
            width, option("width"), lambda inches: 0.5 <= inches <= 100.0, "0.5 to 100 inches"
        )
    if true_or_false(process, option("process")):
        plot = _process_plot(graph, threshold, width)
    else:
        links, least = links_from(graph, threshold)
        plot = NetworkPlot(picture_of(graph, links, module), width=width)
        if isinstance(graph, Posterior):
            plot.add_title(graph, least)
    dots = _dots_per_inch(plot.axes.figure.get_size_inches(), dpi) if ending == "png" else 72.0
    matplotlib = optional("matplotlib", "draw")
    with matplotlib.rc_context(_SETTINGS), replacing(file) as temporary:
        plot.axes.figure.savefig(temporary, format=ending, dpi=dots, metadata=_WITHOUT_DATE[ending])
    return file


def _process_plot(graph: Exchanged, threshold: float | None, width: float | None) -> NetworkPlot:
    least = _USUAL_THRESHOLD
    if threshold is not None:
        least = checked_probability(threshold, option("threshold"))
    slices = required_slices(graph, "the process graph")
    assert isinstance(graph, Posterior)
    picture = process_picture(
        (*slices.variables, *slices.static), process_graph(graph, least), least
    )
    plot = NetworkPlot(picture, width=width)
    plot.add_title(graph, least, "An edge at any lag")
    return plot


def _dots_per_inch(size: Any, given: int | None) -> float:
    """Return the resolution of a picture of a size in inches, or refuse one beyond all memory."""
    area = float(size[0] * size[1])
    if given is None:
        return min(_USUAL_DOTS, sqrt(_USUAL_LIMIT / area))
    if area * given**2 > _LIMIT:
        raise ArgumentError(
            option("dpi"),
            f" is {given}, too many for a picture of {size[0]:.1f} by {size[1]:.1f} inches; give "
            f"at most {floor(sqrt(_LIMIT / area))}, or a file that ends in .svg or .pdf",
        )
    return float(given)
