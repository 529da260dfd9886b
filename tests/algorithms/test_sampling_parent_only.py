"""Samplers on models with parent-only variables, against exact laws and all DAGs one by one.

Chains run over the ordinary variables; what they keep is unfolded. Seeds are fixed; a correct
program fails each test of frequencies with a probability of one in a million.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.algorithms import ExactSampler, importance_weighted_dags, reverse_annealing
from arcwise.algorithms.unique_dags import unique_dags
from arcwise.errors import ArgumentError
from arcwise.model.score_sums import ScoreSums
from arcwise.results import DagSample
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.exact_models import random_model
from support.parent_only_models import definition, listed, model_of, parents_of
from support.same_posteriors import assert_same_posterior
from support.sampled_chains import sampled
from support.sampling_errors import assert_edges_within_errors
from support.stopped_runs import checkpoints_whatever_they_cost, run_with_stops

DRAWS = 12_000
THINNING = 20

MODULAR = ["partitions", "dags", "canonical", "layerings:2"]
ORDERS = ["linear", "buckets:2"]


def larger(**rule: Any) -> Model:
    """Return a model of six ordinary and five parent-only variables."""
    chosen = ["x1", "x4", "x5", "x8", "x10"]
    return random_model(11, spread=6.0, seed=4, parent_only=chosen, max_indegree=3, **rule)


@pytest.mark.parametrize("space", [*MODULAR, *ORDERS])
@pytest.mark.parametrize("name", ["one", "plus one", "required"])
def test_dags_of_chains_follow_the_posterior(name: str, space: str) -> None:
    model = model_of(name)
    modularity: Any = "order-modular" if space in ORDERS else "modular"
    kept = sampled(
        model, arcwise.spaces.as_space(space), [1.0], draws=DRAWS, thinning=THINNING, seed=5
    )
    dags = DagSample(model.variables, kept.parents)
    law = definition(model, modularity).law
    assert_follows(parents_of(dags), law)
    # Parent-only parents other than the chain's are found out.
    folded = model.folded
    assert folded.core is not None
    places = [model.variables.index(name) for name in model.ordinary]
    masks = dags.parents[:, places, 0]
    ordinary = sum(
        ((masks >> np.uint64(place)) & np.uint64(1)) << np.uint64(number)
        for number, place in enumerate(places)
    )
    best = DagSample(model.variables, folded.core.best(np.asarray(ordinary)[:, :, np.newaxis]))
    assert p_value(parents_of(best), law) < FALSE_ALARM_RATE


@pytest.mark.parametrize("space", [*MODULAR, *ORDERS])
@pytest.mark.parametrize("algorithm", ["mcmc", "mc3", "ais", "smc"])
def test_edges_and_evidence_are_within_their_errors(algorithm: str, space: str) -> None:
    model = larger()
    modularity: Any = "order-modular" if space in ORDERS else "modular"
    exact = arcwise.exact(model, modularity)
    options: dict[str, Any] = {
        "mcmc": {"steps": 40_000, "chains": 2},
        "mc3": {"steps": 8_000, "chains": 2, "temperatures": 5},
        "ais": {"particles": 200, "steps": 400},
        "smc": {"particles": 50, "runs": 24},
    }[algorithm]
    found: Posterior = getattr(arcwise, algorithm)(
        model, space, modularity=modularity, seed=3, threads=1, **options
    )
    assert found.variables == model.variables
    assert found.parent_only == model.parent_only
    assert_edges_within_errors(found, exact.edges)
    into = [model.variables.index(name) for name in model.parent_only]
    assert found.edges[:, into].max() == 0.0
    assert found.dags is not None
    assert np.abs(found.dags.edge_probabilities() - exact.edges).max() < 0.12
    if found.evidence is not None and found.evidence.standard_error is not None:
        assert found.log_evidence is not None
        assert exact.log_evidence is not None
        error = 4.9 * max(found.evidence.standard_error, 1e-6)
        assert abs(found.log_evidence - exact.log_evidence) < error


def test_convergence_is_judged_by_all_edges() -> None:
    model = larger()
    found = arcwise.mcmc(model, "partitions", steps=20_000, chains=4, seed=3, threads=1)
    assert found.run.convergence.edge_rhat is not None
    assert found.run.convergence.edge_rhat < 1.05
    assert found.edge_errors is not None
    places = [model.variables.index(name) for name in model.parent_only]
    ordinary = [model.variables.index(name) for name in model.ordinary]
    assert found.edge_errors[np.ix_(places, ordinary)].min() > 0.0


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_on_any_number_of_threads(threads: int) -> None:
    model = larger()
    one = arcwise.mcmc(model, "dags", steps=4000, chains=2, seed=1, threads=1)
    other = arcwise.mcmc(model, "dags", steps=4000, chains=2, seed=1, threads=threads)
    assert_same_posterior(one, other)


@pytest.mark.parametrize("space", ["partitions", "linear"])
def test_a_stopped_run_goes_on_to_the_same_end(space: str, tmp_path: Path) -> None:
    model = larger()

    def begin(**options: Any) -> Posterior:
        return arcwise.mcmc(model, space, steps=600, chains=2, seed=7, **options)

    with checkpoints_whatever_they_cost():
        resumed, stops = run_with_stops(begin, tmp_path / "run", seed=1)
    assert stops > 0
    whole = begin()
    assert np.array_equal(resumed.edges, whole.edges)
    assert resumed.dags is not None
    assert whole.dags is not None
    assert np.array_equal(resumed.dags.parents, whole.dags.parents)
    assert resumed.parent_only == model.parent_only


def test_listed_families_are_sampled_alike() -> None:
    model = model_of("first and last")
    exact = arcwise.exact(model)
    found = arcwise.mcmc(listed(model), "partitions", steps=40_000, chains=2, seed=1, threads=1)
    assert_edges_within_errors(found, exact.edges)


def test_files_keep_parent_only_variables(tmp_path: Path) -> None:
    found = arcwise.exact(larger(), dags=100, paths=True)
    found.save(tmp_path / "posterior.npz")
    again = Posterior.load(tmp_path / "posterior.npz")
    assert again.parent_only == found.parent_only
    assert np.array_equal(again.edges, found.edges)


@pytest.mark.parametrize("space", ["partitions", "dags"])
def test_annealing_back_from_exact_draws(space: str) -> None:
    model = larger()
    found = reverse_annealing(model, space, steps=3000, particles=50, seed=1, threads=1)
    exact = arcwise.exact(model).log_evidence
    assert exact is not None
    assert abs(found.forward.log_evidence - exact) < 0.5
    assert abs(found.log_evidence - exact) < 0.5


def test_evidence_over_the_bridge() -> None:
    model = larger()
    exact = arcwise.exact(model).log_evidence
    found = arcwise.evidence(model, method="bridge", seed=1, threads=1)
    assert exact is not None
    assert found.standard_error is not None
    assert abs(found.log_evidence - exact) < 4.9 * found.standard_error


def test_distinct_dags_of_orders() -> None:
    model = model_of("one")
    exact = arcwise.exact(model)
    found = unique_dags(model, steps=4000, thinning=10, chains=1, coverage=0.99, seed=1)
    assert np.abs(found.edges - exact.edges).max() < 0.02
    total = exact.log_evidence + exact.log_prior_constant
    weighted = importance_weighted_dags(model, 20_000, seed=1, log_total_weight=total)
    assert weighted.coverage is not None
    assert weighted.coverage > 0.95
    assert np.abs(weighted.dags.edge_probabilities() - exact.edges).max() < 0.05


def test_orders_are_those_of_the_others() -> None:
    model = larger()
    orders = ExactSampler(model, "order-modular").orders(5, seed=1)
    assert all(sorted(order) == sorted(model.ordinary) for order in orders)


def test_sums_of_another_kind_are_refused() -> None:
    model = larger()
    with pytest.raises(ArgumentError, match="give 'sums' or 'maxima'"):
        ScoreSums(model, tabulate="both")
    with pytest.raises(ArgumentError, match="compute them with tabulate='sums'"):
        arcwise.mcmc(model, sums=ScoreSums(model, tabulate="maxima"), steps=100)
    with pytest.raises(ArgumentError, match="compute them with tabulate='maxima'"):
        arcwise.map(model, method="search", sums=ScoreSums(model))
    other = random_model(11, parent_only=["x1", "x4"], max_indegree=2)
    with pytest.raises(ArgumentError, match="compute them from the same model"):
        arcwise.mcmc(model, sums=ScoreSums(other), steps=100)
