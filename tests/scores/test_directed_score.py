"""A score that is no set function, of Python: everything that works for BDeu and BGe works for it.

It is K2: Dirichlet priors with all pseudo-counts 1. Markov equivalent DAGs score differently.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

import arcwise
from arcwise import Data, Model
from arcwise.errors import ArgumentError
from arcwise.model import scoring
from arcwise.scores import FamilyScores, LocalScore, family_scores
from reference import scores as reference
from reference.exact import enumerate_posterior
from support.comparison import assert_families_agree, close
from support.local_clusters import within_this_process
from support.strategies import Case, discrete_case, discrete_cases, rules


@dataclass(frozen=True)
class K2(LocalScore):
    """The score of Cooper and Herskovits (1992)."""

    def log_scores(
        self, data: Data, children: Sequence[int], parents: Sequence[int]
    ) -> list[float]:
        codes, levels = data.discrete_codes("K2"), data.level_counts()
        weights = np.ones(data.rows) if data.weights is None else data.weights
        cell, cells = np.zeros(data.rows, dtype=np.int64), 1
        for parent in parents:
            cell, cells = cell * levels[parent] + codes[:, parent], cells * int(levels[parent])
        scores = []
        for child in children:
            counts = np.zeros((cells, levels[child]))
            np.add.at(counts, (cell, codes[:, child]), weights)
            total = levels[child] + counts.sum(axis=1)
            scores.append(
                float((gammaln(levels[child]) - gammaln(total) + gammaln(1 + counts).sum(1)).sum())
            )
        return scores


def by_definition(case: Case, node: int, parents: Sequence[int]) -> float:
    return reference.dirichlet(case.rows, node, parents, lambda _, __: 1.0)


NUMBERS = np.random.default_rng(7)


def _table(n: int = 8, rows: int = 120) -> Case:
    """Return columns that depend on each other, with weights, one of them set in every row."""
    codes = np.zeros((rows, n), dtype=np.uint16)
    levels = [2 + place % 2 for place in range(n)]
    for place, count in enumerate(levels):
        codes[:, place] = NUMBERS.integers(0, count, rows)
        if place:
            same = NUMBERS.random(rows) < 0.6
            codes[same, place] = codes[same, place - 1] % count
    weights = NUMBERS.uniform(0.0, 3.0, rows)
    return discrete_case(
        codes, levels, weights, NUMBERS.random(codes.shape) < [0.3, 0, 1.0, *[0] * (n - 3)]
    )


CASE = _table()
DATA = CASE.data
NAMES = CASE.variables
FEW = {name: [NAMES[place - 1]] for place, name in enumerate(NAMES) if place}
PLUS_ONE: dict[str, Any] = {"candidates": FEW, "plus_one": True}


def assert_as_defined(scores: FamilyScores) -> None:
    for node, name in enumerate(scores.variables):
        for parents, value in scores.families(name):
            assert close(value, by_definition(CASE, node, CASE.numbers(parents)))


@given(st.data())
def test_every_family_has_the_score_of_the_definition(data: Any) -> None:
    case = data.draw(discrete_cases())
    rule = data.draw(rules(case.variables))
    scores = arcwise.score(case.data, K2(), threads=1, **rule.keywords)
    assert_families_agree(
        scores, case, rule, lambda node, parents: by_definition(case, node, parents)
    )


def test_it_is_no_set_function() -> None:
    scores = arcwise.score(DATA, K2())
    there = scores.log_score("e", ["d"]) - scores.log_score("e", [])
    assert abs(there - (scores.log_score("d", ["e"]) - scores.log_score("d", []))) > 0.01


def test_families_with_one_more_parent_have_it_too() -> None:
    found = arcwise.score(DATA, K2(), threads=2, **PLUS_ONE)
    assert len(found) == 8 + 7 * (2 + 2 * 6)  # with no candidate, and with one
    assert_as_defined(found)


@pytest.mark.parametrize("method", ["greedy:3", "gains:3", "greedy:2+gains:2"])
def test_candidates_are_those_of_the_table_of_all_scores(method: str) -> None:
    scores = arcwise.score(DATA, K2())
    expected = arcwise.candidates(scores, method, prior="fair")
    assert arcwise.candidates(DATA, method, score=K2(), prior="fair") == expected


def test_the_exact_posterior_is_that_of_all_dags() -> None:
    some = DATA.select(NAMES[:4])
    for rule in ({}, {"parent_only": ["a"]}, {"tiers": [["b", "a"], ["c", "d"]]}):
        model = Model(some, K2(), prior="fair", **rule)
        expected = enumerate_posterior(model, "modular")
        assert np.abs(arcwise.exact(model).edges - expected.edges).max() < 1e-10


class _Killed(Exception):
    pass


def test_growth_keeps_its_scores_and_finds_the_best_dag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "_WORTH_KEEPING", 0.0)
    monkeypatch.setattr(family_scores, "_SECONDS_OF_A_PART", 0.0)
    file = tmp_path / "growth.json"
    add, left = family_scores.PartsFile.add, [1]

    def stopping(self: family_scores.PartsFile, *arguments: Any) -> None:
        if left[0] == 0:
            raise _Killed
        left[0] -= 1
        add(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(family_scores.PartsFile, "add", stopping)
        with pytest.raises(_Killed):
            arcwise.grow(DATA, "greedy:1", score=K2(), seed=1, file=file)
    assert file.with_suffix(".scores").stat().st_size > 100
    grown = arcwise.grow(DATA, "greedy:1", score=K2(), seed=1, file=file)
    assert_as_defined(grown.model.scores)
    assert grown.best is not None
    best = arcwise.map(Model(DATA, K2()))
    assert math.isclose(grown.best.log_weight, best.log_weight, rel_tol=1e-12)


@pytest.mark.parametrize("rule", [{}, {"max_indegree": 3}, PLUS_ONE], ids=["all", "three", "plus"])
def test_a_cluster_and_threads_give_the_same_bits(rule: dict[str, Any]) -> None:
    with within_this_process() as client:
        far = arcwise.score(DATA, K2(), engine=client, **rule)
    for threads in (1, 3):
        near = arcwise.score(DATA, K2(), threads=threads, **rule)
        for node in range(len(NAMES)):
            assert near.table.values(node).tobytes() == far.table.values(node).tobytes()
    assert_as_defined(far)


def test_more_families_than_one_unit_holds() -> None:
    class Weighted(LocalScore):
        """A number for each family."""

        def log_scores(self, data: Data, children: Sequence[int], parents: Sequence[int]) -> Any:
            return np.sin(np.array(children) + 100.0 * np.dot(parents, parents))

    data = arcwise.read(NUMBERS.normal(size=(5, 14)))
    scores = arcwise.score(data, Weighted(), max_indegree=5)
    assert len(scores) > 4 * 2**12
    for child, name in enumerate(data.variables):
        for parents, value in scores.families(name):
            places = [data.variables.index(parent) for parent in parents]
            assert value == np.sin(child + 100.0 * np.dot(places, places))


def test_what_log_scores_returns_is_checked() -> None:
    class Short(LocalScore):
        def log_scores(self, data: Data, children: Any, parents: Any) -> list[float]:
            return [0.0]

    with pytest.raises(ArgumentError, match=r"log_scores of Short returned \[0.0\] for 6 children"):
        arcwise.score(DATA, Short())

    class Nothing(LocalScore):
        pass

    with pytest.raises(ArgumentError, match="Nothing computes nothing; give its class a method"):
        arcwise.score(DATA, Nothing())
