"""Candidate parents against plain definitions, and what constraints and sizes make of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Constraints, Model
from arcwise.errors import ArgumentError, ConstraintError, DataError
from arcwise.results import Candidates
from reference import candidates as reference
from support.strategies import Case, continuous_cases, discrete_cases, rules

METHODS = ("pc", "greedy", "gains", "pc+greedy:2")


def gaussian(n: int, rows: int, seed: int = 0) -> np.ndarray:
    dag = arcwise.networks.random_dag(n, expected_degree=min(3.0, n - 1), seed=seed)
    data = arcwise.networks.gaussian_network(dag, seed=seed).sample(rows, seed=seed)
    return np.asarray(data.continuous_values("a test"))


def discrete(n: int, rows: int, seed: int = 0) -> arcwise.Data:
    dag = arcwise.networks.random_dag(n, expected_degree=min(3.0, n - 1), seed=seed)
    network = arcwise.networks.discrete_network(dag, levels=(2, 3), concentration=0.7, seed=seed)
    return arcwise.read(network.sample(rows, seed=seed), constant="keep")


def table(values: np.ndarray) -> dict[str, np.ndarray]:
    return {f"X{i}": values[:, i] for i in range(values.shape[1])}


def pairs(chosen: Candidates) -> set[frozenset[int]]:
    return {frozenset(map(int, edge)) for edge in np.argwhere(chosen.matrix())}


@pytest.mark.parametrize("alpha", [0.01, 0.2])
@pytest.mark.parametrize("max_conditioning", [0, 1, None])
@pytest.mark.parametrize("seed", range(3))
def test_pc_of_gaussian_data_agrees_with_plain_pc(
    alpha: float, max_conditioning: int | None, seed: int
) -> None:
    values = gaussian(9, 60, seed)
    chosen = arcwise.candidates(table(values), "pc", alpha=alpha, max_conditioning=max_conditioning)
    expected = reference.pc_stable(9, reference.fisher_z(values), alpha, max_conditioning)
    assert pairs(chosen) == expected
    assert (chosen.matrix() == chosen.matrix().T).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_pc_of_discrete_data_agrees_with_plain_pc(weighted: bool, seed: int) -> None:
    data = discrete(7, 150, seed)
    weights = np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 3.0], 150) if weighted else None
    data = arcwise.Data(data.columns, weights)
    rows = data.discrete_codes("a test").tolist()
    for alpha in (0.01, 0.2):
        expected = reference.pc_stable(7, reference.g_squared(rows, weights), alpha)
        assert pairs(arcwise.candidates(data, "pc", alpha=alpha)) == expected


@pytest.mark.parametrize("seed", [11, 16, 28])
def test_pc_finds_the_true_skeleton_with_much_data(seed: int) -> None:
    dag = arcwise.networks.random_dag(20, expected_degree=1.6, seed=seed)
    matrix = dag.matrix()
    either = (matrix | matrix.T).astype(int)
    # In a triangle, influences can all but cancel given the third node, however much data there is.
    assert np.trace(either @ either @ either) == 0
    rng = np.random.default_rng(1)
    values = np.zeros((200_000, 20))
    for name in dag.topological_order():
        node = dag.variables.index(name)
        parents = list(dag.parent_indices[node])
        noise = rng.standard_normal(len(values))
        values[:, node] = values[:, parents] @ rng.uniform(0.4, 0.8, len(parents)) + noise
    # 190 pairs, each joined by mistake with a probability of alpha at most: 0.2 % false alarms.
    chosen = arcwise.candidates(table(values), "pc", alpha=1e-5)
    assert (chosen.matrix() == either).all()


@pytest.mark.parametrize("method", [*METHODS, "greedy:5"])
@pytest.mark.parametrize("kind", ["gaussian", "discrete"])
def test_the_order_of_the_columns_does_not_matter(method: str, kind: str) -> None:
    data = arcwise.read(table(gaussian(12, 100))) if kind == "gaussian" else discrete(12, 300)
    first = arcwise.candidates(data, method, size=4)
    order = np.random.default_rng(2).permutation(12)
    moved = data.select([data.variables[place] for place in order])
    second = arcwise.candidates(moved, method, size=4, threads=1)
    assert {name: set(first[name]) for name in first} == {
        name: set(second[name]) for name in second
    }


def assert_agrees(case: Case, keywords: dict[str, Any], score: Any, size: int, by: Any) -> None:
    """Compare with the reference, fed with the library's own weights so that ties are the same."""
    names = case.variables
    n = len(names)
    constraints = {key: keywords[key] for key in ("max_indegree", "required_edges")}
    model = Model(case.data, score, prior="fair", **constraints)
    resolved = model.constraints.resolve(names)
    everything = Model(case.data, score, prior="fair", max_indegree=n - 1)

    def weight(node: int, parents: tuple[int, ...]) -> float:
        return everything.log_weight(names[node], [names[parent] for parent in parents])

    found = arcwise.candidates(
        case.data, size=size, score=score, prior="fair", by=by, **constraints
    )
    from_model = arcwise.candidates(model, size=size, by=by)
    by_gains = arcwise.candidates(model, "gains", size=size)
    assert from_model == found
    for node, name in enumerate(names):
        must = np.flatnonzero(resolved.required[:, node]).tolist()
        free = np.flatnonzero(resolved.allowed[:, node] & ~resolved.required[:, node]).tolist()
        bound = int(resolved.max_indegree[node])
        for chosen, expected in (
            (found, reference.greedy(node, free, must, size, bound, weight, by)),
            (by_gains, reference.gains(node, free, must, size, bound, weight)),
        ):
            own = set(case.numbers(chosen[name]))
            assert own >= set(must)
            # Equal merits up to rounding may be taken in another order.
            if own != expected | set(must):
                assert len(own) == len(expected | set(must))
                assert nearly_tied(n, node, own ^ (expected | set(must)), must, bound, weight)


