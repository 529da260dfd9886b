"""Runs of the papers' samplers against exact posteriors; seeds are fixed."""

from __future__ import annotations

import numpy as np
import pytest
from repeated_runs import Sampler, Study

import arcwise
from arcwise import Model


@pytest.fixture(scope="module")
def study() -> Study:
    model = Model(
        arcwise.simulate("asia", 200, seed=1),
        arcwise.scores.BDeu(1.0),
        prior="uniform",
        max_indegree=2,
        threads=1,
    )
    return Study(model, runs=5, seed=1, trial=0.001)


@pytest.mark.parametrize("bucket_size", [1, 3])
@pytest.mark.parametrize(("algorithm", "levels"), [("mcmc", 0), ("mc3", 3)])
def test_errors_of_chains_shrink_with_their_length(
    study: Study, algorithm: str, levels: int, bucket_size: int
) -> None:
    sampler = Sampler("chain", algorithm, bucket_size, levels)  # type: ignore[arg-type]
    exact = study.exact("order-modular").edges
    short, long = (study.repeated_by_size(sampler, size) for size in (400, 20_000))
    assert long.largest_median_error(exact) < 0.03
    assert long.largest_median_error(exact) < short.largest_median_error(exact)
    assert long.largest_deviation < short.largest_deviation
    assert long.median_largest_error(exact) >= long.largest_median_error(exact)


def test_weights_by_linear_extensions_lead_to_the_modular_posterior(study: Study) -> None:
    sampler = Sampler("chain", "mcmc", 1, dag_time_share=None, dags_per_state=5)
    found = study.repeated_by_size(sampler, 20_000, "modular")
    modular, biased = (study.exact(each).edges for each in ("modular", "order-modular"))
    assert found.largest_median_error(modular) < 0.05
    assert found.largest_median_error(biased) > 2 * found.largest_median_error(modular)


@pytest.mark.parametrize("modularity", ["order-modular", "modular"])
def test_annealing_estimates_the_evidence_and_bounds_it(study: Study, modularity: str) -> None:
    sampler = Sampler("annealing", "ais", 1, 800, dag_time_share=None, dags_per_state=5)
    exact = study.exact(modularity).log_evidence  # type: ignore[arg-type]
    found = study.repeated_by_size(sampler, 40, modularity)  # type: ignore[arg-type]
    assert abs(found.log_evidences - exact).max() < 1.0
    # It holds with probability 0.95, and is as near as five bins of 40 particles allow.
    assert exact - 2.0 < found.lower_bound(0.95) < exact
    assert np.isclose(found.lower_bound(0.95), found.log_evidences.min() + np.log(0.05) / 5)


def test_coupled_chains_estimate_the_evidence(study: Study) -> None:
    found = study.repeated_by_size(Sampler("coupled", "mc3", 1, 15), 4000)
    assert abs(found.log_evidences - study.exact("order-modular").log_evidence).max() < 0.5


def test_equal_time_is_as_many_steps_as_the_rate_allows(study: Study) -> None:
    sampler = Sampler("chain", "mcmc", 1)
    size = study.size(sampler, 0.01, "order-modular")
    assert size == max(400, int(0.01 * study.rate(sampler)))
    assert study.size(sampler, 0.02, "order-modular") >= size
