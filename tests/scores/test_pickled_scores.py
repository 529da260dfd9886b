"""Pickled scores and posteriors have the families of the original, by rule or in a list."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.scores import FamilyScores

DATA = arcwise.simulate("asia", 200, seed=1)
CANDIDATES = arcwise.candidates(DATA, "greedy:2")


def assert_same(found: FamilyScores, expected: FamilyScores) -> None:
    assert found.variables == expected.variables
    for node, name in enumerate(expected.variables):
        assert found.families(name) == expected.families(name)
        assert found.table.required(node) == expected.table.required(node)
        assert found.table.listed(node) == expected.table.listed(node)


@pytest.mark.parametrize(
    "arguments",
    [
        {"max_indegree": 2},
        {"candidates": CANDIDATES, "plus_one": True},
        {"required_edges": [("smoke", "lung")], "forbidden_edges": [("asia", "lung")]},
        {"candidates": CANDIDATES, "plus_one": True, "required_edges": [("smoke", "lung")]},
    ],
    ids=["all", "plus-one", "constrained", "both"],
)
def test_scores_and_posteriors_of_models(arguments: dict[str, Any]) -> None:
    model = arcwise.Model(DATA, **arguments)
    assert_same(pickle.loads(pickle.dumps(model.weights)), model.weights)
    posterior = arcwise.exact(model)
    again = pickle.loads(pickle.dumps(posterior))
    assert_same(again.family_probabilities, posterior.family_probabilities)
    np.testing.assert_array_equal(again.edges, posterior.edges)
    assert again.model is None


def test_listed_families() -> None:
    scores = FamilyScores.from_mapping(
        {"a": {(): -3.0, ("c", "b"): -1.5}, "b": {(): -5.0, ("a",): -4.0}, "c": {(): 0.0}}
    )
    again = pickle.loads(pickle.dumps(scores))
    assert_same(again, scores)
    assert again.table.listed(0)
