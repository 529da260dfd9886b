"""`agreement`: edge probabilities of two chains plotted against each other."""

from __future__ import annotations

from itertools import combinations, permutations
from numbers import Integral
from typing import Any

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.layout.colours import colour
from arcwise.plots.figures import axes_for, shortened, tidy, unit_square
from arcwise.posterior import Posterior, checked_posterior
from arcwise.support.names import as_list
from arcwise.support.words import shown

_MAX_NAME_LENGTH = 16


def agreement(
    posterior: Posterior, chains: tuple[int, int] | None = None, *, axes: Any = None
) -> Any:
    """Plot the edge probabilities of one chain against those of another.

    Points on the diagonal are edges on which the chains agree; the edge farthest from it
    is marked and named. Annealed samples are compared by their first and second half.

    Parameters
    ----------
    posterior
        A posterior with DAGs of two or more chains.
    chains
        The indices of the two chains, from 0; None for the two that differ most.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, "partitions", steps=4000, chains=2, seed=1)
    >>> agreement(posterior).get_xlabel()
    'edge probability, chain 1'
    """
    by_chain = checked_posterior(posterior).diagnose().chain_edges
    if by_chain is None or len(by_chain) < 2:
        raise ArgumentError(
            "the posterior does not have two chains with DAGs; give one of a sampler run with "
            "chains=2 or more"
        )
    pairs = list(combinations(range(len(by_chain)), 2))
    if chains is not None:
        wanted = f"two different numbers from 0 to {len(by_chain) - 1}"
        given = as_list(chains, "chains", wanted)
        numbers = [number for number in given if isinstance(number, Integral)]
        known = permutations(range(len(by_chain)), 2)
        pairs = [pair for pair in known if len(given) == 2 and list(pair) == numbers]
        if not pairs:
            raise ArgumentError(f"chains is {shown(chains)}; give {wanted}")
    first, second = max(pairs, key=lambda pair: np.abs(by_chain[pair[0]] - by_chain[pair[1]]).max())
    axes = axes_for(axes, (5.0, 5.0), "plots.agreement")
    off_diagonal = ~np.eye(len(posterior.variables), dtype=np.bool_)
    x, y = by_chain[first][off_diagonal], by_chain[second][off_diagonal]
    axes.scatter(x, y, s=14.0, color=colour(0), alpha=0.6, linewidths=0, zorder=2, clip_on=False)
    worst = int(np.abs(x - y).argmax()) if x.size else 0
    if x.size and x[worst] != y[worst]:
        _mark(axes, posterior, np.argwhere(off_diagonal)[worst], (float(x[worst]), float(y[worst])))
    label = f"edge probability, {'half' if posterior.run.annealed else 'chain'}"
    unit_square(axes, f"{label} {first + 1}", f"{label} {second + 1}")
    tidy(axes)
    return axes


def _mark(axes: Any, posterior: Posterior, edge: Any, point: tuple[float, float]) -> None:
    """Circle the point and label its edge, away from the diagonal but within the axes."""
    source, target = shortened([posterior.variables[i] for i in edge], _MAX_NAME_LENGTH)
    axes.scatter(
        *point, s=90.0, facecolors="none", edgecolors=colour(1), linewidths=1.6, clip_on=False
    )
    above = point[1] > point[0]
    right = point[0] > (0.4 if above else 0.65)
    upper = point[1] > (0.85 if above else 0.15)
    axes.annotate(
        f"{source} → {target}\ndifference {abs(point[0] - point[1]):.2f}",
        point,
        xytext=(-10 if right else 10, -10 if upper else 10),
        textcoords="offset points",
        ha="right" if right else "left",
        va="top" if upper else "bottom",
        fontsize=9.0,
        color=colour(1),
        parse_math=False,
    )
