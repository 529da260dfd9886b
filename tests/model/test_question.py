"""`Question`: what is asked is told apart once, and wrong names are answered with right ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise import Constraints, Model
from arcwise.errors import ArgumentError, UnknownArgumentError
from arcwise.families import Families
from arcwise.model import Definition, Question, ask
from arcwise.scores import FamilyScores, FunctionScore

TABLE = {"a": [0, 1, 1, 0], "b": [0, 1, 0, 0], "c": [1, 0, 1, 0]}


def penalty(node: str, parents: tuple[str, ...]) -> float:
    return -float(len(parents))


def test_the_kinds_of_data(tmp_path: Path) -> None:
    table = Question.of(TABLE)
    assert table.table is not None
    assert table.precomputed is None
    names = Question.of(["a", "b"], Definition(penalty))
    assert names.table is None
    assert isinstance(names.score, FunctionScore)
    scores = arcwise.score(TABLE)
    scores.write_jkl(tmp_path / "scores.jkl")
    for given in (scores, tmp_path / "scores.jkl"):
        read = Question.of(given)
        assert isinstance(read.precomputed, FamilyScores)
        assert read.score is None
        assert read.variables == ("a", "b", "c")
        assert read.number_of_families == len(scores) == table.number_of_families
    assert Question.of(table) is table
    model = Model(TABLE)
    assert ask(model, Definition()) is model
    assert ask(table, Definition()) is table


@pytest.mark.parametrize(
    "more",
    [
        {"score": "bic"},
        {"prior": "fair"},
        {"constraints": Constraints(max_indegree=1)},
        {"candidates": {}},
        {"plus_one": True},
    ],
    ids=str,
)
def test_what_is_complete_takes_nothing_more(more: dict[str, Any]) -> None:
    for given in (Model(TABLE), Question.of(TABLE)):
        with pytest.raises(ArgumentError, match="has its score, prior, constraints and candidates"):
            ask(given, Definition(**more))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "score": arcwise.score,
    "Model": Model,
    "candidates": arcwise.candidates,
    "grow": arcwise.grow,
    "learn": arcwise.learn,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("tier", "tiers"),
        ("max_indegre", "max_indegree"),
        ("blacklist", "forbidden_edges"),
        ("thread", "threads"),
    ],
)
def test_wrong_names_are_answered_with_the_right_ones(name: str, wrong: str, right: str) -> None:
    with pytest.raises(UnknownArgumentError) as caught:
        FUNCTIONS[name](TABLE, **{wrong: 1})
    assert f"{name} has no argument '{wrong}' (did you mean '{right}'?)" in str(caught.value)
    assert isinstance(caught.value, TypeError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_constraints_mean_the_same_everywhere(name: str) -> None:
    rules: dict[str, Any] = {"required_edges": [("a", "b")], "constraints": {"max_indegree": 1}}
    families = Families.of(list(TABLE), **rules)
    more = {"learn": {"progress": None}}.get(name, {})
    found = FUNCTIONS[name](arcwise.read(TABLE), **rules, **more)
    if name == "score":
        assert len(found) == families.total
    elif name == "Model":
        assert found.families == families
    elif name == "candidates":
        assert found["b"] == ("a",)
    elif name == "grow":
        assert found.model.constraints.max_indegree == 1
        assert "a" in found.candidates["b"]
    else:
        assert found.edge_probability("a", "b") == pytest.approx(1.0)
        assert found.account.chosen.families == families.total


def test_a_prior_by_the_evidence_needs_a_table() -> None:
    chosen = Model(TABLE, prior="by-evidence")
    learned = arcwise.learn(TABLE, prior="by-evidence", progress=None)
    assert learned.account is not None
    assert repr(chosen.prior) == learned.account.chosen.prior
    assert repr(chosen.prior) != repr(Model(TABLE).prior)
    fixed = Model(TABLE, arcwise.scores.BDeu(7.0), prior="by-evidence")
    assert fixed.score == arcwise.scores.BDeu(7.0)
    for data, score in ((arcwise.score(TABLE), None), (["a", "b"], penalty)):
        with pytest.raises(ArgumentError, match="'by-evidence', which needs a table"):
            Model(data, score, prior="by-evidence")
