"""`arcwise.sample`: from a table to a posterior in one call, every choice made and told."""

from arcwise.learning.comparing import compare_runs
from arcwise.learning.sampling import sample

__all__ = ["compare_runs", "sample"]
