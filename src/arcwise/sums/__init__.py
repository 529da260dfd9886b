"""Score sums: sums, maxima and draws over the families of a node."""

from arcwise.sums.score_sums import ScoreSums, checked_sums

__all__ = ["ScoreSums", "checked_sums"]
