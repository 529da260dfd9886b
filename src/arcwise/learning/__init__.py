"""`arcwise.learn`: from a table to a posterior in one call, with every choice explained."""

from arcwise.learning.cross_validation import CrossValidation, cross_validate
from arcwise.learning.learn import learn, resume

__all__ = ["CrossValidation", "cross_validate", "learn", "resume"]
