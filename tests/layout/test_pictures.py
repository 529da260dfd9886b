"""Pictures of networks: links and their directions, modules, thresholds, labels and colours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Dag
from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag
from arcwise.layout.drawing import layered_drawing
from arcwise.layout.in_time import detours
from arcwise.layout.marks import SHADES, forest_rows, lines_of, pieces
from arcwise.layout.picture import (
    Link,
    Picture,
    links_of,
    links_of_matrix,
    modules,
    modules_of,
    starting_threshold,
)
from arcwise.records.runs import ExactRun
from support.exact_models import names
from support.sampled_posteriors import sampled_posterior


def random_links(n: int, degree: float, seed: int) -> list[Link]:
    random = np.random.default_rng(seed)
    edges = np.triu(random.uniform(0.5, 1.0, (n, n)) * (random.random((n, n)) < degree / n), 1)
    order = random.permutation(n)
    return links_of_matrix(edges[np.ix_(order, order)])


def test_a_link_is_open_if_each_direction_has_a_tenth_and_points_the_likelier_way() -> None:
    edges = np.zeros((4, 4))
    edges[0, 1], edges[1, 0] = 0.4, 0.5
    edges[2, 3], edges[3, 2] = 0.85, 0.05
    first, second = links_of(arcwise.Posterior(names(4), "modular", ExactRun(), edges))
    assert (first.source, first.target, first.is_open) == (1, 0, True)
    assert first.probability == pytest.approx(0.9)
    assert (second.source, second.target, second.is_open) == (2, 3, False)
    (arrow,) = links_of(Dag(["a", "b"], {"b": ["a"]}))
    (line,) = links_of(Cpdag(["a", "b"], [], [("a", "b")]))
    assert (arrow.is_open, line.is_open, arrow.probability, line.probability) == (
        *(False, True, 1.0, 1.0),
    )
    with pytest.raises(ArgumentError, match="give a Posterior, a Dag or a Cpdag"):
        links_of("a -> b")  # type: ignore[arg-type]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 90), st.floats(0.2, 6.0), st.integers(0, 10**6), st.integers(2, 40))
def test_modules_divide_the_nodes_and_none_is_too_large(
    n: int, degree: float, seed: int, most: int
) -> None:
    weights = {
        (link.source, link.target): link.probability for link in random_links(n, degree, seed)
    }
    parts = modules(range(n), weights, most)
    assert sorted(node for part in parts for node in part) == list(range(n))
    assert all(1 <= len(part) <= most for part in parts)
    assert [len(part) for part in parts] == sorted((len(part) for part in parts), reverse=True)
    # Of two small parts without a place, one would have gone to the other.
    small = [len(part) for part in parts if 2 * len(part) <= most]
    assert all(one + other > most for one, other in pairwise(sorted(small)))


def modularity(parts: list[list[int]], weights: dict[tuple[int, int], float]) -> float:
    """Return Newman's modularity, from its definition."""
    owner = {node: number for number, part in enumerate(parts) for node in part}
    total = sum(weights.values())
    strength = dict.fromkeys(owner, 0.0)
    for (one, other), weight in weights.items():
        strength[one] += weight
        strength[other] += weight
    inside = sum(weight for (a, b), weight in weights.items() if owner[a] == owner[b])
    chance = sum(sum(strength[node] for node in part) ** 2 for part in parts)
    return inside / total - chance / (2 * total) ** 2


