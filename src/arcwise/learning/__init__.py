"""`arcwise.learn`: from a table to a posterior in one call, with every choice explained."""

from arcwise.learning.learn import learn
from arcwise.learning.resume import resume

__all__ = ["learn", "resume"]
