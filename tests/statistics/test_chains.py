"""Tests of the convergence of chains, from the states kept of each."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise.records.chain_record import ChainRecord, Traces
from arcwise.statistics.convergence import trace_convergence


def test_rounding_of_the_log_posterior_is_no_difference_between_chains() -> None:
    """Two states that alternate at random, each with an error that drifts along the chain."""
    draws = np.random.default_rng(1)
    chains = []
    for number in range(4):
        states = -1500.0 - draws.integers(0, 2, size=1000)
        chains.append(states + 1e-12 * (number + np.linspace(0.0, 3.0, 1000)))
    found = trace_convergence(Traces(tuple(chains)))
    assert found.rhat is not None
    assert found.rhat < 1.01
    assert found.ess is not None
    assert found.ess > 2000
    # What is larger than rounding is seen as before.
    chains[0] = chains[0] - 1.0
    assert (trace_convergence(Traces(tuple(chains))).rhat or 0.0) > 1.1


@pytest.mark.parametrize("counts", [[1, 1, 1], [2, 2, 2], [1, 3, 2]])
def test_means_over_the_dags_of_each_state(counts: list[int]) -> None:
    orders = np.arange(1.0, sum(counts) + 1.0)
    record = ChainRecord(
        log_weights=np.zeros(3),
        codes=np.zeros((3, 2), dtype=np.uint16),
        dag_counts=np.array(counts, dtype=np.uint32),
        parents=np.zeros((len(orders), 2, 1), dtype=np.uint64),
        log_extensions=np.log(orders),
        extension_errors=np.zeros(len(orders)),
    )
    of_states = np.split(1 / orders, np.cumsum(counts)[:-1])
    expected = np.log([shares.mean() for shares in of_states])
    np.testing.assert_allclose(record.log_state_means(), expected, rtol=1e-12)
