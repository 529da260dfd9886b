"""Equivalence classes, distances and comparisons of graphs, against lists of all members."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Dag
from arcwise.errors import ArgumentError
from arcwise.graphs import (
    Cpdag,
    compare,
    cpdag,
    skeleton,
    structural_hamming_distance,
    v_structures,
)
from reference.dags import Parents, all_dags
from reference.graphs import cpdags, equivalence_class

NAMES = ("d", "a", "c", "b", "e")


def named(dag: Parents) -> Dag:
    names = NAMES[: len(dag)]
    return Dag(names, {names[v]: [names[u] for u in of] for v, of in enumerate(dag)})


def dag_of(names: str, parents: dict[str, str]) -> Dag:
    return Dag(list(names), {node: list(of) for node, of in parents.items()})


def cpdag_of(names: str, directed: Any = (), undirected: Any = ()) -> Cpdag:
    return Cpdag(list(names), directed, undirected)


def assert_cpdag(graph: Cpdag, directed: frozenset[Any], undirected: frozenset[Any]) -> None:
    assert set(graph.directed) == {(NAMES[u], NAMES[v]) for u, v in directed}
    assert {frozenset(edge) for edge in graph.undirected} == {
        frozenset(NAMES[u] for u in edge) for edge in undirected
    }
    assert graph.number_of_edges == len(directed) + len(undirected)


@pytest.mark.parametrize(("n", "dags", "classes"), [(1, 1, 1), (2, 3, 2), (3, 25, 11)])
def test_few_nodes_have_as_many_classes_as_is_known(n: int, dags: int, classes: int) -> None:
    listed = list(all_dags(n))
    assert len(listed) == dags
    assert len({cpdag(named(dag)) for dag in listed}) == classes


def test_all_dags_of_four_nodes() -> None:
    expected = cpdags(all_dags(4))
    assert len(expected) == 543
    classes: dict[object, set[Cpdag]] = {}
    for dag, (directed, undirected) in expected.items():
        graph = cpdag(named(dag))
        assert_cpdag(graph, directed, undirected)
        classes.setdefault(equivalence_class(dag), set()).add(graph)
    assert len(classes) == 185
    assert all(len(graphs) == 1 for graphs in classes.values())
    assert len(set.union(*classes.values())) == 185


def test_dags_of_five_nodes() -> None:
    expected = cpdags(all_dags(5))
    assert len(expected) == 29_281
    assert len(set(expected.values())) == 8_782
    for dag in list(expected)[::9]:  # 3,254 of them
        assert_cpdag(cpdag(named(dag)), *expected[dag])


def test_skeleton_and_v_structures_are_those_of_the_definition() -> None:
    for dag in all_dags(4):
        pairs, colliders = equivalence_class(dag)
        graph = named(dag)
        assert {frozenset(map(NAMES.index, pair)) for pair in skeleton(graph)} == pairs
        assert {
            (frozenset((NAMES.index(left), NAMES.index(right))), NAMES.index(node))
            for left, node, right in v_structures(graph)
        } == colliders
        assert skeleton(cpdag(graph)) == cpdag(graph).skeleton == skeleton(graph)
        assert v_structures(cpdag(graph)) == v_structures(graph)


@pytest.mark.parametrize("seed", range(4))
def test_turning_a_covered_edge_leaves_the_cpdag_as_it_is(seed: int) -> None:
    # An edge u -> v with parents(v) = parents(u) + u is covered; such turns reach the whole class.
    dag = arcwise.networks.random_dag(60, expected_degree=4.0, seed=seed)
    start = cpdag(dag)
    random = np.random.default_rng(seed)
    turned = 0
    for _ in range(200):
        parents = {name: set(dag.parents(name)) for name in dag.variables}
        covered = [(u, v) for u, v in dag.edges if parents[v] == parents[u] | {u}]
        u, v = covered[random.integers(len(covered))]
        assert {u, v} in [set(edge) for edge in start.undirected]
        parents[v].remove(u)
        parents[u].add(v)
        dag = Dag(dag.variables, parents)
        turned += 1
        assert cpdag(dag) == start
    assert turned == 200


@pytest.mark.parametrize("seed", range(3))
def test_directed_edges_of_larger_dags_follow_from_v_structures_by_the_rules_of_meek(
    seed: int,
) -> None:
    dag = arcwise.networks.random_dag(25, expected_degree=3.0, seed=seed)
    joined = {frozenset(edge) for edge in skeleton(dag)}
    known = {(end, node) for left, node, right in v_structures(dag) for end in (left, right)}
    loose = {tuple(edge) for edge in joined} | {tuple(edge)[::-1] for edge in joined}

    def apart(x: str, y: str) -> bool:
        return x != y and frozenset((x, y)) not in joined

    def follows(u: str, v: str) -> bool:
        into = [w for w in dag.variables if (w, v) in known]
        linked = [w for w in into if (u, w) in loose]
        return (
            any((w, u) in known and apart(w, v) for w in dag.variables)
            or any((u, w) in known for w in into)
            or any(apart(w, x) for w, x in combinations(linked, 2))
        )

    while True:
        fresh = {
            (u, v)
            for u, v in loose
            if (u, v) not in known and (v, u) not in known and follows(u, v)
        }
        if not fresh:
            break
        known |= fresh
    assert set(cpdag(dag).directed) == known


def test_another_order_of_the_variables_changes_nothing_but_the_order() -> None:
    random = np.random.default_rng(5)
    for seed in range(20):
        dag = arcwise.networks.random_dag(12, expected_degree=3.0, seed=seed)
        other = arcwise.networks.random_dag(12, expected_degree=3.0, seed=seed + 100)
        order = random.permutation(12)
        names = [dag.variables[place] for place in order]
        moved = Dag(names, {name: dag.parents(name) for name in names})
        assert set(cpdag(moved).directed) == set(cpdag(dag).directed)
        assert np.array_equal(cpdag(moved).matrix(), cpdag(dag).matrix()[np.ix_(order, order)])
        assert structural_hamming_distance(moved, dag) == 0
        assert compare(moved, other) == compare(dag, other)
        assert structural_hamming_distance(cpdag(moved), cpdag(other)) == (
            structural_hamming_distance(cpdag(dag), cpdag(other))
        )


DISTANCES = [
    # first, second, between the DAGs, between their classes
    ({}, {}, 0, 0),
    ({"b": "a"}, {}, 1, 1),
    ({"b": "a"}, {"a": "b"}, 1, 0),
    ({"b": "a", "c": "b"}, {"a": "b", "b": "c"}, 2, 0),
    ({"b": "ac"}, {"b": "a", "c": "b"}, 1, 2),  # a -> b <- c against a - b - c
    ({"b": "ac"}, {"b": "ac", "c": "a"}, 1, 3),  # against all three undirected
    ({"b": "a"}, {"c": "b"}, 2, 2),
    ({"b": "a", "c": "ab"}, {}, 3, 3),
    ({"b": "a", "c": "ab"}, {"a": "bc", "b": "c"}, 3, 0),
]


@pytest.mark.parametrize(("first", "second", "of_dags", "of_classes"), DISTANCES)
def test_distances_counted_by_hand(
    first: dict[str, Any], second: dict[str, Any], of_dags: int, of_classes: int
) -> None:
    one, other = dag_of("abc", first), dag_of("abc", second)
    for left, right in ((one, other), (other, one)):
        assert structural_hamming_distance(left, right) == of_dags
        assert structural_hamming_distance(cpdag(left), cpdag(right)) == of_classes


def test_distance_is_a_metric_on_classes_of_three_nodes() -> None:
    graphs = list({cpdag(named(dag)) for dag in all_dags(3)})
    distance = np.array([[structural_hamming_distance(a, b) for b in graphs] for a in graphs])
    assert (distance == distance.T).all()
    assert ((distance == 0) == np.eye(len(graphs), dtype=bool)).all()
    assert (distance[:, None, :] <= distance[:, :, None] + distance[None, :, :]).all()


def test_comparison_counted_by_hand() -> None:
    truth = dag_of("abcd", {"b": "a", "c": "b", "d": "b"})
    found = compare(dag_of("abcd", {"b": "c", "c": "a"}), truth)
    assert found.skeleton == arcwise.results.EdgeCounts(1, 1, 2, 2)
    assert found.directed == arcwise.results.EdgeCounts(0, 2, 3, 7)
    found = compare(dag_of("abcd", {"b": "ac", "d": "ab"}), truth)
    assert found.skeleton == arcwise.results.EdgeCounts(3, 1, 0, 2)
    assert found.directed == arcwise.results.EdgeCounts(2, 2, 1, 7)
    assert found.skeleton.true_positive_rate == found.skeleton.recall == 1.0
    assert found.skeleton.false_positive_rate == 1 / 3
    assert found.skeleton.false_positives_per_edge == 1 / 3
    assert found.skeleton.precision == 0.75
    assert found.directed.recall == 2 / 3
    assert found.directed.false_positive_rate == 2 / 9
    assert found.structural_hamming_distance == 2


def test_undirected_edges_of_classes_are_no_directed_ones() -> None:
    found = compare(cpdag_of("abc", [("a", "b")], [("b", "c")]), cpdag_of("abc", [("c", "b")]))
    assert found.skeleton == arcwise.results.EdgeCounts(1, 1, 0, 1)
    assert found.directed == arcwise.results.EdgeCounts(0, 1, 1, 4)
    assert found.structural_hamming_distance == 2


def test_rates_of_nothing_are_not_numbers() -> None:
    found = compare(Dag(["a"], {}), Dag(["a"], {}))
    rates = ("recall", "false_positive_rate", "precision", "false_positives_per_edge")
    assert all(math.isnan(getattr(found.skeleton, rate)) for rate in rates)


def test_a_cpdag_is_a_value() -> None:
    graph = cpdag(dag_of("abcd", {"b": "ac", "d": "b"}))
    again = cpdag_of("abcd", graph.directed, [pair[::-1] for pair in graph.undirected])
    assert again == graph
    assert hash(again) == hash(graph)
    assert Cpdag.from_matrix(list("abcd"), graph.matrix()) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert graph != cpdag_of("abcd", graph.directed[1:])
    assert graph != cpdag_of("dcba", graph.directed)
    assert graph != "abcd"
    assert len({graph, again}) == 1
    graph.matrix()[:] = False
    assert graph.number_of_edges == 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cpdag_of("ab", [("a", "b"), ("b", "a")]), "in both directions"),
        (lambda: cpdag_of("ab", [("a", "b")], [("b", "a")]), "directed and undirected"),
        (lambda: cpdag_of("ab", [("a", "a")]), "to itself"),
        (lambda: cpdag_of("ab", [("a", "x")]), "'x'"),
        (lambda: cpdag_of("ab", ["ab"]), "give pairs of names"),
        (lambda: Cpdag.from_matrix(list("ab"), [[1, 0], [0, 0]]), "from 'a' to itself"),
        (lambda: Cpdag.from_matrix(list("abc"), [[0, 0], [0, 0]]), "2 rows for 3 variables"),
        (lambda: cpdag("ab"), "give a Dag"),  # type: ignore[arg-type]
        (lambda: skeleton("ab"), "give a Dag or a Cpdag"),  # type: ignore[arg-type]
        (lambda: compare(dag_of("ab", {}), cpdag_of("ab")), "two of one type"),
        (lambda: structural_hamming_distance(dag_of("ab", {}), dag_of("ac", {})), "'b'"),
        (lambda: structural_hamming_distance(dag_of("ab", {}), dag_of("abc", {})), "lacks 'c'"),
    ],
)
def test_refusals_say_what_came_and_what_to_do(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make()
