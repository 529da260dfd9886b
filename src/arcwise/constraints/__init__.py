"""Constraints on the edges of a DAG: what a user says, and the arrays it comes to."""

from arcwise.constraints.arguments import ConstraintArguments, gather, takes_constraints
from arcwise.constraints.constraints import Constraints
from arcwise.constraints.resolved import ResolvedConstraints

__all__ = [
    "ConstraintArguments",
    "Constraints",
    "ResolvedConstraints",
    "gather",
    "takes_constraints",
]
