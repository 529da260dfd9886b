"""New rows of mixed tables are as probable as marginal likelihoods with and without them say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Dag, Data
from arcwise.scores import ConditionalGaussian
from reference import parameters as reference
from reference.parameters import with_rows
from support.comparison import close
from support.mixed_tables import columns_of, mixed_case, mixed_model
from support.weighted_dags import weighted_dags

KINDS = st.sampled_from([(0, 2), (2, 0), (3, 0, 0), (0, 2, 0), (2, 0, 2), (2, 3, 0)])


@given(st.data())
@settings(max_examples=25)
def test_rows_agree_with_brute_force(data: Any) -> None:
    levels = data.draw(KINDS)
    seed = data.draw(st.integers(0, 2**32 - 1))
    case = mixed_case(
        levels,
        data.draw(st.sampled_from([1, 2, 7, 30])),
        seed,
        weighted=data.draw(st.booleans()),
        intervened=data.draw(st.booleans()),
        far=data.draw(st.sampled_from([0.0, 1000.0])),
    )
    score = ConditionalGaussian(
        data.draw(st.sampled_from([0.5, 4.0])), data.draw(st.sampled_from([0.3, 2.0]))
    )
    model, prior = mixed_model(case, score)
    dags, log_weights, sample = weighted_dags(model)
    random = np.random.default_rng(seed)
    values = mixed_case(levels, 3, seed + 1, far=case.rows.values[0][levels.index(0)]).rows.values
    mask = random.random((3, len(levels))) < 0.3
    weights = random.uniform(0.5, 2.0, 3)
    new = Data(columns_of(levels, np.array(values)), weights, mask)
    found = arcwise.log_predictive(sample, new, model=model)
    for row in range(3):
        after = with_rows(case.rows, [values[row]], mask[[row]].tolist())
        terms = [reference.log_predictive(dag, prior.score, case.rows, after) for dag in dags]
        assert close(found[row], reference.log_mean(terms, log_weights), 1e-7)
    after = with_rows(case.rows, values, mask.tolist(), weights.tolist())
    terms = [reference.log_predictive(dag, prior.score, case.rows, after) for dag in dags]
    together = arcwise.log_predictive(sample, new, joint=True, model=model)
    assert close(together, reference.log_mean(terms, log_weights), 1e-7)


def test_a_configuration_without_rows_has_the_prior_alone() -> None:
    data = Data(columns_of((3, 0), np.array([[0, 1.0], [0, 3.0], [1, 0.5], [1, 0.0], [0, 2.5]])))
    model = arcwise.Model(data, ConditionalGaussian())
    dag = Dag(["a", "b"], {"b": ["a"]})
    at = np.array([[2, 1.4], [2, 50.0], [2, -47.2]])
    found = arcwise.log_predictive(dag, Data(columns_of((3, 0), at)), model=model)
    # Symmetric about the mean of the column, and so wide that far is hardly less probable.
    assert found[1] == pytest.approx(found[2], abs=1e-9)
    assert found[1] > found[0] - 8.0
