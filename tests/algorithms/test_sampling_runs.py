"""How samplers run: threads, budgets, interruption, progress, warnings and refusals."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.algorithms.normalizing_constants import _MOST_EXACT, prior_constant
from arcwise.errors import ArgumentError, ConvergenceWarning, WeightCollapseWarning
from arcwise.model.model import Modularity
from arcwise.model.score_sums import ScoreSums
from arcwise.priors import EdgePenalty, EdgeWeights
from arcwise.spaces import BucketOrders, LinearOrders, PartialOrders
from arcwise.support.running import Run
from support.clocks import steps_take
from support.exact_models import flat_model, random_model
from support.interrupting import assert_returns_what_there_is, assert_stops_within_two_seconds
from support.run_records import chains_of, weights_of
from support.separate_modes import two_modes

# Most runs here are too short to converge, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")

SHORT: dict[str, Callable[..., Posterior]] = {
    "mcmc": lambda model, **rule: arcwise.mcmc(
        model, "buckets:2", **({"steps": 600, "chains": 3} | rule)
    ),
    "mc3": lambda model, **rule: arcwise.mc3(
        model, **{"steps": 300, "chains": 3, "temperatures": 4, "ladder": "adapted", **rule}
    ),
    "ais": lambda model, **rule: arcwise.ais(model, **({"particles": 21, "steps": 60} | rule)),
}


@pytest.fixture(scope="module")
def model() -> Model:
    return random_model(6, spread=6.0, seed=1)


def assert_the_same(first: Posterior, second: Posterior) -> None:
    assert np.array_equal(first.edges, second.edges)
    assert np.array_equal(first.edge_errors, second.edge_errors, equal_nan=True)
    assert first.dags is not None
    assert second.dags is not None
    assert np.array_equal(first.dags.parents, second.dags.parents)
    assert np.array_equal(first.dags.log_weights, second.dags.log_weights)
    assert np.array_equal(first.dags.chains, second.dags.chains)
    assert first.traces is not None
    assert second.traces is not None
    for one, other in zip(first.traces.log_weights, second.traces.log_weights, strict=True):
        assert np.array_equal(one, other)
    assert first.evidence == second.evidence


@pytest.mark.parametrize("modularity", ["modular", "order-modular"])
@pytest.mark.parametrize("algorithm", SHORT)
def test_the_same_draws_whatever_the_threads(
    algorithm: str, modularity: Modularity, model: Model
) -> None:
    one = SHORT[algorithm](model, modularity=modularity, seed=4, threads=1)
    for threads in (2, 3):
        assert_the_same(
            one, SHORT[algorithm](model, modularity=modularity, seed=4, threads=threads)
        )
    other = SHORT[algorithm](model, modularity=modularity, seed=5, threads=1)
    assert not np.array_equal(one.edges, other.edges)


@pytest.mark.parametrize("algorithm", SHORT)
def test_a_chain_is_the_same_however_many_there_are(algorithm: str, model: Model) -> None:
    few, many = (
        ({"particles": 5}, {"particles": 9})
        if algorithm == "ais"
        else ({"chains": 1}, {"chains": 3})
    )
    small = SHORT[algorithm](model, seed=4, threads=2, **few)
    large = SHORT[algorithm](model, seed=4, threads=2, **many)
    assert small.dags is not None
    assert large.dags is not None
    count = len(small.dags)
    assert count < len(large.dags)
    assert np.array_equal(small.dags.parents, large.dags.parents[:count])
    assert np.array_equal(small.dags.log_weights, large.dags.log_weights[:count])


@pytest.mark.parametrize("algorithm", SHORT)
def test_chains_do_not_share_their_random_numbers(algorithm: str, model: Model) -> None:
    found = SHORT[algorithm](model, seed=4, threads=1)
    assert found.dags is not None
    assert found.dags.chains is not None
    rows = [found.dags.parents[found.dags.chains == chain].tobytes() for chain in range(3)]
    assert len(set(rows)) == 3
    assert found.traces is not None
    traces = [row.tobytes() for row in found.traces.log_weights]
    assert len(set(traces)) == len(traces)
    assert algorithm != "ais" or len(np.unique(found.traces.log_weights[0])) > 10


def test_the_path_does_not_depend_on_the_dags_drawn(model: Model) -> None:
    rows = []
    for dags in (0, 1, 5):
        found = SHORT["mc3"](model, modularity="order-modular", dags_per_state=dags, seed=1)
        assert found.traces is not None
        rows.append(found.traces.log_weights[0])
        assert (found.dags is None) == (dags == 0)
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])


def test_the_budget_in_steps(model: Model) -> None:
    found = arcwise.mcmc(model, steps=1_000, burn_in=0.2, thinning=50, chains=2, seed=1)
    assert chains_of(found).burn_in_steps == 200
    assert chains_of(found).states == (16, 16)
    assert chains_of(found).steps_after_burn_in == (800, 800)
    usual = arcwise.mcmc(model, burn_in=0.1, chains=1, seed=1)
    assert chains_of(usual).burn_in_steps == 2_000
    # One state in 2 n steps.
    assert chains_of(usual).states == (18_000 // (2 * len(model.variables)),)


@pytest.mark.parametrize(
    ("space", "further", "discarded"),
    [
        ("dags", {}, 400),
        ("partitions", {}, 400),
        ("linear", {}, 1_000),
        ("dags", {"start": "random"}, 1_000),
        ("dags", {"start": 100}, 1_000),
    ],
)
def test_chains_that_begin_settled_discard_less(
    model: Model, space: str, further: dict[str, Any], discarded: int
) -> None:
    found = arcwise.mcmc(model, space, steps=2_000, chains=1, seed=1, **further)
    assert chains_of(found).burn_in_steps == discarded


def test_coupled_chains_discard_a_half(model: Model) -> None:
    found = arcwise.mc3(model, "dags", steps=2_000, chains=1, seed=1)
    assert chains_of(found).burn_in_steps == 1_000


@pytest.mark.parametrize("algorithm", SHORT)
def test_the_budget_in_seconds(algorithm: str, model: Model) -> None:
    rule = {"particles": None} if algorithm == "ais" else {"steps": None}
    with steps_take(1e-3) as clock:
        found = SHORT[algorithm](model, seconds=clock.deadline(0.2), **rule)
    assert found.dags is not None
    assert len(found.dags) > 0
    assert 0.18 < clock.now < 0.25


@pytest.mark.parametrize("algorithm", SHORT)
def test_the_budget_in_effective_samples(algorithm: str, model: Model) -> None:
    rule = {"particles": None} if algorithm == "ais" else {"steps": None}
    found = SHORT[algorithm](model, effective_samples=120, **rule)
    assert found.run.convergence.ess >= 120


def test_effective_samples_of_a_posterior_of_one_state_come_to_an_end() -> None:
    found = arcwise.mcmc(random_model(2), BucketOrders(2), effective_samples=10, chains=2)
    assert found.run.convergence.ess is None
    assert found.run.convergence.rhat is None


def test_dags_by_a_share_of_time(model: Model) -> None:
    for algorithm, modularity in (("mcmc", "modular"), ("ais", "order-modular")):
        found = SHORT[algorithm](
            model, modularity=modularity, dag_time_share=0.5, seed=1, threads=1
        )
        assert found.dags is not None
        again = found.dags
        assert again.log_weights is not None
        # However many are drawn from a state, together they count as one.
        assert again.chains is not None
        if modularity == "modular":
            counts = np.array([arcwise.graphs.linear_extensions(dag) for dag in again])
            together = np.exp(again.log_weights) * counts
            assert np.isclose(together.sum(), sum(chains_of(found).states))


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("algorithm", SHORT)
@pytest.mark.parametrize("modularity", ["modular", "order-modular"])
def test_one_and_two_variables(algorithm: str, n: int, modularity: Modularity) -> None:
    small = random_model(n, spread=2.0)
    found = SHORT[algorithm](small, modularity=modularity, seed=1)
    exact = arcwise.exact(small, modularity)
    assert np.abs(found.edges - exact.edges).max() < 0.15
    if n == 1:
        assert found.edges.tolist() == [[0.0]]
        assert found.evidence is None or np.isclose(found.evidence.log_evidence, exact.log_evidence)


@pytest.mark.parametrize("modularity", ["modular", "order-modular"])
def test_one_state_kept_has_unknown_errors(model: Model, modularity: Any) -> None:
    found = arcwise.mcmc(model, steps=2, chains=1, modularity=modularity, seed=1)
    assert chains_of(found).states == (1,)
    assert found.edge_errors is not None
    assert np.isnan(found.edge_errors).all()
    assert found.run.convergence.difference is None
    evidence = arcwise.mc3(
        model, steps=2, temperatures=3, chains=1, modularity=modularity, seed=1
    ).evidence
    assert evidence is not None
    assert evidence.standard_error is None
    assert evidence.verdict != "reliable"


def test_progress_rises_to_one(model: Model) -> None:
    for algorithm in SHORT:
        shares: list[float] = []
        SHORT[algorithm](model, progress=shares.append)
        assert shares == sorted(shares)
        assert shares[-1] == 1.0
    shares = []
    arcwise.ais(model, steps=20, effective_samples=30, progress=shares.append)
    assert shares[-1] == 1.0


def test_chains_in_modes_of_the_same_weight_are_warned_of() -> None:
    # The log weight says nothing of where a chain is; edges do.
    with pytest.warns(ConvergenceWarning, match="have not converged") as caught:
        found = arcwise.mcmc(two_modes(40.0, 0.0), steps=2_000, chains=6, seed=1)
    assert "or use mc3 or the space partitions or the space buckets:4" in str(caught[0].message)
    assert found.run.convergence.rhat in (None, pytest.approx(1.0, abs=0.05))
    assert found.run.convergence.edge_rhat > 1.2
    assert found.run.convergence.difference > 0.9


def test_chains_that_stay_apart_are_warned_of() -> None:
    with pytest.warns(ConvergenceWarning, match="R-hat is inf for the log posterior"):
        found = arcwise.mcmc(two_modes(300.0, 1.0), steps=2_000, chains=6, seed=1)
    assert found.run.convergence.rhat == np.inf


def test_weights_that_collapse_are_warned_of() -> None:
    # A DAG of a few edges has millions of orders, and dense ones carry the weight.
    with pytest.warns(WeightCollapseWarning, match="an effective sample size of"):
        arcwise.mcmc(flat_model(14, max_indegree=3, prior=EdgePenalty(2.0)), steps=4_000, seed=1)


@pytest.mark.filterwarnings("error")
def test_runs_that_are_long_enough_are_not_warned_of() -> None:
    for seed in range(20):
        arcwise.mcmc(random_model(6, spread=6.0, seed=seed), steps=6_000, seed=seed, threads=1)


MCMC: list[tuple[dict[str, Any], str]] = [
    ({"space": "trees"}, "space is 'trees'"),
    ({"space": "buckets:x"}, "space is 'buckets:x'"),
    ({"modularity": "both"}, "modularity is 'both'"),
    ({"steps": 1}, "steps is 1"),
    ({"steps": 100, "seconds": 1.0}, "both steps and seconds were given"),
    ({"steps": None, "seconds": 0}, "seconds is 0"),
    ({"steps": None, "effective_samples": float("inf")}, "effective_samples is inf"),
    ({"burn_in": 1.0}, "burn_in is 1.0"),
    ({"thinning": 0}, "thinning is 0"),
    ({"thinning": 100}, "so no state would be kept"),
    ({"chains": 0}, "chains is 0"),
    ({"dags_per_state": 0}, "dags_per_state is 0"),
    ({"dag_time_share": 0.0}, "dag_time_share is 0.0"),
    ({"extension_budget": 0}, "extension_budget is 0"),
    ({"seed": -1}, "seed is -1"),
    ({"threads": 0}, "threads is 0"),
    ({"sums": ScoreSums(random_model(3))}, "variables"),
    ({"space": PartialOrders([("x0", "x1"), ("x0", "x2"), ("x3", "x2")])}, "cover every order"),
]
MC3: list[tuple[dict[str, Any], str]] = [
    ({"temperatures": 1}, "temperatures is 1"),
    ({"ladder": "steep"}, "ladder is 'steep'"),
    ({"ladder": [0.0, 0.5]}, "give increasing numbers"),
    ({"ladder": [0.5, 0.2, 1.0]}, "give increasing numbers"),
    ({"ladder": [-0.5, 1.0]}, "give increasing numbers"),
    ({"steps_between_exchanges": 0}, "steps_between_exchanges is 0"),
]
AIS: list[tuple[dict[str, Any], str]] = [
    ({"particles": 0}, "particles is 0"),
    ({"particles": 5, "seconds": 1.0}, "both particles and seconds were given"),
    ({"particles": None, "seconds": -1.0}, "seconds is -1.0"),
    ({"steps": 0}, "steps is 0"),
    ({"schedule": "cubic"}, "schedule is 'cubic'"),
    ({"schedule": [0.0, 1.0], "steps": 5}, "both steps and a schedule were given"),
    ({"schedule": [0.5, 1.0], "steps": None}, "schedule starts at 0.5"),
    ({"stretch": -1}, "stretch is -1"),
    ({"thinning": 0}, "thinning is 0"),
]


@pytest.mark.parametrize(
    ("algorithm", "rule", "words"),
    [("mcmc", *case) for case in MCMC]
    + [("mc3", *case) for case in MC3]
    + [("ais", *case) for case in AIS],
)
def test_refusals_are_one_sentence(
    algorithm: str, rule: dict[str, Any], words: str, model: Model
) -> None:
    usual = {"particles": 5, "steps": 50} if algorithm == "ais" else {"steps": 50}
    with pytest.raises((ArgumentError, arcwise.errors.CapacityError)) as caught:
        getattr(arcwise, algorithm)(model, **(usual | rule))
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert not re.search(r"[.!?] [A-Z]", message)


def test_constraints_no_run_can_meet_in_time_are_refused() -> None:
    chain = [(f"x{i}", f"x{i + 1}") for i in range(9)]
    model = random_model(10, max_indegree=1, required_edges=chain)
    with pytest.raises(ArgumentError, match="give more steps or particles"):
        arcwise.ais(model, steps=1, effective_samples=10, seed=1)
    found = arcwise.mcmc(model, PartialOrders(chain), steps=50, modularity="order-modular", seed=1)
    assert np.allclose(found.edges, np.eye(10, k=1), atol=1e-12)


@contextmanager
def nothing_exact() -> Iterator[None]:
    """Have the constants of all priors that are no function of the size estimated."""
    with pytest.MonkeyPatch.context() as patch:
        for modularity in ("modular", "order-modular"):
            patch.setitem(_MOST_EXACT, modularity, 0)
        yield


def test_the_prior_constant_has_random_numbers_of_its_own() -> None:
    # Data that say nothing, annealed as the prior is: with the same numbers both estimates would
    # err alike, and the evidence would seem to be exact.
    model = flat_model(5, prior=EdgeWeights({("x0", "x1"): 9.0}))
    with nothing_exact():
        found = arcwise.ais(model, particles=400, steps=500, stretch=0, seed=3, threads=1)
    assert found.evidence is not None
    assert abs(found.evidence.log_evidence) > 1e-6
    assert abs(found.evidence.log_evidence) < 4.9 * found.evidence.standard_error


def test_the_prior_constant_by_annealing() -> None:
    # A prior that is no function of the size, where the exact constant can still be had.
    prior = EdgeWeights({("x0", "x1"): 2.0, ("x3", "x1"): 0.3, ("x2", "x5"): 5.0})
    model = random_model(7, spread=3.0, prior=prior)
    modularities: tuple[Modularity, ...] = ("modular", "order-modular")
    run = Run(seed=1, threads=1)
    for modularity in modularities:
        exact, none = prior_constant(model, modularity, LinearOrders(), run)
        assert none == 0.0
        with nothing_exact():
            found, error = prior_constant(model, modularity, LinearOrders(), run)
            whole = arcwise.ais(
                model, modularity=modularity, particles=100, steps=200, seed=1, threads=1
            )
        assert 0 < error < 0.2
        assert abs(found - exact) < 4.9 * error
        assert whole.evidence is not None
        assert whole.evidence.log_prior_constant_error == error
        assert whole.evidence.lower_bounds == {}
        truth = arcwise.exact(model, modularity).log_evidence
        assert abs(whole.evidence.log_evidence - truth) < 4.9 * whole.evidence.standard_error


@pytest.mark.parametrize("algorithm", SHORT)
def test_sampled_posteriors_can_be_saved(algorithm: str, model: Model, tmp_path: Path) -> None:
    found = SHORT[algorithm](model, seed=2)
    found.save(tmp_path / "posterior.npz")
    loaded = Posterior.load(tmp_path / "posterior.npz")
    assert_the_same(found, loaded)
    assert loaded.run == found.run


INTERRUPTED = """
import arcwise
from arcwise.networks import asia
model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=3)
def job():
    return arcwise.{call}
