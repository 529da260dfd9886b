"""Constraints: what they come to, by enumeration; the forms they come in."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import ConstraintError
from arcwise.families.families import Constraints
from arcwise.families.resolved import ResolvedConstraints
from arcwise.graphs.dag import Dag
from reference.dags import Parents, all_dags

NAMES = ("b", "d", "a", "c")
DAGS = list(all_dags(4))


@cache
def matrix_of(dag: Parents) -> np.ndarray:
    matrix = np.zeros((len(dag), len(dag)), dtype=bool)
    for node, parents in enumerate(dag):
        matrix[list(parents), node] = True
    return matrix


def satisfied(resolved: ResolvedConstraints, dag: Parents) -> bool:
    matrix = matrix_of(dag)
    return bool(
        (matrix >= resolved.required).all()
        and (matrix <= resolved.allowed).all()
        and (matrix.sum(axis=0) <= resolved.max_indegree).all()
    )


def edges_by_name(dag: Parents) -> set[tuple[str, str]]:
    return {(NAMES[parent], NAMES[node]) for node, of in enumerate(dag) for parent in of}


PAIRS = st.sets(st.sampled_from(list(permutations(NAMES, 2))), max_size=3)
TIERS = st.dictionaries(st.sampled_from(NAMES), st.integers(-1, 2))
LIMITS = st.one_of(
    st.none(), st.integers(0, 4), st.dictionaries(st.sampled_from(NAMES), st.integers(0, 4))
)


@given(PAIRS, PAIRS, TIERS, LIMITS, st.one_of(st.none(), PAIRS))
def test_the_arrays_admit_exactly_the_dags_the_words_admit(
    required: set[tuple[str, str]],
    forbidden: set[tuple[str, str]],
    tiers: dict[str, int],
    limits: Any,
    space: set[tuple[str, str]] | None,
) -> None:
    def admits(dag: Parents) -> bool:
        edges = edges_by_name(dag)
        limit = limits if isinstance(limits, dict) else dict.fromkeys(NAMES, limits)
        return (
            required <= edges
            and not forbidden & edges
            and (space is None or edges <= space)
            and all(tiers.get(u, -9) <= tiers.get(v, 9) for u, v in edges if u in tiers)
            and all(
                limit.get(name) is None or len(parents) <= limit[name]
                for name, parents in zip(NAMES, dag, strict=True)
            )
        )

    expected = [dag for dag in DAGS if admits(dag)]
    constraints = Constraints(required, forbidden, tiers, limits, space)
    if not expected:
        with pytest.raises(ConstraintError):
            constraints.resolve(NAMES)
        return
    resolved = constraints.resolve(NAMES)
    assert [dag for dag in DAGS if satisfied(resolved, dag)] == expected
    assert not resolved.allowed.diagonal().any()
    assert (resolved.required <= resolved.allowed).all()
    assert replace(constraints) == constraints
    assert hash(replace(constraints)) == hash(constraints)
    assert pickle.loads(pickle.dumps(constraints)) == constraints


@st.composite
def some_constraints(draw: Any) -> Constraints:
    return Constraints(
        draw(st.sets(st.sampled_from([("a", "b"), ("a", "c")]))),
        draw(st.sets(st.sampled_from([("b", "a"), ("d", "c")]))),
        draw(TIERS),
        draw(LIMITS),
        draw(st.one_of(st.none(), PAIRS)),
    )


@given(some_constraints(), some_constraints())
def test_combined_constraints_admit_the_dags_that_both_admit(
    first: Constraints, second: Constraints
) -> None:
    def admitted(constraints: Constraints) -> set[Parents]:
        try:
            resolved = constraints.resolve(NAMES)
        except ConstraintError:
            return set()
        return {dag for dag in DAGS if satisfied(resolved, dag)}

    assert admitted(first & second) == admitted(first) & admitted(second)


def test_without_constraints_everything_is_allowed() -> None:
    resolved = Constraints().resolve(NAMES)
    assert all(satisfied(resolved, dag) for dag in DAGS)
    assert resolved.max_indegree.tolist() == [3, 3, 3, 3]
    one = Constraints(max_indegree=5).resolve(["a"])
    assert one.max_indegree.tolist() == [0]
    assert not one.allowed.any()
    with pytest.raises(ValueError, match="read-only"):
        one.allowed[0, 0] = True


class StandInGraph:
    """The part of networkx.DiGraph that is read."""

    nodes = NAMES

    def edges(self) -> list[tuple[str, str]]:
        return [("b", "a"), ("d", "c")]

    def is_directed(self) -> bool:
        return True


MATRIX = [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize(
    "edges",
    [
        [("b", "a"), ("d", "c")],
        {("d", "c"), ("b", "a")},
        (pair for pair in [["b", "a"], ["d", "c"], ["b", "a"]]),
        np.array([["b", "a"], ["d", "c"]]),
        MATRIX,
        np.array(MATRIX, dtype=bool),
        np.array(MATRIX, dtype=float),
        pd.DataFrame(MATRIX, index=NAMES, columns=NAMES),
        pd.DataFrame(MATRIX, index=NAMES, columns=NAMES).sort_index(),
        Dag(NAMES, {"a": ["b"], "c": ["d"]}),
        StandInGraph(),
        [(re.compile("b"), "a"), ("d", re.compile("c$"))],
    ],
    ids=lambda edges: type(edges).__name__,
)
def test_every_form_of_edges(edges: Any) -> None:
    resolved = Constraints(required_edges=edges).resolve(NAMES)
    assert np.array_equal(resolved.required, np.array(MATRIX, dtype=bool))


def test_a_pattern_stands_for_every_match_but_asks_for_no_self_loop() -> None:
    edges = [(re.compile("x"), "x1"), (re.compile("y"), re.compile("x1?$"))]
    required = Constraints(edges).resolve(["x", "x1", "x12", "y"]).required
    assert np.argwhere(required).tolist() == [[0, 1], [2, 1], [3, 0], [3, 1]]


def test_the_diagonal_of_a_forbidding_or_permitting_matrix_is_a_by_product() -> None:
    everything = np.ones((4, 4))
    assert not Constraints(forbidden_edges=everything).resolve(NAMES).allowed.any()
    assert Constraints(search_space=everything).resolve(NAMES).allowed.sum() == 12


def test_an_empty_search_space_allows_no_edge() -> None:
    assert not Constraints(search_space=[]).resolve(NAMES).allowed.any()
    assert not Constraints(search_space=np.zeros((4, 4))).resolve(NAMES).allowed.any()


@pytest.mark.parametrize(
    "order",
    [
        [["b", "d"], "a", [], ["c"]],
        {"b": 1, "d": 1, "a": 1.5, "c": 30},
        {"b": -20, "d": -20, "a": 9, "c": 10},
        (("d", "b"), ("a",), ("c",)),
        iter([{"b", "d"}, "a", "c"]),
    ],
)
def test_every_form_of_tiers(order: Any) -> None:
    constraints = Constraints(tiers=order)
    assert constraints.tiers == (("b", "d"), ("a",), ("c",))
    allowed = constraints.resolve(NAMES).allowed
    assert allowed.tolist() == [
        [False, True, True, True],
        [True, False, True, True],
        [False, False, False, True],
        [False, False, False, False],
    ]


def test_variables_in_no_tier_are_free() -> None:
    allowed = Constraints(tiers=["b", "a"]).resolve(NAMES).allowed
    assert (~allowed).sum() == 4 + 1
    assert not allowed[2, 0]


def test_max_indegree_by_name_and_for_the_rest() -> None:
    limits = Constraints(max_indegree={"a": 1, "b": 9}).resolve(NAMES).max_indegree
    assert limits.tolist() == [3, 3, 1, 3]
    limits = Constraints(max_indegree={"a": 3, None: np.int64(2)}).resolve(NAMES).max_indegree
    assert limits.tolist() == [2, 2, 3, 2]
    both = Constraints(max_indegree=2) & Constraints(max_indegree={"a": 1, "b": 3})
    assert both.resolve(NAMES).max_indegree.tolist() == [2, 2, 1, 2]
    assert (Constraints(max_indegree=2) & Constraints(max_indegree=3)).max_indegree == 2


def test_combining_two_tierss_keeps_both() -> None:
    both = Constraints(tiers=["a", "b"]) & Constraints(tiers=["b", "c"])
    assert both.tiers == (("a",), ("b",))
    assert both.forbidden_edges == (("c", "b"),)
    same = Constraints(tiers=["a", "b"]) & Constraints(tiers=["a", "b"])
    assert same.forbidden_edges == ()


def test_search_spaces_of_different_forms_are_not_combined_by_guess() -> None:
    first, second = Constraints(search_space=[("a", "b")]), Constraints(search_space=MATRIX)
    with pytest.raises(ConstraintError, match="different search_spaces"):
        first & second
    both = second & Constraints(search_space=np.array(MATRIX).T)
    assert both.search_space == ()


def test_a_networkx_graph() -> None:
    import networkx

    graph = networkx.DiGraph([("b", "a"), ("d", "c")])
    assert Constraints(graph) == Constraints([("b", "a"), ("d", "c")])
    with pytest.raises(ConstraintError, match="required_edges is an undirected graph"):
        Constraints(graph.to_undirected())


def test_edges_may_be_a_text_as_in_the_shell() -> None:
    text = Constraints(required_edges="a -> b, c->b", forbidden_edges="a -> c")
    pairs = Constraints(required_edges=[("a", "b"), ("c", "b")], forbidden_edges=[("a", "c")])
    names = ["a", "b", "c"]
    assert text.resolve(names).as_dict(names) == pairs.resolve(names).as_dict(names)
    with pytest.raises(ConstraintError, match="'a -> b -> c', which is no edge; give a text such"):
        Constraints(required_edges="a -> b -> c").resolve(names)
