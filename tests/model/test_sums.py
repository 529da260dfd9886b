"""Score sums: all methods agree with sums over an explicit list; draws follow their law."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import Model
from arcwise.errors import ArgumentError, CapacityError
from arcwise.model.score_sums import ScoreSums
from arcwise.scores import FamilyScores
from reference import sums as reference
from reference.sums import Family
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.comparison import close
from support.sum_nodes import FOR_LISTED, METHODS, Node, Way, node_with


def assert_sums_agree(node: Node, queries: Any, tolerance: float = 1e-10) -> None:
    for method in node.methods:
        sums = node.sums(method)
        for allowed, required in queries:
            value = sums.log_sum("v", allowed, required)
            expected = reference.log_sum(node.families, allowed, required)
            assert close(value, expected, tolerance), (method, allowed, required)
            largest = reference.largest(node.families, allowed, required)
            weight, parents = sums.best("v", allowed, required)
            assert weight == largest
            if parents is None:
                assert largest == -math.inf
            else:
                assert (frozenset(parents), weight) in reference.admitted(
                    node.families, allowed, required
                )
            if required is None:
                assert sums.max("v", allowed) == largest
                assert node.sums(method, tabulate="sums").max("v", allowed) == largest


def some_queries(names: list[str], random: np.random.Generator, count: int = 12) -> list[Any]:
    queries: list[Any] = [(None, None), ([], None), (names, names), (names, []), ([], names)]
    for _ in range(count):
        allowed = [name for name in names if random.random() < 0.7]
        required = [name for name in names if random.random() < 0.3]
        queries.append((allowed, None if random.random() < 0.4 else required))
    return queries


@st.composite
def nodes(draw: Any) -> tuple[Node, np.random.Generator]:
    """Draw a node with up to 12 candidates, some families ruled out, weights close or far apart."""
    candidates = draw(st.integers(0, 12))
    required = draw(st.integers(0, 2))
    outside = draw(st.sampled_from([0, 0, 1, 2, 5])) if candidates < 8 else 0
    bound = draw(st.none() | st.integers(required, required + candidates + 1))
    spread = draw(st.sampled_from([0.0, 1.0, 50.0, 1000.0, 20_000.0]))
    absent = draw(st.sampled_from([0.0, 0.0, 0.3, 0.95]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def weights(sets: list[frozenset[str]]) -> np.ndarray:
        values = random.uniform(-spread, 0.0, len(sets)) - random.uniform(0, 5000)
        values[random.random(len(sets)) < absent] = -np.inf
        values[random.integers(len(sets))] = -random.uniform(0, 5000)
        return values

    return node_with(candidates, weights, required, bound, outside), random


@given(nodes())
def test_all_methods_agree_with_the_reference(drawn: tuple[Node, Any]) -> None:
    node, random = drawn
    assert_sums_agree(node, some_queries(node.others, random))


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_listed_families(candidates: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    names = [f"c{i}" for i in range(candidates)]
    chosen: dict[Iterable[str], float] = {
        tuple(name for name, inside in zip(names, bits, strict=True) if inside): -float(weight)
        for bits, weight in zip(
            product([False, True], repeat=candidates),
            random.uniform(0, 2000, 2**candidates),
            strict=True,
        )
        if random.random() < 0.5
    } or {(): -1.0}
    scores = FamilyScores.from_mapping({"v": chosen, **{name: {(): 0.0} for name in names}})
    node = Node(Model(scores), [(frozenset(p), weight) for p, weight in chosen.items()])
    assert_sums_agree(node, some_queries(names, random))


def test_families_ruled_out_by_a_function() -> None:
    def weigh(node: str, parents: tuple[str, ...]) -> float:
        return -math.inf if len(parents) % 2 else -1.5 * len(parents)

    names = ["v", "a", "b", "c", "d"]
    model = Model(names, weigh, prior=lambda node, parents: -math.inf if "d" in parents else 0.0)
    families = [
        (frozenset(parents), weigh("v", parents) if "d" not in parents else -math.inf)
        for parents, _ in model.scores.families("v")
    ]
    assert_sums_agree(Node(model, families), some_queries(names[1:], np.random.default_rng(1)))


@pytest.mark.parametrize("candidates", range(13))
def test_every_number_of_candidates_and_every_bound(candidates: int) -> None:
    random = np.random.default_rng(candidates)
    for bound in {0, 1, candidates // 2, candidates}:
        node = node_with(
            candidates, lambda sets: random.uniform(-300, 0, len(sets)), max_indegree=bound
        )
        assert_sums_agree(node, some_queries(node.others, random, 4))


def test_weights_ten_thousand_nats_apart() -> None:
    # Heavy families hide light ones that a query may still ask for.
    def weights(sets: list[frozenset[str]]) -> list[float]:
        return [-10_000.0 * (4 - len(parents)) + 0.1 * len(parents) for parents in sets]

    node = node_with(4, weights)
    queries = [
        (allowed, required)
        for allowed in (None, ["c0", "c1", "c2"], ["c0", "c1"], ["c0"], [])
        for required in (None, ["c0"], ["c3"], ["c0", "c1"])
    ]
    assert_sums_agree(node, queries)
    assert node.sums("table").log_sum("v", ["c0"]) == pytest.approx(-30_000 + 0.1, abs=1e-10)


@pytest.mark.parametrize("share", [0.5, 1e-2, 7.9e-3, 7.7e-3, 1e-5, 1e-12, 1e-30, 1e-300])
@pytest.mark.parametrize("level", [0.0, -500.0])
def test_a_required_part_that_is_a_tiny_share_of_the_sum(share: float, level: float) -> None:
    # The families with c0 have this share; the difference of two sums would have no digit of it.
    random = np.random.default_rng(3)

    def weights(sets: list[frozenset[str]]) -> np.ndarray:
        values = random.uniform(-3, 0, len(sets))
        rare = np.array(["c0" in parents for parents in sets])
        values[rare] -= np.log(np.exp(values[rare]).sum())
        values[~rare] -= np.log(np.exp(values[~rare]).sum())
        values[rare] += math.log(share) - math.log1p(-share)
        return values + level

    node = node_with(7, weights)
    odds = math.log(share) - math.log1p(-share)
    for method in METHODS:
        sums = node.sums(method)
        for _ in range(2):  # the second answer comes from memory
            value = sums.log_sum("v", None, ["c0"])
            assert abs(value - (level + odds)) < 1e-10
            expected = reference.log_sum(node.families, None, ["c0"])
            assert abs(value - expected) < 1e-10


@pytest.mark.parametrize("method", ["walk", "scan"])
@pytest.mark.parametrize("required", [0, 3, 70])
def test_more_candidates_than_bits_in_a_word(required: int, method: Way) -> None:
    random = np.random.default_rng(4)
    node = node_with(
        100,
        lambda sets: random.uniform(-40, 0, len(sets)),
        required=required,
        max_indegree=required + 2,
    )
    sums = node.sums(method)
    names = node.others
    queries = some_queries(names, random)
    always = [f"r{i}" for i in range(required)]
    queries += [([*allowed, *always], wanted) for allowed, wanted in queries if allowed is not None]
    for allowed, wanted in queries:
        value = sums.log_sum("v", allowed, wanted)
        assert close(value, reference.log_sum(node.families, allowed, wanted))
    expected = reference.largest(node.families, None, ["c99"])
    assert sums.best("v", None, ["c99"])[0] == expected


def test_a_table_with_more_required_parents_than_bits_in_a_word() -> None:
    random = np.random.default_rng(5)
    node = node_with(3, lambda sets: random.uniform(-40, 0, len(sets)), required=70)
    assert node.sums().methods[0] == "table"
    names = node.others
    queries = [(None, None), (names, ["c0"]), (names, ["r69"]), (names[:-1], None)]
    queries += [(None, ["c1", "c2"]), ([*names[1:]], ["c1"])]
    assert_sums_agree(node, queries)


def test_a_thousand_nodes() -> None:
    n = 1000
    names = [f"x{i}" for i in range(n)]
    candidates = {names[i]: [names[(i + step) % n] for step in (1, 7, 400, 999)] for i in range(n)}

    def weigh(node: str, parents: tuple[str, ...]) -> float:
        return -0.001 * int(node[1:]) - 0.002 * sum(int(parent[1:]) for parent in parents)

    model = Model(names, weigh, candidates=candidates)
    sums = ScoreSums(model)
    for node in (0, 500, 999):
        families = [
            (frozenset(parents), weight) for parents, weight in model.weights.families(names[node])
        ]
        assert len(families) == 16
        allowed = [names[(node + step) % n] for step in (1, 400, 999, 5)]
        value = sums.log_sum(names[node], allowed, allowed[1:])
        assert close(value, reference.log_sum(families, allowed, allowed[1:]))


def test_a_scan_keeps_its_tolerance_and_makes_use_of_it() -> None:
    random = np.random.default_rng(6)
    node = node_with(14, lambda sets: np.sort(random.exponential(8.0, len(sets)))[::-1] * -1.0)
    exact = reference.log_sum(node.families)
    error_of = {}
    for tolerance in (1e-2, 1e-4, 1e-8, 1e-12):
        error_of[tolerance] = exact - node.sums("scan", tolerance=tolerance).log_sum("v")
        assert -1e-12 < error_of[tolerance] <= tolerance
    assert error_of[1e-2] > 1e-6


LAW = {(): -1.0, ("a",): 0.3, ("b",): -2.5, ("a", "b"): 1.1, ("a", "c"): -0.4, ("b", "c"): -6.0}
QUERIES = [
    (None, None),
    (["a", "b"], None),
    (["a", "c"], ["a"]),
    (None, ["b", "c"]),
    (["b", "c"], ["c"]),
]


def law_model(level: float = 0.0) -> tuple[Model, list[Family]]:
    scores: dict[Iterable[str], float] = {
        parents: weight + level for parents, weight in LAW.items()
    }
    model = Model(
        FamilyScores.from_mapping({"v": scores, "a": {(): 0.0}, "b": {(): 0.0}, "c": {(): 0.0}})
    )
    return model, [(frozenset(parents), weight) for parents, weight in scores.items()]


@pytest.mark.parametrize(("allowed", "required"), QUERIES)
@pytest.mark.parametrize("method", FOR_LISTED)
@pytest.mark.parametrize("level", [0.0, -40_000.0])
def test_draws_follow_the_weights(allowed: Any, required: Any, method: Way, level: float) -> None:
    model, families = law_model(level)
    law = reference.probabilities(families, allowed, required)
    drawn = ScoreSums(model, method=method).sample("v", allowed, required, size=20_000, seed=7)
    assert_follows(map(frozenset, drawn), law)


def test_draws_from_many_families_follow_the_weights() -> None:
    random = np.random.default_rng(8)
    node = node_with(9, lambda sets: random.normal(0.0, 2.0, len(sets)), required=1)
    for required in (None, ["c0", "c5"]):
        law = reference.probabilities(node.families, None, required)
        for method in ("table", "rows", "walk"):
            drawn = node.sums(method).sample("v", None, required, size=50_000, seed=9)
            assert_follows(map(frozenset, drawn), law)


def test_a_wrong_law_is_caught() -> None:
    # The same helper and the same number of draws, with one weight off by a tenth, the required
    # part forgotten, or a family left out.
    model, families = law_model()
    sums = ScoreSums(model)
    drawn = [frozenset(parents) for parents in sums.sample("v", size=20_000, seed=7)]
    heavier = [(p, weight + (0.1 if p == {"a"} else 0.0)) for p, weight in families]
    assert p_value(drawn, reference.probabilities(heavier)) < FALSE_ALARM_RATE
    assert p_value(drawn, reference.probabilities(families, None, ["b"])) < FALSE_ALARM_RATE
    assert p_value(drawn, reference.probabilities(families[1:])) < FALSE_ALARM_RATE
    flat = [(parents, 0.0) for parents, _ in families]
    assert p_value(drawn, reference.probabilities(flat)) < FALSE_ALARM_RATE


def test_draws_are_a_function_of_seed_and_stream() -> None:
    random = np.random.default_rng(10)
    node = node_with(8, lambda sets: random.normal(0.0, 1.0, len(sets)))
    table, scan = node.sums("table"), node.sums("scan")
    first = table.sample("v", size=200, seed=3, stream=5)
    assert table.sample("v", size=200, seed=3, stream=5) == first
    assert scan.sample("v", size=200, seed=3, stream=5) == first
    assert table.sample("v", size=50, seed=3, stream=5) == first[:50]
    for seed, stream in [(3, 6), (4, 5), (5, 3), (2**64 - 1, 2**64 - 1)]:
        assert table.sample("v", size=200, seed=seed, stream=stream) != first
    assert table.sample("v", size=0) == []


def test_a_family_that_weighs_nothing_is_never_drawn() -> None:
    model = Model(["v", "a"], lambda node, parents: -math.inf if parents else -3.0)
    assert set(ScoreSums(model).sample("v", size=1000)) == {()}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.log_sum("x"), "node names 'x'"),
        (lambda s: s.log_sum("v", ["x"]), "allowed names 'x'"),
        (lambda s: s.log_sum("v", None, ["x"]), "required names 'x'"),
        (lambda s: s.sample("v", ["c"], ["c"]), "no family of 'v' satisfies the constraints"),
        (lambda s: s.sample("v", size=-1), "size is -1"),
        (lambda s: s.sample("v", seed=-1), "seed is -1"),
        (lambda s: s.sample("v", seed=2**64), "seed is .*up to 18,446,744,073,709,551,615"),
        (lambda s: s.sample("v", stream=1.5), "stream is 1.5"),
    ],
)
def test_refused_questions(ask: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message.replace("^", r"\^")):
        ask(ScoreSums(law_model()[0]))


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        (
            {"method": "fast"},
            "method is 'fast'; give one of 'auto', 'table', 'rows', 'walk' and 'scan'",
        ),
        ({"tolerance": 0.0}, "tolerance is 0.0"),
        ({"tolerance": 1.0}, "tolerance is 1.0"),
        ({"tolerance": math.nan}, "tolerance is nan"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_refused_settings(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        ScoreSums(law_model()[0], **keywords)


def test_a_table_of_too_many_candidates_is_refused() -> None:
    names = ["v", *(f"c{i}" for i in range(31))]
    model = Model(names, lambda node, parents: 0.0, max_indegree=1)
    with pytest.raises(CapacityError, match=r"a node has 31 candidate parents, .* 2\^31 numbers"):
        ScoreSums(model, method="table")
    assert {*ScoreSums(model).methods} == {"walk"}


def test_what_was_chosen_is_told() -> None:
    assert repr(ScoreSums(law_model()[0])) == ("<ScoreSums: 4 nodes by table (tolerance 1e-12)>")