def check(posterior):
    assert len(posterior.dags) > 0
    assert posterior.dags.parents.shape[0] == len(posterior.dags.log_weights)
    assert posterior.edges.shape == (8, 8)
"""


@pytest.mark.parametrize(
    "call",
    [
        "mcmc(model, steps=10**10, burn_in=1e-9, thinning=500, chains=2, threads=2)",
        "mc3(model, steps=10**10, burn_in=1e-9, thinning=1000, chains=4, threads=1)",
        "ais(model, particles=10**6, steps=500)",
    ],
)
def test_an_interrupted_run_returns_what_there_is(call: str) -> None:
    assert_returns_what_there_is(INTERRUPTED.format(call=call))


def test_a_run_interrupted_during_its_burn_in_stops() -> None:
    assert_stops_within_two_seconds(INTERRUPTED.format(call="mcmc(model, steps=10**10)"))


def test_temperatures_too_far_apart_are_told() -> None:
    data = arcwise.simulate("asia", 2000, seed=1)
    with pytest.warns(ConvergenceWarning, match="exchange states in only"):
        arcwise.mc3(Model(data, max_indegree=2), temperatures=2, steps=4_000, chains=1, seed=1)


def test_estimated_orders_are_told() -> None:
    dag = arcwise.networks.random_dag(30, expected_degree=4.0, max_indegree=3, seed=1)
    network = arcwise.networks.discrete_network(dag, levels=(2, 2), concentration=0.5, seed=1)
    model = Model(network.sample(2000, seed=1), max_indegree=3)
    options: dict[str, Any] = {"steps": 12_000, "chains": 1, "seed": 1, "thinning": 100}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of so few DAGs
        counted = arcwise.mcmc(model, **options)
        guessed = arcwise.mcmc(model, estimate_extensions=True, extension_budget=1, **options)
    assert weights_of(counted).estimated == 0
    assert weights_of(counted).largest_error == 0.0
    assert weights_of(guessed).estimated > 10
    error = weights_of(guessed).largest_error
    assert 0.0 < error < 0.5
    # The same DAGs are drawn until the first estimate takes random numbers of its own.
    first = [found.dags.log_weights[0] for found in (counted, guessed)]
    assert abs(first[0] - first[1]) < 5.0 * error
