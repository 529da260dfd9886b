"""`arcwise.sample`: from a table to a posterior in one call, every choice made and told."""

from arcwise.learning.sampling import sample

__all__ = ["sample"]
