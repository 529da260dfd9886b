"""Layered drawings: parents above children, nothing on top of anything else, few crossings."""

from __future__ import annotations

from itertools import combinations
from math import hypot

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.layout import layered_drawing, layered_layout
from arcwise.layout.ordering import Layers
from support.exact_models import names


def sparse_graph(n: int, seed: int, *, cycles: bool = False) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    weights = random.uniform(0.1, 1.0, (n, n)) * (random.random((n, n)) < 2.4 / n)
    return weights * ~np.eye(n, dtype=np.bool_) if cycles else np.triu(weights, 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(0, 10**6), st.booleans())
def test_no_two_nodes_are_close_and_layers_are_whole_numbers(
    n: int, seed: int, cycles: bool
) -> None:
    edges = sparse_graph(n, seed, cycles=cycles)
    drawing = layered_drawing(names(n), edges)
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
    drawing = layered_drawing(names(n), edges)
    row = {name: y for name, (_, y) in drawing.positions.items()}
    assert len(drawing.routes) == np.count_nonzero(edges)
    for (source, target), points in drawing.routes.items():
        # One bend in each layer on the way, so that the edge goes round what is there.
        assert [y for _, y in points] == list(np.arange(row[source] + 1, row[target]))
        assert row[source] < row[target]


def test_a_bend_keeps_off_the_nodes_of_its_layer() -> None:
    drawing = layered_drawing(names(40), sparse_graph(40, seed=3))
    for points in drawing.routes.values():
        for x, y in points:
            beside = [other for other, row in drawing.positions.values() if row == y]
            assert all(abs(x - other) > 0.6 - 1e-9 for other in beside)


def test_few_edges_of_small_weight_go_up_in_a_cycle() -> None:
    weights = np.zeros((3, 3))
    weights[0, 1], weights[1, 2], weights[2, 0] = 0.9, 0.8, 0.1
    rows = [y for _, y in layered_layout(["a", "b", "c"], weights).values()]
    assert rows == [0.0, 1.0, 2.0]
    both_ways = layered_drawing(["a", "b"], [("a", "b"), ("b", "a")])
    assert both_ways.positions == {"a": (0.0, 0.0), "b": (0.0, 1.0)}


def test_a_tree_is_drawn_without_crossings_and_symmetric() -> None:
    parents = {child: (child - 1) // 2 for child in range(1, 15)}
    variables = names(15)
    edges = [(variables[parent], variables[child]) for child, parent in parents.items()]
    places = layered_layout(variables, edges)
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
    star = layered_layout(names(101), [(names(101)[0], name) for name in names(101)[1:]])
    alone = layered_layout(names(50), [])
    for places in (star, alone):
        width, height = np.ptp(list(places.values()), axis=0) + 1
        assert 0.5 < width / height < 6.0
    beneath = layered_layout(names(12), [(names(12)[0], names(12)[1])])
    assert all(beneath[name][1] >= beneath[names(12)[1]][1] + 1.0 for name in names(12)[2:])


def test_the_same_graph_is_drawn_in_the_same_way() -> None:
    edges = sparse_graph(50, seed=9)
    pairs = [(names(50)[i], names(50)[j]) for i, j in np.argwhere(edges)]
    assert layered_drawing(names(50), edges) == layered_drawing(names(50), edges)
    assert layered_layout(names(50), edges > 0) == layered_layout(names(50), pairs)


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match=r"shape \(3, 3\); give one row .* of the 2 variables"):
        layered_layout(["a", "b"], np.zeros((3, 3)))
    with pytest.raises(ArgumentError, match="negative or not finite; give weights of 0 or more"):
        layered_layout(["a", "b"], [[0.0, -1.0], [0.0, 0.0]])
    with pytest.raises(ArgumentError, match="give pairs"):
        layered_layout(["a", "b"], ["ab"])
