"""`edge_matrix`: a heat map of the edge probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise.plots.figures import axes_for, shades, shortened
from arcwise.posterior import Posterior, checked_posterior

_MAX_NAME_LENGTH = 40
_MAX_NAMES = 140


def edge_matrix(posterior: Posterior, *, axes: Any = None) -> Any:
    """Plot a heat map of the edge probabilities, sources in rows and targets in columns.

    Parameters
    ----------
    posterior
        The posterior.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. With more than 140 variables, not all of them are labelled.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> edge_matrix(arcwise.exact(model)).get_xlabel()
    'target'
    """
    n = len(checked_posterior(posterior).variables)
    side = float(np.clip(2.5 + 0.2 * n, 4.0, 30.0))
    axes = axes_for(axes, (side + 0.8, side), "plots.edge_matrix")
    shown = np.array(posterior.edges, dtype=np.float64)
    np.fill_diagonal(
        shown, np.nan
    )  # a self loop is impossible, which differs from a probability of 0
    image = axes.imshow(
        shown, cmap=shades("plots.edge_matrix"), vmin=0.0, vmax=1.0, interpolation="nearest"
    )
    every = -(-n // _MAX_NAMES)
    ticks = np.arange(0, n, every)
    names = shortened([posterior.variables[i] for i in ticks], _MAX_NAME_LENGTH)
    size = min(10.0, 0.5 * axes.get_window_extent().height / axes.figure.dpi * 72.0 / len(ticks))
    axes.set_xticks(ticks, names, rotation=90, fontsize=size, parse_math=False)
    axes.set_yticks(ticks, names, fontsize=size, parse_math=False)
    axes.tick_params(length=2.0)
    axes.set(xlabel="target", ylabel="source")
    axes.figure.colorbar(image, ax=axes, label="edge probability", shrink=0.8)
    return axes
