"""Chains that have settled where next to no posterior probability is do not count."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import arcwise
from arcwise.records.chain_record import ChainRecord
from arcwise.records.runs import ChainRun
from arcwise.statistics.convergence import (
    NEGLIGIBLE,
    edge_convergence,
    levels,
    settled,
    weighted_parts,
)
from support.separate_modes import two_modes

_DRAWS = 100


def record(level: float, parents: NDArray[np.uint64] | None = None) -> ChainRecord:
    """Return draws whose log weights are around a level, of two nodes without edges or as given."""
    noise = np.random.default_rng(int(abs(level) * 10)).normal(size=_DRAWS)
    if parents is None:
        parents = np.zeros((_DRAWS, 2, 1), dtype=np.uint64)
    return ChainRecord(
        log_weights=level + noise - noise[_DRAWS // 2 :].mean(),
        codes=np.zeros((_DRAWS, 2), dtype=np.uint16),
        dag_counts=np.ones(_DRAWS, dtype=np.uint32),
        parents=parents,
        log_extensions=np.zeros(_DRAWS),
        extension_errors=np.zeros(_DRAWS),
    )


@pytest.mark.parametrize("states_are_dags", [False, True])
def test_chains_far_below_the_best_do_not_count(states_are_dags: bool) -> None:
    below = NEGLIGIBLE + 0.5
    records = [record(level) for level in (-20.0, -20.0 - below, -21.0, -20.5, -26.0, -50.0)]
    found = settled(records, states_are_dags=states_are_dags)
    assert [each is records[i] for each, i in zip(found, (0, 2, 3, 4), strict=True)] == [True] * 4


def test_all_count_unless_four_have_found_the_best() -> None:
    for levels_of_chains in ((-20.0, -20.0, -20.0, -40.0, -40.0), (-20.0, -40.0, -60.0, -80.0)):
        records = [record(level) for level in levels_of_chains]
        assert settled(records, states_are_dags=True) == records


def test_all_count_where_most_have_not_found_the_best() -> None:
    """Four of sixteen near the best level do not show that there is nothing better."""
    for near, counted in ((8, 8), (7, 16), (4, 16)):
        records = [record(-20.0)] * near + [record(-40.0)] * (16 - near)
        assert len(settled(records, states_are_dags=True)) == counted


def test_only_the_second_half_of_a_chain_tells_where_it_settled() -> None:
    late = record(-20.0)
    late.log_weights[: _DRAWS // 2] -= 100.0
    assert levels([late], states_are_dags=False) == pytest.approx([-20.0])


def test_the_entropy_of_parents_makes_up_for_a_lower_level() -> None:
    # Node 1 has node 0 as a parent in half of the DAGs, so that twice as many DAGs share.
    parents = np.zeros((_DRAWS, 2, 1), dtype=np.uint64)
    parents[::2, 1, 0] = 1
    broad = record(-23.0, parents)
    found = levels([record(-20.0), broad], states_are_dags=True)
    assert found == pytest.approx([-20.0, -23.0 + np.log(2.0)])
    assert levels([record(-20.0), broad], states_are_dags=False) == pytest.approx([-20.0, -23.0])


def test_the_level_of_sampled_dags_is_the_log_of_their_summed_weights() -> None:
    names = [f"x{i}" for i in range(6)]

    def score(node: str, parents: tuple[str, ...]) -> float:
        if node == "x5":
            return 0.0 if not set(parents) - set(names[:4]) else -100.0
        return 0.0 if not parents else -100.0

    model = arcwise.Model(names, score)
    posterior = arcwise.mcmc(model, "dags", steps=20_000, chains=1, seed=1, thinning=5)
    assert posterior.dags is not None
    assert posterior.traces is not None
    log_weights = np.asarray(posterior.traces.log_weights[0])
    sampled = ChainRecord(
        log_weights=log_weights,
        codes=np.zeros((len(log_weights), 6), dtype=np.uint16),
        dag_counts=np.ones(len(log_weights), dtype=np.uint32),
        parents=posterior.dags.parents,
        log_extensions=np.zeros(len(log_weights)),
        extension_errors=np.zeros(len(log_weights)),
    )
    empty = record(float(log_weights.mean()) - 20.0)
    found = levels([sampled, empty], states_are_dags=True)
    # All 16 sets of parents of x5 are as probable. The entropy of a sample is a little less.
    assert np.log(16.0) - 0.1 < found[0] - log_weights.mean() < np.log(16.0)


def test_differences_between_chains_of_weighted_dags_are_weighted() -> None:
    random = np.random.default_rng(1)
    records = []
    for chain in range(8):
        parents = np.zeros((_DRAWS, 2, 1), dtype=np.uint64)
        parents[:, 1, 0] = random.random(_DRAWS) < 0.3
        own = record(-float(chain), parents)
        own.log_extensions[:] = random.normal(size=_DRAWS)
        records.append(own)
    expected = []
    for part in range(4):
        pooled = records[part::4]
        weights = np.concatenate([np.exp(-each.log_extensions) for each in pooled])
        edge = np.concatenate([each.parents[:, 1, 0] for each in pooled])
        expected.append(weights @ edge / weights.sum())
    found = weighted_parts(records)
    assert found[:, 0, 1] == pytest.approx(expected)
    assert edge_convergence(records, 2).difference == pytest.approx(np.ptp(expected))


def test_a_run_leaves_out_chains_in_a_mode_of_next_to_no_probability() -> None:
    # The second mode weighs e^15 times the first, in which two of these chains begin and stay.
    model = two_modes(40.0, 3.0)
    posterior = arcwise.mcmc(
        model, "partitions", chains=8, start="random", steps=20_000, seed=0, threads=1
    )
    run = posterior.run
    assert isinstance(run, ChainRun)
    assert run.left_out == 2
    assert posterior.traces is not None
    assert len(posterior.traces.log_weights) == len(run.states) == 6
    assert np.abs(posterior.edges - arcwise.exact(model).edges).max() < 0.01
    assert arcwise.diagnose(posterior).verdict == "reliable"
    assert "Of 8 chains, 2 found only what has next to no" in str(arcwise.diagnose(posterior))
