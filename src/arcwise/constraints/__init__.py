"""Constraints on the edges of a DAG: what a user says, and the arrays it comes to."""

from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints

__all__ = ["Constraints", "ResolvedConstraints"]
