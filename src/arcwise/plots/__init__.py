"""Plots of posteriors, with matplotlib.

Each function draws into the given axes, or into those of a new figure, and returns the axes; no
global state is changed. A notebook shows the picture if the axes are the last value of a cell, or
through ``display(axes)``. ``axes.figure.savefig("network.pdf")`` writes it to a file, and so does
`draw`. The colours are those of the report page, and suitable for colour-blind readers.
"""

from arcwise.plots.charts import (
    agreement,
    edge_matrix,
    effect,
    forest,
    ranks,
    roc,
    round_trips,
    traces,
)
from arcwise.plots.draw import draw
from arcwise.plots.network import network

__all__ = [
    "agreement",
    "draw",
    "edge_matrix",
    "effect",
    "forest",
    "network",
    "ranks",
    "roc",
    "round_trips",
    "traces",
]


def __dir__() -> list[str]:
    """Return the functions alone, as the files of the package have similar names."""
    return __all__
