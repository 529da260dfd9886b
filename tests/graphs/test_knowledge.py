"""Edges of which one direction is impossible are directed, and what follows from that."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag, Dag, cpdag
from arcwise.graphs.cpdags import with_knowledge

NAMES = ("a", "b", "c", "d")


def all_dags() -> list[Dag]:
    pairs = list(combinations(range(4), 2))
    found = []
    for kinds in product((0, 1, 2), repeat=len(pairs)):
        matrix = np.zeros((4, 4), dtype=bool)
        for (u, v), kind in zip(pairs, kinds, strict=True):
            matrix[u, v], matrix[v, u] = kind == 1, kind == 2
        try:
            found.append(Dag.from_matrix(NAMES, matrix))
        except ArgumentError:
            continue
    return found


def shared(dags: list[Dag]) -> Cpdag:
    """Return the edges of some DAGs, directed where all of them have one direction."""
    return Cpdag.from_matrix(NAMES, np.logical_or.reduce([dag.matrix() for dag in dags]))


@pytest.fixture(scope="module")
def classes() -> dict[Cpdag, list[Dag]]:
    found: dict[Cpdag, list[Dag]] = {}
    for dag in all_dags():
        found.setdefault(cpdag(dag), []).append(dag)
    assert sum(map(len, found.values())) == 543
    return found


def test_directions_are_those_of_all_dags_that_are_left(classes: dict[Cpdag, list[Dag]]) -> None:
    random = np.random.default_rng(1)
    directed = 0
    for graph, dags in classes.items():
        for _ in range(8):
            # What one of the DAGs has not may be forbidden, so that one is left.
            known = dags[int(random.integers(len(dags)))].matrix()
            forbidden = ~known & (random.random((4, 4)) < 0.3)
            left = [dag for dag in dags if not (dag.matrix() & forbidden).any()]
            found = with_knowledge(graph, forbidden)
            assert found == shared(left), (graph.matrix(), forbidden)
            directed += found != graph
    assert directed > 100


def test_without_what_follows() -> None:
    chain = Cpdag(NAMES, undirected=[("a", "b"), ("b", "c")])
    forbidden = np.zeros((4, 4), dtype=bool)
    assert with_knowledge(chain, forbidden) is chain
    forbidden[1, 0] = True
    found = with_knowledge(chain, forbidden, follow=False)
    assert (found.directed, found.undirected) == ((("a", "b"),), (("b", "c"),))
