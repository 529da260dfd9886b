"""`EdgeCurve`: true and false positive edges at every threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs import EdgeCounts
from arcwise.support.checks import real_number

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class EdgeCurve:
    """True and false positive edges at each threshold: ROC curve, precision and recall.

    The first threshold is infinite, at which no edge is predicted; then follow the
    distinct probabilities in decreasing order. Edges of equal probability enter together.

    Parameters
    ----------
    thresholds
        The thresholds; edges at least as probable are predicted.
    true_positives, false_positives
        The numbers of predicted edges that are true and false.
    positives, negatives
        The numbers of pairs with and without a true edge.

    Examples
    --------
    >>> curve = EdgeCurve.of([0.9, 0.8, 0.8, 0.1], [True, True, False, False])
    >>> curve.recall, curve.auc
    (array([0. , 0.5, 1. , 1. ]), 0.875)
    """

    thresholds: Numbers
    true_positives: NDArray[np.int64]
    false_positives: NDArray[np.int64]
    positives: int
    negatives: int

    @classmethod
    def of(cls, probabilities: object, true: object) -> EdgeCurve:
        """Return the curve for the probability of each pair and whether it has an edge."""
        scores = np.asarray(probabilities, dtype=np.float64).reshape(-1)
        labels = np.asarray(true, dtype=np.bool_).reshape(-1)
        if scores.shape != labels.shape or np.isnan(scores).any():
            raise ArgumentError(
                f"there are {scores.size} probabilities and {labels.size} truth values; give one "
                "truth value for each probability, none of them NaN"
            )
        order = np.argsort(-scores, kind="stable")
        ordered = scores[order]
        # A point after the last of each group of equal probabilities.
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: ordered.size])
        found = np.concatenate([[0], np.cumsum(labels[order])[last]])
        false = np.concatenate([[0], np.cumsum(~labels[order])[last]])
        thresholds = np.concatenate([[np.inf], ordered[last]])
        positives = int(labels.sum())
        return cls(thresholds, found, false, positives, labels.size - positives)

    def __repr__(self) -> str:
        """Show the number of edges and the areas under the curves."""
        return (
            f"<EdgeCurve: {self.positives} edges among {self.positives + self.negatives} pairs, "
            f"AUC {self.auc:.4f}, average precision {self.average_precision:.4f}>"
        )

    @property
    def true_positive_rate(self) -> Numbers:
        """The fraction of true edges that are predicted at each threshold, as `recall`."""
        return _shares(self.true_positives, self.positives)

    @property
    def recall(self) -> Numbers:
        """The fraction of true edges that are predicted at each threshold."""
        return self.true_positive_rate

    @property
    def false_positive_rate(self) -> Numbers:
        """The fraction of pairs without a true edge for which one is predicted."""
        return _shares(self.false_positives, self.negatives)

    @property
    def precision(self) -> Numbers:
        """The fraction of predicted edges that are true; NaN where none is predicted."""
        return _shares(self.true_positives, self.true_positives + self.false_positives)

    @property
    def auc(self) -> float:
        """The area under the ROC curve.

        It is the probability that a random true edge has a higher posterior probability
        than a random false one, counting ties as one half; NaN if there are no edges of
        either kind.
        """
        heights = (self.true_positive_rate[1:] + self.true_positive_rate[:-1]) / 2
        return float((np.diff(self.false_positive_rate) * heights).sum())

    @property
    def average_precision(self) -> float:
        """The average precision; NaN without true edges."""
        return float((np.diff(self.recall) * self.precision[1:]).sum())

    def at(self, threshold: float) -> EdgeCounts:
        """Return the counts when edges at least as probable as a threshold are predicted."""
        threshold = real_number(threshold, "threshold", lambda x: True, "a number")
        place = int(np.flatnonzero(self.thresholds >= threshold)[-1])
        found, false = int(self.true_positives[place]), int(self.false_positives[place])
        return EdgeCounts(found, false, self.positives - found, self.negatives - false)


def _shares(parts: NDArray[np.int64], whole: NDArray[np.int64] | int) -> Numbers:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(parts / np.asarray(whole, dtype=np.float64))
