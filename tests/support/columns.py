"""Columns of data of the kind that a test expects of them."""

from __future__ import annotations

from arcwise.data import ContinuousColumn, Data, DiscreteColumn


def discrete(data: Data, position: int = 0) -> DiscreteColumn:
    """Return the column at a position, which must be discrete."""
    column = data.columns[position]
    assert isinstance(column, DiscreteColumn)
    return column


def continuous(data: Data, position: int = 0) -> ContinuousColumn:
    """Return the column at a position, which must be continuous."""
    column = data.columns[position]
    assert isinstance(column, ContinuousColumn)
    return column
