"""Candidate parents: for each node, the few others worth considering as its parents."""

from arcwise.candidates.choice import candidates
from arcwise.candidates.result import Candidates

__all__ = ["Candidates", "candidates"]
