"""The law of what chains visit, over all states and all DAGs of four variables.

Draws are far enough apart to count as independent. Each test of a correct program fails with
probability at most 1e-6 (see `chi_squared`), and seeds are fixed; chains that are broken on
purpose must fail the same tests.
"""

from __future__ import annotations

import pytest

from arcwise.spaces import LinearOrders
from reference.exact import enumerate_posterior
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.sampled_chains import CASES, LADDERS, MODELS, dags_of, sampled, states_of

DRAWS = 8_000
THINNING = 40


@pytest.mark.parametrize("algorithm", LADDERS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", CASES)
def test_states_and_dags_follow_their_laws(case: str, model: str, algorithm: str) -> None:
    made = MODELS[model]()
    kept = sampled(
        made,
        CASES[case].space,
        LADDERS[algorithm],
        draws=DRAWS,
        thinning=THINNING,
        seed=10 * list(CASES).index(case) + list(MODELS).index(model),
    )
    law = CASES[case].law(made)
    assert_follows(states_of(kept), law)
    # One DAG from each state: together they follow the order-modular law over all 543.
    assert_follows(dags_of(kept), enumerate_posterior(made, "order-modular").law)


@pytest.mark.parametrize("move", ["swap", "adjacent", "relocate"])
def test_every_move_alone_leads_to_the_law(move: str) -> None:
    made = MODELS["free"]()
    space = LinearOrders({move: 1})
    kept = sampled(made, space, [1.0], draws=DRAWS, thinning=2 * THINNING, seed=1)
    assert_follows(states_of(kept), CASES["linear"].law(made))


@pytest.mark.parametrize("case", ["linear", "buckets", "partial orders"])
def test_a_chain_at_another_temperature_is_found_out(case: str) -> None:
    made = MODELS["free"]()
    kept = sampled(made, CASES[case].space, [0.8], draws=2 * DRAWS, thinning=THINNING, seed=1)
    assert p_value(states_of(kept), CASES[case].law(made)) < FALSE_ALARM_RATE
    law = enumerate_posterior(made, "order-modular").law
    assert p_value(dags_of(kept), law) < FALSE_ALARM_RATE


def test_draws_that_depend_on_each_other_are_found_out() -> None:
    made = MODELS["free"]()
    space = LinearOrders({"adjacent": 1})
    kept = sampled(made, space, [1.0], draws=DRAWS, thinning=1, seed=1)
    assert p_value(states_of(kept), CASES["linear"].law(made)) < FALSE_ALARM_RATE


def test_dags_of_the_other_target_are_found_out() -> None:
    made = MODELS["free"]()
    kept = sampled(made, LinearOrders(), [1.0], draws=DRAWS, thinning=THINNING, seed=1)
    assert p_value(dags_of(kept), enumerate_posterior(made, "modular").law) < FALSE_ALARM_RATE
