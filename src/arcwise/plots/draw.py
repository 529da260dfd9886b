"""`draw`: the network as an SVG, PDF or PNG file, for a paper."""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass
from functools import partial
from math import floor, sqrt
from pathlib import Path
from typing import Any

from arcwise.dynamics.lagged_edges import process_graph, required_slices
from arcwise.errors import ArgumentError, Wording, option
from arcwise.exchange.graphs import Exchanged
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
from arcwise.support.names import shown
from arcwise.support.optional import optional
from arcwise.support.settings import Settings, keywords_of, setting

# Text remains text, which can be searched and edited; the same picture gives the same file.
_SETTINGS = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "arcwise"}
_USUAL_DOTS = 300.0
_USUAL_THRESHOLD = 0.5
_USUAL_LIMIT, _LIMIT = 40e6, 150e6  # dots of a whole picture, by default and at most
_WITHOUT_DATE: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}


def _inches(value: Any, name: Wording) -> float:
    return real_number(value, name, lambda inches: 0.5 <= inches <= 100.0, "0.5 to 100 inches")


@dataclass(frozen=True)
class PictureOptions(Settings):
    """The options of a picture."""

    threshold: float | None = setting(
        None,
        "The smallest probability of an edge, see `arcwise.plots.network`.",
        check=checked_probability,
        help="The smallest probability of an edge, in either direction, at which two variables are "
        "joined; 0.5 by default, and more for large networks with many edges.",
        metavar="PROBABILITY",
    )
    _: KW_ONLY
    module: int | None = setting(
        None,
        "The module of a large network to draw alone, from 1 for the largest.",
        check=partial(whole_number, at_least=1),
        metavar="NUMBER",
    )
    process: bool = setting(
        False,
        "Of a time series, whether to draw the process graph instead: edges at any lag, with ↺ "
        "where a variable depends on its own past.",
        check=true_or_false,
        help="Of a time series, draw the process graph: edges at any lag.",
    )
    width: float | None = setting(
        None,
        "The width in inches, to which letters and lines are scaled, too; by default as wide as "
        "the network needs, with letters of 6.5 to 10 points.",
        check=_inches,
        help="The width of the picture, such as 3.5 for a column of a journal; by default what the "
        "network needs.",
        metavar="INCHES",
    )
    dpi: int | None = setting(
        None,
        "The dots per inch of a .png file; by default 300, and less for a very large picture.",
        check=partial(whole_number, at_least=1, at_most=2400),
        help="Dots per inch of a .png file; 300 by default, and less for a very large picture.",
        metavar="NUMBER",
    )


@dataclass(frozen=True)
class _OfGraph:
    graph: Exchanged
    path: str | os.PathLike[str]


@dataclass(frozen=True)
class _Arguments(PictureOptions, _OfGraph):
    """The arguments of `draw`."""


@keywords_of(_Arguments)
def draw(graph: Exchanged, path: str | os.PathLike[str], options: PictureOptions) -> Path:
    """Write a picture of the network to a file, in the format of its ending.

    The slices of a time series are drawn side by side, with the present on the right.

    Parameters
    ----------
    graph
        A posterior, or a `Dag` or `Cpdag`.
    path
        The file, ending in .svg, .pdf or .png.

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
    if ending not in _WITHOUT_DATE:
        raise ArgumentError(
            f"the picture is to be written to {shown(str(file))}; give a file that ends in .svg, "
            ".pdf or .png"
        )
    if options.process:
        plot = _process_plot(graph, options)
    else:
        links, least = links_from(graph, options.threshold)
        plot = NetworkPlot(picture_of(graph, links, options.module), width=options.width)
        if isinstance(graph, Posterior):
            plot.add_title(graph, least)
    figure = plot.axes.figure
    dots = _dots_per_inch(figure.get_size_inches(), options.dpi) if ending == "png" else 72.0
    matplotlib = optional("matplotlib", "draw")
    with matplotlib.rc_context(_SETTINGS), replacing(file) as temporary:
        figure.savefig(temporary, format=ending, dpi=dots, metadata=_WITHOUT_DATE[ending])
    return file


def _process_plot(graph: Exchanged, options: PictureOptions) -> NetworkPlot:
    least = _USUAL_THRESHOLD if options.threshold is None else options.threshold
    slices = required_slices(graph, "the process graph")
    assert isinstance(graph, Posterior)
    variables = (*slices.variables, *slices.static)
    picture = process_picture(variables, process_graph(graph, least), least)
    plot = NetworkPlot(picture, width=options.width)
    plot.add_title(graph, least, "An edge at any lag")
    return plot


def _dots_per_inch(size: Any, given: int | None) -> float:
    """Return the resolution of a picture of this size in inches, or refuse one that is too high."""
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
