"""Constraints on the edges of a DAG, as given by a user and as arrays."""

from arcwise.constraints.arguments import ConstraintArguments
from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints

__all__ = ["ConstraintArguments", "Constraints", "ResolvedConstraints"]
