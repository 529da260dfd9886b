"""From DAGs, or from what else a posterior knows, to the estimate of a feature."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.features import Conditional, Edge, Feature, Not, NumberOfEdges, Path, SkeletonEdge
from arcwise.posterior.estimate import Estimate, Interval, event_interval, mean_interval
from arcwise.posterior.matrices import (
    FeatureMatrix,
    Relation,
    checked_length,
    checked_relation,
    relation_errors,
)
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.names import positions

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample
    from arcwise.posterior.posterior import Posterior

# An event seen, or missing, fewer times than this tells too little about its own autocorrelation.
_ENOUGH_TO_TELL = 10.0


def estimate_from_dags(dags: DagSample, asked: Feature | Conditional) -> Estimate:
    """Return the weighted share of DAGs with a feature, or the mean of a number.

    Given an event, only the DAGs that have it count: as their weights are those of
    all times 0 or 1, the error of the ratio by the delta method is that of any
    weighted mean.

    An interval of a probability is by `event_interval`, for as many independent
    draws as make the standard error. Where the event was seen or missing fewer than
    ten such times, they are at most those that the edges of the DAGs are worth
    (`DagSample.effective_draws`); so an event seen in all or none of the DAGs has an
    interval as wide as their number allows. Its standard error is then what is left
    of doubt under Jeffreys' prior, and not 0.
    """
    mean = weighted_mean(dags, asked)
    values, weights, value, known = mean
    error = float(weighted_standard_error(values, weights, dags.chains))
    if mean.is_event:
        return event_estimate(str(asked), value, error, dags.effective_draws * known)
    if error == 0.0:
        # A number that never changed may change in what was not seen, by nobody knows how much.
        error = math.nan
    spread = float(weights @ (values - value) ** 2) / float(weights.sum())
    effective = spread / error**2 if error > 0.0 else math.nan
    interval = mean_interval(value, error)
    return Estimate(str(asked), value, error, interval, effective_samples=effective, is_event=False)


class WeightedMean(NamedTuple):
    """A mean, what it is of, and what share of the effective draws it rests on."""

    values: NDArray[Any]
    weights: NDArray[np.float64]
    value: float
    known: float

    @property
    def is_event(self) -> bool:
        """Whether it is of truth values."""
        return self.values.dtype == np.bool_


def weighted_mean(dags: DagSample, asked: Feature | Conditional) -> WeightedMean:
    """Return the mean of a feature over the DAGs that have what is given."""
    feature = asked.feature if isinstance(asked, Conditional) else asked
    values = feature.values(dags)
    weights = np.ones(len(dags)) if dags.weights is None else dags.weights
    known = 1.0
    if isinstance(asked, Conditional):
        before = _kish(weights)
        weights = weights * asked.given.values(dags)
        if not weights.any():
            raise ArgumentError(
                f"no DAG has what is given, '{asked.given}'; draw more DAGs, or give another event"
            )
        known = _kish(weights) / before
    if values.dtype == np.bool_:
        # Both sums in the same way, so that an event that always holds has probability 1.
        value = float(np.where(values, weights, 0.0).sum() / weights.sum())
    else:
        value = float(weights @ values / weights.sum())
    return WeightedMean(values, weights, value, known)


def event_estimate(name: str, value: float, error: float, known: float) -> Estimate:
    """Return the estimate of a probability with its error and interval.

    Parameters
    ----------
    name
        The feature in words.
    value, error
        The probability and its standard error.
    known
        How many independent draws the sample is worth, as far as is known.
    """
    effective = known
    if error > 0.0:
        effective = value * (1.0 - value) / error**2
        if effective * min(value, 1.0 - value) < _ENOUGH_TO_TELL and not math.isnan(known):
            effective = min(effective, known)
    elif math.isnan(error):
        effective = math.nan
    if error == 0.0:
        error = _doubt_left(value, effective)
    interval = event_interval(value, effective)
    return Estimate(name, value, error, interval, effective_samples=effective)


def _doubt_left(value: float, effective: float) -> float:
    """Return the standard deviation of Beta(n p + 1/2, n (1 - p) + 1/2)."""
    first, second = effective * value + 0.5, effective * (1.0 - value) + 0.5
    total = first + second
    return math.sqrt(first * second / (total + 1.0)) / total


def _kish(weights: NDArray[np.float64]) -> float:
    return float(weights.sum() ** 2 / np.square(weights).sum())


def estimate_from_posterior(posterior: Posterior, asked: Feature | Conditional) -> Estimate:
    """Return the best estimate there is: exact, from the edge matrix, or from the DAGs.

    Exact posteriors know edges, parent sets and what else the parents of one node
    decide, also given each other; joined pairs, whose two directions exclude each
    other; the mean number of edges; and paths, where they were asked for. Sampled
    ones have means of exact probabilities for edges, and their sums for joined
    pairs and the number of edges; the error of a sum is the smaller of the sum of
    the errors, which it cannot exceed, and of what the DAGs say.
    """
    exact = _exact_value(posterior, asked)
    if exact is not None:
        rounding = posterior.error or 0.0
        interval = Interval(exact - rounding, exact + rounding)
        is_event = isinstance(asked, Conditional) or asked.is_event
        if is_event:
            interval = Interval(max(0.0, interval.low), min(1.0, interval.high))
        return Estimate(
            str(asked), exact, 0.0, interval, exact=True, bounds=interval, is_event=is_event
        )
    if not isinstance(asked, Conditional):
        averaged = _from_edges(posterior, asked)
        if averaged is not None:
            return averaged
    dags = posterior.sampled_dags(f"'{asked}'")
    if posterior.algorithm == "unique-dags":
        return estimate_without_error(dags, asked)
    return estimate_from_dags(dags, asked)


def estimate_without_error(
    dags: DagSample, asked: Feature | Conditional, bounds: Interval | None = None
) -> Estimate:
    """Return the mean over DAGs that are no draws, which tell nothing about its error.

    Parameters
    ----------
    dags, asked
        As for `estimate_from_dags`.
    bounds
        Sure bounds of a probability, if there are any.
    """
    found = weighted_mean(dags, asked)
    if found.is_event:
        interval = bounds or Interval(0.0, 1.0)
    else:
        interval, bounds = Interval(-math.inf, math.inf), None
    return Estimate(
        str(asked), found.value, math.nan, interval, bounds=bounds, is_event=found.is_event
    )


def _exact_value(posterior: Posterior, asked: Feature | Conditional) -> float | None:
    if posterior.family_probabilities is None:
        return None
    if isinstance(asked, Conditional):
        if asked.feature.is_event and asked.feature.decided_by == asked.given.decided_by:
            both = _exact_value(posterior, asked.feature & asked.given)
            given = _exact_value(posterior, asked.given)
            if both is not None and given is not None and given > 0.0:
                return min(1.0, both / given)
        return None
    if isinstance(asked, Edge | SkeletonEdge | NumberOfEdges):
        return _sum_of_edges(posterior.edges, posterior.variables, asked)
    if isinstance(asked, Path) and asked.max_length is None and posterior.paths is not None:
        source, target = positions(asked.names, posterior.variables, "feature")
        return float(posterior.paths[source, target])
    if asked.decided_by is not None:
        return _by_parents(posterior, asked, asked.decided_by)
    if isinstance(asked, Not):
        inside = _exact_value(posterior, asked.feature)
        return None if inside is None else 1.0 - inside
    return None


def _by_parents(posterior: Posterior, event: Feature, node: str) -> float:
    """Return the summed probability of the parent sets of a node that make an event true."""
    assert posterior.family_probabilities is not None
    table = posterior.family_probabilities.table
    (place,) = positions([node], posterior.variables, "feature")
    flat, offsets = table.parent_sets(place)
    probabilities = np.asarray(table.values(place))
    n = len(posterior.variables)
    # As DAGs with no other edges than those into the node: the event cannot tell the difference.
    parents = np.zeros((len(probabilities), n, (n + 63) // 64), dtype=np.uint64)
    members = np.asarray(flat, dtype=np.uint64)
    rows = np.repeat(np.arange(len(probabilities)), np.diff(offsets).astype(np.int64))
    bits = np.uint64(1) << members % np.uint64(64)
    np.bitwise_or.at(parents[:, place], (rows, (members // np.uint64(64)).astype(np.int64)), bits)
    holds = event.values(DagSample(posterior.variables, parents))
    return min(1.0, max(0.0, math.fsum(probabilities[holds])))


def _sum_of_edges(matrix: NDArray[np.float64], variables: tuple[str, ...], asked: Feature) -> float:
    if isinstance(asked, NumberOfEdges):
        return float(matrix.sum())
    u, v = positions(asked.names, variables, "feature")
    if isinstance(asked, Edge):
        return float(matrix[u, v])
    return min(1.0, float(matrix[u, v] + matrix[v, u]))


def _from_edges(posterior: Posterior, asked: Feature) -> Estimate | None:
    """Return the estimate from the matrix of edges, where that has errors."""
    inner = asked.feature if isinstance(asked, Not) else asked
    if not isinstance(inner, Edge | SkeletonEdge | NumberOfEdges):
        return None
    if posterior.edge_errors is None and posterior.dags is not None:
        return None
    value = _sum_of_edges(posterior.edges, posterior.variables, inner)
    error = math.nan
    if posterior.edge_errors is not None:
        error = _sum_of_edges(posterior.edge_errors, posterior.variables, inner)
    if not isinstance(inner, Edge) and posterior.dags is not None:
        sampled = weighted_standard_error(
            inner.values(posterior.dags),
            np.ones(len(posterior.dags))
            if posterior.dags.weights is None
            else posterior.dags.weights,
            posterior.dags.chains,
        )
        if sampled > 0.0:
            error = float(np.fmin(error, sampled))
    if isinstance(inner, NumberOfEdges):
        return Estimate(str(asked), value, error, mean_interval(value, error), is_event=False)
    if isinstance(asked, Not):
        value = 1.0 - value
    known = math.nan if posterior.dags is None else posterior.dags.effective_draws
    return event_estimate(str(asked), value, error, known)


def matrix_of_posterior(
    posterior: Posterior, relation: Relation, max_length: int | None
) -> FeatureMatrix:
    """Return the probabilities of a relation: exact, from the matrix of edges, or from the DAGs.

    The error of the sum of two edges is at most the sum of their errors; where the
    DAGs say less, it is what they say.
    """
    wanted = checked_relation(relation)
    checked_length(max_length, wanted)
    if wanted == "ancestor" and max_length is None and posterior.paths is not None:
        return FeatureMatrix(posterior.paths, np.zeros_like(posterior.paths))
    if wanted not in ("edge", "skeleton"):
        return posterior.sampled_dags(f"the relation '{wanted}'").matrix(
            wanted, max_length=max_length
        )
    edges, errors = posterior.edges, posterior.edge_errors
    if errors is None:
        exact = posterior.family_probabilities is not None
        errors = np.full(edges.shape, 0.0 if exact else np.nan)
    if wanted == "edge":
        return FeatureMatrix(edges, errors)
    both = errors + errors.T
    if posterior.dags is not None and posterior.family_probabilities is None:
        sampled = relation_errors(posterior.dags, "skeleton")
        both = np.where(sampled > 0.0, np.fmin(both, sampled), both)
    return FeatureMatrix(np.minimum(edges + edges.T, 1.0), both)
