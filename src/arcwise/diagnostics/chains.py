"""What the kept states of several chains say about whether they have come together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.algorithms.recording import Kept
from arcwise.diagnostics.convergence import effective_sample_size, largest_chain_difference, rhat
from arcwise.posterior.traces import Traces


def trace_diagnostics(traces: Traces) -> dict[str, Any]:
    """Return R-hat and the effective sample size of the log weight; None where there is none.

    R-hat is infinite where every chain stays at a place of its own.
    """
    matrix = traces.log_weights_matrix()
    return {
        "rhat_log_weight": _number(rhat(matrix)),
        "effective_samples_log_weight": _number(effective_sample_size(matrix)),
    }


def edge_diagnostics(kept: Sequence[Kept], nodes: int) -> dict[str, Any]:
    """Return the worst R-hat and effective sample size of an edge, and how far chains are apart.

    They are of the states as sampled, before any weights; of each state, one DAG
    stands for it. An edge that never changes has neither number; one chain alone
    has none to be apart from, and the difference is None.
    """
    result: dict[str, Any] = {
        "largest_rhat_edge": None,
        "smallest_effective_samples_edge": None,
        "largest_edge_difference_between_chains": None,
    }
    draws = min(record.states for record in kept)
    if any((record.dag_counts == 0).any() for record in kept):
        means = [
            record.edge_sums / record.states_summed
            for record in kept
            if record.edge_sums is not None
        ]
        result["largest_edge_difference_between_chains"] = _number(
            _largest(largest_chain_difference(np.stack(means)))
        )
        return result
    firsts = [np.cumsum(record.dag_counts) - record.dag_counts for record in kept]
    # A column of the edge matrix at a time: all edges at once would take too much memory.
    worst, fewest, apart = [], [], []
    for node in range(nodes):
        edges = np.stack(
            [
                _parent_bits(record.parents[first[:draws], node], nodes)
                for record, first in zip(kept, firsts, strict=True)
            ]
        )
        uncertain = edges[:, :, edges.any(axis=(0, 1)) & ~edges.all(axis=(0, 1))]
        if uncertain.shape[-1] == 0:
            continue
        numbers = uncertain.astype(np.float64)
        worst.append(_largest(rhat(numbers)))
        fewest.append(_smallest(effective_sample_size(numbers)))
        apart.append(_largest(largest_chain_difference(numbers.mean(axis=1))))
    result["largest_rhat_edge"] = _number(_largest(np.array(worst)))
    result["smallest_effective_samples_edge"] = _number(_smallest(np.array(fewest)))
    if len(kept) > 1:
        result["largest_edge_difference_between_chains"] = max(apart, default=0.0)
    return result


def _parent_bits(words: NDArray[np.uint64], nodes: int) -> NDArray[np.bool_]:
    little = np.ascontiguousarray(words).astype("<u8").view(np.uint8)
    return np.unpackbits(little, axis=-1, bitorder="little")[:, :nodes].astype(np.bool_)


def _number(value: Any) -> float | None:
    number = float(value)
    return None if np.isnan(number) else number


def _largest(values: NDArray[np.float64]) -> float:
    there = values[~np.isnan(values)]
    return float(there.max()) if there.size else float("nan")


def _smallest(values: NDArray[np.float64]) -> float:
    there = values[np.isfinite(values)]
    return float(there.min()) if there.size else float("nan")