def nearly_tied(
    n: int, node: int, disputed: set[int], must: list[int], bound: int, weight: reference.Weight
) -> bool:
    """Say whether the disputed parents could be exchanged without changing any weight."""
    others = [u for u in range(n) if u not in {node, *disputed, *must}]
    for some in reference.subsets(others, max(0, bound - len(must) - 1)):
        weights = [weight(node, tuple(sorted({*must, *some, u}))) for u in disputed]
        if max(weights) - min(weights) > 1e-9 * max(1.0, abs(weights[0])):
            return False
    return True


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_greedy_and_gains_of_discrete_data_agree_with_the_definitions(drawn: st.DataObject) -> None:
    case = drawn.draw(discrete_cases())
    keywords = drawn.draw(rules(case.variables)).keywords
    size, by = drawn.draw(st.integers(0, 4)), drawn.draw(st.sampled_from(["best", "sum"]))
    assert_agrees(case, keywords, "bdeu", size, by)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_greedy_and_gains_of_gaussian_data_agree_with_the_definitions(drawn: st.DataObject) -> None:
    case = drawn.draw(continuous_cases())
    keywords = drawn.draw(rules(case.variables)).keywords
    size, by = drawn.draw(st.integers(0, 4)), drawn.draw(st.sampled_from(["best", "sum"]))
    assert_agrees(case, keywords, "bge", size, by)


def test_ready_scores_and_functions_serve_as_well_as_data() -> None:
    data = discrete(6, 200)
    model = Model(data, "bdeu", prior="uniform")
    expected = arcwise.candidates(data, size=3, prior="uniform")
    assert arcwise.candidates(model, size=3) == expected
    assert arcwise.candidates(model.scores, size=3) == expected

    def function(node: str, parents: tuple[str, ...]) -> float:
        return model.scores.log_score(node, parents)

    assert arcwise.candidates(list(data.variables), size=3, score=function) == expected
    by_prior = arcwise.candidates(
        list(data.variables), size=3, score=lambda *_: 0.0, prior=function
    )
    assert by_prior == expected


def test_a_model_bounds_what_can_be_chosen() -> None:
    data = discrete(6, 200)
    bounded = {"X0": ["X1"], "X3": ["X2", "X4"]}
    chosen = arcwise.candidates(Model(data, candidates=bounded), "greedy+gains")
    assert {name: set(of) for name, of in chosen.items() if of} == {
        "X0": {"X1"}, "X3": {"X2", "X4"}
    }  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["gaussian", "discrete"])
def test_forbidden_edges_never_and_required_edges_always(method: str, kind: str) -> None:
    data = arcwise.read(table(gaussian(8, 200))) if kind == "gaussian" else discrete(8, 200)
    free = arcwise.candidates(data, method, size=2).matrix()
    forbidden = free & (np.random.default_rng(3).random((8, 8)) < 0.5)
    required = [("X0", "X5"), ("X1", "X5"), ("X2", "X5")]
    chosen = arcwise.candidates(
        data, method, size=2, required_edges=required,
        constraints=Constraints(forbidden_edges=[
            (f"X{i}", f"X{j}") for i, j in np.argwhere(forbidden)
            if (f"X{i}", f"X{j}") not in required
        ]),
    )  # fmt: skip
    matrix = chosen.matrix()
    assert matrix[:3, 5].all()
    forbidden[:3, 5] = False
    assert forbidden.any()
    assert not (matrix & forbidden).any()
    assert all(len(chosen[f"X{i}"]) <= (2 if "+" not in method else 4) for i in range(8) if i != 5)
    if method in ("greedy", "gains"):
        assert len(chosen["X5"]) == 5
    assert Model(data, candidates=chosen, required_edges=required).families.candidates[5] == tuple(
        np.flatnonzero(matrix[:, 5])[~np.isin(np.flatnonzero(matrix[:, 5]), [0, 1, 2])]
    )


