"""`FunctionPrior`: any Python function of a family as a prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arcwise.families.functions import FamilyFunction, refuse_uncallable
from arcwise.priors.base import Prior
from arcwise.priors.terms import PriorTerms


@dataclass(frozen=True)
class FunctionPrior(Prior):
    """A Python function as a prior: it returns the log weight of a family.

    Parameters
    ----------
    function
        Called once for each family, as ``function(node, parents)``, with the name of the
        node and the tuple of its parents' names in the order of the variables. It returns
        the natural logarithm of the weight; -inf excludes the family.

    Examples
    --------
    >>> prior = FunctionPrior(lambda node, parents: -2.0 if "age" in parents else 0.0)
    >>> prior.log_weight(["age", "height"], "height", ["age"])
    -2.0
    """

    function: FamilyFunction

    def __post_init__(self) -> None:
        """Refuse an object that is not callable."""
        refuse_uncallable(self.function)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return terms that hold the function."""
        return replace(PriorTerms.zero(len(variables)), functions=(self.function,))
