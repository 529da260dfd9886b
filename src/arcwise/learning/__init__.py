"""`arcwise.sample`: from a table to a posterior in one call, every choice made and told."""

from arcwise.learning.learn import sample

__all__ = ["sample"]
