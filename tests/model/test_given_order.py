"""The posterior given an order against all its linear extensions and all DAGs, to 1e-10.

Draws are tested by chi-squared over all DAGs of four nodes; each test of a
correct program fails with probability at most 1e-6, and seeds are fixed.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Dag, Model
from arcwise.algorithms import GivenOrder
from arcwise.errors import ArgumentError, CapacityError
from arcwise.model.score_sums import ScoreSums
from reference.orders import linear_extensions, pairs_of_buckets, posterior_given_order
from support.chi_squared import assert_follows, p_value
from support.comparison import close
from support.exact_models import names, random_model
from support.strategies import rules

PRECISION = 1e-10
DRAWS = 40_000


def named(pairs: Any, n: int) -> Dag:
    return Dag.from_edges(names(n), [(f"x{u}", f"x{v}") for u, v in pairs])


def bucket_names(buckets: Any) -> list[list[str]]:
    return [[f"x{node}" for node in bucket] for bucket in buckets]


def assert_given(model: Model, order: Any, pairs: Any) -> None:
    """Compare weight and edges with the definition, and draws with what is possible."""
    expected = posterior_given_order(model, pairs)
    for method in ("table", "scan"):
        found = GivenOrder(model, order, sums=ScoreSums(model, method=method))
        if expected.log_weight == -math.inf:
            assert found.log_weight == -math.inf
            for ask in (found.edge_probabilities, lambda given=found: given.dags(1)):
                with pytest.raises(ArgumentError, match="agrees with this order"):
                    ask()
            continue
        assert close(found.log_weight, expected.log_weight, PRECISION)
        assert np.abs(found.edge_probabilities() - expected.edges).max() < PRECISION
        draws = found.dags(5, seed=3).parents[:, :, 0].tolist()
        assert all(tuple(dag) in expected.law for dag in draws)


@st.composite
def models(draw: Any, most_nodes: int = 4) -> Model:
    """Draw models with constraints, gaps, and weights up to thousands of nats apart."""
    n = draw(st.integers(1, most_nodes))
    rule = draw(rules(names(n))) if draw(st.booleans()) else None
    return random_model(
        n,
        draw(st.sampled_from([0.0, 3.0, 100.0, 8000.0])),
        draw(st.integers(0, 2**32 - 1)),
        impossible=0.0 if rule else draw(st.sampled_from([0.0, 0.5])),
        **(rule.keywords if rule else {}),
    )


@settings(max_examples=60, deadline=None)
@given(models(), st.data())
def test_linear_orders_and_buckets(model: Model, data: Any) -> None:
    n = len(model.variables)
    order = data.draw(st.permutations(range(n)))
    ends = sorted(data.draw(st.sets(st.integers(1, n - 1) if n > 1 else st.nothing())) | {0, n})
    buckets = [order[first:end] for first, end in pairwise(ends)]
    line = [f"x{node}" for node in order]
    assert_given(model, line, pairs_of_buckets([[node] for node in order]))
    assert_given(model, bucket_names(buckets), pairs_of_buckets(buckets))


@settings(max_examples=60, deadline=None)
@given(models(), st.data())
def test_partial_orders(model: Model, data: Any) -> None:
    n = len(model.variables)
    order = data.draw(st.permutations(range(n)))
    pairs = [pair for pair in combinations(order, 2) if data.draw(st.booleans())]
    assert_given(model, named(pairs, n), pairs)


@pytest.mark.parametrize("pairs", [[], [(0, 1), (0, 2), (3, 4)], [(1, 0), (2, 0), (2, 3), (4, 3)]])
def test_partial_orders_of_five_variables(pairs: Any) -> None:
    """The antichain, a parallel bucket order, and one that is neither."""
    assert_given(random_model(5, 50.0, max_indegree=3), named(pairs, 5), pairs)


def test_the_reference_counts_the_extensions_of_a_zigzag() -> None:
    pairs = [(1, 0), (2, 0), (2, 3), (4, 3)]
    assert len(linear_extensions(5, pairs)) == 16


ORDERS: dict[str, Any] = {
    "linear": (["x2", "x0", "x3", "x1"], [(2, 0), (2, 3), (2, 1), (0, 3), (0, 1), (3, 1)]),
    "buckets": ([["x2", "x0"], ["x3", "x1"]], [(2, 3), (2, 1), (0, 3), (0, 1)]),
    "one bucket": ([["x0", "x1", "x2", "x3"]], []),
    "parallel": (named([(0, 1), (2, 3)], 4), [(0, 1), (2, 3)]),
    "any": (named([(0, 1), (2, 1), (2, 3)], 4), [(0, 1), (2, 1), (2, 3)]),
    "antichain": (named([], 4), []),
}
MODELS: dict[str, dict[str, Any]] = {
    "narrow": {"spread": 2.0},
    "very wide": {"spread": 3_000.0, "seed": 3},
    "constraints": {
        "spread": 2.0,
        "required_edges": [("x2", "x1")],
        "forbidden_edges": [("x0", "x3")],
    },
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("which", ORDERS)
def test_the_law_of_dags(which: str, kind: str) -> None:
    order, pairs = ORDERS[which]
    model = random_model(4, **MODELS[kind])
    law = posterior_given_order(model, pairs).law
    draws = GivenOrder(model, order).dags(DRAWS, seed=1).parents[:, :, 0].tolist()
    assert_follows(map(tuple, draws), law)


def test_the_law_of_dags_is_not_that_of_another_order() -> None:
    model = random_model(4, 2.0)
    order, _ = ORDERS["buckets"]
    law = posterior_given_order(model, ORDERS["parallel"][1]).law
    draws = GivenOrder(model, order).dags(DRAWS, seed=1).parents[:, :, 0].tolist()
    assert p_value(map(tuple, draws), law) < 1e-9


@pytest.mark.parametrize("spread", [5.0, 3_000.0])
def test_no_order_at_all_is_the_order_modular_posterior(spread: float) -> None:
    model = random_model(9, spread, max_indegree=3)
    posterior = arcwise.exact(model, "order-modular")
    for order in (named([], 9), [names(9)]):
        found = GivenOrder(model, order)
        total = posterior.log_evidence + posterior.log_prior_constant
        assert close(found.log_weight, total, PRECISION)
        assert np.abs(found.edge_probabilities() - posterior.edges).max() < PRECISION


@pytest.mark.parametrize("sizes", [(1,) * 9, (2, 3, 4), (5, 1, 3), (4, 5)])
def test_buckets_and_their_partial_order_agree(sizes: tuple[int, ...]) -> None:
    model = random_model(9, 40.0, max_indegree=2, required_edges=[("x0", "x8"), ("x1", "x4")])
    ends = np.cumsum((0, *sizes)).tolist()
    buckets = [list(range(a, b)) for a, b in pairwise(ends)]
    first = GivenOrder(model, bucket_names(buckets))
    second = GivenOrder(model, named(pairs_of_buckets(buckets), 9))
    assert close(first.log_weight, second.log_weight, PRECISION)
    difference = first.edge_probabilities() - second.edge_probabilities()
    assert np.abs(difference).max() < PRECISION


def test_two_long_chains_side_by_side() -> None:
    """Few down-sets but many free predecessors, so families are gone through set by set."""
    n = 48
    random = np.random.default_rng(1)
    scores = {(u, v): random.normal() for u in range(n) for v in range(n)}
    place = {name: i for i, name in enumerate(names(n))}

    def score(node: str, parents: tuple[str, ...]) -> float:
        return sum(scores[place[parent], place[node]] for parent in parents)

    model = Model(list(names(n)), score, max_indegree=1)
    chains = [(u, u + 1) for u in range(n - 1) if u != n // 2 - 1]
    found = GivenOrder(model, named(chains, n))
    edges = found.edge_probabilities()
    # 6.5 standard deviations, and four draws more where few are expected.
    share = found.dags(4000, seed=2).edge_probabilities()
    assert (edges[n // 2 :, n // 2] == 0).all()
    deviations = np.sqrt(edges * (1 - edges) / 4000)
    assert (np.abs(share - edges) <= 6.5 * deviations + 1e-3).all()


def test_more_than_64_variables() -> None:
    n = 70
    model = Model(list(names(n)), lambda node, parents: -0.5 * len(parents), max_indegree=1)
    linear = GivenOrder(model, names(n)[::-1])
    expected = math.fsum(math.log(1 + place * math.exp(-0.5)) for place in range(n))
    assert close(linear.log_weight, expected, PRECISION)
    edges = linear.edge_probabilities()
    assert close(edges[69, 0], math.exp(-0.5) / (1 + 69 * math.exp(-0.5)), PRECISION)
    draws = GivenOrder(model, [names(n)[65:], *names(n)[:65]]).dags(20)
    assert draws.parents.shape == (20, 70, 2)
    assert draws.edge_probabilities()[:65, 65:].sum() == 0
    with pytest.raises(CapacityError, match="of 70 variables; give at most 64"):
        GivenOrder(model, [("x0", "x1")])


def test_all_ways_to_say_a_partial_order() -> None:
    model = random_model(4, 5.0)
    graph = networkx.DiGraph([("x0", "x1"), ("x0", "x2")])
    pairs = [("x0", "x1"), ("x0", "x2")]
    weights = {
        GivenOrder(model, order).log_weight for order in (graph, pairs, named([(0, 1), (0, 2)], 4))
    }
    assert len(weights) == 1
    mixed = GivenOrder(model, ["x1", {"x0", "x2"}, "x3"]).log_weight
    assert close(mixed, GivenOrder(model, [["x1"], ["x2", "x0"], ["x3"]]).log_weight, 1e-12)


def test_the_same_seed_gives_the_same_draws() -> None:
    given_order = GivenOrder(random_model(6, 3.0), [names(6)[:3], names(6)[3:]])
    first, second = (given_order.dags(50, seed=9).parents for _ in range(2))
    assert (first == second).all()
    assert (first[:20] == given_order.dags(20, seed=9).parents).all()
    assert (first != given_order.dags(50, seed=10).parents).any()


REFUSED: dict[str, Any] = {
    "order names 'y'; the variables": ["x0", "x1", "y"],
    "order names 'x0' more than once": ["x0", "x1", "x0", "x2"],
    "order lacks 'x2'": [["x0", "x1"]],
    "order lacks 'x0', 'x1' and 'x2'": [],
    "order has the cycle x0 -> x1 -> x0": [("x0", "x1"), ("x1", "x0")],
    "order names 'z'": [("x0", "z")],
    "give a list of names": "x0",
    "order holds 3": [3],
    "undirected": networkx.Graph([("x0", "x1")]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        GivenOrder(random_model(3), REFUSED[message])


def test_pairs_that_may_be_buckets_are_refused() -> None:
    with pytest.raises(ArgumentError, match="order is ambiguous: pairs or buckets of two"):
        GivenOrder(random_model(4), [("x0", "x1"), ("x2", "x3")])


def test_orders_that_leave_too_much_open() -> None:
    model = Model(list(names(21)), lambda node, parents: 0.0, max_indegree=1)
    with pytest.raises(CapacityError, match="A bucket has 21 nodes, and up to 20"):
        GivenOrder(model, [names(21)])
    with pytest.raises(CapacityError, match="more than 1048576 down-sets"):
        GivenOrder(model, Dag(names(21), {}))


def test_sums_of_another_model_are_refused() -> None:
    with pytest.raises(ArgumentError, match="sums are for the variables"):
        GivenOrder(random_model(3), names(3), sums=ScoreSums(random_model(2)))
