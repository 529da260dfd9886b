"""Convergence of several chains, from the states kept of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.records.chain_record import ChainRecord
from arcwise.records.convergence import Convergence
from arcwise.records.traces import Traces
from arcwise.statistics.convergence import (
    PARTS,
    effective_sample_size,
    largest_chain_difference,
    rhat,
)
from arcwise.statistics.edges import EdgeDiagnostics
from arcwise.support.log_space import relative_weights


def chain_convergence(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    """Return all convergence figures of chains, from the states kept of each."""
    found = trace_convergence(Traces(tuple(record.log_weights for record in records)))
    return replace(edge_convergence(records, nodes), rhat=found.rhat, ess=found.ess)


def trace_convergence(traces: Traces) -> Convergence:
    """Return R-hat and the effective sample size of the log posterior; None if undefined."""
    matrix = _to_nine_digits(traces.log_weights_matrix())
    effective = number_or_none(effective_sample_size(matrix))
    return Convergence(rhat=number_or_none(rhat(matrix)), ess=effective)


def _to_nine_digits(log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log weights that are the same for the same state.

    Moves add up what they change, so that rounding differs from visit to visit, slowly along a
    chain; where states are few, ranks would make much of that.
    """
    finite = log_weights[np.isfinite(log_weights)]
    unit = 1e-9 * max(1.0, float(np.abs(finite).max(initial=0.0)))
    return np.asarray(np.round(log_weights / unit) * unit)


def edge_convergence(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    """Return the worst R-hat and ESS of any edge, and the largest difference between chains.

    R-hat and ESS are computed from the states as sampled, unweighted, with one DAG for each
    state; the difference from the chains' averaged edge probabilities, or from their DAGs,
    weighted as in the result, where there are none. An edge that never changes has neither
    R-hat nor ESS; with a single chain, the difference is None.
    """
    averages = chain_edges(records)
    if averages is None and any(record.log_extensions.any() for record in records):
        averages = weighted_parts(records)
    found = Convergence()
    if not any((record.dag_counts == 0).any() for record in records):
        found = _of_dags(records, nodes)
    if averages is None:
        return found
    difference = largest(largest_chain_difference(averages))
    return replace(found, difference=number_or_none(difference))


def chain_edges(records: Sequence[ChainRecord]) -> NDArray[np.float64] | None:
    """Return the edge probabilities that each chain has averaged, if they do."""
    means = [
        np.clip(record.edge_sums / record.states_summed, 0.0, 1.0)
        for record in records
        if record.edge_sums is not None
    ]
    return np.stack(means) if len(means) == len(records) else None


def weighted_parts(records: Sequence[ChainRecord]) -> NDArray[np.float64]:
    """Return the edge probabilities by the weighted DAGs of each chain, or of groups of them.

    The fewer DAGs, the more the weights of a few of them count, so that more than four
    chains are pooled as `largest_chain_difference` groups them.
    """
    result = []
    for part in range(min(PARTS, len(records))):
        own = records[part::PARTS]
        parents = np.concatenate([record.parents for record in own])
        logs = np.concatenate([record.log_dag_weights() for record in own])
        weights = relative_weights(logs)
        weights /= weights.sum()
        ends = np.array([0, len(parents)], dtype=np.uint64)
        sums = _core.relation_sums(np.ascontiguousarray(parents), "edge", 0, weights, ends, 1)
        result.append(np.clip(np.asarray(sums)[0], 0.0, 1.0))
    return np.stack(result)


def _of_dags(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    firsts = [np.cumsum(record.dag_counts) - record.dag_counts for record in records]
    draws = min(record.states for record in records)
    found = EdgeDiagnostics.of(
        [record.parents[first[:draws]] for record, first in zip(records, firsts, strict=True)],
        nodes,
    )
    return Convergence(
        edge_rhat=number_or_none(largest(found.rhat)),
        edge_ess=number_or_none(smallest(found.effective_samples)),
        difference=number_or_none(largest(found.differences)),
    )


def number_or_none(value: Any) -> float | None:
    """Return a number, or None for NaN."""
    number = float(value)
    return None if np.isnan(number) else number


def largest(values: NDArray[np.float64]) -> float:
    """Return the largest value, possibly infinite, ignoring NaN; NaN if there is none."""
    known = values[~np.isnan(values)]
    return float(known.max()) if known.size else float("nan")


def smallest(values: NDArray[np.float64]) -> float:
    """Return the smallest finite value; NaN if there is none."""
    finite = values[np.isfinite(values)]
    return float(finite.min()) if finite.size else float("nan")
