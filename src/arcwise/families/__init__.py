"""Families: the allowed parent sets of every node, and functions of them."""

from arcwise.families.families import Families

__all__ = ["Families"]
