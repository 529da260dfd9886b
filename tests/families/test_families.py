"""Which families there are: counts, candidates in every form, required and forbidden parents."""

from __future__ import annotations

from math import comb
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import Constraints, Dag
from arcwise.errors import ArcwiseError, ArgumentError, CapacityError, ConstraintError
from arcwise.families import Families
from arcwise.families.families import parent_names
from reference.dags import all_parent_sets
from support.strategies import NAMES, rules

ABCD = ["a", "b", "c", "d"]
CANDIDATES = {"a": ["b", "d"], "c": ["a", "b", "d"], "d": []}
MATRIX = np.array([[0, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0], [1, 0, 1, 0]])
PAIRS = [("b", "a"), ("d", "a"), ("a", "c"), ("b", "c"), ("d", "c")]


def listed(families: Families) -> dict[str, list[tuple[str, ...]]]:
    table = families.table()
    return {
        name: list(parent_names(table, node, families.variables))
        for node, name in enumerate(families.variables)
    }


@given(st.data(), st.integers(1, 7))
def test_a_rule_leads_to_exactly_its_families(data: Any, n: int) -> None:
    rule = data.draw(rules(tuple(NAMES[:n])))
    families = Families.of(tuple(NAMES[:n]), **rule.keywords)
    for name, sets in listed(families).items():
        assert len(sets) == len(set(sets)) == families.count(name)
        assert set(sets) == rule.families[name]
    assert families.total == sum(len(sets) for sets in rule.families.values())


@pytest.mark.parametrize("n", [1, 2, 5, 9])
@pytest.mark.parametrize("bound", [None, 0, 1, 3, 20])
def test_counts_without_constraints(n: int, bound: int | None) -> None:
    names = [f"x{i}" for i in range(n)]
    families = Families.of(names, max_indegree=bound)
    most = n - 1 if bound is None else min(bound, n - 1)
    assert families.count("x0") == sum(comb(n - 1, size) for size in range(most + 1))
    assert families.total == n * families.count("x0")
    assert {tuple(f"x{u}" for u in sets) for sets in all_parent_sets(n, 0, bound)} == set(
        listed(families)["x0"]
    )


def test_counts_beyond_any_table() -> None:
    names = [f"x{i}" for i in range(200)]
    families = Families.of(names)
    assert families.total == 200 * 2**199
    with pytest.raises(CapacityError, match=r"the 200 variables have .* lower max_indegree"):
        families.table()


@pytest.mark.parametrize(
    "candidates",
    [
        CANDIDATES,
        {**CANDIDATES, "b": ()},
        PAIRS,
        MATRIX,
        MATRIX.tolist(),
        MATRIX + np.eye(4, dtype=int),
        pd.DataFrame(MATRIX, index=ABCD, columns=ABCD),
        nx.DiGraph(PAIRS),
    ],
    ids=["mapping", "all nodes", "pairs", "matrix", "rows", "diagonal", "frame", "graph"],
)
def test_candidates_in_every_form(candidates: Any) -> None:
    families = Families.of(ABCD, candidates=candidates)
    assert families.candidates == ((1, 3), (), (0, 1, 3), ())
    assert [families.count(name) for name in ABCD] == [4, 1, 8, 1]


def test_candidates_may_be_cyclic_and_a_dag_too() -> None:
    both = Families.of(["a", "b"], candidates={"a": ["b"], "b": ["a"]})
    assert both.total == 4
    assert Families.of(ABCD, candidates=Dag(ABCD, {"b": ["a"]})).total == 5


def test_required_parents_are_in_every_family_and_forbidden_ones_in_none() -> None:
    families = Families.of(
        ABCD, required_edges=[("a", "c"), ("b", "c")], forbidden_edges=[("d", "a")]
    )
    sets = listed(families)
    assert all({"a", "b"} <= set(parents) for parents in sets["c"])
    assert len(sets["c"]) == 2
    assert not any("d" in parents for parents in sets["a"])
    assert len(sets["a"]) == 4


def test_required_parents_count_for_the_bound_and_need_not_be_candidates() -> None:
    families = Families.of(
        ABCD, required_edges=[("a", "c")], max_indegree=2, candidates={"c": ["b", "d"]}
    )
    assert set(listed(families)["c"]) == {("a",), ("a", "b"), ("a", "d")}


def test_a_forbidden_candidate_is_none() -> None:
    families = Families.of(ABCD, candidates=CANDIDATES, forbidden_edges=[("b", "c")])
    assert families.candidates[2] == (0, 3)


def test_tiers_bounds_by_name_and_further_constraints() -> None:
    families = Families.of(
        ABCD,
        temporal_order=[["a", "b"], ["c", "d"]],
        max_indegree={"d": 1, None: 2},
        constraints=Constraints(forbidden_edges=[("c", "d")], max_indegree={"a": 0}),
    )
    assert families.candidates == ((1,), (0,), (0, 1, 3), (0, 1))
    assert families.max_free == (0, 1, 2, 1)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"candidates": {"a": ["x"]}}, ConstraintError, "candidates names 'x'; the variables are"),
        ({"candidates": {"x": ["a"]}}, ConstraintError, "candidates names 'x'"),
        ({"candidates": {"a": "bc"}}, ArgumentError, "gives 'a' the single string 'bc'"),
        ({"candidates": {"a": ["a"]}}, ConstraintError, "an edge from 'a' to itself"),
        ({"candidates": np.ones((3, 3))}, ConstraintError, "for 3 variables and there are 4"),
        ({"candidates": 7}, ConstraintError, "candidates is 7"),
        ({"required_edges": [("a", "x")]}, ConstraintError, "required_edges names 'x'"),
        (
            {"required_edges": [("a", "b"), ("b", "a")]},
            ConstraintError,
            "required_edges has the cycle a -> b -> a",
        ),
        (
            {"required_edges": [("a", "b")], "forbidden_edges": [("a", "b")]},
            ConstraintError,
            "'a' -> 'b' .forbidden by forbidden_edges",
        ),
        (
            {"required_edges": [("a", "b")], "max_indegree": 0},
            ConstraintError,
            "leave no parent set for 'b'",
        ),
        ({"max_indegree": -1}, ConstraintError, "max_indegree is -1"),
        ({"max_indegree": 2.0}, ConstraintError, "max_indegree is 2.0"),
        ({"constraints": {"max": 2}}, ArgumentError, "the keys 'max'"),
    ],
)
def test_refusals(keywords: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as refusal:
        Families.of(ABCD, **keywords)
    assert isinstance(refusal.value, ArcwiseError)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("names", [[], ["a", "a"], "ab", ["a", ""], ["a", 3]])
def test_names_are_checked(names: Any) -> None:
    with pytest.raises(ArgumentError, match="variables"):
        Families.of(names)


def test_counts_of_an_unknown_node_are_refused() -> None:
    with pytest.raises(ArgumentError, match="node names 'x'"):
        Families.of(ABCD).count("x")
