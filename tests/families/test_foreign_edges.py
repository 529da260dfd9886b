"""Edges, constraints and candidates of things that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import ArgumentError, ConstraintError
from arcwise.families.families import Constraints
from arcwise.model.candidates import Candidates

TABLE = {"a": [0, 1, 1, 0], "b": [0, 1, 0, 1], "c": [1, 1, 0, 0]}


@pytest.mark.parametrize("edges", [3, "a -> b -> c", [3], [("a",)], [("a", "b", "c")], ["ab"]])
def test_edges_that_are_none_are_refused(edges: Any) -> None:
    with pytest.raises(ConstraintError, match=r"^required_edges .*; give "):
        arcwise.Model(TABLE, required_edges=edges)


def test_constraints_are_joined_with_constraints_alone() -> None:
    both = Constraints([("a", "b")]) & Constraints(forbidden_edges=[("b", "c")])
    assert both.required_edges
    assert both.forbidden_edges
    with pytest.raises(TypeError, match="unsupported operand"):
        Constraints() & 3  # type: ignore[operator]


def test_candidates_are_joined_with_candidates_alone() -> None:
    one = Candidates(["a", "b"], {"a": ["b"]})
    assert np.array_equal((one | Candidates(["b", "a"], {"b": ["a"]})).matrix(), 1 - np.eye(2))
    with pytest.raises(TypeError, match="unsupported operand"):
        one | 3
    with pytest.raises(ArgumentError, match=r"parents\['a'\] is the single string 'b'"):
        Candidates(["a", "b"], {"a": "b"})


def test_things_that_cannot_be_compared_are_named() -> None:
    with pytest.raises(ArgumentError, match="a dict and a int cannot be compared; give two"):
        arcwise.compare(TABLE, 3)  # type: ignore[call-overload]
