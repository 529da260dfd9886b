"""Colours, labels and rows of forest plots, shared by the report page and plots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isnan

from arcwise.features import SkeletonEdge
from arcwise.posterior import Posterior
from arcwise.posterior.matrices import Adjacency

# Okabe and Ito (2008), "Color universal design": distinguishable with any colour vision; without
# their yellow, which is too pale for a line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1b1f24")

SHADES = (
    (0.0, "#ffffff"),
    (0.02, "#eef4f9"),
    (0.25, "#bcd7ea"),
    (0.5, "#6aaed6"),
    (0.75, "#2474b0"),
    (1.0, "#08306b"),
)
"""The shades of probabilities, from white to dark blue.

Their lightness decreases throughout, so that they read the same with any colour vision and in print
without colours. A probability slightly above 0 can be distinguished from 0.
"""
GREY = "#777777"


def colour(number: int) -> str:
    """Return the colour of a chain or a curve by its number; seven colours repeat."""
    return COLOURS[number % len(COLOURS)]


LONGEST_LINE = 16
# A piece ends after a separator, or between a small letter or digit and a capital.
_PIECES = re.compile(r".+?(?:[ _\-./:,;|+]+|(?<=[a-z0-9])(?=[A-Z])|$)", re.DOTALL)


def pieces(name: str) -> list[str]:
    """Return the parts of a name between which a line may end.

    Examples
    --------
    >>> pieces("credit_amount"), pieces("totalSerumIron"), pieces("x")
    (['credit_', 'amount'], ['total', 'Serum', 'Iron'], ['x'])
    """
    return _PIECES.findall(name) or [name]


def lines_of(name: str, longest: int = LONGEST_LINE) -> list[str]:
    """Return a name in lines of at most `longest` letters, if its words are short enough.

    Nothing is left out, and no word is broken: a longer word has a separate line.

    Examples
    --------
    >>> lines_of("personal_status_and_sex", 16), lines_of("checking_status", 16)
    (['personal_status_', 'and_sex'], ['checking_status'])
    """
    lines = [""]
    for piece in pieces(name):
        if lines[-1] and len((lines[-1] + piece).rstrip()) > longest:
            lines.append("")
        lines[-1] += piece
    # Blanks at the end of a line are invisible; those at the end of a name may distinguish it.
    return [*(line.rstrip() for line in lines[:-1]), lines[-1]]


UNCERTAIN = (0.1, 0.9)
"""The probabilities between which an adjacency is called uncertain."""


@dataclass(frozen=True, kw_only=True)
class ForestRow(Adjacency):
    """A pair of variables with the probability that they are adjacent."""

    # The 95 % interval for the Monte Carlo error; both ends are equal to the probability if it is
    # exact or if the error is unknown.
    low: float
    high: float


def forest_rows(posterior: Posterior, most: int = 30) -> tuple[list[ForestRow], int]:
    """Return the uncertain adjacencies, the most probable first, and their total number.

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
