"""The rows of a forest plot: pairs that may or may not be adjacent, each with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from arcwise.features import SkeletonEdge
from arcwise.posterior import Posterior
from arcwise.posterior.adjacencies import Adjacency

UNCERTAIN = (0.1, 0.9)
"""The probabilities between which an adjacency is called uncertain."""


@dataclass(frozen=True, kw_only=True)
class ForestRow(Adjacency):
    """A pair of variables with the probability that they are adjacent.

    Parameters
    ----------
    low, high
        The 95 % interval for the Monte Carlo error of the probability; both equal to it if it is
        exact, or if the error is not known.
    """

    low: float
    high: float


def forest_rows(posterior: Posterior, most: int = 30) -> tuple[list[ForestRow], int]:
    """Return the uncertain adjacencies, the most probable first, and how many there are.

    Parameters
    ----------
    posterior
        The posterior.
    most
        The largest number of rows; those with probabilities nearest to one half are kept.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> rows, count = forest_rows(arcwise.exact(model))
    >>> len(rows) == count and all(0.1 <= row.probability <= 0.9 for row in rows)
    True
    """
    least, largest = UNCERTAIN
    found = [pair for pair in posterior.adjacencies(least) if pair.probability <= largest]
    nearest = sorted(found, key=lambda pair: abs(pair.probability - 0.5))[:most]
    rows = []
    for pair in sorted(nearest, key=lambda pair: -pair.probability):
        low, high = posterior.estimate(SkeletonEdge(pair.source, pair.target)).interval
        if isnan(low) or isnan(high):  # the error is not known
            low = high = pair.probability
        rows.append(ForestRow(**vars(pair), low=low, high=high))
    return rows, len(found)
