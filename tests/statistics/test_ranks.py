"""Ranks by chain: near 1 where chains agree, and against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise.statistics.convergence import rank_shares


def test_shares_are_those_of_ranks_counted_one_by_one() -> None:
    random = np.random.default_rng(1)
    chains = [random.normal(size=50), random.normal(0.5, 1.0, 70)]
    found = rank_shares(chains)
    assert found is not None
    pooled = np.sort(np.concatenate(chains))
    bins = found.shape[1]
    counts = np.zeros((2, bins))
    for number, chain in enumerate(chains):
        for value in chain:
            rank = int(np.searchsorted(pooled, value))
            counts[number, rank * bins // len(pooled)] += 1
    shares = counts / [[50], [70]]
    everywhere = counts.sum(axis=0) / 120
    assert found == pytest.approx(shares / everywhere)


def test_a_chain_in_poor_states_falls_and_equal_states_tell_nothing() -> None:
    random = np.random.default_rng(2)
    found = rank_shares(
        [random.normal(size=400), random.normal(size=400), random.normal(-2, 1, 400)]
    )
    assert found is not None
    assert found[2, 0] > 2.0
    assert found[2, -1] < 0.2
    same = rank_shares([np.zeros(40), np.zeros(60)])
    assert same is not None
    assert (same == 1.0).all()


def test_too_little_to_rank() -> None:
    assert rank_shares([np.arange(100.0)]) is None
    assert rank_shares([np.arange(100.0), np.arange(9.0)]) is None
    assert rank_shares([]) is None
