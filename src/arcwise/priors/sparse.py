"""`Sparse`: the prior under which every edge has the same small probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcwise.priors.base import Prior
from arcwise.priors.terms import PriorTerms
from arcwise.support.checks import positive_number


@dataclass(frozen=True)
class Sparse(Prior, name="sparse"):
    """All edges have the same odds, so a set of k parents has the weight ``odds ** k``.

    With n variables the odds are ``expected_parents / (n - 1)``: were every other variable
    allowed as a parent of a node, it would have about that many. Acyclicity leaves about
    half of them. However many variables there are, the number of edges expected for each
    stays the same, which under the uniform prior grows with n.

    Parameters
    ----------
    expected_parents
        The expected number of parents of a node, before acyclicity.

    Examples
    --------
    >>> round(Sparse(0.5).log_weight(["a", "b", "c"], "c", ["a", "b"]), 6)  # 2 log (0.5 / 2)
    -2.772589
    """

    expected_parents: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a number that is not positive."""
        number = positive_number(self.expected_parents, "expected_parents")
        object.__setattr__(self, "expected_parents", number)

    def log_odds(self, variables: int) -> float:
        """Return the log odds of an edge among this many variables."""
        return math.log(self.expected_parents) - math.log(max(1, variables - 1))

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights, which depend on the number of parents only."""
        n = len(variables)
        by_size = self.log_odds(n) * np.arange(n)
        return PriorTerms(np.zeros(n), np.tile(by_size, (n, 1)), np.zeros((n, n)))
