"""Seconds as a promise: each stage can be cut off, and the next makes do with what there is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Data, Model
from arcwise.algorithms import growth, growth_state
from arcwise.algorithms.exact_computation import ExactComputation
from arcwise.algorithms.growth_state import model_within
from arcwise.errors import CapacityError, CutShortWarning, TimeIsUpError
from arcwise.families.families import Constraints
from arcwise.learning import choices, costs, run_time
from arcwise.learning.study import Study
from arcwise.model import Definition, Question
from arcwise.model.scoring import scoring_seconds, scoring_work
from arcwise.runs.control import Kind
from arcwise.runs.driver import AnnealingDriver
from arcwise.support.running import Deadline, Run
from support.clocks import WorkClock, past, steps_take
from support.run_records import account_of

quick = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")

REQUIRED = [("X1", "X0"), ("X2", "X0")]


def gaussian(n: int, rows: int = 80) -> Data:
    dag = arcwise.networks.random_dag(n, expected_degree=2.0, seed=1)
    return arcwise.networks.gaussian_network(dag, seed=1).sample(rows, seed=1)


def learn(data: Any, **options: Any) -> arcwise.Posterior:
    return arcwise.learn(data, **({"progress": None, "seed": 1} | options))


def jumping_before(target: Callable[..., Any], clock: WorkClock) -> Callable[..., Any]:
    def jump_first(*arguments: Any, **named: Any) -> Any:
        clock.jump()
        return target(*arguments, **named)

    return jump_first


def jumping_after(target: Callable[..., Any], clock: WorkClock) -> Callable[..., Any]:
    def jump_last(*arguments: Any, **named: Any) -> Any:
        result = target(*arguments, **named)
        clock.jump()
        return result

    return jump_last


@pytest.mark.parametrize("method", ["pc", "greedy:3", "gains:3", "pc+greedy:2"])
def test_candidates_so_far_are_returned(method: str) -> None:
    data = gaussian(12)
    deadline = past()
    found = arcwise.candidates(data, method, seconds=deadline, required_edges=REQUIRED)
    assert found["X0"] == ("X1", "X2")
    assert sum(found.sizes().values()) == 2
    assert len(deadline.cuts) == method.count("+") + 1
    with pytest.warns(CutShortWarning, match="time was up"):
        arcwise.candidates(data, method, seconds=1e-9)
    # Where nothing is cut off, time makes no difference.
    assert dict(arcwise.candidates(data, method, seconds=1000.0)) == dict(
        arcwise.candidates(data, method)
    )


def test_levels_of_the_pc_algorithm_that_take_days_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(1)
    common = random.normal(size=(200, 1))  # on which all variables depend
    data = arcwise.read(common + 0.5 * random.normal(size=(200, 12)))
    everything = arcwise.candidates(data, "pc").matrix()
    for work, words in [(0.0, "was left out"), (1e4, "given no others")]:
        monkeypatch.setattr(sys.modules["arcwise.model.candidates"], "MOST_WORK", work)
        with pytest.warns(CutShortWarning, match=f"{words}, as larger sets would take too long$"):
            found = arcwise.candidates(data, "pc").matrix()
        assert work == 0.0 or not (everything & ~found).any()


def test_growth_so_far_is_returned() -> None:
    data = gaussian(25)
    with pytest.warns(CutShortWarning, match="cut short after 0 rounds"):
        grown = arcwise.grow(data, {"X3": ["X4"]}, seconds=1e-9, required_edges=REQUIRED)
    assert grown.candidates["X0"] == ("X1", "X2")
    assert grown.candidates["X3"] == ("X4",)
    assert grown.best is None
    assert grown.unfinished
    assert np.isfinite(grown.model.log_weight("X3", ["X4"]))


@pytest.mark.parametrize("by", ["map", "posterior"])
@quick
def test_growth_is_cut_off_between_rounds(by: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = gaussian(25)
    module, name = (growth, "_search") if by == "map" else (growth, "mcmc")
    with steps_take(1e-3) as clock:
        monkeypatch.setattr(module, name, jumping_after(getattr(module, name), clock))
        deadline = clock.deadline(1000.0 if by == "map" else 1.0)
        grown = arcwise.grow(data, "greedy:1", by=by, steps=200, seconds=deadline, seed=1)
    assert "cut short after" in " ".join(deadline.cuts)
    assert len(grown.model.scores) >= 25
    if by == "map":
        assert grown.best is not None
        assert not grown.best.interrupted
        assert grown.best.log_score > grown.best.log_weight  # the prior charges for edges
        assert grown.best.log_weight == pytest.approx(
            Model(data, candidates=grown.best.dag.matrix()).log_weight_of(grown.best.dag)
        )


def test_growth_in_time_is_growth() -> None:
    data = gaussian(15, 60)
    plain, timed = arcwise.grow(data, seed=1), arcwise.grow(data, seed=1, seconds=1000.0)
    assert dict(plain.candidates) == dict(timed.candidates)
    assert plain.rounds == timed.rounds
    assert not timed.unfinished


@pytest.mark.parametrize(("unfinished", "one_more"), [(False, True), (True, True), (True, False)])
@quick
def test_chains_that_agree_without_likely_parents_are_not_called_reliable(
    unfinished: bool, one_more: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if unfinished:
        monkeypatch.setattr(growth, "_grow_by_map", _out_of_time)
    if not one_more:
        monkeypatch.setattr(growth_state, "_ROUNDS_IN_TIME", np.inf)
    found = learn(gaussian(8), candidates="grow", algorithm="mcmc", seconds=1000.0)
    found.save(tmp_path / "posterior.npz")
    left_out = unfinished and not one_more
    for posterior in (found, arcwise.Posterior.load(tmp_path / "posterior.npz")):
        told = arcwise.diagnose(posterior)
        assert told.verdict == posterior.account.verdict == ("doubtful" if left_out else "reliable")
        topics = [each.topic for each in told.findings if each.severity == "caution"]
        assert ("parents" in topics) == left_out


def _out_of_time(*_arguments: object) -> None:
    raise TimeIsUpError


def test_models_that_take_too_long_become_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    data = gaussian(10)
    chosen = arcwise.candidates(data, size=4)
    question = Question.of(data, Definition(candidates=chosen, plus_one=True))
    # By the number of families that there is time for: with one more parent there are 10 x 6 x 16.
    for most, families, cuts in [(10**6, 960, 0), (500, 160, 1), (100, 40, 1), (30, 20, 1)]:
        monkeypatch.setattr(
            growth_state,
            "scoring_seconds",
            lambda asked, _, most=most: float(asked.number_of_families > most) * 1e9,
        )
        run = Run(seconds=1000.0)
        model = model_within(question, None, run)
        assert (len(model.scores), len(run.deadline.cuts)) == (families, cuts)
    single = {name: model.families.candidates[i] for i, name in enumerate(data.variables)}
    for node, (parent,) in single.items():
        others = [p for p in question.families.candidates[data.index(node)] if p != parent]
        whole = Model(data, max_indegree=1)
        name = data.variables
        assert all(
            whole.log_weight(node, [name[parent]]) >= whole.log_weight(node, [name[other]])
            for other in others
        )
    monkeypatch.setattr(growth_state, "scoring_seconds", lambda *_: 1e9)
    run = Run(seconds=1000.0)
    assert len(model_within(question, None, run).scores) == 10
    assert run.deadline.cuts == ("There was no time to score any parents, so there are no edges.",)


def test_scoring_raises_an_error_of_its_own() -> None:
    with pytest.raises(TimeIsUpError, match="seconds given are over"):
        Model(gaussian(8), seconds=past())
    with pytest.raises(TimeIsUpError):
        arcwise.score(gaussian(8), seconds=1e-9)
    assert len(Model(gaussian(5), seconds=1000.0).scores) == 5 * 16


def test_exact_draws_in_pieces_are_the_same() -> None:
    model = Model(gaussian(7))
    plain = arcwise.exact(model, paths=True, dags=1000, seed=3)
    timed = arcwise.exact(model, paths=True, dags=1000, seed=3, seconds=1000.0)
    assert plain.dags is not None
    assert timed.dags is not None
    assert np.array_equal(plain.dags.parents, timed.dags.parents)
    assert np.array_equal(plain.edges, timed.edges)
    assert np.array_equal(plain.paths, timed.paths)


def test_exact_computation_leaves_out_what_there_is_no_time_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = Model(gaussian(7))
    with pytest.raises(TimeIsUpError):
        arcwise.exact(model, seconds=past())
    for name in ("posterior", "dags"):
        clock = WorkClock()
        with monkeypatch.context() as patch:
            patch.setattr(
                ExactComputation, name, jumping_after(getattr(ExactComputation, name), clock)
            )
            deadline = clock.deadline(1000.0)
            found = arcwise.exact(model, paths=True, dags=1000, seconds=deadline)
        assert (0 if found.dags is None else len(found.dags)) == (256 if name == "dags" else 0)
        assert found.run.dags == (256 if name == "dags" else 0)
        assert f"{256 if name == 'dags' else 0} of 1,000 DAGs were drawn" in deadline.cuts[-1]
        assert np.array_equal(found.edges, arcwise.exact(model).edges)


def test_map_turns_from_exact_to_search(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(gaussian(8))
    expected = arcwise.map(model)
    with pytest.raises(TimeIsUpError):
        arcwise.map(model, seconds=past())
    with pytest.raises(TimeIsUpError):
        arcwise.map(model, method="exact", seconds=past())

    def too_slow(*_: Any, **__: Any) -> None:
        raise TimeIsUpError("the time is up")

    monkeypatch.setattr(ExactComputation, "best_dag", too_slow)
    found = arcwise.map(model, restarts=3, seconds=1000.0)
    assert found.search is not None
    assert found.search.seconds == 1000.0
    assert found.log_weight == pytest.approx(expected.log_weight)


@quick
@pytest.mark.parametrize("n", [5, 30])
@pytest.mark.parametrize("options", [{}, {"algorithm": "mcmc"}, {"candidates": "greedy:3"}])
def test_learn_always_has_a_result(n: int, options: dict[str, Any]) -> None:
    found = learn(gaussian(n), seconds=past(), required_edges=REQUIRED, **options)
    assert found.algorithm == "mcmc"
    assert found.edges.shape == (n, n)
    assert found.edge_probability("X1", "X0") == 1.0
    told = account_of(found)
    assert told.chosen.as_dict()["seconds"] == 5.0
    assert told.verdict != "exact"
    assert any("time" in sentence or "short" in sentence for sentence in told.choices)


@quick
def test_learn_turns_from_exact_to_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    with steps_take(1e-3) as clock:
        monkeypatch.setattr(
            ExactComputation, "posterior", jumping_before(ExactComputation.posterior, clock)
        )
        found = learn(gaussian(6), seconds=clock.deadline(1000.0))
    assert found.algorithm == "mcmc"
    words = " ".join(account_of(found).choices)
    assert "Exact computation was given up, as it took too long." in words
    assert "because exact computation took too long" in words
    with pytest.raises(TimeIsUpError):
        learn(gaussian(6), seconds=past(), algorithm="exact")


@quick
def test_learn_turns_from_all_parent_sets_to_grown_candidates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scored = choices.scored

    def too_slow(study: Study, deadline: Deadline, *, in_full: bool = False) -> Study:
        if in_full:
            raise TimeIsUpError("the time is up")
        return scored(study, deadline)

    monkeypatch.setattr(choices, "scored", too_slow)
    with steps_take(1e-3) as clock:
        found = learn(gaussian(6), seconds=clock.deadline(3.0))
    assert account_of(found).chosen.parents == "grown"
    assert "because scoring all parent sets took too long" in " ".join(account_of(found).choices)


@quick
def test_seconds_are_those_of_the_whole_call() -> None:
    # A sampler begins to count where the call began: of a past deadline it makes the least.
    model = Model(gaussian(6))
    for sampler in ("mcmc", "mc3"):
        found = arcwise.sample(model, "partitions", sampler, seconds=past(), seed=1)
        assert found.dags is not None
        assert len(found.dags) < 100


@quick
def test_particles_in_little_time_have_fewer_steps() -> None:
    model = Model(gaussian(6, 1000))
    steps = []
    for seconds in (0.2, 0.4):
        with steps_take(0.01) as clock:  # each particle
            found = arcwise.ais(model, seconds=clock.deadline(seconds), seed=1)
        steps.append(found.run.settings.cooling.steps)  # type: ignore[union-attr]
    assert 6 < steps[0] < steps[1] <= 6000
    # The first particles are cut off only when there is time for nothing else.
    perform = AnnealingDriver.perform

    def cut_off(driver: AnnealingDriver, kind: Kind, part: int) -> None:
        perform(driver, kind, part - 1)
        raise TimeIsUpError

    deadline = WorkClock().deadline(5.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AnnealingDriver, "perform", cut_off)
        found = arcwise.ais(model, seconds=deadline, steps=10, seed=1)
    assert found.run.runs == 15  # type: ignore[union-attr]
    assert deadline.cuts == ("15 particles were annealed, as the time was up.",)
    with pytest.raises(TimeIsUpError, match=r"too short for a single particle; give more"):
        arcwise.ais(model, seconds=past(), steps=10**6, seed=1)


@quick
def test_many_rows_are_not_scored_for_all_parent_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    question = Question.of(arcwise.simulate("asia", 1000, seed=1))
    assert scoring_work(question) == 2**8
    assert costs.scoring_fits(question, Deadline(), 1)
    monkeypatch.setattr(costs, "_MOST_SCORING_WORK", 2**8 * 1000 - 1)
    assert not costs.scoring_fits(question, Deadline(), 1)
    told = account_of(learn(question.data, steps=200)).choices
    assert any("grown" in sentence for sentence in told)


def test_too_many_variables_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "available_memory", lambda: 2**20)
    with pytest.raises(CapacityError, match=r"^the table has 30 variables, .*; leave out columns"):
        learn(gaussian(30))


def test_the_time_of_scoring_is_measured_on_some_families() -> None:
    small = Question.of(arcwise.simulate("asia", 100, seed=1))
    assert scoring_seconds(small) == 0.0
    data = arcwise.simulate("asia", 500_000, seed=1)
    for most in (2, 7):
        rule = Constraints(max_indegree=most)
        assert 0.0 < scoring_seconds(Question.of(data, Definition(constraints=rule))) < 60.0


@quick
def test_it_is_said_beforehand_what_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = gaussian(6)
    learn(data, progress=True)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(run_time, "_WORTH_SAYING", 0.0)
    learn(data, progress=None)
    assert capsys.readouterr().err == ""
    learn(data, progress=True)
    assert capsys.readouterr().err == (
        "All 192 parent sets are scored (less than a second), then the posterior is computed "
        "exactly (less than a second).\n"
    )
    quiet = learn(data, candidates="grow", steps=400, chains=2)
    told = learn(data, candidates="grow", steps=400, chains=2, progress=True)
    first, second = capsys.readouterr().err.splitlines()
    assert first == (
        "Candidate parents are grown (less than a second), then the posterior is sampled by mcmc."
    )
    assert second.startswith("2 chains on DAGs make at most")
    assert second.endswith(
        "make at most 400 steps each (less than a second, fewer once the stopping rule is met)."
    )
    # What is said changes nothing.
    assert np.array_equal(quiet.edges, told.edges)
    learn(data, candidates="greedy:2", seconds=WorkClock().deadline(1.0), progress=True)
    assert capsys.readouterr().err == (
        "Candidate parents are chosen by 'greedy:2', then the posterior is computed exactly; all "
        "in 1 s.\n"
    )
