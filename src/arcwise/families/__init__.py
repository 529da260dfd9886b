"""Families: which parent sets every node has, and functions of them."""

from arcwise.families.families import Families

__all__ = ["Families"]
