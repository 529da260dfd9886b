"""Priors: node by node they add up to the definition on whole DAGs; refusals; coercion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.priors import (
    DistanceToDag,
    EdgePenalty,
    EdgeWeights,
    Fair,
    FunctionPrior,
    Prior,
    PriorTerms,
    Product,
    Uniform,
    as_prior,
)
from reference import priors as reference
from reference.dags import Parents, all_dags, all_parent_sets

NAMES = ("b", "d", "a", "c")
WEIGHTS = np.random.default_rng(1).uniform(0.1, 5.0, (4, 4))
CENTRE: Parents = ((2,), (), (), (0, 2))


def centre_in_another_order() -> Dag:
    edges = [(NAMES[parent], NAMES[node]) for node, of in enumerate(CENTRE) for parent in of]
    return Dag.from_edges(sorted(NAMES), edges)


def odd(node: str, parents: tuple[str, ...]) -> float:
    return -0.3 * len(parents) ** 2 + (1.7 if node == "c" and "d" in parents else 0.0)


def frame(values: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values, index=NAMES, columns=NAMES)


def pairs(values: np.ndarray) -> dict[tuple[str, str], float]:
    return {(NAMES[u], NAMES[v]): values[u, v] for u in range(4) for v in range(4) if u != v}


def weighted(dag: Parents) -> float:
    return reference.edge_weights(dag, WEIGHTS.tolist())


CASES: list[tuple[Prior, Callable[[Parents], float]]] = [
    (Uniform(), reference.uniform),
    (Fair(), reference.fair),
    (EdgeWeights(WEIGHTS), weighted),
    (EdgeWeights(WEIGHTS.tolist()), weighted),
    (EdgeWeights(pairs(WEIGHTS)), weighted),
    (EdgeWeights(frame(WEIGHTS)), weighted),
    (EdgeWeights(frame(WEIGHTS).loc[sorted(NAMES), sorted(NAMES, reverse=True)]), weighted),
    (EdgeWeights(pl.DataFrame(WEIGHTS, schema=list(NAMES))), weighted),
    (
        DistanceToDag(centre_in_another_order(), 0.3),
        lambda dag: reference.distance_to_dag(dag, CENTRE, 0.3),
    ),
    (DistanceToDag(centre_in_another_order(), 1.0), reference.uniform),
    (EdgePenalty(log_penalty=0.8), lambda dag: reference.edge_penalty(dag, 0.8)),
    (EdgePenalty(-2.0), lambda dag: reference.edge_penalty(dag, -2.0)),
    (FunctionPrior(odd), lambda dag: reference.function_prior(dag, NAMES, odd)),
    (
        Fair() * EdgeWeights(WEIGHTS) * FunctionPrior(odd) * EdgePenalty(0.8),
        lambda dag: (
            reference.fair(dag)
            + weighted(dag)
            + reference.function_prior(dag, NAMES, odd)
            + reference.edge_penalty(dag, 0.8)
        ),
    ),
]


@pytest.mark.parametrize(("prior", "definition"), CASES, ids=lambda case: type(case).__name__)
def test_it_agrees_with_the_definition_on_all_dags_of_four_nodes(
    prior: Prior, definition: Callable[[Parents], float]
) -> None:
    terms = prior.terms(NAMES)
    for dag in all_dags(4):
        total = sum(terms.log_weight(node, parents, NAMES) for node, parents in enumerate(dag))
        assert total == pytest.approx(definition(dag), rel=0, abs=1e-12)


@pytest.mark.parametrize("prior", [prior for prior, _ in CASES], ids=lambda p: type(p).__name__)
def test_families_by_name_and_by_position_weigh_the_same(prior: Prior) -> None:
    terms = prior.terms(NAMES)
    for node in range(4):
        for parents in all_parent_sets(4, node):
            by_name = prior.log_weight(NAMES, NAMES[node], [NAMES[p] for p in reversed(parents)])
            assert by_name == terms.log_weight(node, parents, NAMES)


def test_fair_gives_each_number_of_parents_the_same_weight() -> None:
    terms = Fair().terms([f"x{i}" for i in range(7)])
    for size in range(7):
        sets = [parents for parents in all_parent_sets(7, 3) if len(parents) == size]
        total = sum(math.exp(terms.log_weight(3, parents, ())) for parents in sets)
        assert total == pytest.approx(1.0, abs=1e-12)


def test_a_family_of_the_reference_dag_weighs_one() -> None:
    terms = DistanceToDag(centre_in_another_order(), 0.3).terms(NAMES)
    for node, parents in enumerate(CENTRE):
        assert terms.log_weight(node, parents, NAMES) == pytest.approx(0.0, abs=1e-15)


def test_fair_is_finite_for_many_variables() -> None:
    terms = Fair().terms([f"x{i}" for i in range(1500)])
    assert np.isfinite(terms.size).all()


@pytest.mark.parametrize("prior", [Uniform(), Fair(), EdgePenalty(1.0), EdgeWeights([[0.0]])])
def test_one_variable_weighs_one(prior: Prior) -> None:
    assert prior.terms(["a"]).log_weight(0, (), ["a"]) == 0.0


def test_edges_that_are_not_named_weigh_one() -> None:
    prior = EdgeWeights({("a", "b"): 3.0})
    assert prior.log_weight(NAMES, "a", ["b", "c", "d"]) == 0.0
    assert prior.log_weight(NAMES, "b", ["a", "d"]) == math.log(3.0)
    part = EdgeWeights(frame(WEIGHTS).iloc[:2, :2])
    assert part.log_weight(NAMES, "b", ["a", "d"]) == math.log(WEIGHTS[1, 0])


def test_a_prior_of_ones_own_is_one_class() -> None:
    class Even(Prior, name="even"):
        def terms(self, variables: Sequence[str]) -> PriorTerms:
            n = len(variables)
            size = np.zeros((n, n))
            size[:, 1::2] = -np.inf
            return PriorTerms(np.zeros(n), size, np.zeros((n, n)))

    prior = as_prior("even")
    assert isinstance(prior, Even)
    assert prior.log_weight(NAMES, "a", ["b"]) == -math.inf
    assert (prior * Fair()).log_weight(NAMES, "a", ["b", "c"]) == -math.log(3)


def test_products_are_flat_and_compare_by_value() -> None:
    left, right = (Fair() * Uniform()) * EdgePenalty(1.0), Fair() * (Uniform() * EdgePenalty(1.0))
    assert left == right == Product((Fair(), Uniform(), EdgePenalty(1.0)))
    assert EdgeWeights(WEIGHTS) == EdgeWeights(WEIGHTS.tolist())
    assert hash(EdgeWeights(WEIGHTS)) == hash(EdgeWeights(WEIGHTS.tolist()))
    assert EdgeWeights(WEIGHTS) != EdgeWeights(WEIGHTS + 1)
    with pytest.raises(TypeError):
        Fair() * 2.0  # type: ignore[operator]


def test_terms_cannot_be_changed_and_do_not_follow_their_source() -> None:
    edge = np.zeros((2, 2))
    terms = PriorTerms(np.zeros(2), np.zeros((2, 2)), edge)
    edge[0, 1] = 9.0
    assert terms.edge[0, 1] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        terms.edge[0, 1] = 1.0


def test_as_prior_takes_every_form() -> None:
    prior = Fair()
    assert as_prior(prior) is prior
    assert as_prior(None) == as_prior("uniform") == Uniform()
    assert as_prior("fair") == Fair()
    assert as_prior(odd) == FunctionPrior(odd)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: as_prior("fiar"), "prior is 'fiar'; give one of .*'fair'.*'uniform'"),
        (lambda: as_prior(Fair), r"the class Fair; give an instance of it, as in Fair\(\)"),  # type: ignore[arg-type]
        (lambda: as_prior(3), "prior is of type int"),  # type: ignore[arg-type]
        (lambda: EdgeWeights([[1, 0], [1, 1]]), r"weights is 0 at \[0, 1\]; .*forbidden_edges"),
        (lambda: EdgeWeights({("a", "b"): -1}), "weights is -1 at 'a' -> 'b'"),
        (lambda: EdgeWeights({("a", "b"): "x"}), "'a' -> 'b' has the weight 'x'; give a number"),
        (lambda: EdgeWeights({("a", "a"): 2}), "the key .*two different names"),
        (lambda: EdgeWeights({"ab": 2}), "the key 'ab'; give pairs"),
        (lambda: EdgeWeights(np.ones((2, 3))), r"the shape \(2, 3\); give an n x n array"),
        (lambda: EdgeWeights([["x"]]), "values that are not numbers"),
        (lambda: EdgeWeights(np.full((2, 2), np.nan)), "weights is nan"),
        (lambda: EdgeWeights(np.ones((3, 3))).terms(NAMES), "for 3 variables and the model has 4"),
        (lambda: EdgeWeights({("a", "B"): 2}).terms(NAMES), "edge weights names 'B'"),
        (lambda: EdgeWeights(pd.DataFrame(WEIGHTS)), "label both with the same variable names"),
        (lambda: EdgeWeights({("a", "b"): 0}), "forbidden_edges .* or edge_probabilities"),
        (lambda: DistanceToDag(centre_in_another_order(), 0), "delta is 0; give a number above 0"),
        (lambda: DistanceToDag(centre_in_another_order(), 2), "delta is 2"),
        (lambda: DistanceToDag(Dag(["a"], {}), 0.5).terms(NAMES), "lacks 'b', 'd' and 'c'"),
        (lambda: DistanceToDag(Dag([*NAMES, "e"], {}), 0.5).terms(NAMES), "names 'e'"),
        (lambda: DistanceToDag("dag", 0.5), "dag is 'dag'; give pairs .* a directed graph"),
        (lambda: EdgePenalty(math.inf), "log_penalty is inf; .*forbidden_edges"),
        (lambda: FunctionPrior(3), "function is 3"),  # type: ignore[arg-type]
        (
            lambda: FunctionPrior(lambda node: 0.0),  # type: ignore[arg-type, misc]
            r"the function takes \(node\); give a function of two arguments",
        ),
        (
            lambda: FunctionPrior(lambda v, p: math.nan).log_weight(NAMES, "a", ["b"]),
            r"returned nan for the node 'a' with parents \['b'\]",
        ),
        (lambda: FunctionPrior(lambda v, p: math.inf).log_weight(NAMES, "a", []), "returned inf"),
        (lambda: FunctionPrior(lambda v, p: None).log_weight(NAMES, "a", []), "returned None"),
        (lambda: Fair().log_weight(NAMES, "a", ["a"]), "parents contains the node 'a' itself"),
        (lambda: PriorTerms.zero(2) + PriorTerms.zero(3), "for 2 and for 3 nodes"),
        (lambda: PriorTerms(np.zeros(2), np.zeros(2), np.zeros((2, 2))), "size has the shape"),
    ],
)
def test_refusals_say_what_came_and_what_to_do(build: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        build()


def test_a_function_may_rule_a_family_out() -> None:
    prior = FunctionPrior(lambda node, parents: -math.inf if parents else 0.0)
    assert prior.log_weight(NAMES, "a", ["b"]) == -math.inf
