"""The constant of a structure prior: by enumeration, by recurrence and by recursion."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Dag, Model, _core
from arcwise.algorithms.exact_computation import log_prior_constant
from arcwise.priors import (
    DistanceToDag,
    EdgePenalty,
    EdgeWeights,
    Fair,
    FunctionPrior,
    Prior,
    PriorTerms,
)
from arcwise.priors.base import log_constant_by_size, weights_by_size
from arcwise.scores import BDeu, FamilyScores
from arcwise.support.devices import Processors
from arcwise.support.running import Stage
from reference.exact import all_dags_with_orders, enumerate_posterior
from reference.layering import modular_by_layers, order_modular_by_orders
from support.comparison import close
from support.exact_models import MODULARITIES, counts, flat_model, names, random_model, random_score
from support.strategies import discrete_case

SYMMETRIC: dict[str, Callable[[int], Any]] = {
    "uniform": lambda n: None,
    "fair": lambda n: "fair",
    "penalty": lambda n: EdgePenalty(2.5),
    "reward": lambda n: EdgePenalty(-1.5),
    "equal edge weights": lambda n: EdgeWeights(np.full((n, n), 0.3)),
    "fair with a penalty": lambda n: Fair() * EdgePenalty(0.7),
    "extreme": lambda n: EdgePenalty(400.0),
    "the other extreme": lambda n: EdgePenalty(-400.0),
}

ASYMMETRIC: dict[str, Callable[[int], Any]] = {
    "edge weights": lambda n: EdgeWeights(np.random.default_rng(1).uniform(0.1, 9.0, (n, n))),
    "one edge": lambda n: EdgeWeights({("x0", "x1"): 5.0}),
    "distance": lambda n: DistanceToDag(Dag.from_edges(names(n), [("x1", "x0")]), 0.1),
    "function": lambda n: random_score(n, 5.0, 2),
    "wide function": lambda n: random_score(n, 3_000.0, 2),
    "product": lambda n: Fair() * FunctionPrior(random_score(n, 5.0, 3)),
}

RULES: dict[str, dict[str, Any]] = {
    "all": {},
    "few parents": {"max_indegree": 2},
    "unlike parents": {"max_indegree": {"x0": 1}},
    "required": {"required_edges": [("x1", "x0")]},
    "forbidden": {"forbidden_edges": [("x0", "x1")]},
}


def constant(model: Model, modularity: Any) -> float:
    return log_prior_constant(model, modularity, 1e-8, Stage(Processors(2)))


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("prior", [*SYMMETRIC, *ASYMMETRIC])
def test_against_enumeration(prior: str, modularity: Any) -> None:
    of_size = (SYMMETRIC | ASYMMETRIC)[prior]
    for n in (2, 3, 4):
        for rule in RULES.values():
            # The data must not matter.
            model = random_model(n, 50.0, n, prior=of_size(n), **rule)
            assert close(
                constant(model, modularity), enumerate_posterior(model, modularity).log_constant
            )


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("prior", SYMMETRIC)
def test_the_recurrence_against_the_recursion(prior: str, modularity: Any) -> None:
    for n in (1, 2, 5, 8):
        for rule in ({}, {"max_indegree": min(3, n - 1)}):
            model = flat_model(n, prior=SYMMETRIC[prior](n), **rule)
            assert weights_by_size(model.prior_terms, model.families) is not None
            table = model.prior_weights().table
            computation = _core.ExactComputation(table, modularity == "order-modular", 1e-6)
            by_recursion = computation.log_weight(_core.Processors(2), None)
            assert close(constant(model, modularity), by_recursion)


@pytest.mark.parametrize("prior", ASYMMETRIC)
def test_the_recursion_against_sums_without_a_minus_sign(prior: str) -> None:
    model = flat_model(7, prior=ASYMMETRIC[prior](7), max_indegree=3)
    assert weights_by_size(model.prior_terms, model.families) is None
    assert close(constant(model, "modular"), modular_by_layers(model).log_total)
    assert close(constant(model, "order-modular"), order_modular_by_orders(model).log_total)


def test_numbers_of_dags_up_to_40_nodes() -> None:
    known = counts(40)
    for n in range(1, 41):
        found = log_constant_by_size([0.0] * n, n, order_modular=False)
        assert found == pytest.approx(math.log(known[n]), rel=1e-14, abs=1e-14)
    assert math.log(known[40]) > 600  # just before doubles end
    few = counts(40, 3)
    assert log_constant_by_size([0.0] * 4, 40, order_modular=False) == pytest.approx(
        math.log(few[40]), rel=1e-14
    )


def test_numbers_of_pairs_of_an_order_and_a_dag() -> None:
    for n in range(1, 6):
        pairs = int(all_dags_with_orders(n).orders.sum())
        assert pairs == math.factorial(n) * 2 ** math.comb(n, 2)
        found = log_constant_by_size([0.0] * n, n, order_modular=True)
        assert found == pytest.approx(math.log(pairs), abs=1e-13)
    log_pairs = math.log(math.factorial(40)) + math.comb(40, 2) * math.log(2)
    found = log_constant_by_size([0.0] * 40, 40, order_modular=True)
    assert found == pytest.approx(log_pairs, rel=1e-14)


@pytest.mark.parametrize("penalty", [1.0, 5.0, 50.0, 600.0, -600.0])
def test_penalties_of_any_size_leave_digits(penalty: float) -> None:
    # Nearly all of the weight is on the empty DAG, or on the n! complete ones.
    for n in (10, 30):
        found = log_constant_by_size([-penalty * k for k in range(n)], n, order_modular=False)
        if penalty > 0:
            one_edge = math.log1p(n * (n - 1) * math.exp(-penalty))
            assert found >= one_edge * (1 - 1e-12) - 1e-60
            if penalty >= 50:
                assert found == pytest.approx(one_edge, rel=1e-6, abs=1e-60)
        else:
            complete = math.lgamma(n + 1) - penalty * math.comb(n, 2)
            assert found == pytest.approx(complete, rel=1e-14)


def test_constants_of_nodes_count() -> None:
    class Shifted(Prior):
        def terms(self, variables: Any) -> PriorTerms:
            zero = PriorTerms.zero(len(variables))
            return PriorTerms(np.arange(float(len(variables))) - 0.5, zero.size, zero.edge)

    for modularity in MODULARITIES:
        model = flat_model(4, prior=Shifted())
        plain = constant(flat_model(4), modularity)
        assert constant(model, modularity) == pytest.approx(plain + 4.0, abs=1e-12)
        assert close(
            constant(model, modularity), enumerate_posterior(model, modularity).log_constant
        )


class Excluding(Prior):
    """Rules out edges, or sizes of parent sets, by a weight of zero."""

    def __init__(self, edges: bool, size: int | None) -> None:
        self.edges, self.size = edges, size

    def terms(self, variables: Any) -> PriorTerms:
        n = len(variables)
        size = np.zeros((n, n))
        if self.size is not None:
            size[:, self.size :] = -np.inf
        return PriorTerms(np.zeros(n), size, np.full((n, n), -np.inf if self.edges else 0.0))


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize(
    "prior", [Excluding(True, None), Excluding(False, 1), Excluding(False, 2), Excluding(True, 1)]
)
def test_weights_of_zero(prior: Prior, modularity: Any) -> None:
    model = flat_model(4, prior=prior)
    expected = enumerate_posterior(model, modularity)
    assert close(constant(model, modularity), expected.log_constant)
    posterior = arcwise.exact(model, modularity)
    assert close(posterior.log_evidence, 0.0)
    assert np.abs(posterior.edges - expected.edges).max() < 1e-10


def test_which_priors_depend_on_size_alone() -> None:
    def by_size(model: Model) -> list[float] | None:
        return weights_by_size(model.prior_terms, model.families)

    assert by_size(flat_model(4)) == [0.0] * 4
    assert by_size(flat_model(4, max_indegree=2)) == [0.0] * 3
    assert by_size(flat_model(3, prior=EdgePenalty(2.0))) == [0.0, -2.0, -4.0]
    assert by_size(flat_model(1)) == [0.0]
    for rule in ("unlike parents", "required", "forbidden"):
        assert by_size(flat_model(4, **RULES[rule])) is None
    for prior in ASYMMETRIC.values():
        assert by_size(flat_model(4, prior=prior(4))) is None
    listed = FamilyScores.from_mapping({"a": {(): 0.0}, "b": {(): 0.0, ("a",): 1.0}})
    assert by_size(Model(listed)) is None


def test_the_constant_of_listed_families_is_over_what_is_listed() -> None:
    listed = FamilyScores.from_mapping(
        {"a": {(): -3.0, ("b",): 2.0}, "b": {(): 0.0, ("a",): 1.0}, "c": {("a", "b"): 5.0}}
    )
    # No edge between a and b, or one of two.
    assert constant(Model(listed), "modular") == pytest.approx(math.log(3), abs=1e-12)
    # And with the two orders that no edge leaves.
    assert constant(Model(listed), "order-modular") == pytest.approx(math.log(4), abs=1e-12)


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize(
    ("prior", "rule"),
    [
        (None, {}),
        ("fair", {"max_indegree": 1}),
        (EdgePenalty(0.7), {"required_edges": [("c", "a")]}),
        (EdgeWeights({("a", "b"): 7.0}), {"forbidden_edges": [("b", "c")]}),
    ],
)
def test_the_probabilities_of_all_tables_sum_to_1(prior: Any, rule: Any, modularity: Any) -> None:
    # Two rows of three variables with two levels each: 64 tables, and one of them it must be.
    evidence = []
    for values in product((0, 1), repeat=6):
        data = discrete_case(np.reshape(values, (2, 3)), [2, 2, 2]).data
        posterior = arcwise.exact(Model(data, BDeu(), prior=prior, **rule), modularity, threads=1)
        evidence.append(math.exp(posterior.log_evidence))
    assert math.fsum(evidence) == pytest.approx(1.0, abs=1e-12)
