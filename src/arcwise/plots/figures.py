"""Figures without global state, and colours, shared by all plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from arcwise.support.optional import optional

INSTALL = "'arcwise[plots]'"

# Okabe and Ito (2008), "Color universal design": distinguishable with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
GREY = "#777777"


def axes_for(axes: Any, size: tuple[float, float], method: str) -> Any:
    """Return the given axes, or those of a new figure of this size in inches.

    The layout of a new figure makes room for titles and labels automatically.
    """
    module = optional("matplotlib.figure", method, INSTALL)
    if axes is not None:
        return axes
    from arcwise.plots.picture_axes import PictureAxes

    return module.Figure(figsize=size, layout="constrained").add_subplot(axes_class=PictureAxes)


def colour(number: int) -> str:
    """Return the colour of a line by its number; after eight they repeat."""
    return COLOURS[number % len(COLOURS)]


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


def tidy(axes: Any) -> None:
    """Hide the top and right spines."""
    axes.spines[["top", "right"]].set_visible(False)
