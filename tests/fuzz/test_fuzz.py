"""Fuzzing with fixed seeds, a minute of a processor; ``make fuzz`` goes on as long as one likes.

Each target runs in a process of its own, where a crash, a hang or too much memory is found out
like any other failure.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType

import pytest

import arcwise
from arcwise import results
from fuzz.calls import calls
from fuzz.methods import INTERNAL, objects
from fuzz.run import described, fuzz
from fuzz.subjects import Subjects
from fuzz.targets import READERS, TARGETS

# Cases a second differ by a factor of a hundred, so numbers do.
_CASES = {
    **{"npz": 180, "ledger": 40, "jkl": 1200, "csv": 480, "parquet": 350, "score-table": 450},
    **{
        "knowledge-file": 1200,
        "edge-file": 1200,
        "names": 100,
        "arrays": 350,
        "feature": 1500,
        "words": 900,
    },
    **{"constraints": 1100, "arguments": 900, "shell": 80, "methods": 900},
    **{"data-file": 300, "evidence-file": 500},
}


def test_every_target_has_a_number_of_cases() -> None:
    assert set(_CASES) == set(TARGETS)
    assert set(READERS) <= set(TARGETS)


# Answers, which only the library makes; bases of classes that users write; and what would reach
# out of this process.
_NOT_CALLED = {
    *(f"results.{name}" for name in results.__all__),
    *("graphs.EdgeCounts", "graphs.GraphComparison", "engines.Engine", "engines.Threads"),
    *("features.Feature", "networks.Network", "priors.Prior", "priors.FamilyFunction"),
    *("scores.LocalScore", "scores.Law", "scores.LawScore", "scores.FamilyScores", "spaces.Space"),
    *("scores.ConditionalLinearGaussian", "scores.LinearGaussian", "scores.ProbabilityTables"),
    *("spaces.space_words", "cluster.DaskEngine"),
    "Posterior",
}


def test_every_public_function_and_constructor_is_called(tmp_path: Path) -> None:
    called = {inspect.unwrap(call.function) for call in calls(Subjects(tmp_path))}
    public = {name: getattr(arcwise, name) for name in dir(arcwise)}
    for module in [each for each in public.values() if isinstance(each, ModuleType)]:
        short = module.__name__.partition(".")[2]
        if short != "errors":
            public |= {f"{short}.{name}": getattr(module, name) for name in module.__all__}
    functions = {name: each for name, each in public.items() if callable(each)}
    assert functions.keys() >= _NOT_CALLED
    missing = [name for name, each in functions.items() if inspect.unwrap(each) not in called]
    assert set(missing) - _NOT_CALLED == set()


def test_every_class_of_results_with_methods_is_asked(tmp_path: Path) -> None:
    asked = {type(thing) for thing in objects(Subjects(tmp_path))}
    missing = [
        name
        for name in results.__all__
        if _has_arguments(getattr(results, name)) and getattr(results, name) not in asked
    ]
    assert missing == []


def _has_arguments(kind: type) -> bool:
    """Return whether a method takes something from users."""
    return any(
        len(inspect.signature(method).parameters) > 1
        for name, method in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_") and f"{kind.__name__}.{name}" not in INTERNAL
    )


@pytest.mark.parametrize("name", _CASES)
def test_nothing_but_answers_and_errors_of_its_own(name: str) -> None:
    found = fuzz([name], seed=2026, processes=1, cases=_CASES[name], seconds=0.0)
    assert found[name].inputs == _CASES[name]
    assert not found[name].failures, described(found, 2026)
