"""`compare_with_graph` and `roc`: comparison of a posterior with a known DAG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.families.edges import as_dag
from arcwise.graphs import EdgeCounts, cpdag, structural_hamming_distance
from arcwise.graphs.dag import Dag
from arcwise.posterior import DagSample, Posterior, checked_posterior
from arcwise.posterior.matrices import error_of_mean, unpacked
from arcwise.support.checks import real_number, whole_number
from arcwise.support.html import card, paragraphs, table
from arcwise.support.names import as_list, plural, positions, refuse_other_names
from arcwise.support.plain import plain_dict

Numbers = NDArray[np.float64]


def compare_with_graph(
    posterior: Posterior, truth: Any, *, dags: int = 1000
) -> PosteriorComparison:
    """Compare a posterior with a known DAG.

    Examples
    --------
    >>> import arcwise
    >>> truth = arcwise.Dag(["a", "b"], {"b": ["a"]})
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> comparison = compare_with_graph(arcwise.exact(model), truth)
    >>> print(comparison.structural_hamming_distance)
    0.5
    """
    truth, known = _known(posterior, truth)
    most = whole_number(dags, "dags", at_least=1)
    sample = posterior.dags
    return PosteriorComparison(
        _distance(posterior, known),
        None if sample is None else _class_distance(sample, truth, most),
        _curve(posterior, known, skeleton=False),
        _curve(posterior, known, skeleton=True),
    )


def roc(posterior: Posterior, truth: Any, *, skeleton: bool = False) -> EdgeCurve:
    """Return the ROC curve of edge probabilities against a known DAG.

    Parameters
    ----------
    posterior
        The posterior.
    truth
        The known DAG, over the same variables in any order: a `Dag`, a networkx DiGraph, an
        adjacency matrix as an array or a frame, or pairs (source, target) of names.
    skeleton
        Whether to ignore the direction of edges.

    Examples
    --------
    >>> import arcwise
    >>> network = arcwise.networks.asia()
    >>> model = arcwise.Model(network.sample(2000, seed=1), max_indegree=2)
    >>> roc(arcwise.exact(model), network.dag, skeleton=True).auc > 0.8
    True
    """
    _, known = _known(posterior, truth)
    return _curve(posterior, known, skeleton=skeleton)


def _known(posterior: Posterior, truth: Any) -> tuple[Dag, NDArray[np.bool_]]:
    """Return the known DAG, and its edges in the order of the posterior's variables."""
    checked_posterior(posterior)
    dag = as_dag(truth, posterior.variables, "truth")
    refuse_other_names(dag.variables, posterior.variables, "truth")
    order = positions(posterior.variables, dag.variables, "truth")
    return dag, dag.matrix()[np.ix_(order, order)]


def _curve(posterior: Posterior, known: NDArray[np.bool_], *, skeleton: bool) -> EdgeCurve:
    if skeleton:
        places = np.triu_indices(len(known), 1)
        # The two directions exclude each other; their sum exceeds 1 only by rounding.
        either = np.minimum(posterior.edges + posterior.edges.T, 1.0)
        return EdgeCurve.of(either[places], (known | known.T)[places])
    off_diagonal = ~np.eye(len(known), dtype=np.bool_)
    return EdgeCurve.of(posterior.edges[off_diagonal], known[off_diagonal])


_PIECE = 4096


def _distance(posterior: Posterior, known: NDArray[np.bool_]) -> MeanDistance:
    """Return the expected distance, which is linear in the edge probabilities."""
    # A pair counts 0 if it agrees with the truth: with a true edge, this has the probability of
    # the edge; without one, the probability of no edge.
    some = known | known.T
    value = known.sum() - posterior.edges[known].sum() + posterior.edges[~some].sum()
    if posterior.dags is None:
        return MeanDistance(float(value), None)
    sample = posterior.dags
    each = np.empty(len(sample))
    for start in range(0, len(sample), _PIECE):
        bits = unpacked(sample.parents[start : start + _PIECE], len(known))
        each[start : start + _PIECE] = (
            known.sum() - bits[:, known.T].sum(axis=1) + bits[:, ~some].sum(axis=1)
        )
    return MeanDistance(float(value), error_of_mean(sample, each))


def _class_distance(sample: DagSample, truth: Dag, most: int) -> MeanDistance:
    places = np.linspace(0, len(sample) - 1, min(most, len(sample))).round().astype(np.int64)
    part = sample.at(places)
    goal = cpdag(truth)
    drawn = list(part)
    known = {dag: float(structural_hamming_distance(cpdag(dag), goal)) for dag in set(drawn)}
    each = np.array([known[dag] for dag in drawn])
    return MeanDistance(float(part.shares @ each), error_of_mean(part, each))


