"""`arcwise.sample`: from a table to a posterior in one call, every choice made and told."""

from arcwise.learning.comparing import compare_posteriors
from arcwise.learning.sampling import sample

__all__ = ["compare_posteriors", "sample"]
