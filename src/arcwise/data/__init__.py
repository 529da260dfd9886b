"""Data tables: reading, checking, discretizing and exporting them."""

from arcwise.data.columns import Column, ContinuousColumn, DiscreteColumn
from arcwise.data.incomplete import IncompleteData
from arcwise.data.reader import describe, discretize, read
from arcwise.data.table import Data

__all__ = [
    "Column",
    "ContinuousColumn",
    "Data",
    "DiscreteColumn",
    "IncompleteData",
    "describe",
    "discretize",
    "read",
]
