"""Reads the names of variables that have children only, and lists the edges that excludes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.constraints.options import PARENT_ONLY
from arcwise.errors import ConstraintError
from arcwise.support.names import as_list, positions
from arcwise.support.words import quoted


def read_parent_only(value: Any) -> tuple[str, ...]:
    """Return the names, each once and sorted, so that equal lists compare equal.

    Parameters
    ----------
    value
        A name, a list of names, or None for none.

    Examples
    --------
    >>> read_parent_only(["sex", "age", "sex"]), read_parent_only("age"), read_parent_only(None)
    (('age', 'sex'), ('age',), ())
    """
    if value is None:
        return ()
    names = [value] if isinstance(value, str) else as_list(value, PARENT_ONLY, "a list of names")
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ConstraintError(PARENT_ONLY, f" holds {quoted(wrong)}; give names of variables")
    return tuple(sorted(set(names)))


def into_matrix(parent_only: Sequence[str], variables: Sequence[str]) -> NDArray[np.bool_]:
    """Return the edges into parent-only variables, which there cannot be, as [source, target].

    Raises
    ------
    ConstraintError
        If a name is unknown, or no other variable is left.
    """
    places = positions(parent_only, variables, PARENT_ONLY, ConstraintError)
    if places and len(places) == len(variables):
        raise ConstraintError(
            PARENT_ONLY,
            " names every variable, so that none is left to have parents; leave out those that "
            "may have some",
        )
    matrix = np.zeros((len(variables), len(variables)), dtype=np.bool_)
    matrix[:, places] = True
    return matrix