@dataclass(frozen=True, eq=False, repr=False)
class EdgeCurve:
    """True and false positive edges at each threshold: ROC curve, precision and recall.

    The first threshold is infinite, at which no edge is predicted; the others are the distinct
    probabilities in decreasing order, so edges of equal probability are predicted together.

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
        # There is one point after each group of equal probabilities.
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
        """The fraction of true edges that are predicted at each threshold; equal to `recall`."""
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


THRESHOLDS = (0.5, 0.9)


@dataclass(frozen=True)
class MeanDistance:
    """A posterior mean and its Monte Carlo standard error; None if it is exact.

    Examples
    --------
    >>> print(MeanDistance(3.25, 0.125))
    3.25 ± 0.12
    """

    value: float
    standard_error: float | None

    def __str__(self) -> str:
        """Return the value and its standard error."""
        error = "" if self.standard_error is None else f" ± {self.standard_error:.2g}"
        return f"{self.value:.3g}{error}"


class ThresholdRow(NamedTuple):
    """The counts when edges at least as probable as a threshold are predicted."""

    of: str
    threshold: float
    counts: EdgeCounts


@dataclass(frozen=True)
class PosteriorComparison:
    """The result of `compare_with_graph`.

    Parameters
    ----------
    structural_hamming_distance
        The expected structural Hamming distance of a DAG from the known one.
    cpdag_distance
        The expected structural Hamming distance of its CPDAG from that of the known DAG;
        None without sampled DAGs.
    directed, skeleton
        True and false positives by threshold: for directed edges, among n (n - 1) pairs,
        and for adjacencies, among n (n - 1) / 2.

    Examples
    --------
    >>> import arcwise
    >>> network = arcwise.networks.asia()
    >>> model = arcwise.Model(network.sample(2000, seed=1), max_indegree=2)
    >>> comparison = arcwise.compare(arcwise.exact(model), network.dag)
    >>> comparison.skeleton.at(0.5).recall
    0.875
    """

    structural_hamming_distance: MeanDistance
    cpdag_distance: MeanDistance | None
    directed: EdgeCurve
    skeleton: EdgeCurve

    @property
    def sentences(self) -> tuple[str, ...]:
        """The expected distances, in words."""
        result = [
            f"The known graph has {plural(self.skeleton.positives, 'edge')}; a DAG of the "
            f"posterior differs from it in {self.structural_hamming_distance} edges on average "
            "(structural Hamming distance)."
        ]
        if self.cpdag_distance is not None:
            result.append(
                f"The equivalence classes (CPDAGs) differ in {self.cpdag_distance} edges on "
                "average."
            )
        return tuple(result)

    def __str__(self) -> str:
        """Return the distances, and the counts of adjacencies and directed edges."""
        found = [
            f"At a probability of at least {row.threshold:g}: "
            f"{row.counts.true_positives} true {row.of}, {row.counts.false_positives} false, "
            f"{row.counts.false_negatives} missed."
            for row in self.rows(THRESHOLDS[:1])
        ]
        return "\n".join((*self.sentences, *found))

    def rows(self, thresholds: Sequence[float] = THRESHOLDS) -> list[ThresholdRow]:
        """Return the counts at each threshold, first of adjacencies, then of directed edges."""
        curves = {"adjacencies": self.skeleton, "directed edges": self.directed}
        return [
            ThresholdRow(kind, threshold, curve.at(threshold))
            for kind, curve in curves.items()
            for threshold in as_list(thresholds, "thresholds", "a list of probabilities")
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, with the counts at some thresholds."""
        distance, of_classes = self.structural_hamming_distance, self.cpdag_distance
        return plain_dict(
            sentences=self.sentences,
            structural_hamming_distance=asdict(distance),
            cpdag_distance=None if of_classes is None else asdict(of_classes),
            area_under_roc_curve={
                "adjacencies": self.skeleton.auc,
                "directed edges": self.directed.auc,
            },
            thresholds=[
                {
                    "of": row.of,
                    "threshold": row.threshold,
                    **asdict(row.counts),
                    "precision": row.counts.precision,
                    "recall": row.counts.recall,
                }
                for row in self.rows()
            ],
        )

    def _repr_html_(self) -> str:
        """Return the distances and the counts at some thresholds, for notebooks."""
        rows = self.rows()
        columns: dict[str, list[object]] = {
            "of": [row.of for row in rows],
            "probability at least": [row.threshold for row in rows],
            "true": [row.counts.true_positives for row in rows],
            "false": [row.counts.false_positives for row in rows],
            "missed": [row.counts.false_negatives for row in rows],
            "precision": [row.counts.precision for row in rows],
            "recall": [row.counts.recall for row in rows],
        }
        return card("Posterior and known graph", paragraphs(self.sentences), table(columns))
