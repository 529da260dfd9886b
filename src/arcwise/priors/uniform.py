"""`Uniform`: the prior that gives all DAGs the same weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arcwise.priors.base import Prior
from arcwise.priors.terms import PriorTerms


@dataclass(frozen=True)
class Uniform(Prior, name="uniform"):
    """All DAGs have the same weight.

    Examples
    --------
    >>> Uniform().log_weight(["a", "b"], "b", ["a"])
    0.0
    """

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return log weights of 0."""
        return PriorTerms.zero(len(variables))
