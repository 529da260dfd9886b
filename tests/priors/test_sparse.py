"""Tests of the prior with the same odds for every edge."""

from __future__ import annotations

import pytest

import arcwise
from arcwise.errors import ArgumentError
from arcwise.priors import Fair, Sparse, Uniform, as_prior

NAMES = ["a", "b", "c", "d", "e"]


def test_each_parent_multiplies_the_weight_by_the_odds() -> None:
    prior = Sparse(0.8)
    single = prior.log_weight(NAMES, "e", ["a"])
    assert single == pytest.approx(prior.log_odds(5))
    assert prior.log_weight(NAMES, "e", NAMES[:3]) == pytest.approx(3 * single)


def test_under_the_order_modular_prior_half_of_the_parents_are_left() -> None:
    """Given an order, edges are independent: C(n, 2) of them, each with its probability."""
    model = arcwise.Model(NAMES, lambda node, parents: 0.0, prior=Sparse(0.8))
    odds = 0.8 / 4
    expected = arcwise.exact(model, "order-modular", dags=0).edges.sum()
    assert expected == pytest.approx(10 * odds / (1 + odds))


def test_tables_have_it_by_default_and_scores_do_not() -> None:
    table = {"a": [0, 1, 1, 0], "b": [1, 1, 0, 0]}
    assert arcwise.Model(table).prior == Sparse(1.0)
    assert arcwise.Model(arcwise.score(table)).prior == Uniform()
    assert arcwise.Model(["a", "b"], lambda node, parents: 0.0).prior == Uniform()


def test_it_can_be_given_by_name() -> None:
    assert as_prior("sparse") == Sparse(1.0)
    assert as_prior("sparse:0.25") == Sparse(0.25)
    assert as_prior("fair") == Fair()


@pytest.mark.parametrize("given", ["sparse:many", "sparse:-1", "sparse:nan", "fair:2"])
def test_wrong_words_are_refused(given: str) -> None:
    with pytest.raises(ArgumentError):
        as_prior(given)
