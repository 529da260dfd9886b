"""`traces`: trace plots of the unnormalised log posterior."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.layout.colours import colour
from arcwise.plots.figures import axes_for, legend_above, tidy
from arcwise.posterior import Posterior, checked_posterior

_MAX_POINTS = 4000
_MAX_LABELLED = 8


def traces(posterior: Posterior, *, axes: Any = None) -> Any:
    """Plot the unnormalised log posterior of each chain against steps.

    Chains that have converged fluctuate in the same band. For annealed importance
    sampling, the log importance weight of each particle is drawn as a point: if a few are
    far above all others, they carry all of the weight.

    Parameters
    ----------
    posterior
        A posterior with traces, as `mcmc`, `mc3` and `ais` return.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. Long chains are thinned to 4000 evenly spaced states.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, "partitions", steps=4000, chains=3, seed=1)
    >>> len(traces(posterior).lines)
    3
    """
    found = checked_posterior(posterior).traces
    if found is None:
        raise ArgumentError(
            f"a posterior computed by {posterior.algorithm} has no traces; give one of mcmc, mc3 "
            "or ais"
        )
    axes = axes_for(axes, (8.0, 3.5), "plots.traces")
    rows, steps = found.log_weights, found.steps
    if posterior.run.annealed:
        axes.plot(rows[0], ".", color=colour(0), markersize=4.0)
        axes.set(xlabel="particle", ylabel="log importance weight")
    else:
        for number, row in enumerate(rows):
            chosen = np.unique(np.linspace(0, len(row) - 1, min(len(row), _MAX_POINTS)).astype(int))
            look = {"color": colour(number), "linewidth": 0.7, "alpha": 0.85}
            axes.plot((chosen + 1) * steps, row[chosen], **look, label=f"chain {number + 1}")
        axes.set(xlabel="steps after burn-in", ylabel="unnormalised log posterior")
        if 1 < len(rows) <= _MAX_LABELLED:
            legend_above(axes, len(rows))
    axes.margins(x=0.01)
    tidy(axes)
    return axes
