"""Edge probabilities and evidence of samplers against exact ones, in units of their own errors.

Seeds are fixed. An edge is expected beyond four standard errors less than once in a thousand
times, which leaves room for errors that are estimates themselves; how many of the edges of a test
may be there is the binomial bound at a false-alarm rate of 1e-6. Single numbers must be within
4.9 standard errors, the same rate for a normal law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import arcwise
from arcwise import Model, Posterior
from arcwise.algorithms.chain_posterior import telescoped
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior.evidence import lower_bounds
from arcwise.results import ChainRun
from arcwise.spaces import BucketOrders, LinearOrders, PartialOrders
from support.chi_squared import FALSE_ALARM_RATE
from support.exact_models import MODULARITIES, random_model
from support.run_records import annealing_of, temperatures_of
from support.sampling_errors import (
    assert_edges_within_errors,
    assert_errors_are_as_large_as_they_say,
)

WITHIN = 4.9
SPACES = {
    "linear": LinearOrders(),
    "buckets": BucketOrders(3),
    "partial orders": PartialOrders(
        [(f"x{u}", f"x{v}") for u, v in product((0, 1, 2), (3, 4))] + [("x5", "x6")]
    ),
}
REQUIRED: dict[str, Any] = {
    "required_edges": [("x6", "x0"), ("x0", "x3")],
    "forbidden_edges": [("x1", "x4")],
}
MODELS: dict[str, Callable[[], Model]] = {
    "free": lambda: random_model(8, spread=8.0, seed=1),
    "constrained": lambda: random_model(8, spread=8.0, seed=2, **REQUIRED),
}


def run(algorithm: str, model: Model, space: Any, modularity: Any, seed: int) -> Posterior:
    if algorithm == "ais":
        return arcwise.ais(
            model, space, modularity=modularity, particles=200, steps=400, seed=seed, threads=1
        )
    if algorithm == "mc3":
        return arcwise.mc3(
            model,
            space,
            modularity=modularity,
            temperatures=6,
            steps=6_000,
            chains=2,
            seed=seed,
            threads=1,
        )
    return arcwise.mcmc(
        model, space, modularity=modularity, steps=20_000, chains=2, seed=seed, threads=1
    )


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("algorithm", ["mcmc", "mc3", "ais"])
def test_edges_and_evidence_are_within_their_errors(
    algorithm: str, space: str, model: str, modularity: Any
) -> None:
    made = MODELS[model]()
    exact = arcwise.exact(made, modularity)
    found = run(algorithm, made, SPACES[space], modularity, seed=1)
    assert_edges_within_errors(found, exact.edges)
    if algorithm != "mcmc":
        assert found.evidence is not None
        assert 0 < found.evidence.standard_error < 0.5
        off = found.evidence.log_evidence - exact.log_evidence
        assert abs(off) < WITHIN * found.evidence.standard_error


CALIBRATED: dict[str, Callable[[Model, Any, int], Posterior]] = {
    "one chain": lambda model, modularity, seed: arcwise.mcmc(
        model, "buckets:2", modularity=modularity, steps=2_000, chains=1, seed=seed, threads=1
    ),
    "mc3": lambda model, modularity, seed: arcwise.mc3(
        model, modularity=modularity, steps=600, temperatures=4, chains=2, seed=seed, threads=1
    ),
    "ais": lambda model, modularity, seed: arcwise.ais(
        model, modularity=modularity, particles=60, steps=80, seed=seed, threads=1
    ),
}


@pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")
# Modular weights come on top of what is sampled for order-modular ones. Two chains without other
# temperatures, and annealed orders with such weights, are in `test_calibration.py`.
@pytest.mark.parametrize(
    ("algorithm", "modularity"),
    [
        ("one chain", "modular"),
        ("mc3", "modular"),
        ("one chain", "order-modular"),
        ("ais", "order-modular"),
    ],
)
def test_errors_are_as_large_as_they_say(algorithm: str, modularity: Any) -> None:
    model = random_model(5, spread=6.0, seed=2)
    runs = [CALIBRATED[algorithm](model, modularity, seed) for seed in range(200)]
    assert_errors_are_as_large_as_they_say(runs, arcwise.exact(model, modularity))


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("rule", [{}, {"required_edges": [("x3", "x0"), ("x0", "x1")]}])
@pytest.mark.parametrize("space", ["linear", "buckets:2"])
def test_annealing_weights_average_to_the_evidence(
    space: str, rule: dict[str, Any], modularity: Any
) -> None:
    # So few steps that many runs have hardly any weight: an error of the weights would show.
    model = random_model(5, spread=5.0, seed=3, **rule)
    found = arcwise.ais(
        model, space, modularity=modularity, particles=4_000, steps=6, stretch=2, seed=5, threads=1
    )
    assert found.evidence is not None
    ratio = math.exp(found.evidence.log_evidence - arcwise.exact(model, modularity).log_evidence)
    assert abs(ratio - 1) < WITHIN * found.evidence.standard_error
    assert (annealing_of(found).runs_of_weight_zero > 0) == bool(rule)


@pytest.mark.parametrize("rule", [{}, {"required_edges": [("x3", "x0"), ("x0", "x1")]}])
def test_lower_bounds_hold_at_their_rate(rule: dict[str, Any]) -> None:
    model = random_model(5, spread=5.0, seed=3, **rule)
    exact = arcwise.exact(model, "order-modular").log_evidence
    found = arcwise.ais(
        model, modularity="order-modular", particles=9_000, steps=3, seed=6, threads=1
    )
    assert found.traces is not None
    assert found.evidence is not None
    log_size = LinearOrders().build(ScoreSums(model)).log_size
    totals = found.traces.log_weights[0] + log_size - found.evidence.log_prior_constant
    groups = [lower_bounds(group) for group in totals.reshape(300, 30)]
    for name in ("slack-2", "square-root", "nine-bins"):
        bounds = [group[name] for group in groups]
        too_high = sum(bound.value > exact for bound in bounds)
        rate = 1 - bounds[0].confidence
        assert too_high <= binom.ppf(1 - FALSE_ALARM_RATE, len(bounds), rate)
        # They are worth something where no run has weight zero.
        assert rule or np.median([bound.value for bound in bounds]) > exact - 3.0


@pytest.mark.parametrize("ladder", ["linear", "adapted", [0.0, 0.05, 0.2, 0.5, 1.0]])
@pytest.mark.parametrize("modularity", MODULARITIES)
def test_the_evidence_by_telescoping(ladder: Any, modularity: Any) -> None:
    model = random_model(7, spread=40.0, seed=1)
    exact = arcwise.exact(model, modularity)
    found = arcwise.mc3(
        model, modularity=modularity, ladder=ladder, temperatures=9, steps=20_000, seed=2, threads=1
    )
    assert found.evidence is not None
    off = found.evidence.log_evidence - exact.log_evidence
    assert abs(off) < WITHIN * found.evidence.standard_error
    assert found.evidence.standard_error < 0.2
    assert_edges_within_errors(found, exact.edges)


def test_a_ladder_that_is_never_uniform_gives_no_evidence() -> None:
    model = random_model(5, spread=6.0, seed=1)
    found = arcwise.mc3(model, ladder="harmonic", temperatures=5, steps=4_000, seed=1, threads=1)
    assert found.evidence is None
    assert temperatures_of(found)[0] == (1 / 5, 1 / 4, 1 / 3, 1 / 2, 1.0)
    assert_edges_within_errors(found, arcwise.exact(model).edges)


def test_adapted_temperatures_make_all_exchanges_as_easy() -> None:
    model = random_model(8, spread=60.0, seed=4)
    rates = {}
    for ladder in ("linear", "adapted"):
        found = arcwise.mc3(
            model,
            ladder=ladder,
            temperatures=7,
            modularity="order-modular",
            steps=8_000,
            seed=1,
            threads=1,
        )
        assert isinstance(found.run, ChainRun)
        rates[ladder] = np.array(found.run.exchange_acceptance)
        for inverses in temperatures_of(found):
            assert (inverses[0], inverses[-1]) == (0.0, 1.0)
            assert (np.diff(inverses) > 0).all()
    # 4,000 steps, 48 exchanges each, in 4 chains: rates are known to a few per cent.
    assert np.ptp(rates["linear"]) > 0.3
    assert np.ptp(rates["adapted"]) < 0.15


def test_ratios_of_different_ladders_are_not_mixed() -> None:
    # Two chains whose ladders divide the same way of 30 nats differently.
    def chain(*steps: float) -> list[Any]:
        return [(np.full(8, step) + math.log(2), 16, 2) for step in steps]

    chains = [chain(10.0, 20.0), chain(20.0, 10.0)]
    found = telescoped(chains, same_temperatures=False)
    assert math.isclose(found.value, 30.0)
    assert found.variance < 1e-20
    assert telescoped(chains).value > 35.0


def test_ladders_that_have_hardly_moved_tell_nothing() -> None:
    none = (np.zeros(0), 0, 1)
    for same in (False, True):
        found = telescoped([[none, none]] * 2, same_temperatures=same)
        assert (found.value, found.variance) == (-np.inf, np.inf)
