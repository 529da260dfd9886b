"""Layered drawings: parents above children, nothing on top of anything else, few crossings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import hypot

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcwise.layout import Drawing, layered_drawing
from arcwise.layout.drawing import Layers
from support.exact_models import names


def sparse_graph(n: int, seed: int, *, cycles: bool = False) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    weights = random.uniform(0.1, 1.0, (n, n)) * (random.random((n, n)) < 2.4 / n)
    return weights * ~np.eye(n, dtype=np.bool_) if cycles else np.triu(weights, 1)


def drawn(edges: NDArray[np.float64]) -> Drawing:
    """Return the drawing of a matrix of weights, as [source, target]."""
    pairs = ((int(i), int(j)) for i, j in np.argwhere(edges))
    return layered_drawing(names(len(edges)), {pair: float(edges[pair]) for pair in pairs})


def places_of(n: int, pairs: Iterable[tuple[int, int]]) -> dict[str, tuple[float, float]]:
    return layered_drawing(names(n), dict.fromkeys(pairs, 1.0)).positions


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(0, 10**6), st.booleans())
def test_no_two_nodes_are_close_and_layers_are_whole_numbers(
    n: int, seed: int, cycles: bool
) -> None:
    edges = sparse_graph(n, seed, cycles=cycles)
    drawing = drawn(edges)
    places = drawing.positions
    assert tuple(places) == tuple(names(n))
    assert all(x >= 0.0 and y >= 0.0 for x, y in places.values())
    joined = [place for name, place in places.items() if name not in drawing.alone]
    assert all(y == round(y) for _, y in joined)
    for (x, y), (other_x, other_y) in combinations(joined, 2):
        assert hypot(x - other_x, y - other_y) > 1.0 - 1e-9
    # Those without an edge stand beneath, in rows that may be closer.
    assert set(drawing.alone) == {
        name
        for name, row, column in zip(names(n), edges, edges.T, strict=True)
        if not row.any() and not column.any()
    }
    lowest = max((y for _, y in joined), default=-1.0)
    apart = [places[name] for name in drawing.alone]
    assert all(y >= lowest + 1.0 for _, y in apart)
    for (x, y), (other_x, other_y) in combinations(apart, 2):
        assert abs(x - other_x) >= 1.0 or abs(y - other_y) >= 0.6 - 1e-9


@pytest.mark.parametrize("n", [2, 5, 20, 60, 200])
def test_parents_are_above_their_children(n: int) -> None:
    edges = sparse_graph(n, seed=n)
    drawing = drawn(edges)
    row = {name: y for name, (_, y) in drawing.positions.items()}
    assert len(drawing.routes) == np.count_nonzero(edges)
    for (source, target), points in drawing.routes.items():
        # One bend in each layer on the way, so that the edge goes round what is there.
        assert [y for _, y in points] == list(np.arange(row[source] + 1, row[target]))
        assert row[source] < row[target]


def test_a_bend_keeps_off_the_nodes_of_its_layer() -> None:
    drawing = drawn(sparse_graph(40, seed=3))
    for points in drawing.routes.values():
        for x, y in points:
            beside = [other for other, row in drawing.positions.values() if row == y]
            assert all(abs(x - other) > 0.6 - 1e-9 for other in beside)


def test_few_edges_of_small_weight_go_up_in_a_cycle() -> None:
    weights = np.zeros((3, 3))
    weights[0, 1], weights[1, 2], weights[2, 0] = 0.9, 0.8, 0.1
    rows = [y for _, y in drawn(weights).positions.values()]
    assert rows == [0.0, 1.0, 2.0]
    both_ways = layered_drawing(["a", "b"], {(0, 1): 1.0, (1, 0): 1.0})
    assert both_ways.positions == {"a": (0.0, 0.0), "b": (0.0, 1.0)}


def test_a_tree_is_drawn_without_crossings_and_symmetric() -> None:
    parents = {child: (child - 1) // 2 for child in range(1, 15)}
    variables = names(15)
    places = places_of(15, [(parent, child) for child, parent in parents.items()])
    middle = places[variables[0]][0]
    for first in (1, 3, 7):
        row = [places[variables[node]][0] for node in range(first, 2 * first + 1)]
        assert row == sorted(row)
        assert np.add(row, row[::-1]) == pytest.approx(2 * middle)
    layer = {node: (node + 1).bit_length() - 1 for node in range(15)}
    layers = Layers.of(layer, {(parent, child): 1.0 for child, parent in parents.items()})
    layers.reduce_crossings()
    assert layers.crossings() == 0


def test_crossings_are_those_of_a_count_of_all_pairs() -> None:
    random = np.random.default_rng(5)
    edges = {(i, 10 + j): 1.0 for i in range(10) for j in range(10) if random.random() < 0.3}
    layers = Layers.of({node: node // 10 for node in range(20)}, edges)
    before = sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(edges, 2))
    assert layers.crossings() == before
    layers.reduce_crossings()
    assert layers.crossings() < before / 2


def test_many_nodes_under_one_and_nodes_without_edges_make_a_picture_of_even_sides() -> None:
    star = places_of(101, [(0, node) for node in range(1, 101)])
    alone = places_of(50, [])
    for places in (star, alone):
        width, height = np.ptp(list(places.values()), axis=0) + 1
        assert 0.5 < width / height < 6.0
    beneath = places_of(12, [(0, 1)])
    assert all(beneath[name][1] >= beneath[names(12)[1]][1] + 1.0 for name in names(12)[2:])


def test_the_same_graph_is_drawn_in_the_same_way() -> None:
    edges = sparse_graph(50, seed=9)
    assert drawn(edges) == drawn(edges)
    pairs = [(int(i), int(j)) for i, j in np.argwhere(edges)]
    assert places_of(50, pairs) == places_of(50, pairs[::-1])
    assert places_of(50, pairs) == drawn(np.where(edges > 0, 1.0, 0.0)).positions
