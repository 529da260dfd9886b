"""Convergence of several chains: exchanges of temperatures, edges, traces, and excluded chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.records.budget import Convergence
from arcwise.records.chain_record import ChainRecord, Traces
from arcwise.statistics.convergence import (
    PARTS,
    effective_sample_size,
    largest_chain_difference,
    rhat,
    standard_error,
)
from arcwise.support.arrays import logarithms, relative_weights, weighted_sum

# For a given amount of work, round trips are fastest if half of the exchanges are rejected (Syed,
# Bouchard-Côté, Deligiannidis and Doucet 2022).
_PAIRS_PER_REJECTION = 2.0

Rates = tuple[float | None, ...]
"""The acceptance rate of each pair of adjacent temperatures; None if nothing was proposed."""


def exchange_rates(chains: Sequence[Sequence[tuple[int, int]]]) -> Rates:
    """Return the acceptance rate of exchanges of each pair of adjacent temperatures."""
    if len({len(pairs) for pairs in chains}) > 1:
        each = [exchange_rates([pairs]) for pairs in chains]
        return min(each, key=lambda rates: min((r for r in rates if r is not None), default=1.0))
    totals = [
        (sum(proposed for proposed, _ in pair), sum(accepted for _, accepted in pair))
        for pair in zip(*chains, strict=True)
    ]
    return tuple(accepted / proposed if proposed else None for proposed, accepted in totals)


def temperatures_needed(rates: Sequence[float | None]) -> int:
    """Return the number of temperatures at which half of all exchanges would be accepted.

    The sum of the rejection rates hardly depends on the number of temperatures, unless nearly all
    exchanges are rejected; then more temperatures may be needed.

    Examples
    --------
    >>> temperatures_needed([0.2, 0.3, 0.1])
    6
    """
    rejected = sum(1.0 - rate for rate in rates if rate is not None)
    return 1 + ceil(_PAIRS_PER_REJECTION * rejected - 1e-9)


FEWEST_CHANGES = 10
# Summing lag by lag is fast for edges with short autocorrelation and slow for the others.
_MOST_LAGS, _FEWEST_LAGS, _MOST_PRODUCTS = 1000, 64, 2**26
_MOST_POINTS = 10_000


@dataclass(frozen=True, eq=False)
class EdgeDiagnostics:
    """Diagnostics of each edge as matrices [source, target], from unweighted draws."""

    # Rank-normalised split R-hat; infinite if the edge is always present in some chains and never
    # in others, NaN if it never changed at all, and so may be certain or stuck.
    rhat: NDArray[np.float64]
    # The bulk effective sample size; NaN if the edge changed fewer than 10 times, which is too few
    # to estimate its autocorrelation.
    effective_samples: NDArray[np.float64]
    changes: NDArray[np.int64]  # number of changes between consecutive draws, over all chains
    chain_edges: NDArray[np.float64]  # the fraction of draws with the edge in each chain
    differences: NDArray[np.float64]  # the largest one between two chains; NaN with one chain

    @classmethod
    def of(cls, chains: Sequence[NDArray[np.uint64]], nodes: int) -> EdgeDiagnostics:
        """Return the diagnostics for the packed parents of each chain, (draws, nodes, words).

        R-hat and effective sample sizes use the number of draws of the shortest chain. For an
        edge with long autocorrelation, in chains of more than 10,000 draws, the effective sample
        size is estimated from at most 10,000 batch means, allowing for their autocorrelation.
        """
        parts = [np.ascontiguousarray(parents) for parents in chains]
        draws = min(len(parents) for parents in parts)
        lags = _MOST_PRODUCTS // max(1, len(parts) * draws)
        lags = min(_MOST_LAGS, max(_FEWEST_LAGS, lags))
        # One thread suffices, and the number of threads must not exceed the user's.
        rhat, effective, changes, shares = _core.edge_mixing(parts, FEWEST_CHANGES, lags, threads=1)
        for target in np.flatnonzero((effective < 0.0).any(axis=0)):
            words = [np.ascontiguousarray(part[:draws, target]) for part in parts]
            for source in np.flatnonzero(effective[:, target] < 0.0):
                effective[source, target] = _effective_with_long_memory(
                    np.stack([_bit(own, int(source)) for own in words])
                )
        return cls(rhat, effective, changes, shares, largest_chain_difference(shares))


def _effective_with_long_memory(edge: NDArray[np.bool_]) -> float:
    """Return the effective sample size of an edge, (chains, draws), by Fourier transform."""
    chains, draws = edge.shape
    size = -(-draws // _MOST_POINTS)
    if size == 1:
        return float(effective_sample_size(edge))
    batches = edge[:, draws % size :].reshape(chains, -1, size)
    # The mean of all draws is the mean of the batch means, and the effective sample size is the
    # number of independent draws with the same standard error.
    error = float(standard_error(batches.mean(axis=2)))
    share = np.count_nonzero(edge) / edge.size
    return share * (1.0 - share) / error**2


def _bit(words: NDArray[np.uint64], place: int) -> NDArray[np.bool_]:
    """Return one bit of each row of packed parents."""
    return np.asarray(words[:, place // 64] & np.uint64(1 << place % 64) != 0)


def chain_convergence(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    """Return all convergence figures of chains from their recorded states."""
    found = trace_convergence(Traces(tuple(record.log_weights for record in records)))
    return replace(edge_convergence(records, nodes), rhat=found.rhat, ess=found.ess)


def trace_convergence(traces: Traces) -> Convergence:
    """Return R-hat and the effective sample size of the log posterior; None if undefined."""
    matrix = _to_nine_digits(traces.log_weights_matrix())
    effective = number_or_none(effective_sample_size(matrix))
    return Convergence(rhat=number_or_none(rhat(matrix)), ess=effective)


def _to_nine_digits(log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rounded log weights, which are equal for equal states.

    Moves accumulate changes of the log weight, so rounding drifts slowly along a chain; with few
    states, ranks would amplify this.
    """
    finite = log_weights[np.isfinite(log_weights)]
    unit = 1e-9 * max(1.0, float(np.abs(finite).max(initial=0.0)))
    return np.asarray(np.round(log_weights / unit) * unit)