def test_pc_with_gaps_and_edges_that_are_known_agrees_with_plain_pc() -> None:
    values = gaussian(8, 80, seed=4)
    never = [frozenset((0, 1)), frozenset((2, 5))]
    always = [frozenset((3, 4))]
    both_ways = [(f"X{i}", f"X{j}") for i, j in ((0, 1), (1, 0), (2, 5), (5, 2))]
    chosen = arcwise.candidates(
        table(values), "pc", forbidden_edges=both_ways, required_edges=[("X3", "X4")], alpha=0.1
    )
    expected = reference.pc_stable(8, reference.fisher_z(values), 0.1, None, never, always)
    assert pairs(chosen) == expected
    assert "X3" in chosen["X4"]


@pytest.mark.parametrize("method", METHODS)
def test_sizes_are_honoured(method: str) -> None:
    data = discrete(8, 400)
    parts = 1 if "+" not in method else 2
    assert all(
        size <= 3 * parts for size in arcwise.candidates(data, method, size=3).sizes().values()
    )
    by_name = arcwise.candidates(data, method.split("+")[0], size={"X0": 0, "X1": 1}).sizes()
    assert by_name["X0"] == 0
    assert by_name["X1"] <= 1
    none = arcwise.candidates(data, method.split("+")[0], size=0)
    assert sum(none.sizes().values()) == 0
    assert len(Model(data, candidates=none).scores) == 8


def test_greedy_and_gains_fill_the_sizes() -> None:
    data = discrete(8, 400)
    for method in ("greedy", "gains"):
        sizes = arcwise.candidates(data, method, size={"X0": 5, "X1": 20}).sizes()
        assert sizes == {"X0": 5, **{f"X{i}": 7 for i in range(1, 8)}}


def test_pc_keeps_the_clearest_neighbours() -> None:
    values = gaussian(9, 60, seed=1)
    everything = arcwise.candidates(table(values), "pc", alpha=0.2)
    p_value = reference.fisher_z(values)
    for name, kept in arcwise.candidates(table(values), "pc", alpha=0.2, size=1).items():
        node = int(name[1:])
        near = [int(other[1:]) for other in everything[name]]
        assert len(kept) == min(1, len(near))
        assert set(kept) <= set(everything[name])
        if len(near) > 1:  # without a set already, the one kept is no weaker than the weakest
            alone = {other: p_value(node, other, ()) for other in near}
            assert alone[int(kept[0][1:])] <= max(alone.values())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_variables(method: str, n: int) -> None:
    values = np.random.default_rng(0).standard_normal((50, n))
    values[:, -1] += values[:, 0]
    chosen = arcwise.candidates(table(values), method)
    assert chosen.matrix().sum() == (0 if n == 1 else 2)


@pytest.mark.parametrize("method", METHODS)
def test_nodes_without_a_possible_parent_have_no_candidates(method: str) -> None:
    data = discrete(4, 200)
    tiers = [["X2"], ["X0", "X1", "X3"]]
    chosen = arcwise.candidates(data, method, temporal_order=tiers)
    assert chosen["X2"] == ()
    none = arcwise.candidates(data, method.split("+")[0], forbidden_edges=np.ones((4, 4)))
    assert none.matrix().sum() == 0


def test_constant_and_repeated_columns_are_neighbours_of_none_or_of_each_other() -> None:
    rng = np.random.default_rng(0)
    first = rng.standard_normal(100)
    values = np.column_stack([first, np.ones(100), first, first + rng.standard_normal(100)])
    data = arcwise.read(table(values), constant="keep")
    chosen = arcwise.candidates(data, "pc", test="fisher-z")
    assert chosen["X1"] == ()
    assert "X2" in chosen["X0"]


