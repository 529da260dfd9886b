"""`as_prior`: makes a prior of whatever a user may write for one."""

from __future__ import annotations

from arcwise.errors import ArgumentError
from arcwise.families.functions import FamilyFunction
from arcwise.priors.base import NAMED_PRIORS, Prior
from arcwise.priors.function import FunctionPrior
from arcwise.priors.uniform import Uniform
from arcwise.support.words import quoted


def as_prior(value: Prior | str | FamilyFunction | None) -> Prior:
    """Return the prior that is meant.

    Parameters
    ----------
    value
        A prior; None for the uniform one; a name such as "fair"; or a
        function of a node's name and its parents' names that gives a log weight.

    Examples
    --------
    >>> as_prior("fair")
    Fair()
    >>> as_prior(None)
    Uniform()
    """
    if isinstance(value, Prior):
        return value
    if value is None:
        return Uniform()
    if isinstance(value, str):
        if value in NAMED_PRIORS:
            return NAMED_PRIORS[value]()
        raise ArgumentError(
            f"prior is {value!r}; give one of {quoted(sorted(NAMED_PRIORS))}, a Prior or a function"
        )
    # A class is callable too, and would be taken for a function of families.
    if isinstance(value, type):
        raise ArgumentError(
            f"prior is the class {value.__name__}; give an instance of it, as in {value.__name__}()"
        )
    if callable(value):
        return FunctionPrior(value)
    raise ArgumentError(
        f"prior is of type {type(value).__name__}; give a Prior, "
        f"one of {quoted(sorted(NAMED_PRIORS))}, or a function"
    )
