"""`roc`: ROC curves of edge probabilities against a known DAG."""

from __future__ import annotations

from typing import Any

from arcwise.comparison import roc as roc_curve
from arcwise.graphs.dag import Dag
from arcwise.layout.colours import colour
from arcwise.plots.figures import axes_for, tidy, unit_square
from arcwise.posterior import Posterior


def roc(posterior: Posterior, truth: Dag, *, axes: Any = None) -> Any:
    """Plot the ROC curves of a posterior against a known DAG.

    Parameters
    ----------
    posterior
        The posterior.
    truth
        The known DAG, over the same variables.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one curve for directed edges and one for the skeleton; the legend
        gives the areas under them.

    Examples
    --------
    >>> import arcwise
    >>> asia = arcwise.networks.asia()
    >>> model = arcwise.Model(asia.sample(500, seed=1), max_indegree=2)
    >>> len(roc(arcwise.exact(model), asia.dag).lines)
    3
    """
    axes = axes_for(axes, (5.0, 5.0), "plots.roc")
    unit_square(axes, "false positive rate", "true positive rate")
    for number, (word, skeleton) in enumerate((("directed", False), ("skeleton", True))):
        curve = roc_curve(posterior, truth, skeleton=skeleton)
        axes.plot(
            curve.false_positive_rate,
            curve.true_positive_rate,
            color=colour(number),
            linestyle=("-", "--")[number],
            linewidth=2.0,
            label=f"{word}, AUC {curve.auc:.3f}",
            clip_on=False,
        )
    axes.legend(loc="lower right", frameon=False, fontsize=9.0)
    tidy(axes)
    return axes
