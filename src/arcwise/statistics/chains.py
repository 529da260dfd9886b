"""What the kept states of several chains say about whether they have come together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.records.chain_record import ChainRecord
from arcwise.records.convergence import Convergence
from arcwise.records.traces import Traces
from arcwise.statistics.convergence import effective_sample_size, largest_chain_difference, rhat
from arcwise.statistics.edges import EdgeDiagnostics


def chain_convergence(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    """Return all figures of chains, by the states that were kept of each."""
    return replace(
        edge_convergence(records, nodes),
        **_of_log_weights(Traces(tuple(record.log_weights for record in records))),
    )


def trace_convergence(traces: Traces) -> Convergence:
    """Return R-hat and the effective sample size of the log weight; None where there is none."""
    return Convergence(**_of_log_weights(traces))


def _of_log_weights(traces: Traces) -> dict[str, float | None]:
    matrix = traces.log_weights_matrix()
    return {
        "rhat": number_or_none(rhat(matrix)),
        "ess": number_or_none(effective_sample_size(matrix)),
    }


def edge_convergence(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    """Return the worst R-hat and effective sample size of an edge, and how far chains are apart.

    They are of the states as sampled, before any weights; of each state, one DAG
    stands for it. An edge that never changes has neither number; one chain alone
    has none to be apart from, and the difference is None.
    """
    if any((record.dag_counts == 0).any() for record in records):
        means = [
            record.edge_sums / record.states_summed
            for record in records
            if record.edge_sums is not None
        ]
        apart = largest(largest_chain_difference(np.stack(means)))
        return Convergence(difference=number_or_none(apart))
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
    """Return the largest number that is there, which may be infinite; NaN if none is."""
    there = values[~np.isnan(values)]
    return float(there.max()) if there.size else float("nan")


def smallest(values: NDArray[np.float64]) -> float:
    """Return the smallest finite number that is there; NaN if none is."""
    there = values[np.isfinite(values)]
    return float(there.min()) if there.size else float("nan")
