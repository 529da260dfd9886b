"""Pieces of the script on efficient structure learning; its data are simulated."""

from __future__ import annotations

from pathlib import Path

import efficient_structure_learning as learning
import numpy as np
import pytest
import search_space_costs as costs
from common import options
from simulated_networks import SCORE, simulated

import arcwise
from arcwise.graphs import Cpdag


def test_the_examples_of_the_text_come_out() -> None:
    told = {example.what: example.ours for example in costs.examples()}
    assert told["DAGs of that partition"] == "108"
    assert told["parents of node 2 in the partition of Figure 5"] == "12"
    assert costs.number_of_dags(4) == 543
    assert max(costs.sum_tables()) < 1e-10


def test_rates_are_counted_over_the_true_edges() -> None:
    truth = arcwise.graphs.cpdag(arcwise.Dag(list("abcd"), {"b": ["a"], "c": ["b"], "d": ["c"]}))
    joined = np.zeros((4, 4), dtype=np.bool_)
    for first, second in ((0, 1), (0, 2)):  # one of three edges, and one that is none
        joined[first, second] = joined[second, first] = True
    told = learning.rates(Cpdag.from_matrix(truth.variables, joined), truth)
    assert told == pytest.approx((1 / 3, 1 / 3))


def test_the_recipe_has_the_density_and_the_strengths_of_the_paper() -> None:
    edges = [simulated(20, 2, seed)[0].number_of_edges for seed in range(200)]
    # 190 pairs with probability 1/5: 38 on average, 0.39 the standard error of this mean.
    assert abs(np.mean(edges) - 38) < 4 * 0.39


def test_the_iteration_improves_up_to_the_exact_best_dag_at_most() -> None:
    _, data = simulated(8, 200, 2)
    best = arcwise.map(arcwise.Model(data, SCORE, prior="uniform"), method="exact").log_weight
    skeleton = arcwise.candidates(data, "pc", alpha=0.01)
    rounds = [log_weight for log_weight, _ in learning.iterated(data, skeleton, 1)]
    assert len(rounds) > 1
    assert all(np.diff(rounds) > 0)
    assert rounds[-1] < best + 1e-6
    everyone = arcwise.candidates(data, {a: set(data.variables) - {a} for a in data.variables})
    assert [each for each, _ in learning.iterated(data, everyone, 1)] == [pytest.approx(best)]


def test_a_data_set_is_measured_and_found_again() -> None:
    one = learning.measure(10, 300, 1)
    assert len(one["orders"]) == len(learning.THRESHOLDS)
    # Fewer pairs are above a higher threshold.
    assert all(np.diff([pair[0] for pair in one["partitions"]]) <= 0)
    assert one["above_truth"] > -1e-6
    assert one["map"][0] > 0.8
    assert one["distance"]["MAP"] < one["distance"]["PC"]
    assert one["grown_above_rounds"] > -1e-6
    assert 0.9 < one["agreement"][-1] <= 1.0


def test_all_of_it_writes_tables_and_figures_and_reads_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (learning, costs):
        monkeypatch.setattr(module, "SIZES", (8,))
    monkeypatch.setattr(learning, "SHARES", {8: 1.0})
    monkeypatch.setattr(learning, "REPETITIONS", 1)
    monkeypatch.setattr(costs, "TABLE_SIZES", (2, 3))
    monkeypatch.setattr(costs, "STEP_LENGTHS", {"linear": (100, 200), "partitions": (100, 200)})
    given = ["--data", str(tmp_path), "--full", "--out", str(tmp_path / "out")]
    read = options("", "efficient_structure_learning", 1.0, given)
    learning.run(read)
    files = sorted((tmp_path / "out" / "data-sets").iterdir())
    assert [file.name for file in files] == ["n8-N16-0.json", "n8-N80-0.json"]
    assert (tmp_path / "out" / "efficient-structure-learning-skeletons.png").exists()

    def refuse(*_: object) -> learning.Result:
        raise AssertionError("what is there is measured again")

    monkeypatch.setattr(learning, "measure", refuse)
    assert len(learning.study(read, 1.0)[8, 2]) == 1
