"""Figures without global state, shared by all plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from arcwise.layout.marks import GREY, SHADES
from arcwise.support.checks import instance
from arcwise.support.optional import optional


def axes_for(axes: Any, size: tuple[float, float], method: str) -> Any:
    """Return the given axes, or those of a new figure of this size in inches."""
    module = optional("matplotlib.figure", method)
    if axes is not None:
        known = optional("matplotlib.axes", method).Axes
        return instance(axes, known, "axes", "those of a matplotlib figure, or None for new ones")
    from arcwise.plots.picture_axes import PictureAxes

    return module.Figure(figsize=size, layout="constrained").add_subplot(axes_class=PictureAxes)


def shades(method: str) -> Any:
    """Return the colour map of probabilities, the same as on the report page."""
    module = optional("matplotlib.colors", method)
    return module.LinearSegmentedColormap.from_list("arcwise", SHADES)


def shortened(names: Sequence[str], most: int) -> list[str]:
    """Return names abbreviated in the middle if they are longer than `most` letters.

    Names that would become identical are not abbreviated.
    """
    tail = most // 2
    short = [
        name if len(name) <= most else f"{name[: most - tail - 1].rstrip()}…{name[-tail:].lstrip()}"
        for name in names
    ]
    times = Counter(short)
    return [own if times[own] == 1 else name for own, name in zip(short, names, strict=True)]


def legend_above(axes: Any, columns: int = 3, size: float = 8.5) -> None:
    """Put the legend in lines above the axes."""
    place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    axes.legend(**place, ncol=columns, frameon=False, fontsize=size)


def unit_square(axes: Any, x: str, y: str) -> None:
    """Give both axes the range of a probability, with labels, and draw the diagonal."""
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--", zorder=1)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel=x, ylabel=y)


def tidy(axes: Any) -> None:
    """Hide the top and right spines."""
    axes.spines[["top", "right"]].set_visible(False)
