"""`EdgePenalty`: the prior with the same penalty for every edge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcwise.priors.base import Prior
from arcwise.priors.terms import PriorTerms
from arcwise.support.checks import real_number


@dataclass(frozen=True)
class EdgePenalty(Prior):
    """Each edge multiplies the weight of a DAG by exp(-log_penalty).

    Parameters
    ----------
    log_penalty
        The penalty of an edge, in nats. A positive penalty favours fewer edges (log 2
        halves the weight with each edge), a negative one favours more, and 0 is the uniform
        prior.

    Examples
    --------
    >>> EdgePenalty(log_penalty=1.5).log_weight(["a", "b", "c"], "c", ["a", "b"])
    -3.0
    """

    log_penalty: float

    def __post_init__(self) -> None:
        """Refuse a penalty that is not a finite number."""
        wanted = "a finite number, and use forbidden_edges to exclude edges"
        penalty = real_number(self.log_penalty, "log_penalty", math.isfinite, wanted)
        object.__setattr__(self, "log_penalty", penalty)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights, which depend on the number of parents only."""
        n = len(variables)
        return PriorTerms(np.zeros(n), np.zeros((n, n)), np.full((n, n), -self.log_penalty))