def test_given_candidates_in_every_form() -> None:
    data = discrete(3, 50)
    expected = Candidates(data.variables, {"X0": ["X1"], "X2": ["X0", "X1"]})
    matrix = expected.matrix()
    forms = [dict(expected), expected, matrix, matrix.astype(int).tolist(),
             [("X1", "X0"), ("X0", "X2"), ("X1", "X2")]]  # fmt: skip
    for form in forms:
        assert arcwise.candidates(data, form) == expected
        if not isinstance(form, dict):
            assert Model(data, candidates=form).families.candidates == ((1,), (), (0, 1))
    bounded = arcwise.candidates(
        data, matrix, forbidden_edges=[("X1", "X2")], required_edges=[("X2", "X1")]
    )
    assert bounded == {"X0": ("X1",), "X1": ("X2",), "X2": ("X0",)}


def test_candidates_are_a_mapping_with_unions() -> None:
    first = Candidates(["a", "b", "c"], {"a": ["c", "b"]})
    second = Candidates.from_matrix(["a", "b", "c"], [[0, 0, 1], [0, 0, 0], [0, 1, 0]])
    assert first["a"] == ("b", "c")
    assert dict(first | second) == {"a": ("b", "c"), "b": ("c",), "c": ("a",)}
    assert (first | second).sizes() == {"a": 2, "b": 1, "c": 1}
    assert list(first) == ["a", "b", "c"]
    assert repr(first) == "<Candidates: 3 variables, 0 to 2 candidates each, 2 in all>"
    assert Candidates.from_matrix(first.variables, first.matrix()) == first


def test_of_very_many_parents_the_best_on_their_own_are_looked_at_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The package's function hides the folder of its name, so modules are asked for by name.
    monkeypatch.setattr(import_module("arcwise.model.candidates"), "OUTSIDE", 4)
    monkeypatch.setattr(import_module("arcwise.model.candidates"), "PARTNERS", 0)
    data = discrete(9, 300)
    scores = arcwise.score(data, max_indegree=1)
    best = {
        name: [parents[0] for parents, _ in scores.best(name, 9) if parents]
        for name in data.variables
    }
    for name, chosen in arcwise.candidates(data, "greedy", size=8).items():
        assert set(chosen) == set(best[name][:4])
    for name, chosen in arcwise.candidates(data, "gains", size=3).items():
        assert set(chosen) == set(best[name][:3])


def test_threads_do_not_matter() -> None:
    data = discrete(15, 300)
    for method in METHODS:
        assert arcwise.candidates(data, method, threads=1) == arcwise.candidates(
            data, method, threads=4
        )


@pytest.mark.parametrize(
    ("method", "keywords", "error", "message"),
    [
        ("pcc", {}, ArgumentError, "method is 'pcc'; give 'pc', 'greedy'"),
        ("greedy:", {}, ArgumentError, "method is 'greedy:'"),
        ("pc", {"alpha": 0}, ArgumentError, "alpha is 0; give a number between 0 and 1"),
        ("pc", {"max_conditioning": -1}, ArgumentError, "max_conditioning is -1"),
        (
            "pc",
            {"test": "z"},
            ArgumentError,
            "test is 'z'; give one of 'fisher-z', 'g-squared' and",
        ),
        ("greedy", {"by": "mean"}, ArgumentError, "by is 'mean'; give one of 'sum' and 'best'"),
        ("greedy", {"size": -1}, ArgumentError, "size is -1; give a whole number"),
        ("greedy", {"size": {"X9": 1}}, ArgumentError, "size names 'X9'"),
        ({"X0": "X1"}, {}, ArgumentError, "method gives 'X0' the single string 'X1'"),
        ({"X0": ["X9"]}, {}, ConstraintError, "method names 'X9'"),
    ],
)
def test_refusals_say_what_came_and_what_to_do(
    method: Any, keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        arcwise.candidates(discrete(3, 50), method, **keywords)


def test_refusals_of_what_candidates_cannot_be_chosen_from() -> None:
    model = Model(discrete(3, 50))
    with pytest.raises(ArgumentError, match="a model already has its score"):
        arcwise.candidates(model, score="bdeu")
    with pytest.raises(ArgumentError, match="there are only scores"):
        arcwise.candidates(model.scores, "pc")
    with pytest.raises(ArgumentError, match="leave out the score"):
        arcwise.candidates(model.scores, score="bdeu")
    with pytest.raises(ArgumentError, match="a list of names"):
        arcwise.candidates(["a", "b"], score="bdeu")
    data = discrete(3, 50)
    intervened = np.zeros((50, 3), dtype=bool)
    intervened[0, 0] = True
    with pytest.raises(DataError, match="interventions"):
        arcwise.candidates(arcwise.Data(data.columns, None, intervened), "pc")
    with pytest.raises(ArgumentError, match="different variables"):
        Candidates(["a"], {}) | Candidates(["b"], {})
    with pytest.raises(ArgumentError, match="candidate parent of itself"):
        Candidates(["a"], {"a": ["a"]})
