"""What `arcwise.map` returns: agreement, ties, seeds, budgets, files and refusals."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Dag, Model
from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs import Cpdag
from arcwise.model.score_sums import ScoreSums
from arcwise.networks import asia, gaussian_network, random_dag
from arcwise.posterior.map_result import SearchSettings
from arcwise.records.settings import SumSettings
from arcwise.results import MapResult
from support.clocks import WorkClock
from support.exact_models import flat_model, names, random_model
from support.interrupting import assert_returns_what_there_is, assert_stops_within_two_seconds


def gaussian_model(n: int, size: int = 5, rows: int = 300) -> Model:
    dag = random_dag(n, expected_degree=3.0, seed=n)
    data = gaussian_network(dag, seed=n).sample(rows, seed=n)
    return Model(data, "bge", candidates=arcwise.candidates(data, "greedy", size=size))


SUMS = SumSettings(("table", "table"), 1e-9, "sums")


def result(log_weights: list[float], *, classes: int = 1, exact: bool = False) -> MapResult:
    dag = Dag(["a", "b"], {"b": ["a"]})
    best = max(log_weights, default=-1.0)
    return MapResult(
        dag=dag,
        cpdag=arcwise.graphs.cpdag(dag),
        log_score=best,
        log_weight=best,
        restart_log_weights=np.array(log_weights),
        classes=classes,
        interrupted=False,
        seconds=0.1,
        search=None if exact else SearchSettings(len(log_weights), 5, None, 1, SUMS),
    )


def test_agreement_is_by_weight_and_class() -> None:
    assert result([-1e5, -1e5 - 1e-5]).agree is True
    assert result([-1e5, -1e5 - 1e-3]).agree is False
    assert result([-1e5, -1e5 - 1e-3]).restarts_at_best == 1
    assert result([-1e5, -1e5], classes=2).agree is False
    assert result([-1e5]).agree is None
    assert result([], exact=True).agree is True


def test_the_prior_is_in_the_weight_and_not_in_the_score() -> None:
    model = Model(asia().sample(300, seed=1), prior="fair", max_indegree=2)
    for method in ("exact", "search"):
        best = arcwise.map(model, method=method, restarts=2)
        prior = sum(
            model.prior_weights().log_score(node, best.dag.parents(node))
            for node in model.variables
        )
        assert prior < -1.0
        assert math.isclose(best.log_weight, best.log_score + prior, rel_tol=1e-12)


def test_equal_weights_are_told_as_classes() -> None:
    # All trees with edges away from one root weigh the same, so restarts end in any of them.
    model = Model(list(names(6)), lambda node, parents: float(len(parents) == 1))
    best = arcwise.map(model, method="search", restarts=12)
    assert best.log_weight == 5.0
    assert best.restarts_at_best == 12
    assert 1 < best.classes <= 12
    assert best.agree is False


def test_restarts_of_little_patience_disagree() -> None:
    best = arcwise.map(random_model(14, 10.0, 1, max_indegree=3), method="search", patience=0)
    assert best.restarts == 8
    assert best.restarts_at_best < 8
    assert best.agree is False
    assert best.log_weight == pytest.approx(max(best.restart_log_weights), rel=1e-12)


def test_the_same_seed_gives_the_same_on_any_number_of_threads() -> None:
    model = gaussian_model(30)
    found = [
        arcwise.map(model, seed=seed, threads=threads, restarts=5, patience=20)
        for seed, threads in ((1, 1), (1, 4), (2, 1))
    ]
    assert found[0].dag == found[1].dag
    assert found[0].log_weight == found[1].log_weight
    assert found[0].restart_log_weights.tolist() == found[1].restart_log_weights.tolist()
    assert found[0].restart_log_weights.tolist() != found[2].restart_log_weights.tolist()


def test_the_method_depends_on_the_model_alone() -> None:
    assert arcwise.map(random_model(3)).method == "exact"
    chain = {f"x{i}": [f"x{i + 1}"] for i in range(25)}
    assert arcwise.map(flat_model(26, candidates=chain), restarts=1).method == "search"
    assert arcwise.map(flat_model(22, candidates={"x0": ["x1"]})).method == "exact"


def test_a_time_budget_ends_the_search() -> None:
    model = gaussian_model(30)
    sums = ScoreSums(model, tabulate="maxima")
    clock = WorkClock()

    def look(share: float) -> None:
        if share > 0.01:  # after more than ten restarts, of a thousand at most
            clock.jump()

    deadline = clock.deadline(1.0)
    many = arcwise.map(model, seconds=deadline, patience=30, threads=2, sums=sums, progress=look)
    assert 8 < many.restarts < 1000
    # A restart without an end is cut off some steps after its start, and keeps what it has found.
    clock = WorkClock(reading=0.1)
    one = arcwise.map(
        model,
        seconds=clock.deadline(2.0),
        patience=10**12,
        threads=1,
        sums=sums,
        starts=[many.dag],
    )
    assert (one.restarts, one.restarts_at_best, one.classes) == (0, 0, 0)
    assert one.agree is None
    assert not one.interrupted
    assert one.log_weight >= many.log_weight - 1e-9 * abs(many.log_weight)


def test_progress_is_told_and_rises() -> None:
    shares: list[float] = []
    arcwise.map(gaussian_model(40), restarts=4, threads=1, progress=shares.append)
    assert shares == sorted(shares)
    assert 0.0 <= shares[0] <= shares[-1] <= 1.0


def test_one_variable_and_none_that_can_be_a_parent() -> None:
    for model in (random_model(1), random_model(5, max_indegree=0)):
        for method in ("exact", "search"):
            best = arcwise.map(model, method=method)
            assert best.dag.number_of_edges == 0
            assert best.agree


def test_what_a_result_says_of_itself(tmp_path: Path) -> None:
    model = Model(asia().sample(300, seed=1), max_indegree=2)
    best = arcwise.map(model, method="search", restarts=3, seed=5)
    assert "reached by 3 of 3 restarts" in repr(best)
    assert "exact" in repr(arcwise.map(model))
    said = best.summary()
    assert said == json.loads(json.dumps(said, allow_nan=False))
    assert said["log_score"] == best.log_score
    assert said["agree"] is True
    assert said["settings"]["seed"] == 5
    assert said["provenance"]["rows"] == 300
    best.write_summary(tmp_path / "summary.json")
    assert json.loads((tmp_path / "summary.json").read_text()) == said
    best.write_edges(tmp_path / "edges.csv")
    best.write_cpdag(tmp_path / "cpdag.csv")
    edges = list(csv.reader((tmp_path / "edges.csv").read_text().splitlines()))
    assert edges[0] == ["source", "target"]
    assert Dag.from_edges(model.variables, [(u, v) for u, v in edges[1:]]) == best.dag
    rows = list(csv.DictReader((tmp_path / "cpdag.csv").read_text().splitlines()))
    kinds = {
        kind: [(row["source"], row["target"]) for row in rows if row["kind"] == kind]
        for kind in ("directed", "undirected")
    }
    assert Cpdag(model.variables, kinds["directed"], kinds["undirected"]) == best.cpdag


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "guess"}, "method is 'guess'; give one of 'auto', 'exact' and 'search'"),
        ({"restarts": 0}, "restarts is 0; give a whole number, 1 or more"),
        ({"patience": -1}, "patience is -1; give a whole number, 0 or more"),
        ({"seconds": 0.0}, "seconds is 0.0; give a positive number"),
        ({"seconds": math.inf}, "seconds is inf; give a positive number"),
        ({"seed": -1}, "seed is -1; give a whole number, 0 or more"),
        ({"threads": 0}, "threads is 0; give a whole number, 1 or more"),
    ],
)
def test_refusals(options: dict[str, Any], words: str) -> None:
    for method in ("exact", "search"):
        with pytest.raises(ArgumentError) as caught:
            arcwise.map(random_model(3), **({"method": method} | options))
        assert str(caught.value) == words


def test_refusals_of_models_and_sums() -> None:
    large = flat_model(26, candidates={"x0": ["x1"]})
    with pytest.raises(
        CapacityError, match="26 variables, and the exact best DAG is available for up to 25"
    ):
        arcwise.map(large, method="exact")
    other = ScoreSums(random_model(3, variables=names(3)[::-1]))
    with pytest.raises(ArgumentError, match="compute them from the same model"):
        arcwise.map(random_model(3), sums=other)


INTERRUPTED = """
from types import SimpleNamespace
import arcwise
from arcwise.networks import gaussian_network, random_dag
data = gaussian_network(random_dag(30, expected_degree=3.0, seed=1), seed=1).sample(300, seed=1)
candidates = arcwise.candidates(data, "greedy", size=5)
model = arcwise.Model(data, "bge", candidates=candidates)
def job():
    best = arcwise.map(model, {options})
    return SimpleNamespace(run=best, best=best)
def check(posterior):
    best = posterior.best
    assert best.dag.number_of_edges > 10
    assert abs(model.log_weight_of(best.dag) - best.log_weight) < 1e-6
    assert (best.restarts > 0) == {finished}
"""


@pytest.mark.parametrize(
    ("options", "finished"),
    [("patience=10**12, threads=2", False), ("restarts=10**5, patience=5, threads=1", True)],
)
def test_an_interrupted_search_returns_the_best_so_far(options: str, finished: bool) -> None:
    assert_returns_what_there_is(INTERRUPTED.format(options=options, finished=finished))


def test_an_interrupted_exact_recursion_stops() -> None:
    assert_stops_within_two_seconds(
        "import arcwise\n"
        "names = [f'x{i}' for i in range(25)]\n"
        "model = arcwise.Model(names, lambda *family: 0.0, candidates={'x0': ['x1']})\n"
        "def job():\n"
        "    while True: arcwise.map(model, method='exact')\n"
    )
