"""Tests of how much a posterior moves under other priors and scores."""

from __future__ import annotations

import numpy as np
import pytest

import arcwise
from arcwise.comparison import other_assumptions as module
from arcwise.comparison.other_assumptions import sensitivity
from arcwise.errors import ArgumentError
from arcwise.priors import EdgePenalty, Sparse
from arcwise.scores import BDeu


@pytest.fixture(scope="module")
def posterior() -> arcwise.Posterior:
    data = arcwise.simulate("asia", 300, seed=4)
    return arcwise.exact(arcwise.Model(data, BDeu(3.0), prior=Sparse(1.0)), dags=4000, seed=1)


@pytest.fixture
def by_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weigh DAGs anew although the other posteriors could be computed exactly."""
    monkeypatch.setattr(module, "_MOST_VARIABLES", 0)


def adjacency(posterior: arcwise.Posterior) -> np.ndarray:
    return np.triu(posterior.edges + posterior.edges.T, 1)


@pytest.mark.usefixtures("by_weights")
@pytest.mark.parametrize(
    ("prior", "score"),
    [(Sparse(1.6), None), (EdgePenalty(2.2), None), (None, BDeu(2.0)), (None, BDeu(4.5))],
    ids=str,
)
def test_reweighted_probabilities_are_those_of_the_other_posterior(
    posterior: arcwise.Posterior, prior: object, score: object
) -> None:
    """Within five standard errors, so one false alarm in 10^6 for each figure."""
    model = arcwise.Model(posterior.model.data, score or BDeu(3.0), prior=prior or Sparse(1.0))
    truth = adjacency(arcwise.exact(model, dags=0))
    found = sensitivity(posterior, priors=[prior] if prior else [], scores=[score] if score else [])
    (shift,) = found.shifts
    assert shift.effective > 50
    names = list(posterior.variables)
    exact = truth[names.index(shift.pair[0]), names.index(shift.pair[1])]
    error = (exact * (1 - exact) / shift.effective) ** 0.5
    assert abs(shift.after - exact) < 5 * error + 1e-3
    # The number of edges of a DAG varies by less than three here.
    assert abs(shift.expected_edges - truth.sum()) < 5 * 3 / shift.effective**0.5


def test_with_few_variables_the_other_posterior_is_exact(posterior: arcwise.Posterior) -> None:
    found = sensitivity(posterior, priors=["fair"], scores=[BDeu(10.0)])
    data = posterior.model.data
    for shift, model in zip(
        found.shifts,
        (
            arcwise.Model(data, BDeu(3.0), prior="fair"),
            arcwise.Model(data, BDeu(10.0), prior=Sparse(1.0)),
        ),
        strict=True,
    ):
        change = np.abs(adjacency(arcwise.exact(model, dags=0)) - adjacency(posterior))
        assert shift.effective is None
        assert shift.largest == pytest.approx(change.max(), abs=1e-12)


@pytest.mark.usefixtures("by_weights")
def test_a_posterior_too_far_away_is_not_judged(posterior: arcwise.Posterior) -> None:
    (shift,) = sensitivity(posterior, priors=[EdgePenalty(-30.0)], scores=[]).shifts
    assert shift.largest is None
    assert "too far away" in str(shift)


def test_the_usual_alternatives_are_neighbours(posterior: arcwise.Posterior) -> None:
    found = sensitivity(posterior)
    assert [shift.assumption for shift in found.shifts] == [
        Sparse(0.5),
        Sparse(2.0),
        BDeu(1.0),
        BDeu(10.0),
    ]
    few, many = found.shifts[0].expected_edges, found.shifts[1].expected_edges
    assert few < found.expected_edges < many
    assert found.largest == max(shift.largest for shift in found.shifts)
    assert len(str(found).splitlines()) == 5


@pytest.mark.usefixtures("by_weights")
def test_what_cannot_be_judged_is_refused(posterior: arcwise.Posterior) -> None:
    without = arcwise.exact(posterior.model, dags=0)
    with pytest.raises(ArgumentError, match="no DAGs to weigh anew"):
        sensitivity(without)
    scores = arcwise.Model(arcwise.score({"a": [0, 1, 1], "b": [0, 1, 0]}))
    with pytest.raises(ArgumentError, match="no data to score again"):
        sensitivity(arcwise.exact(scores, dags=10), scores=[BDeu()])
