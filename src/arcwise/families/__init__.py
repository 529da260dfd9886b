"""Families: the allowed parent sets of every node, and the constraints on them."""

from arcwise.families.families import Families

__all__ = ["Families"]
