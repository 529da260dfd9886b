"""Independent draws: their very law, as the code that draws has it, is the posterior.

All that chance may do is gone through, so no statistics are needed; what has a probability below
1e-14 is left out. The test of frequencies, a chi-squared one over all DAGs, finds each fault.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import Model, _core_testing
from arcwise.priors import EdgePenalty
from reference.exact import enumerate_posterior
from reference.exact_draws import FAULTS, Fault, LayeredDraws
from support.chi_squared import FALSE_ALARM_RATE, p_value
from support.exact_models import CONSTRAINED, MODULARITIES, random_model

Law = dict[tuple[int, ...], float]

MODELS: dict[str, dict[str, Any]] = {
    "one node": {"n": 1},
    "flat": {"n": 4, "spread": 0.0},
    "narrow": {"n": 4, "spread": 2.0},
    "wide": {"n": 4, "spread": 30.0},
    "thousands of nats apart": {"n": 4, "spread": 3_000.0, "seed": 3},
    "sparse": {"n": 4, "spread": 1.0, "prior": EdgePenalty(2.0)},
    "independent": {"n": 4, "spread": 1.0, "prior": EdgePenalty(12.0)},
    "dense": {"n": 4, "spread": 1.0, "prior": EdgePenalty(-4.0)},
    "max_indegree": {"n": 4, "spread": 2.0, "max_indegree": 1},
    "five nodes": {"n": 5, "spread": 3.0, "max_indegree": 1},
    "impossible families": {"n": 4, "spread": 2.0, "impossible": 0.6, "seed": 2},
    **CONSTRAINED,
}


def law_of(model: Model, modularity: str) -> Law:
    law: Law = _core_testing.draw_law(model.weights.table, modularity == "order-modular")
    return law


def difference(law: Law, expected: Law) -> float:
    return max(abs(law.get(dag, 0.0) - expected.get(dag, 0.0)) for dag in {*law, *expected})


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("name", MODELS)
def test_the_law_is_the_posterior(name: str, modularity: Any) -> None:
    model = random_model(**MODELS[name])
    assert difference(law_of(model, modularity), enumerate_posterior(model, modularity).law) < 1e-12


@given(
    n=st.integers(2, 4),
    seed=st.integers(0, 2**32 - 1),
    spread=st.sampled_from([0.0, 1.0, 10.0, 100.0, 5_000.0]),
    impossible=st.sampled_from([0.0, 0.3, 0.8]),
)
def test_the_law_of_generated_models(n: int, seed: int, spread: float, impossible: float) -> None:
    model = random_model(n, spread, seed, impossible=impossible)
    law = law_of(model, "modular")
    assert difference(law, enumerate_posterior(model, "modular").law) < 1e-12
    assert sum(law.values()) == pytest.approx(1.0, abs=1e-11)


@pytest.mark.parametrize("name", ["flat", "narrow", "sparse", "max_indegree", "tiers"])
def test_the_reference_has_the_same_law(name: str) -> None:
    model = random_model(**MODELS[name])
    assert difference(LayeredDraws(model).law(), law_of(model, "modular")) < 1e-12


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault: Fault) -> None:
    model = random_model(**MODELS["sparse"])
    law = enumerate_posterior(model, "modular").law
    broken = LayeredDraws(model, fault).law()
    assert difference(broken, law) > 1e-3
    # By frequencies over all 543 DAGs, too.
    dags = list(broken)
    shares = np.array(list(broken.values()))
    places = np.random.default_rng(1).choice(len(dags), 60_000, p=shares / shares.sum())
    assert p_value((dags[place] for place in places), law) < FALSE_ALARM_RATE
