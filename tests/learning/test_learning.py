"""`learn`: what it chooses, that it tells so honestly, and what it refuses."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Data, Model, Posterior, exact
from arcwise.algorithms import exact_computation
from arcwise.errors import ArcwiseError, ArcwiseWarning, ConvergenceWarning, DataWarning
from arcwise.learning import costs
from arcwise.records.account import Account
from arcwise.records.runs import AnnealingRun
from arcwise.results import DagSample
from support.clocks import steps_take
from support.interrupting import assert_stops_within_two_seconds
from support.run_records import account_of, chains_of
from support.separate_modes import two_modes

quick = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")


def gaussian(n: int, rows: int = 100) -> Data:
    dag = arcwise.networks.random_dag(n, expected_degree=min(2.0, n - 1.0), seed=1)
    return arcwise.networks.gaussian_network(dag, seed=1).sample(rows, seed=1)


def learn(data: Any, **options: Any) -> Posterior:
    return arcwise.learn(data, **({"progress": None, "seed": 1, "threads": 1} | options))


@pytest.fixture(scope="module")
def asia() -> Data:
    return arcwise.simulate("asia", 300, seed=3)


def test_small_tables_are_exact_and_have_dags(asia: Data) -> None:
    found = learn(asia)
    assert found.model is not None
    exact = arcwise.exact(Model(asia, found.model.score, prior=found.model.prior))
    assert np.array_equal(found.edges, exact.edges)
    assert found.evidence == exact.evidence
    assert found.dags is not None
    assert len(found.dags) == 10_000
    # 56 edges, errors beyond 4.9 standard errors: a false alarm in twenty thousand.
    errors = np.sqrt(np.maximum(exact.edges * (1 - exact.edges), 1e-4) / 10_000)
    assert (np.abs(found.dags.edge_probabilities() - exact.edges) < 4.9 * errors).all()
    assert isinstance(found.dags, DagSample)
    path = found.probability(lambda dag: ("smoke", "bronc") in dag.edges)
    assert abs(path - exact.edge_probability("smoke", "bronc")) < 0.05


GOLDEN = {
    "exact": (
        {},
        {
            "score": "BDeu(equivalent_sample_size=1.0)",
            "prior": "Sparse(expected_parents=2.1)",
            "modularity": "modular",
            "parents": "all",
            "parents_left_out": False,
            "families": 1024,
            "algorithm": "exact",
            "exact_operations": 19683,
            "exact_limit": 11 * 10**9,
            "dags": 10_000,
            "paths": True,
            "seed": 1,
        },
        [
            "The table has 300 rows, 8 discrete variables.",
            "The score is BDeu (equivalent sample size 1), because all columns are discrete; the "
            "structure prior is sparse (expected parents 2.1).",
            "The parameters of the prior and of the score were chosen by the evidence of the data; "
            "to fix them, give the prior sparse:2.1 and the score bdeu with the equivalent sample "
            "size 1.",
            "All 1,024 allowed parent sets are considered.",
            "The modular posterior over 8 variables was computed exactly (exact is the default up "
            "to 11 billion operations; this took 20,000); 10,000 DAGs were drawn from it for other "
            "features.",
        ],
    ),
    "mcmc": (
        {"steps": 4_000, "until": None, "prior": "fair", "max_indegree": 2},
        {
            "score": "BDeu(equivalent_sample_size=1.0)",
            "prior": "Fair()",
            "modularity": "modular",
            "parents": "all",
            "parents_left_out": False,
            "families": 232,
            "algorithm": "mcmc",
            "exact_operations": 19683,
            "exact_limit": 11 * 10**9,
            "space": "Dags(moves=None)",
            "steps": 4_000,
            "seconds": None,
            "chains": 16,
            "until": None,
            "seed": 1,
        },
        [
            "The table has 300 rows, 8 discrete variables.",
            "The score is BDeu (equivalent sample size 1), because all columns are discrete; the "
            "structure prior is fair.",
            "All 232 allowed parent sets are considered.",
            "The modular posterior was sampled by mcmc on DAGs, as requested: 16 chains "
            "of 3,998 steps, of which the first 800 are burn-in.",
            "The run ended when its budget was spent.",
        ],
    ),
    "candidates": (
        {"candidates": "greedy:2", "plus_one": False, "algorithm": "ais", "particles": 8},
        {"parents": "candidates", "families": 32, "algorithm": "ais", "particles": 8},
        [
            "Candidate parents were chosen by 'greedy:2', 2 for each variable: 32 parent sets.",
            "The modular posterior was sampled by ais on partitions, as requested: 8 particles of "
            "2,400 annealing steps.",
        ],
    ),
}


@quick
@pytest.mark.parametrize("name", GOLDEN)
def test_what_was_chosen_is_told(name: str, asia: Data) -> None:
    options, chosen, sentences = GOLDEN[name]
    account = account_of(learn(asia, **options))
    told = account.chosen.as_dict()
    assert {key: told[key] for key in chosen} == chosen
    assert name == "candidates" or told == chosen
    assert [each for each in account.choices if each in sentences] == sentences
    assert name == "candidates" or list(account.choices) == sentences
    assert account.verdict in ("exact", "reliable", "doubtful", "not converged")
    assert account.trust


@quick
def test_choices_depend_on_data_and_arguments_only(
    asia: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learned(threads: int, seconds: Any = None, **options: Any) -> Account:
        with steps_take(1e-3) as clock:
            deadline = None if seconds is None else clock.deadline(seconds)
            return account_of(learn(asia, threads=threads, seconds=deadline, **options))

    for options in ({}, {"until": "rhat<1.5"}, {"seconds": 0.2, "space": "dags", "prior": "fair"}):
        one = learned(1, **options)
        with monkeypatch.context() as patch:
            patch.setattr(exact_computation, "available_memory", lambda: 2**26)
            other = learned(2, **options)
        # With seconds, what can be computed exactly in them depends on the threads.
        if "seconds" in options:
            other = replace(other, chosen=replace(other.chosen, exact_limit=one.chosen.exact_limit))
        assert one.chosen == other.chosen
        assert one.choices[:3] == other.choices[:3]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("algorithm", [None, "mcmc", "mc3", "ais"])
@quick
def test_very_few_variables(n: int, algorithm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = costs.default_steps
    # Rules on edges that never change are not met before the usual steps are done.
    monkeypatch.setattr(costs, "default_steps", lambda *asked: usual(*asked) // 400)
    found = learn(gaussian(n, 10), algorithm=algorithm)
    assert found.edges.shape == (n, n)
    assert found.algorithm == (algorithm or "exact")
    assert n == 1 or abs(found.edges.sum() - learn(gaussian(n, 10)).edges.sum()) < 0.1


@quick
@pytest.mark.parametrize(("n", "steps"), [(20, 2_000), (40, 1_000)])
def test_more_variables_are_sampled_among_grown_candidates(n: int, steps: int) -> None:
    data = gaussian(n, 60)
    found = learn(data, steps=steps, chains=2, threads=None)
    told = account_of(found).chosen.as_dict()
    assert (found.algorithm, told["parents"]) == ("mcmc", "grown")
    assert found.dags is not None
    assert told["until"] == "rhat<1.01, ess>400, edge_rhat<1.05, edge_ess>400, difference<0.05"
    assert "Candidate parents were grown from 'pc'" in account_of(found).choices[3]
    if n == 20:
        again = learn(data, steps=steps, chains=2, threads=1)
        assert np.array_equal(found.edges, again.edges)
        assert not np.array_equal(found.edges, learn(data, steps=steps, chains=2, seed=2).edges)


def test_the_rules_of_costs() -> None:
    assert costs.exact_is_cheap(20, 1, "modular", None)
    assert not costs.exact_is_cheap(21, 1, "modular", None)
    assert costs.exact_is_cheap(20, 1, "order-modular", None)
    assert not costs.exact_is_cheap(19, 1, "modular", 1.0)
    assert costs.exact_is_cheap(20, 1, "modular", 100.0)
    assert not costs.exact_is_cheap(100, 1, "modular", 1e9)
    assert not costs.exact_is_cheap(10, 10**9, "modular", None)
    steps = [costs.default_steps(n, 4) for n in (1, 8, 20, 80, 200, 1000)]
    assert min(steps) > 400_000
    assert steps[0] > steps[2] > steps[3]


def test_long_enough_chains_are_trusted(asia: Data) -> None:
    found = learn(asia, algorithm="mcmc")
    assert chains_of(found).rule_met
    assert account_of(found).verdict == "reliable"
    assert np.abs(found.edges - learn(asia).edges).max() < 0.1


def test_warnings_point_at_the_line_that_called() -> None:
    with pytest.warns(ConvergenceWarning, match=r"run more steps, or use mc3$") as caught:
        found = learn(two_modes(40.0, 0.0), space="partitions", steps=4_000, chains=6)
    with warnings.catch_warnings(record=True) as repeated:
        warnings.simplefilter("always")
        found.diagnose().warn()
    assert len(repeated) > 1
    assert {warning.filename for warning in [*caught, *repeated]} == {__file__}


@quick
@pytest.mark.parametrize(("height", "tilt"), [(40.0, 0.0), (300.0, 1.0)])
def test_chains_in_different_modes_are_not_trusted(height: float, tilt: float) -> None:
    found = learn(two_modes(height, tilt), space="partitions", steps=4_000, chains=6)
    assert chains_of(found).rule_met is False
    assert account_of(found).verdict == "not converged"
    words = " ".join(account_of(found).trust)
    assert "The chains disagree" in words
    assert "trust" not in words


@quick
@pytest.mark.parametrize(("height", "tilt"), [(40.0, 0.0), (300.0, 0.2)])
def test_by_default_chains_go_from_mode_to_mode(height: float, tilt: float) -> None:
    model = two_modes(height, tilt)
    found = learn(model, algorithm="mcmc", steps=80_000, chains=4, until=None)
    assert account_of(found).verdict == "reliable"
    # A path is turned once in about fifteen steps: five standard errors of 0.004.
    assert np.abs(found.edges - exact(model).edges).max() < 0.02


@quick
@pytest.mark.parametrize(
    ("options", "algorithm", "space"),
    [
        ({"modularity": "order-modular", "algorithm": "mcmc"}, "mcmc", "LinearOrders"),
        ({"space": "buckets:3"}, "mcmc", "BucketOrders(size=3)"),
        ({"algorithm": "mc3", "temperatures": 4, "ladder": "adapted"}, "mc3", "Dags"),
        ({"algorithm": "ais", "particles": 10}, "ais", "Partitions"),
        ({"chains": 1, "space": "dags"}, "mcmc", "Dags"),
        ({"dags_per_state": 0}, "mcmc", "Dags"),
        ({"burn_in": 0.1, "thinning": 7}, "mcmc", "Dags"),
        ({"effective_samples": 50}, "mcmc", "Dags"),
        ({"candidates": "grow:greedy:3", "max_candidates": 5}, "mcmc", "Dags"),
        ({"candidates": {"dysp": ["bronc", "either"]}}, "mcmc", "Dags"),
    ],
)
def test_every_choice_can_be_made_by_hand(
    options: dict[str, Any], algorithm: str, space: str, asia: Data
) -> None:
    steps = {} if "effective_samples" in options else {"steps": 600}
    found = learn(asia, **(steps | options))
    assert found.algorithm == algorithm
    assert space in found.summary_dict().get("space", "")
    assert found.modularity == options.get("modularity", "modular")


def test_models_and_ready_scores_will_do(asia: Data) -> None:
    model = Model(asia, prior="uniform", max_indegree=2)
    expected = arcwise.exact(model).edges
    assert np.array_equal(learn(model).edges, expected)
    assert np.array_equal(learn(model.scores).edges, expected)
    names = learn(["a", "b"], score=lambda node, parents: -float(len(parents)))
    assert account_of(names).choices[0] == "There are 2 variables, scored by a function."


def test_interventions_are_no_matter_for_tests() -> None:
    table = gaussian(24, 40)
    marked = arcwise.read(table, interventions={"X0": [True] * 5 + [False] * 35})
    with pytest.warns(arcwise.errors.ArcwiseWarning):
        found = learn(marked, steps=200, chains=2)
    choices = account_of(found).choices
    assert choices[1].startswith("In 5 of 40 rows 'X0' was intervened on")
    assert "grown from 'greedy:4'" in choices[4]


def test_options_of_reading(asia: Data) -> None:
    holes = {"a": [0, 1, None, 1] * 5, "b": [0, 1, 1, 0] * 5, "c": [1] * 20}
    with pytest.warns(DataWarning):
        found = learn(holes, missing="drop", constant="drop")
    assert found.variables == ("a", "b")
    assert "15 rows" in account_of(found).choices[0]


RANDOM = np.random.default_rng(1)
NUMBERS = RANDOM.normal(size=(30, 3))
REFUSALS: list[tuple[Any, dict[str, Any], str]] = [
    ("nowhere.csv", {}, "there is no file 'nowhere.csv'"),
    ({"a": [0, None, 1], "b": [0, 1, 1]}, {"missing": "error"}, "missing='drop'"),
    ({"a": [1, 1, 1], "b": [0, 1, 1]}, {"constant": "error"}, "constant='drop'"),
    ({"a": [1], "b": [0]}, {}, "a single row"),
    (None, {}, "the data are of type NoneType; give a data frame"),
    (NUMBERS, {"thinnig": 3}, "learn has no argument 'thinnig' (did you mean 'thinning'?)"),
    (NUMBERS, {"whitelist": []}, "learn has no argument 'whitelist' (did you mean 'required"),
    (NUMBERS, {"schedule": [0.0, 1.0]}, "schedule is an option of the algorithm 'ais' only"),
    (NUMBERS, {"particles": 5}, "particles applies to ais and smc only"),
    (NUMBERS, {"algorithm": "ais", "chains": 5}, "chains applies to mcmc and mc3 only"),
    (NUMBERS, {"algorithm": "gibbs"}, "algorithm is 'gibbs'"),
    (NUMBERS, {"algorithm": "exact", "steps": 50}, "which has no space, chains, steps or stopping"),
    (NUMBERS, {"algorithm": "ais", "until": "ess>4"}, "until applies to mcmc and mc3 only"),
    (NUMBERS, {"space": "trees"}, "space is 'trees'"),
    (NUMBERS, {"modularity": "order-modular", "space": "partitions"}, "use a space of orders"),
    (NUMBERS, {"until": "rhat"}, "until has 'rhat'"),
    (NUMBERS, {"seconds": -1}, "seconds is -1"),
    (NUMBERS, {"steps": 10, "seconds": 1}, "both steps and seconds were given"),
    (NUMBERS, {"seed": -1}, "seed is -1"),
    (NUMBERS, {"chains": 0}, "chains is 0"),
    (NUMBERS, {"dags": -1}, "dags is -1"),
    (NUMBERS, {"max_candidates": 0}, "max_candidates is 0"),
    (NUMBERS, {"required_edges": [("X0", "X1"), ("X1", "X0")]}, "has the cycle X0 -> X1 -> X0"),
    (NUMBERS, {"required_edges": [("X0", "X9")]}, "names 'X9'"),
    (NUMBERS, {"prior": "soft"}, "prior is 'soft'"),
    (NUMBERS, {"candidates": "grow:magic"}, "magic"),
    (["a", "b"], {"score": lambda v, p: 0.0, "missing": "drop"}, "there is no table to read"),
    (Model(NUMBERS), {"prior": "fair"}, "a model already has its score, prior"),
]


@pytest.mark.parametrize(("data", "options", "words"), REFUSALS, ids=[r[2] for r in REFUSALS])
def test_refusals_are_one_sentence(data: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ArcwiseError) as caught:
        learn(data, **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ctrl_c_before_anything_is_sampled_stops_it() -> None:
    assert_stops_within_two_seconds("""