def edge_convergence(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    """Return the worst R-hat and ESS of any edge, and the largest difference between chains.

    R-hat and ESS are computed from the unweighted states, with one DAG for each state. The
    difference is computed from the edge probabilities averaged along the chains, or from their
    weighted DAGs if they are not averaged. An edge that never changes has neither R-hat nor ESS;
    with a single chain, the difference is None.
    """
    averages = chain_edges(records)
    if averages is None and any(record.log_extensions.any() for record in records):
        averages = weighted_parts(records)
    found = Convergence()
    if not any((record.dag_counts == 0).any() for record in records):
        found = _edge_figures(records, nodes)
    if averages is None:
        return found
    difference = largest(largest_chain_difference(averages))
    return replace(found, difference=number_or_none(difference))


def chain_edges(records: Sequence[ChainRecord]) -> NDArray[np.float64] | None:
    """Return the edge probabilities averaged along each chain; None if they are not recorded."""
    means = [
        np.clip(record.edge_sums / record.states_summed, 0.0, 1.0)
        for record in records
        if record.edge_sums is not None
    ]
    return np.stack(means) if len(means) == len(records) else None


def weighted_parts(records: Sequence[ChainRecord]) -> NDArray[np.float64]:
    """Return the edge probabilities from the weighted DAGs of each chain, or of four groups.

    A few weights dominate a small number of DAGs, so more than four chains are pooled in the
    groups of `largest_chain_difference`.
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


def _edge_figures(records: Sequence[ChainRecord], nodes: int) -> Convergence:
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


NEGLIGIBLE = 8.0
"""A chain this number of nats below the best one has negligible posterior probability."""

FEWEST_SETTLED = 4
"""The minimum number of chains at the best level for others to be excluded; half of all chains
must be there as well."""

# If all chains are closer than this, the entropy of parents hardly matters and is not computed.
_CLOSE = 2.0


def settled(records: Sequence[ChainRecord], *, states_are_dags: bool) -> list[ChainRecord]:
    """Return the records of chains without those in regions of negligible probability.

    Among many chains from independent starts, a few may remain for the whole run in a local
    optimum of negligible probability. Their share among the chains is far larger than that
    probability, and the chains would never agree. If most chains end there, however, nothing shows
    that the others have found the best region: then all are included, and the run is seen not to
    have converged.
    """
    if len(records) <= FEWEST_SETTLED:
        return list(records)
    found = levels(records, states_are_dags=states_are_dags)
    near = found >= found.max() - NEGLIGIBLE
    if near.all() or near.sum() < max(FEWEST_SETTLED, len(records) / 2):
        return list(records)
    return [record for record, counts in zip(records, near, strict=True) if counts]


def levels(records: Sequence[ChainRecord], *, states_are_dags: bool) -> NDArray[np.float64]:
    """Return the approximate log probability of the region of each chain, up to a constant.

    The log of the sum of weights over a region is the mean of the log weights under the
    posterior within it plus the entropy there. The entropy of DAGs is approximated by that
    of the parents of each node, as if these were independent; if states are sets of DAGs, most
    of it is included in their weights, and the rest is ignored.
    """
    means = np.array([_mean(record.log_weights) for record in records])
    if not states_are_dags or not (means < means.max() - _CLOSE).any():
        return means
    return means + [_entropy(record.parents) for record in records]


def _mean(log_weights: NDArray[np.float64]) -> float:
    # Only the second half, because a chain may have reached its region during the first.
    return float(log_weights[len(log_weights) // 2 :].mean()) if len(log_weights) else -np.inf


def _entropy(parents: NDArray[np.uint64]) -> float:
    """Return the sum over nodes of the entropy of their parent sets among the DAGs."""
    later = parents[len(parents) // 2 :]
    total = 0.0
    for node in range(later.shape[1]):
        _, counts = np.unique(later[:, node], axis=0, return_counts=True)
        shares = counts / counts.sum()
        total -= float(weighted_sum(shares, logarithms(shares)))
    return total
