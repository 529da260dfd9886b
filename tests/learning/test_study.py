"""A study: each step of `learn` is a function of it alone, and its kept form comes back whole."""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.algorithms.sample import SAMPLED_BY
from arcwise.data import IncompleteData
from arcwise.data.reader import ReadingToLearn
from arcwise.errors import RunDirectoryError, TimeIsUpError
from arcwise.families.families import ConstraintArguments
from arcwise.learning import learn as learn_function
from arcwise.learning.learn import STEPS, account, begin, compute_exactly, ready_to_sample
from arcwise.learning.request import Request
from arcwise.learning.study import KeptStudy, Study
from arcwise.records.settings import Algorithm
from arcwise.support.running import Deadline, Run
from support.clocks import steps_take

learning = sys.modules["arcwise.learning.learn"]

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")

# What each step adds to a study; any of them may add sentences.
ADDED: dict[str, set[str]] = {
    "refuse_too_large": set(),
    "choose_algorithm": {"algorithm", "reason"},
    "choose_score_and_prior": {"asked", "redraw"},
    "choose_parents": {"asked", "parents", "growth"},
    "try_chains": {"sums", "reason", "algorithm", "settings"},
    "choose_settings": {"settings"},
    "compute_exactly": {"posterior"},
    "average_over_completions": {"posterior"},
}


def _table(missing: float = 0.0, n: int = 5) -> dict[str, list[Any]]:
    data = arcwise.networks.gaussian_network(
        arcwise.networks.random_dag(n, expected_degree=2.0, seed=1), seed=1
    ).sample(60, seed=1)
    random = np.random.default_rng(1)
    return {
        name: [None if random.random() < missing else float(x) for x in column.numbers()]
        for name, column in zip(data.variables, data.columns, strict=True)
    }


def _with_posterior(study: Study) -> Study:
    """Return the study after what follows the steps: its chains are run, if there is no result."""
    if study.posterior is not None:
        return study
    study, settings, run = ready_to_sample(study)
    posterior = SAMPLED_BY[settings.sampler](study.model, settings, run)
    return replace(study, posterior=posterior)


def _begun(
    table: dict[str, list[Any]],
    directory: Path | None = None,
    seconds: Deadline | None = None,
    **options: Any,
) -> Study:
    run = Run(seed=1, threads=1, directory=directory, seconds=seconds)
    request = Request(completions=8, **options)
    return begin(request, run, table, ConstraintArguments(), ReadingToLearn())


KINDS: dict[str, tuple[dict[str, list[Any]], dict[str, Any]]] = {
    "exact": (_table(), {}),
    "chains": (_table(), {"algorithm": Algorithm.MCMC, "steps": 400, "chains": 2}),
    "grown": (_table(), {"candidates": "grow", "steps": 400, "chains": 2}),
    "missing values": (_table(0.1), {"chains": 2}),
    "missing values, grown": (_table(0.1), {"candidates": "grow", "chains": 2}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_is_a_function_of_the_study_alone(kind: str) -> None:
    table, options = KINDS[kind]
    study = _begun(table, **options)
    assert (study.incomplete is not None) == ("missing" in kind)
    for step in STEPS:
        # Of a study that is put together by hand, a step makes the same.
        by_hand = Study(**{each.name: getattr(study, each.name) for each in fields(Study)})
        after, again = step(study), step(by_hand)
        changed = {
            each.name
            for each in fields(Study)
            if getattr(after, each.name) is not getattr(study, each.name)
        }
        assert changed - {"sentences"} <= ADDED[step.__name__]
        assert after.sentences[: len(study.sentences)] == study.sentences
        assert (again.sentences, again.settings) == (after.sentences, after.settings)
        assert (again.algorithm, again.reason) == (after.algorithm, after.reason)
        study = after
    again, study = _with_posterior(again), _with_posterior(study)
    assert again.posterior is not None
    assert study.posterior is not None
    assert np.array_equal(again.posterior.edges, study.posterior.edges)


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_read_back_equals_the_one_written(kind: str, tmp_path: Path) -> None:
    table, options = KINDS[kind]
    study = _begun(table, tmp_path, **options)
    for step in STEPS:
        study = step(study)
    found = account(_with_posterior(study))
    kept = KeptStudy.read(tmp_path)
    assert kept == study.kept()
    assert kept is not None
    assert found.account is not None
    assert found.account.chosen == kept.chosen
    assert found.account.choices[: len(kept.sentences)] == kept.sentences
    assert KeptStudy.read(tmp_path / "elsewhere") is None


def test_tables_with_missing_values_go_through_the_same_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passed: list[str] = []

    def watched(step: Any) -> Any:
        def run(study: Study) -> Study:
            passed.append(step.__name__)
            return step(study)  # type: ignore[no-any-return]

        return run

    monkeypatch.setattr(learning, "STEPS", tuple(map(watched, STEPS)))
    ways = []
    for table in (_table(), _table(0.1)):
        passed.clear()
        learn_function(table, completions=8, chains=None, seed=1, threads=1, progress=None)
        ways.append(tuple(passed))
    assert ways[0] == ways[1] == tuple(ADDED)


@pytest.mark.parametrize(
    ("changes", "name"),
    [({"completions": 9}, "completions"), ({"seed": 2}, "seed"), ({"chains": 4}, "chains")],
)
def test_another_request_is_refused_by_its_name(
    changes: dict[str, Any], name: str, tmp_path: Path
) -> None:
    usual: dict[str, Any] = {"completions": 8, "chains": 2, "seed": 1, "directory": tmp_path}
    table = _table(0.1)
    first = learn_function(table, progress=None, **usual)
    again = learn_function(table, progress=None, **usual)
    assert np.array_equal(first.edges, again.edges)
    assert first.account is not None
    assert again.account is not None
    assert again.account.choices == first.account.choices
    with pytest.raises(RunDirectoryError, match=f"has another {name} "):
        learn_function(table, progress=None, **(usual | changes))
    with pytest.raises(RunDirectoryError, match="has another data "):
        learn_function(_table(0.2), progress=None, **usual)


def test_an_exact_computation_that_takes_too_long_leaves_the_study_to_chains(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_slow(*_: Any, **__: Any) -> None:
        raise TimeIsUpError("the time is up")

    monkeypatch.setattr(learning, "exactly", too_slow)
    with steps_take(1e-3) as clock:
        study = _begun(_table(), seconds=clock.deadline(2.0))
        for step in STEPS[: STEPS.index(compute_exactly)]:
            study = step(study)
        assert study.algorithm is Algorithm.EXACT
        found = compute_exactly(study)
        assert found.posterior is None
    assert found.algorithm is Algorithm.MCMC
    assert found.asked is study.asked  # nothing is scored twice
    assert "Exact computation was given up, as it took too long." in found.kept().sentences
    requested = replace(study, request=replace(study.request, algorithm=Algorithm.EXACT))
    with pytest.raises(TimeIsUpError):
        compute_exactly(requested)


def test_missing_values_are_part_of_the_study() -> None:
    study = _begun(_table(0.1))
    assert isinstance(study.incomplete, IncompleteData)
    assert study.identity["data"] == study.incomplete.fingerprint
    complete = _begun(_table())
    assert complete.question.table is not None
    assert complete.identity["data"] == complete.question.table.fingerprint
