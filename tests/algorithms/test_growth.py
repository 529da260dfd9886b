"""Growth of candidate parents: it ends at the best DAG, within its limits, whoever runs it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Data, Model
from arcwise.algorithms import growth, growth_state
from arcwise.algorithms.growth import better_parents
from arcwise.errors import ArgumentError, CapacityError, GrowthWarning, InterruptedWarning
from arcwise.families.families import Constraints
from arcwise.model import Definition, Question
from arcwise.model.candidates import FamilyWeigher
from arcwise.support.devices import Processors
from arcwise.support.running import Stage
from support.exact_models import names, random_score


def gaussian(n: int, rows: int, seed: int, degree: float = 3.0) -> Data:
    dag = arcwise.networks.random_dag(n, expected_degree=degree, seed=seed)
    return arcwise.networks.gaussian_network(dag, seed=seed).sample(rows, seed=seed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("start", ["pc", "greedy:1"])
def test_growth_ends_at_the_exact_map(start: str, seed: int) -> None:
    data = gaussian(11, 300, seed)
    grown = arcwise.grow(data, start, seed=seed)
    exact = arcwise.map(Model(data), method="exact")
    assert grown.best is not None
    assert math.isclose(grown.best.log_weight, exact.log_weight, rel_tol=1e-10)
    assert grown.best.agree
    assert grown.rounds[-1].wanted == 0
    # The best DAG lies within the model that came with it.
    assert math.isclose(grown.model.log_weight_of(grown.best.dag), exact.log_weight, rel_tol=1e-10)


def test_growth_of_discrete_data_with_a_prior_and_constraints() -> None:
    network = arcwise.networks.asia()
    data = network.sample(1000, seed=2)
    rule: dict[str, Any] = {
        "prior": "fair",
        "max_indegree": 3,
        "required_edges": [("asia", "dysp")],
        "forbidden_edges": [("smoke", "bronc"), ("bronc", "smoke")],
    }
    grown = arcwise.grow(data, {"dysp": ["tub"]}, seed=1, **rule)
    exact = arcwise.map(Model(data, **rule), method="exact")
    assert grown.best is not None
    assert math.isclose(grown.best.log_weight, exact.log_weight, rel_tol=1e-10)
    assert "asia" in grown.best.dag.parents("dysp")
    assert "asia" in grown.candidates["dysp"]
    assert "smoke" not in grown.candidates["bronc"]


def test_growth_begins_with_the_candidates_of_a_model() -> None:
    data = gaussian(10, 200, 7)
    empty: dict[str, list[str]] = {name: [] for name in data.variables}
    model = Model(data, candidates=empty)
    grown = arcwise.grow(model, seed=3)
    exact = arcwise.map(Model(data), method="exact")
    assert grown.best is not None
    assert math.isclose(grown.best.log_weight, exact.log_weight, rel_tol=1e-10)
    assert grown.rounds[0].candidates == 0
    assert grown.rounds[0].families == 10 * 10


def test_growth_does_not_depend_on_threads_but_on_the_seed_alone() -> None:
    data = gaussian(12, 100, 5)
    one, three = (arcwise.grow(data, seed=4, threads=threads) for threads in (1, 3))
    assert one.candidates == three.candidates
    assert one.rounds == three.rounds
    assert one.best is not None
    assert three.best is not None
    assert one.best.dag == three.best.dag


def test_the_posterior_can_lead_as_well() -> None:
    data = gaussian(9, 120, 3, degree=1.5)
    exact = arcwise.exact(Model(data, prior="uniform"), "order-modular").edges
    grown = arcwise.grow(
        data, {}, by="posterior", threshold=0.2, steps=30_000, seed=1, prior="uniform"
    )
    assert grown.best is None
    chosen = grown.candidates.matrix()
    assert (exact > 0.4).sum() > 5
    assert chosen[exact > 0.4].all()
    # A parent that stands in for others can be wanted before they are candidates.
    assert not chosen[exact < 0.01].any()
    assert grown.rounds[-1].wanted == 0
    few = arcwise.grow(
        data, {}, by="posterior", threshold=0.9, steps=30_000, seed=1, prior="uniform"
    )
    assert few.candidates.matrix().sum() < chosen.sum()


def test_a_node_that_wants_more_than_the_limit_is_told() -> None:
    random = np.random.default_rng(1)
    causes = random.standard_normal((300, 6))
    columns = {f"x{i}": causes[:, i] for i in range(6)}
    columns["y"] = causes.sum(axis=1) + 0.1 * random.standard_normal(300)
    order = {"x0": 0, "x1": 0, "x2": 0, "x3": 0, "x4": 0, "x5": 0, "y": 1}
    data = arcwise.read(columns)
    with pytest.warns(
        GrowthWarning, match=r"'y' would need more than 4 candidate parents; give max_size=6"
    ):
        grown = arcwise.grow(data, "pc", max_size=4, temporal_order=order, seed=1)
    assert grown.full == ("y",)
    assert max(grown.candidates.sizes().values()) == 4
    assert grown.best is not None
    # Four candidates and one more.
    assert len(grown.best.dag.parents("y")) == 5
    whole = arcwise.grow(data, "pc", max_size=6, temporal_order=order, seed=1)
    assert whole.best is not None
    assert len(whole.best.dag.parents("y")) == 6


def test_memory_is_said_and_kept() -> None:
    assert arcwise.algorithms.growth_memory(100, 14) == 24 * 86 * 2**14
    assert arcwise.algorithms.growth_memory(5, 14) == 24 * 1 * 2**4
    with pytest.raises(CapacityError, match=r"up to 3 candidates per node .* lower max_size"):
        arcwise.grow(gaussian(8, 100, 1), memory_limit=1000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "score"}, "by is 'score'; give one of 'map' and 'posterior'"),
        ({"threshold": 1.0}, "threshold is 1.0"),
        ({"max_size": 0}, "max_size is 0"),
        ({"restarts": 0}, "restarts is 0"),
    ],
)
def test_refused_settings(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        arcwise.grow(gaussian(4, 50, 1), **arguments)


def test_a_model_is_taken_as_it_is() -> None:
    model = Model(gaussian(4, 50, 1), candidates={})
    with pytest.raises(ArgumentError, match="a model already has its score, prior, constraints"):
        arcwise.grow(model, prior="fair")
    listed = Model(model.scores, max_indegree=1)
    with pytest.raises(ArgumentError, match="only a list of precomputed scores"):
        arcwise.grow(listed)


def test_a_pair_of_parents_that_helps_only_together_is_found() -> None:
    # y is the product of two signs: neither says anything about it alone.
    random = np.random.default_rng(3)
    columns = {name: random.integers(0, 2, 400) for name in ("a", "b", "c", "d")}
    columns["y"] = (columns["a"] ^ columns["b"]) ^ (random.random(400) < 0.05)
    data = arcwise.read(columns, kinds="discrete")
    weigher = FamilyWeigher.of(Question.of(data))
    empty = arcwise.Dag(data.variables, {})
    found = better_parents(weigher, empty, Stage(Processors(1)), pairs=True)
    place = {name: i for i, name in enumerate(data.variables)}
    assert found[:, place["y"]].nonzero()[0].tolist() == [place["a"], place["b"]]
    grown = arcwise.grow(data, {}, seed=1)
    exact = arcwise.map(Model(data), method="exact")
    assert grown.best is not None
    assert math.isclose(grown.best.log_weight, exact.log_weight, rel_tol=1e-10)
    # Nothing is found that would close a cycle, nor beyond the largest number of parents.
    after = arcwise.Dag(data.variables, {"a": ["y"]})
    assert not better_parents(weigher, after, Stage(Processors(1)), pairs=True)[
        place["a"], place["y"]
    ]
    bounded = FamilyWeigher.of(
        Question.of(data, Definition(constraints=Constraints(max_indegree=1)))
    )
    assert not better_parents(bounded, empty, Stage(Processors(1)), pairs=True).any()


@pytest.mark.parametrize("seed", range(5))
def test_pairs_against_all_families(seed: int) -> None:
    n = 6
    variables = list(names(n))
    score = random_score(n, 6.0, seed)
    weigher = FamilyWeigher.of(Question.of(variables, Definition(score)))
    dag = arcwise.networks.random_dag(n, expected_degree=2.0, seed=seed)
    dag = arcwise.Dag.from_matrix(variables, dag.matrix())
    found = better_parents(weigher, dag, Stage(Processors(1)), pairs=True)
    matrix = dag.matrix().astype(int)
    reach = np.linalg.matrix_power(np.eye(n, dtype=int) + matrix, n) > 0
    for node, name in enumerate(variables):
        own = set(dag.parents(name))
        free = [variables[u] for u in range(n) if not reach[node, u] and variables[u] not in own]
        best, pair = score(name, tuple(dag.parents(name))), set()
        for i, one in enumerate(free):
            for two in free[i + 1 :]:
                for kept in range(1 << len(own)):
                    some = {p for bit, p in enumerate(sorted(own)) if kept >> bit & 1}
                    family = tuple(v for v in variables if v in some | {one, two})
                    if score(name, family) > best:
                        best, pair = score(name, family), {one, two}
        assert {variables[u] for u in np.flatnonzero(found[:, node])} == pair


def test_a_search_can_begin_with_known_dags() -> None:
    data = gaussian(14, 200, 9)
    model = Model(data, max_indegree=3)
    best = arcwise.map(model, method="exact")
    found = arcwise.map(model, method="search", restarts=1, patience=0, starts=[best.dag], seed=1)
    assert math.isclose(found.log_weight, best.log_weight, rel_tol=1e-12)
    other = arcwise.Dag(["a", "b"], {})
    with pytest.raises(ArgumentError, match="starts holds a DAG over the variables 'a' and 'b'"):
        arcwise.map(model, method="search", starts=[other])


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_growth_among_many_variables_looks_for_single_parents(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As beyond 300 variables: only candidates are searched, and no pairs are looked for.
    monkeypatch.setattr(growth_state, "MOST_FOR_PLUS_ONE", 5)
    data = gaussian(12, 400, seed, degree=2.0)
    grown = arcwise.grow(data, "pc", seed=seed, prior="uniform")
    assert grown.best is not None
    assert grown.model.families is not None
    assert not any(grown.model.families.outside)
    weigher = FamilyWeigher.of(Question.of(data, Definition(prior="uniform")))
    assert not better_parents(weigher, grown.best.dag, Stage(Processors(1)), pairs=False).any()
    few = arcwise.candidates(data, "pc")
    begun = arcwise.map(Model(data, prior="uniform", candidates=few), method="exact")
    assert grown.best.log_weight > begun.log_weight + 0.1


def test_growth_by_the_posterior_looks_one_parent_further_among_many_variables_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(growth_state, "MOST_FOR_PLUS_ONE", 5)
    grown = arcwise.grow(gaussian(8, 200, 2), {}, by="posterior", steps=20_000, seed=1)
    assert grown.rounds[0].wanted > 0
    assert grown.model.families is not None
    assert any(grown.model.families.outside)


def test_names_and_a_function_are_enough() -> None:
    variables = list(names(7))
    score = random_score(7, 6.0, 3)
    grown = arcwise.grow(variables, score=score, seed=1)
    exact = arcwise.map(Model(variables, score), method="exact")
    assert grown.best is not None
    assert math.isclose(grown.best.log_weight, exact.log_weight, rel_tol=1e-10)


def test_an_interrupted_growth_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    climb, calls = growth._search, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return climb(*arguments)

    monkeypatch.setattr(growth, "_search", interrupted)
    with pytest.warns(InterruptedWarning, match="growth was interrupted after 2 rounds"):
        grown = arcwise.grow(gaussian(10, 200, 7), {}, seed=3)
    assert grown.best is not None
    assert grown.best.interrupted
    assert len(grown.rounds) == 2
    log_weights = [each.log_weight for each in grown.rounds]
    assert grown.best.log_weight >= max(weight for weight in log_weights if weight is not None)
    assert math.isclose(grown.model.log_weight_of(grown.best.dag), grown.best.log_weight)
    calls += [()] * 2
    with pytest.raises(KeyboardInterrupt):
        arcwise.grow(gaussian(10, 200, 7), {}, seed=3)


@pytest.mark.parametrize("most", [300, 5])
def test_growth_goes_on_from_its_file(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth_state, "MOST_FOR_PLUS_ONE", most)
    data, file = gaussian(10, 200, 7), tmp_path / "growth.json"
    expected = arcwise.grow(data, {}, seed=3)
    assert expected.best is not None
    made: list[str] = []
    stop_at = [0]

    def counted(name: str) -> None:
        function = getattr(growth, name)

        def stopping(*arguments: Any, **named: Any) -> Any:
            made.append(name)
            if len(made) == stop_at[0]:
                raise RuntimeError("killed")
            return function(*arguments, **named)

        monkeypatch.setattr(growth, name, stopping)

    for name in ("_search", "best_dag_of", "better_parents"):
        counted(name)
    arcwise.grow(data, {}, seed=3, file=tmp_path / "whole.json")
    calls = len(made)
    for stop in range(1, calls + 1):
        made.clear()
        stop_at[0] = stop
        with pytest.raises(RuntimeError, match="killed"):
            arcwise.grow(data, {}, seed=3, file=file)
        stop_at[0] = 0
        made.clear()
        found = arcwise.grow(data, {}, seed=3, file=file)
        assert len(made) <= calls - stop + 2
        assert found.best is not None
        assert dict(found.candidates) == dict(expected.candidates)
        assert (found.rounds, found.best.dag) == (expected.rounds, expected.best.dag)
        assert found.best.log_weight == expected.best.log_weight
        file.unlink()


def test_rounds_are_added_to_the_file_and_a_line_cut_off_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "growth.json"
    sizes: list[tuple[int, int]] = []
    add = growth_state.GrowthLog.add

    def watched(self: growth_state.GrowthLog, found: growth_state.FoundRound) -> None:
        add(self, found)
        sizes.append((file.stat().st_ino, file.stat().st_size))

    data = gaussian(10, 200, 7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growth_state.GrowthLog, "add", watched)
        expected = arcwise.grow(data, {}, seed=3, file=file)
    # One file, which grows.
    assert len(sizes) > 2
    assert len({inode for inode, _ in sizes}) == 1
    assert [size for _, size in sizes] == sorted({size for _, size in sizes})
    whole = file.read_bytes()
    for cut in (1, 40, len(whole) // 2):
        file.write_bytes(whole[:-cut])
        found = arcwise.grow(data, {}, seed=3, file=file)
        assert found.rounds == expected.rounds
        assert file.read_bytes() == whole
    file.unlink()
    file.symlink_to(tmp_path / "other.json")
    arcwise.grow(data, {}, seed=3, file=file)
    assert not file.is_symlink()
    assert not (tmp_path / "other.json").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"key": 3}'])
def test_other_files_are_replaced(content: str, tmp_path: Path) -> None:
    file = tmp_path / "growth.json"
    file.write_text(content)
    data = gaussian(8, 100, 2)
    first = arcwise.grow(data, seed=1, file=file)
    key, *rounds = map(json.loads, file.read_text().splitlines())
    assert list(key) == ["key"]
    assert len(rounds) == len(first.rounds)
    other = arcwise.grow(data, seed=2, file=file)
    assert other.rounds == arcwise.grow(data, seed=2).rounds


def test_growth_tells_how_far_it_is_and_how_it_went() -> None:
    shares: list[float] = []
    grown = arcwise.grow(gaussian(8, 100, 2), seed=1, restarts=3, progress=shares.append)
    assert shares == pytest.approx([0.2, 0.4, 0.6])
    assert grown.best is not None
    told = grown.best.summary()["settings"]["growth"]
    assert told["rounds"] == len(grown.rounds)
    assert told["families"] == len(grown.model.scores)
    assert told["full"] == []
