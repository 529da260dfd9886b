"""The method of Ellis and Wong against exact probabilities, where its DAGs cover the posterior."""

from __future__ import annotations

import numpy as np
import pytest

import arcwise
from arcwise.algorithms.estimates import modular_log_weights
from arcwise.errors import ArgumentError
from arcwise.records.runs import UniqueDagsRun
from support.exact_models import random_model


def test_edges_are_those_of_the_modular_posterior() -> None:
    model = random_model(4, spread=12.0, seed=2)
    found = arcwise.algorithms.unique_dags(
        model, coverage=0.99, steps=4_000, thinning=20, chains=2, seed=1
    )
    assert isinstance(found.run, UniqueDagsRun)
    assert found.run.orders_short_of_coverage == 0
    exact = arcwise.exact(model)
    assert np.abs(found.edges - exact.edges).max() < 0.005
    # Under the order-modular posterior, from which the orders come, they are elsewhere.
    biased = arcwise.exact(model, "order-modular")
    assert np.abs(found.edges - biased.edges).max() > 0.02


def test_each_dag_counts_once_by_its_weight() -> None:
    model = random_model(5, spread=3.0, seed=3)
    found = arcwise.algorithms.unique_dags(
        model, steps=200, thinning=20, chains=1, most_dags=100, seed=1
    )
    assert found.dags is not None
    assert len(found.dags) == len(found.dags.unique()) == found.run.dags
    weights = np.exp(modular_log_weights(model, found.dags))
    assert np.allclose(found.dags.shares, weights / weights.sum(), rtol=1e-12)
    # A flat posterior is not covered by so few DAGs, and the summary says so.
    assert isinstance(found.run, UniqueDagsRun)
    assert found.run.orders_short_of_coverage > 0


@pytest.mark.parametrize("coverage", [0.0, 1.0])
def test_a_coverage_that_cannot_be_is_refused(coverage: float) -> None:
    with pytest.raises(ArgumentError, match="coverage is"):
        arcwise.algorithms.unique_dags(random_model(3), coverage=coverage, steps=100)
