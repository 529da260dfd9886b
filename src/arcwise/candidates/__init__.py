"""Candidate parents: the few nodes worth considering as parents of each node."""

from arcwise.candidates.choice import candidates
from arcwise.candidates.result import Candidates

__all__ = ["Candidates", "candidates"]
