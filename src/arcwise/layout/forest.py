"""The rows of a forest plot: pairs that may or may not be adjacent, each with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from arcwise.features import SkeletonEdge
from arcwise.layout.links import links_of
from arcwise.posterior import Posterior

UNCERTAIN = (0.1, 0.9)
"""The probabilities between which an adjacency is called uncertain."""


@dataclass(frozen=True)
class ForestRow:
    """A pair of variables with the probability that they are adjacent.

    Parameters
    ----------
    source, target
        The variables, in the order of the more probable direction.
    probability
        The probability of an edge in either direction.
    low, high
        The 95 % interval for its Monte Carlo error; both equal to it if it is exact, or if the
        error is not known.
    forward, backward
        The probabilities of the two directions.
    """

    source: str
    target: str
    probability: float
    low: float
    high: float
    forward: float
    backward: float


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
    found = [link for link in links_of(posterior) if least <= link.probability <= largest]
    nearest = sorted(found, key=lambda link: abs(link.probability - 0.5))[:most]
    rows = []
    for link in sorted(nearest, key=lambda link: -link.probability):
        names = posterior.variables[link.source], posterior.variables[link.target]
        value = link.probability
        low, high = posterior.estimate(SkeletonEdge(*names)).interval
        if isnan(low) or isnan(high):  # the error is not known
            low = high = value
        rows.append(ForestRow(*names, value, low, high, link.forward, link.backward))
    return rows, len(found)
