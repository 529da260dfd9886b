"""`as_prior`: a structure prior from any of the forms in which it may be given."""

from __future__ import annotations

from arcwise.errors import ArgumentError
from arcwise.families.functions import FamilyFunction
from arcwise.priors.base import NAMED_PRIORS, Prior
from arcwise.priors.function import FunctionPrior
from arcwise.priors.sparse import Sparse
from arcwise.priors.uniform import Uniform
from arcwise.support.words import quoted, shown


def as_prior(value: Prior | str | FamilyFunction | None) -> Prior:
    """Return a prior from any accepted form.

    Parameters
    ----------
    value
        A prior; None for the uniform one; a name such as "fair", or "sparse:0.5" with its
        expected number of parents; or a function of the name of a node and those of its
        parents that returns a log weight.

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
        name, _, number = value.partition(":")
        if number and name == "sparse":
            return Sparse(_expected_parents(number))
        if value in NAMED_PRIORS:
            return NAMED_PRIORS[value]()
        raise ArgumentError(
            f"prior is {shown(value)}; give one of {quoted(sorted(NAMED_PRIORS))}, a Prior or a "
            "function"
        )
    # A class is callable, too, and would be mistaken for a function of families.
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


def _expected_parents(number: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise ArgumentError(
            f"prior is {shown('sparse:' + number)}; after the colon give the expected number of "
            "parents, as in 'sparse:0.5'"
        ) from None
