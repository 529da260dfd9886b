"""`EdgeCurve`: how many true and false edges are found, threshold by threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs import EdgeCounts

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class EdgeCurve:
    """Edges found at each threshold: ROC curve, precision and recall.

    The first threshold is infinite, where no edge is found; after it comes every
    different probability, falling. Edges of the same probability are found together.

    Parameters
    ----------
    thresholds
        Edges at least as probable are found.
    true_positives, false_positives
        How many of them are true and false.
    positives, negatives
        How many places have a true edge, and how many have none.

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
        """Return the curve for the probability of each place and whether it has an edge."""
        scores = np.asarray(probabilities, dtype=np.float64).reshape(-1)
        labels = np.asarray(true, dtype=np.bool_).reshape(-1)
        if scores.shape != labels.shape or np.isnan(scores).any():
            raise ArgumentError(
                f"there are {scores.size} probabilities and {labels.size} truth values; give one "
                "truth value for each probability, none of them NaN"
            )
        order = np.argsort(-scores, kind="stable")
        ordered = scores[order]
        # A point after the last of each run of equal probabilities.
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: ordered.size])
        found = np.concatenate([[0], np.cumsum(labels[order])[last]])
        made_up = np.concatenate([[0], np.cumsum(~labels[order])[last]])
        thresholds = np.concatenate([[np.inf], ordered[last]])
        positives = int(labels.sum())
        return cls(thresholds, found, made_up, positives, labels.size - positives)

    def __repr__(self) -> str:
        """Say what it is of, and the areas."""
        return (
            f"<EdgeCurve: {self.positives} edges in {self.positives + self.negatives} places, "
            f"AUC {self.auc:.4f}, average precision {self.average_precision:.4f}>"
        )

    @property
    def true_positive_rate(self) -> Numbers:
        """The share of the true edges found at each threshold; `recall` is the same."""
        return _shares(self.true_positives, self.positives)

    @property
    def recall(self) -> Numbers:
        """The share of the true edges found at each threshold."""
        return self.true_positive_rate

    @property
    def false_positive_rate(self) -> Numbers:
        """The share of the places without a true edge that are given one."""
        return _shares(self.false_positives, self.negatives)

    @property
    def precision(self) -> Numbers:
        """The share of the edges found that are true; NaN where none is found."""
        return _shares(self.true_positives, self.true_positives + self.false_positives)

    @property
    def auc(self) -> float:
        """The area under the ROC curve.

        It is the share of all pairs of a true edge and a place without one in which
        the edge has the larger probability, ties counted half; NaN without such a pair.
        """
        heights = (self.true_positive_rate[1:] + self.true_positive_rate[:-1]) / 2
        return float((np.diff(self.false_positive_rate) * heights).sum())

    @property
    def average_precision(self) -> float:
        """The mean of the precisions at which each true edge is found; NaN without any."""
        return float((np.diff(self.recall) * self.precision[1:]).sum())

    def at(self, threshold: float) -> EdgeCounts:
        """Return the counts if edges at least as probable as a threshold are found."""
        place = int(np.flatnonzero(self.thresholds >= threshold)[-1])
        found, made_up = int(self.true_positives[place]), int(self.false_positives[place])
        return EdgeCounts(found, made_up, self.positives - found, self.negatives - made_up)


def _shares(parts: NDArray[np.int64], whole: NDArray[np.int64] | int) -> Numbers:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(parts / np.asarray(whole, dtype=np.float64))
