"""Pieces of the script on exact DAG sampling, on tables made here."""

from __future__ import annotations

from pathlib import Path

import enumerated_dags
import exact_dag_sampling as sampling
import numpy as np
import pytest
from common import options

import arcwise
from arcwise.algorithms import ancestor_probabilities
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import DagSample

SMALL = sampling.Case("small", "Tic-Tac-Toe")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    dag = arcwise.networks.random_dag(5, expected_degree=2, seed=3)
    table = arcwise.networks.discrete_network(dag, levels=2, seed=3).sample(60, seed=3)
    table.write_csv(tmp_path / "small.csv")
    return tmp_path


@pytest.fixture
def exact(folder: Path) -> sampling.Exact:
    return sampling.exact_of(SMALL, folder)


def test_all_dags_are_as_many_as_robinson_counts_and_each_once() -> None:
    for n, count in ((1, 1), (2, 3), (3, 25), (4, 543), (5, 29_281)):
        dags = enumerated_dags.all_dags(n)
        assert len(dags) == count
        assert len(np.unique(dags, axis=0)) == count


def test_enumerated_edges_and_paths_are_those_of_the_exact_computation(
    exact: sampling.Exact,
) -> None:
    truth, _ = enumerated_dags.enumerated(exact.model, sampling.MAX_INDEGREE)
    paths = ancestor_probabilities(exact.model)
    np.fill_diagonal(paths, 0.0)
    assert np.allclose(truth["x → y"], exact.modular.edges, atol=1e-12)
    assert np.allclose(truth["x ~> y"], paths, atol=1e-12)


def test_combined_paths_are_those_of_each_dag() -> None:
    dags = [arcwise.networks.random_dag(6, expected_degree=3, seed=seed) for seed in range(20)]
    names = dags[0].variables
    packed = np.array(
        [[sum(1 << u for u in own) for own in dag.parent_indices] for dag in dags], dtype=np.uint64
    )
    sample = DagSample(names, packed)
    found = enumerated_dags.feature_probabilities(sample, sample.shares, piece=7)
    x, y, z = 0, 3, 5
    texts = {
        "x ~> y ~> z": f"{names[x]} ~> {names[y]} and {names[y]} ~> {names[z]}",
        "x ~> y, x ~> z": f"{names[x]} ~> {names[y]} and {names[x]} ~> {names[z]}",
        "x ~> y, not x ~> z": f"{names[x]} ~> {names[y]} and not {names[x]} ~> {names[z]}",
    }
    for name, text in texts.items():
        assert found[name][x, y, z] == pytest.approx(sample.probability(text))
    short = sample.matrix("ancestor", max_length=2).probabilities
    assert np.allclose(found["x ~> y, at most 2 edges"], short)


def test_weighted_dags_are_within_their_bounds_and_err_less_than_the_bias(
    exact: sampling.Exact,
) -> None:
    bias = sampling.sad(exact.order_modular.edges, exact.modular.edges)
    for seed in range(3):
        found = sampling.weighted(exact, seed, 5_000)
        assert found.outside == 0
        assert 0.5 < found.coverage <= 1.0
        assert found.error < bias


def test_bounds_that_are_too_narrow_are_seen(
    exact: sampling.Exact, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A smaller sum of all weights claims more coverage than there is.
    less = exact.log_total_weight - 0.5
    monkeypatch.setattr(sampling.Exact, "log_total_weight", less)
    assert sampling.weighted(exact, 1, 300).outside > 0


def test_orders_and_dags_drawn_agree_with_the_exact_edges(exact: sampling.Exact) -> None:
    # Twenty edges of 4,000 independent draws: each is off by 0.008 at most on average.
    sums = ScoreSums(exact.model, tabulate="sums")
    assert sampling.direct_dags(exact, 1, 4_000) < 20 * 0.01
    assert sampling.direct_orders(exact, sums, 1, 500) < 20 * 0.02
    assert sampling.direct_dags(exact, 1, 40) > sampling.direct_dags(exact, 1, 4_000)


def test_no_edge_is_off_more_often_than_hoeffding_allows(exact: sampling.Exact) -> None:
    found = sampling.violations(exact, [100, 738], 0.05, runs=60, seed=1)
    assert found.shape == (2, 20)
    # Of 60 runs more than nine fail with probability 1e-3 if each does with 0.05.
    assert found[1].max() <= 9 / 60
    assert found[0].max() > found[1].max()


def test_all_of_it_writes_tables_and_figures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "CASES": (SMALL,), "SMALL": (SMALL,), "DDS_DRAWS": 300, "IW_DRAWS": 400,
        "BUCKET_STEPS": 400, "FIGURE_DRAWS": (100, 300), "HOEFFDING": (("Tic-Tac-Toe", 3),),
        "FIGURE_RUNS": 3,
    }.items():  # fmt: skip
        monkeypatch.setattr(sampling, name, value)
    out = folder / "out"
    given = ["--data", str(folder), "--seconds", "0.1", "--out", str(out)]
    sampling.run(options("", "exact_dag_sampling", 1.0, given))
    tables = (out / "tables.md").read_text()
    assert "29,281 DAGs enumerated" in tables
    assert "Hoeffding" in tables
    for name in ("draws", "hoeffding"):
        assert (out / f"exact-dag-sampling-{name}.png").stat().st_size > 1_000