def test_modules_planted_in_a_network_are_found() -> None:
    random = np.random.default_rng(3)
    planted = [list(range(25 * k, 25 * (k + 1))) for k in range(4)]
    weights = {
        (i, j): 1.0
        for i in range(100)
        for j in range(i + 1, 100)
        if random.random() < (0.25 if i // 25 == j // 25 else 0.005)
    }
    found = modules(range(100), weights, 40)
    assert modularity(found, weights) > 0.9 * modularity(planted, weights)
    assert sum(max(len({*a} & {*b}) for b in planted) for a in found) >= 95


def test_large_networks_begin_with_more_probable_links_and_modules() -> None:
    dense = random_links(120, 12.0, 1)
    start = starting_threshold(dense, 120)
    shown = [link for link in dense if link.probability >= start]
    assert 0.5 < start <= 0.95
    assert len(shown) <= 240 or start == 0.95
    assert len(modules_of(shown, 120)) > 1
    few = random_links(20, 12.0, 1)
    assert starting_threshold(few, 20) == 0.5
    assert len(modules_of(few, 20)) == 1
    assert starting_threshold([], 200) == 0.5
    assert modules_of([], 200) == []


@pytest.mark.parametrize("n", [8, 80, 400])
def test_every_node_has_a_place_of_its_own_and_modules_do_not_overlap(n: int) -> None:
    links = random_links(n, 3.0, n)
    picture = Picture.whole(names(n), links)
    places = picture.drawing.positions
    assert set(places) == set(names(n))
    assert len(set(places.values())) == n
    frames = picture.drawing.frames
    assert bool(frames) == (n > 60)
    for number, (left, top, right, bottom) in enumerate(frames):
        for a, b, c, d in frames[:number]:
            assert right <= a or c <= left or bottom <= b or d <= top
    for part in modules_of(links, n):
        own = [k for k, (left, top, right, bottom) in enumerate(frames)
               if all(left < places[f"x{i}"][0] < right and top < places[f"x{i}"][1] < bottom
                      for i in part)]  # fmt: skip
        assert len(own) == (1 if frames else 0)


def test_a_part_of_a_picture_counts_the_links_that_leave_it() -> None:
    links = [Link(0, 1, 0.9, 0.0), Link(1, 2, 0.8, 0.0), Link(3, 1, 0.7, 0.0)]
    part = Picture.part(names(4), links, [0, 1])
    assert part.variables == ("x0", "x1")
    assert part.links == (Link(0, 1, 0.9, 0.0),)
    assert part.elsewhere == (0, 2)


def test_edges_between_modules_have_no_bends() -> None:
    weights = dict.fromkeys([(0, 1), (2, 3), (0, 3)], 1.0)
    drawing = layered_drawing(names(4), weights, [[0, 1], [2, 3]])
    assert drawing.routes["x0", "x3"] == []
    assert len(drawing.frames) == 2


def test_detours_go_round_a_node_in_the_way() -> None:
    points = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    ends = np.array([0, 0]), np.array([2, 1])
    bent, straight = detours(points, *ends)
    assert len(bent) == 1
    assert np.hypot(*(bent[0] - points[1])) > 0.2
    assert len(straight) == 0


@given(st.text(max_size=60))
def test_names_lose_nothing_and_break_between_words_alone(name: str) -> None:
    assert "".join(pieces(name)) == name
    joined = "".join(lines_of(name))
    assert joined.replace(" ", "") == name.replace(" ", "") or not name.isascii()
    for line in lines_of(name)[:-1]:
        assert line


def test_lines_are_as_long_as_words_allow() -> None:
    assert lines_of("credit_amount_in_thousands", 16) == ["credit_amount_", "in_thousands"]
    assert lines_of("Donaudampfschifffahrtsgesellschaft") == ["Donaudampfschifffahrtsgesellschaft"]
    assert lines_of(" x") != lines_of("x")


def lightness(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return float(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2)


def test_more_probable_is_darker_without_exception() -> None:
    shades = [lightness(colour) for _, colour in SHADES]
    assert shades == sorted(shades, reverse=True)
    assert [place for place, _ in SHADES] == sorted(place for place, _ in SHADES)


def test_the_forest_has_the_uncertain_pairs_with_their_intervals() -> None:
    posterior = sampled_posterior(6, 90)
    rows, count = forest_rows(posterior)
    either = posterior.edges + posterior.edges.T
    wanted = either[np.triu_indices(6, 1)]
    assert count == int(((wanted >= 0.1) & (wanted <= 0.9)).sum())
    assert [row.probability for row in rows] == sorted(
        (row.probability for row in rows), reverse=True
    )
    for row in rows:
        assert row.low < row.probability < row.high
        assert row.forward + row.backward == pytest.approx(row.probability)
        found = posterior.estimate(f"{row.source} -- {row.target}")
        assert (row.low, row.high) == tuple(found.interval)
    fewer, same = forest_rows(posterior, 2)
    assert same == count
    assert len(fewer) == min(2, count)
