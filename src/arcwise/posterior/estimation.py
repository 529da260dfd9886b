"""Estimates of features from a posterior: exact, from edge probabilities, or from DAGs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.features import (
    AnyFeature,
    Conditional,
    Edge,
    Feature,
    Not,
    NumberOfEdges,
    Path,
    SkeletonEdge,
    as_feature,
)
from arcwise.posterior.dag_sample import DagSample
from arcwise.posterior.estimate import (
    Estimate,
    Interval,
    estimate_from_dags,
    event_estimate,
    mean_interval,
    weighted_mean,
)
from arcwise.posterior.matrices import (
    FeatureMatrix,
    Relation,
    checked_length,
    checked_relation,
    error_of_mean,
    relation_errors,
)
from arcwise.records.runs import UniqueDagsRun
from arcwise.support.names import positions, shown

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior


def estimate(
    posterior: Posterior, feature: AnyFeature, given: AnyFeature | None = None
) -> Estimate:
    """Return the probability of a feature, its standard error, and whether it is exact.

    Parameters
    ----------
    posterior
        The posterior.
    feature, given
        As for `Posterior.estimate`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> print(arcwise.estimate(arcwise.exact(model), "a -- b"))
    a -- b has probability 0.999999 (exact)
    """
    if not hasattr(posterior, "family_probabilities"):
        raise ArgumentError(f"posterior is {shown(posterior)}; give an arcwise.Posterior")
    return estimate_from_posterior(posterior, as_feature(feature, posterior.variables, given))


def estimate_from_posterior(posterior: Posterior, asked: Feature | Conditional) -> Estimate:
    """Return the best available estimate: exact, from the edge matrix, or from the DAGs.

    Exact posteriors give edges, parent sets and every other event determined by the
    parents of one node, also conditional on each other; adjacencies, whose two directions
    exclude each other; the expected number of edges; and paths, if they were requested.
    Sampled posteriors contain means of conditional probabilities for edges, and their sums for
    adjacencies, with standard errors of both, and the number of edges. An unknown standard error
    of a sum is the smaller of the sum of the errors, which is an upper bound, and the estimate
    from the DAGs.
    """
    if posterior.completions is not None:
        return posterior.completions.estimate(posterior, asked)
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
    if isinstance(posterior.run, UniqueDagsRun):
        return estimate_without_error(dags, asked)
    return estimate_from_dags(dags, asked)


def estimate_without_error(
    dags: DagSample, asked: Feature | Conditional, bounds: Interval | None = None
) -> Estimate:
    """Return the mean over DAGs that are not random draws and thus provide no standard error."""
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
    found = from_matrices(posterior.edges, posterior.paths, posterior.variables, asked)
    if found is not None:
        return float(found)
    if asked.decided_by is not None:
        return _by_parents(posterior, asked, asked.decided_by)
    if isinstance(asked, Not):
        inside = _exact_value(posterior, asked.feature)
        return None if inside is None else 1.0 - inside
    return None


def _by_parents(posterior: Posterior, event: Feature, node: str) -> float:
    """Return the total probability of the parent sets of a node for which an event holds."""
    assert posterior.family_probabilities is not None
    table = posterior.family_probabilities.table
    (place,) = positions([node], posterior.variables, "feature")
    flat, offsets = table.parent_sets(place)
    probabilities = np.asarray(table.values(place))
    n = len(posterior.variables)
    # The event does not depend on edges into other nodes, so these DAGs have none.
    parents = np.zeros((len(probabilities), n, (n + 63) // 64), dtype=np.uint64)
    members = np.asarray(flat, dtype=np.uint64)
    rows = np.repeat(np.arange(len(probabilities)), np.diff(offsets).astype(np.int64))
    bits = np.uint64(1) << members % np.uint64(64)
    np.bitwise_or.at(parents[:, place], (rows, (members // np.uint64(64)).astype(np.int64)), bits)
    holds = event.values(DagSample(posterior.variables, parents))
    return min(1.0, max(0.0, math.fsum(probabilities[holds])))


def from_matrices(
    edges: NDArray[np.float64],
    paths: NDArray[np.float64] | None,
    variables: tuple[str, ...],
    asked: Feature,
) -> Any:
    """Return the value of a feature if the probabilities of edges or paths determine it, or None.

    They may be those of several tables: the value is then an array.
    """
    if isinstance(asked, NumberOfEdges):
        return edges.sum(axis=(-2, -1))
    if not isinstance(asked, Edge | SkeletonEdge | Path):
        return None
    u, v = positions(asked.names, variables, "feature")
    if isinstance(asked, Path):
        return None if paths is None or asked.max_length is not None else paths[..., u, v]
    if isinstance(asked, Edge):
        return edges[..., u, v]
    return np.minimum(edges[..., u, v] + edges[..., v, u], 1.0)


def _from_edges(posterior: Posterior, asked: Feature) -> Estimate | None:
    """Return the estimate from the edge matrix, if it has standard errors."""
    inner = asked.feature if isinstance(asked, Not) else asked
    value = from_matrices(posterior.edges, None, posterior.variables, inner)
    errors, dags = posterior.edge_errors, posterior.dags
    if value is None or (errors is None and dags is not None):
        return None
    value = float(value)
    if isinstance(inner, NumberOfEdges):
        error = math.nan if errors is None else float(errors.sum())
        sampled = 0.0 if dags is None else error_of_mean(dags, inner.values(dags))
        if sampled > 0.0:
            error = float(np.fmin(error, sampled))
        return Estimate(str(asked), value, error, mean_interval(value, error), is_event=False)
    u, v = positions(inner.names, posterior.variables, "feature")
    of_pairs = matrix_of_posterior(posterior, "edge" if isinstance(inner, Edge) else "skeleton")
    if isinstance(asked, Not):
        value = 1.0 - value
    known = math.nan if dags is None else dags.effective_draws
    error = float(of_pairs.standard_errors[u, v])
    return event_estimate(str(asked), value, error, known, posterior.run.draws)


def matrix_of_posterior(
    posterior: Posterior, relation: Relation, max_length: int | None = None
) -> FeatureMatrix:
    """Return the probabilities of a relation: exact, from the edge matrix, or from the DAGs.

    The standard errors of adjacencies are those of the sampler. If they are not known, the sum of
    the errors of the two directions is an upper bound, and the estimate from the DAGs is used if
    it is smaller.
    """
    wanted = checked_relation(relation)
    checked_length(max_length, wanted)
    if wanted == "ancestor" and max_length is None and posterior.paths is not None:
        tables = posterior.completions
        if tables is not None and tables.paths is not None:
            return FeatureMatrix(posterior.paths, tables.spread(tables.paths).error)
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
    either = np.minimum(edges + edges.T, 1.0)
    if posterior.adjacency_errors is not None:
        return FeatureMatrix(either, posterior.adjacency_errors)
    both = errors + errors.T
    if posterior.dags is not None and posterior.family_probabilities is None:
        sampled = relation_errors(posterior.dags, "skeleton")
        both = np.where(sampled > 0.0, np.fmin(both, sampled), both)
    return FeatureMatrix(either, both)
