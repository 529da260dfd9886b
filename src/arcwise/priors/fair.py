"""`Fair`: the prior that gives each number of parents the same total weight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcwise.priors.base import Prior
from arcwise.priors.terms import PriorTerms


@dataclass(frozen=True)
class Fair(Prior, name="fair"):
    """A set of k parents has weight 1 / C(n - 1, k), so each size k has the same total weight.

    Examples
    --------
    >>> round(Fair().log_weight(["a", "b", "c", "d"], "d", ["a", "b"]), 6)  # -log 3
    -1.098612
    """

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights, which depend on the number of parents only."""
        n = len(variables)
        by_size = [-math.log(math.comb(n - 1, size)) for size in range(n)]
        return PriorTerms(np.zeros(n), np.tile(by_size, (n, 1)), np.zeros((n, n)))
