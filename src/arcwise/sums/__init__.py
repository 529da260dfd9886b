"""Score sums: sums, maxima and draws over the families of a node."""

from arcwise.sums.score_sums import ScoreSums

__all__ = ["ScoreSums"]
