"""Effects and prediction belong to what a score's parameters are, not to a list of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Dag, Data, Model
from arcwise.scores import (
    BDeu,
    BGe,
    DirichletPrior,
    Law,
    LinearGaussian,
    LocalScore,
    NormalWishart,
    ProbabilityTables,
)

# Results of several types, of which a test knows the one.
effects: Any = arcwise.effects
predict: Any = arcwise.predict
interventional: Any = arcwise.interventional
log_predictive: Any = arcwise.log_predictive
DISCRETE = arcwise.simulate("asia", 200, seed=1)
CHAIN = Dag(["x", "y", "z"], {"y": ["x"], "z": ["y"]})
NUMBERS = arcwise.networks.gaussian_network(CHAIN).sample(100, seed=1)


class Borrowed(LocalScore):
    """A score of one's own, which fills in what another one does."""

    def __init__(self, other: LocalScore, law: Law | None) -> None:
        self.other = other
        self.own = law

    def law(self, data: Data) -> Law | None:
        return self.own

    def fill(self, data, table, run):  # type: ignore[no-untyped-def]
        self.other.fill(data, table, run)


def test_a_score_with_tables_has_what_bdeu_has() -> None:
    own = Model(DISCRETE, Borrowed(BDeu(3.0), ProbabilityTables(DirichletPrior(3.0))))
    known = Model(DISCRETE, BDeu(3.0))
    dag = arcwise.networks.asia().dag
    one, other = (effects(dag, "smoke", "dysp", model=m) for m in (own, known))
    assert one.table().equals(other.table())
    one, other = (predict(dag, DISCRETE, "lung", model=m) for m in (own, known))
    assert np.array_equal(one.probabilities, other.probabilities)
    one, other = (
        arcwise.interventional(dag, "dysp", {"smoke": "yes"}, model=m) for m in (own, known)
    )
    assert np.array_equal(one.mean, other.mean)


def test_a_score_with_regressions_has_what_bge_has() -> None:
    prior = NormalWishart(1.0, 6.0, np.zeros(3), np.eye(3))
    score = BGe(1.0, 6.0, 0.0, 1.0)
    own, known = Model(NUMBERS, Borrowed(score, LinearGaussian(prior))), Model(NUMBERS, score)
    one, other = (effects(CHAIN, "x", "z", model=m) for m in (own, known))
    assert one.table().equals(other.table())
    one, other = (log_predictive(CHAIN, NUMBERS, model=m) for m in (own, known))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("found", [None, ProbabilityTables(None)])
def test_a_score_without_a_prior_is_refused_by_name(found: Law | None) -> None:
    model = Model(DISCRETE, Borrowed(BDeu(), found))
    with pytest.raises(arcwise.errors.ArgumentError, match="the score Borrowed does not have; use"):
        effects(arcwise.networks.asia().dag, "smoke", "dysp", model=model)


def test_a_surrogate_has_no_parameters() -> None:
    data = arcwise.read({"a": ["x", "y", "x", "y"], "b": [0.5, 1.5, 0.25, 2.0]})
    model = Model(data, "degenerate-gaussian")
    with pytest.raises(
        arcwise.errors.ArgumentError, match="DegenerateGaussian, a surrogate, does not have; use"
    ):
        predict(Dag(["a", "b"], {}), data, "a", model=model)


def test_the_joint_density_of_new_rows_has_the_prior_of_the_data() -> None:
    """One new row: both ways to ask for its density must give the same number.

    The default prior of BGe is read off the columns, of the data and not of the new rows.
    """
    model = Model(NUMBERS, BGe())
    row = {"x": [5.0], "y": [-3.0], "z": [10.0]}
    joint = arcwise.log_predictive(CHAIN, row, model=model, joint=True)
    assert joint == pytest.approx(arcwise.log_predictive(CHAIN, row, model=model)[0], abs=1e-9)
