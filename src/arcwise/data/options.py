"""How messages name the options of reading data, in Python and in the shell."""

from __future__ import annotations

import shlex

from arcwise.data.columns import Kind
from arcwise.errors import Wording

DISCRETIZE = Wording("arcwise.discretize", "--discretize quantile:3")


def kind_option(column: str, kind: Kind) -> Wording:
    """Name the option that declares the kind of a column.

    Examples
    --------
    >>> kind_option("age", "continuous")
    Wording(python="kinds={'age': 'continuous'}", shell='--continuous age')
    """
    return Wording(f"kinds={{{column!r}: {kind!r}}}", f"--{kind} {shlex.quote(column)}")