import arcwise
dag = arcwise.networks.random_dag(120, expected_degree=4, seed=1)
data = arcwise.networks.gaussian_network(dag, seed=1).sample(1200, seed=1)
def job():
    arcwise.learn(data, progress=None)
""")


def test_how_much_other_assumptions_would_change_is_told(asia: Data) -> None:
    told = account_of(learn(asia)).sensitivity
    assert told[0].startswith("As computed: ")
    assert [line.partition(" (")[0] for line in told[1:]] == ["sparse", "sparse", "BDeu"]
    assert account_of(learn(asia, prior=lambda node, parents: 0.0)).sensitivity
    with pytest.warns(arcwise.errors.ArcwiseWarning):
        large = learn(
            gaussian(20), steps=300, chains=2, max_indegree=2, prior=lambda node, parents: 0.0
        )
    assert account_of(large).sensitivity == ()  # weights of functions are not known apart


def test_the_best_dag_is_at_least_that_of_the_search_for_candidates(tmp_path: Path) -> None:
    dag = arcwise.networks.random_dag(24, expected_degree=3, seed=2)
    data = arcwise.networks.gaussian_network(dag, seed=2).sample(300, seed=2)
    options: dict[str, Any] = {
        "algorithm": "mcmc",
        "candidates": "grow",
        "prior": "uniform",  # under which DAGs that are drawn have many improbable edges
        "steps": 16,
        "chains": 2,
        "until": None,
        "threads": 1,
        "progress": None,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArcwiseWarning)
        found = arcwise.learn(data, **options, directory=tmp_path / "run")
        again = arcwise.resume(tmp_path / "run", progress=None)
    assert found.model is not None
    assert found.map_dag is not None
    assert found.map_log_weight == pytest.approx(found.model.log_weight_of(found.map_dag))
    grown = arcwise.grow(data, "pc", prior=found.model.prior, threads=1)
    assert grown.best is not None
    assert found.map_log_weight >= grown.best.log_weight - 1e-6
    # So short a run meets nothing as good.
    assert found.dags is not None
    met = max(found.model.log_weight_of(dag) for dag in found.dags)
    assert met < found.map_log_weight - 1
    assert (again.map_dag, again.map_log_weight) == (found.map_dag, found.map_log_weight)


@pytest.mark.parametrize(
    ("options", "particles", "steps"),
    [
        ({}, 1_000, 4 * 300),
        ({"particles": 7}, 7, 4 * 300),
        ({"steps": 50}, 1_000, 50),
    ],
)
def test_annealing_has_a_budget_that_can_be_reliable(
    options: dict[str, Any], particles: int, steps: int
) -> None:
    table = np.random.default_rng(1).integers(0, 2, (40, 4))
    found = arcwise.learn(
        Model(arcwise.read(table, kinds="discrete"), max_indegree=2),
        algorithm="ais",
        progress=None,
        **options,
    )
    assert isinstance(found.run, AnnealingRun)
    assert found.run.runs == particles
    assert found.run.settings.cooling.steps == steps


def test_populations_of_orders_are_many() -> None:
    model = Model(arcwise.simulate("asia", 60, seed=1), max_indegree=1)
    runs = {
        space: arcwise.learn(model, algorithm="smc", space=space, particles=4, progress=None).run
        for space in ("linear", "canonical")
    }
    assert [run.runs for run in runs.values() if isinstance(run, AnnealingRun)] == [32, 8]
