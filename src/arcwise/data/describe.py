"""`describe`: how a table is understood, in words."""

from __future__ import annotations

from typing import Any

from arcwise.data.reader import read


def describe(data: Any) -> str:
    """Say how a table is understood: rows, and each column's kind, levels or range.

    Parameters
    ----------
    data
        Anything `arcwise.read` takes.

    Examples
    --------
    >>> import arcwise
    >>> print(arcwise.describe({"smoker": ["no", "yes"], "age": [31.5, 48.0]}))
    2 rows, 1 discrete and 1 continuous variables
    name    kind        levels  values
    smoker  discrete         2  no, yes
    age     continuous          31.5 to 48
    """
    return read(data).describe()
