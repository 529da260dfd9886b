"""Dag: construction in every form, refusals, and agreement with enumeration."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import ArgumentError, MissingDependencyError
from arcwise.graphs.dag import Dag
from arcwise.support.edges import find_cycle
from reference.dags import Parents, all_dags, is_acyclic, linear_extensions

NAMES = ("d", "a", "c", "b")


def named(parents: Parents) -> dict[str, list[str]]:
    return {NAMES[node]: [NAMES[parent] for parent in of] for node, of in enumerate(parents)}


class StandInGraph:
    """The part of networkx.DiGraph that Dag reads."""

    def __init__(self, nodes: list[Any], edges: list[tuple[Any, ...]], directed: bool = True):
        self.nodes = nodes
        self._edges = edges
        self._directed = directed

    def edges(self) -> list[tuple[Any, ...]]:
        return self._edges

    def is_directed(self) -> bool:
        return self._directed


def test_every_form_gives_the_same_dag_on_all_dags_of_four_nodes() -> None:
    seen = set()
    for parents in all_dags(4):
        dag = Dag(NAMES, named(parents))
        assert dag.variables == NAMES
        assert dag.parent_indices == parents
        assert dag.number_of_edges == len(dag.edges) == dag.matrix().sum()
        assert Dag.from_edges(NAMES, dag.edges) == dag
        assert Dag.from_matrix(NAMES, dag.matrix()) == dag
        assert Dag.from_networkx(StandInGraph(list(NAMES), list(dag.edges))) == dag
        assert pickle.loads(pickle.dumps(dag)) == dag
        order = tuple(NAMES.index(name) for name in dag.topological_order())
        assert order == min(linear_extensions(parents))
        seen.add(dag)
    assert len(seen) == 543


def test_names_come_in_the_order_of_the_variables() -> None:
    dag = Dag(NAMES, {"b": ["a", "d", "a"]})
    assert dag.parents("b") == ("d", "a")
    assert dag.parents("a") == ()
    many = [f"x{i}" for i in range(40)]
    assert Dag(many, {"x0": ["x32", "x8", "x1"]}).parent_indices[0] == (1, 8, 32)
    assert dag.edges == (("d", "b"), ("a", "b"))
    assert dag.matrix()[0].tolist() == [False, False, False, True]


def test_the_order_of_the_variables_and_the_edges_both_count() -> None:
    dag = Dag(["a", "b"], {"b": ["a"]})
    assert dag != Dag(["b", "a"], {"b": ["a"]})
    assert dag != Dag(["a", "b"], {"a": ["b"]})
    assert dag != "dag"
    assert hash(dag) == hash(Dag(["a", "b"], {"a": [], "b": ["a"]}))


def test_it_cannot_be_changed() -> None:
    dag = Dag(["a", "b"], {"b": ["a"]})
    with pytest.raises(AttributeError):
        dag.variables = ("x", "y")  # type: ignore[misc]
    with pytest.raises(AttributeError):
        dag.note = 1  # type: ignore[attr-defined]
    dag.matrix()[0, 1] = False
    assert dag.number_of_edges == 1


@pytest.mark.parametrize(
    ("parents", "cycle"),
    [
        ({"b": ["a"], "c": ["b"], "a": ["c"]}, "a -> b -> c -> a"),
        ({"a": ["a"]}, "a -> a"),
        ({"b": ["d"], "d": ["b"], "a": ["b"], "c": ["a"]}, "b -> d -> b"),
    ],
)
def test_a_cycle_is_named_in_order(parents: dict[str, list[str]], cycle: str) -> None:
    with pytest.raises(ArgumentError, match=f"the cycle {cycle};"):
        Dag(["a", "b", "c", "d"], parents)


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.lists(st.frozensets(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n)
    )
)
def test_the_cycle_found_is_a_cycle_and_none_is_missed(parents: list[frozenset[int]]) -> None:
    cycle = find_cycle(parents)
    assert (cycle is None) == is_acyclic(tuple(map(tuple, parents)))
    if cycle is not None:
        assert len(set(cycle)) == len(cycle)
        assert cycle[0] == min(cycle)
        for source, target in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            assert source in parents[target]


def test_a_long_chain_needs_no_deep_recursion() -> None:
    names = [f"x{i}" for i in range(5000)]
    dag = Dag(names, {names[i]: [names[i - 1]] for i in range(1, 5000)})
    assert dag.topological_order() == tuple(names)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Dag([], {}), "variables is empty; give at least one name"),
        (lambda: Dag("abc", {}), "single string 'abc'"),
        (lambda: Dag(["a", "b", "a"], {}), "contains 'a' more than once"),
        (lambda: Dag(["a", 3], {}), "holds 3; give nonempty strings"),  # type: ignore[list-item]
        (lambda: Dag(["a", ""], {}), "holds ''"),
        (
            lambda: Dag(["age", "b"], {"b": ["agge"]}),
            r"parents\['b'\] names 'agge' "
            r"\(did you mean 'age'\?\); the variables are 'age' and 'b'",
        ),
        (lambda: Dag(["a", "b"], {"c": ["a"]}), "parents names 'c'; the variables"),
        (lambda: Dag(["a", "b"], {"b": "a"}), r"parents\['b'\] is the single string 'a'"),
        (lambda: Dag(["a"], {}).parents("b"), "name names 'b'"),
        (lambda: Dag.from_edges(["a", "b"], [("a", "b", "c")]), "edges holds .*; give pairs"),  # type: ignore[list-item]
        (lambda: Dag.from_edges(["a", "b"], ["ab"]), "edges holds 'ab'; give pairs"),  # type: ignore[list-item]
        (lambda: Dag.from_matrix(["a", "b"], [[0, 2], [0, 0]]), "matrix holds 2; give 1 where"),
        (lambda: Dag.from_matrix(["a", "b"], [[0, np.nan], [0, 0]]), "matrix holds nan"),  # type: ignore[arg-type]
        (lambda: Dag.from_matrix(["a", "b"], [[0, 1]]), r"matrix has the shape \(1, 2\)"),
        (lambda: Dag.from_matrix(["a", "b"], np.zeros((3, 3))), "3 rows for 2 variables"),
        (lambda: Dag.from_networkx([("a", "b")]), "of type list; give a networkx DiGraph"),
        (lambda: Dag.from_networkx(StandInGraph([1, 2], [(1, 2)])), "the node 1, .*relabel_nodes"),
        (
            lambda: Dag.from_networkx(StandInGraph(["a", "b"], [("a", "b")], directed=False)),
            "undirected graph",
        ),
    ],
)
def test_refusals_say_what_came_and_what_to_do(build: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        build()


def test_repr_shows_counts_and_the_first_edges() -> None:
    assert repr(Dag(["a"], {})) == "Dag(1 variable, 0 edges)"
    names = [f"x{i}" for i in range(12)]
    long = repr(Dag(names, {names[i]: [names[i - 1]] for i in range(1, 12)}))
    assert long.startswith("Dag(12 variables, 11 edges: x0 -> x1, ")
    assert long.endswith("x7 -> x8, ...)")


def test_without_networkx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'arcwise\[graphs\]'"):
        Dag(["a"], {}).to_networkx()


def test_networkx_round_trip() -> None:
    import networkx

    dag = Dag(NAMES, {"b": ["a", "d"]})
    graph = dag.to_networkx()
    assert set(graph.nodes) == set(NAMES)
    assert set(graph.edges) == set(dag.edges)
    assert Dag.from_networkx(graph) == dag
    assert Dag.from_networkx(networkx.MultiDiGraph(graph)) == dag
    with pytest.raises(ArgumentError, match="undirected"):
        Dag.from_networkx(networkx.Graph(graph))
