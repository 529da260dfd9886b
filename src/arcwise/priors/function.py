"""`FunctionPrior`: the prior given by any Python function of a family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arcwise.families.functions import FamilyFunction, refuse_uncallable
from arcwise.priors.base import Prior
from arcwise.priors.terms import PriorTerms


@dataclass(frozen=True)
class FunctionPrior(Prior):
    """The log weight of each family is what a Python function says.

    Parameters
    ----------
    function
        Called once for each family, as ``function(node, parents)``, with the
        name of the node and the tuple of its parents' names in the order of
        the variables. It gives the natural logarithm of the weight; -inf
        rules the family out.

    Examples
    --------
    >>> prior = FunctionPrior(lambda node, parents: -2.0 if "age" in parents else 0.0)
    >>> prior.log_weight(["age", "height"], "height", ["age"])
    -2.0
    """

    function: FamilyFunction

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        refuse_uncallable(self.function)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return terms that hold the function."""
        return replace(PriorTerms.zero(len(variables)), functions=(self.function,))
