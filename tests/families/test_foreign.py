"""Constraints read from mappings and from the objects of pgmpy and causal-learn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arcwise.errors import ArgumentError, ConstraintError
from arcwise.families.families import Constraints


def expert_knowledge(**given: Any) -> SimpleNamespace:
    """Hold the attributes of pgmpy 1.1's ExpertKnowledge, with its defaults."""
    defaults: dict[str, Any] = {
        "forbidden_edges": set(),
        "required_edges": set(),
        "search_space": set(),
        "temporal_order": [[]],
        "temporal_ordering": {},
    }
    return SimpleNamespace(**{**defaults, **given})


def test_pgmpy_expert_knowledge() -> None:
    assert Constraints.coerce(expert_knowledge()) == Constraints()
    given = {
        "forbidden_edges": {("a", "b")},
        "required_edges": {("b", "a")},
        "temporal_order": [["b"], ["a", "c"]],
        "search_space": {("b", "a"), ("b", "c")},
    }
    assert Constraints.coerce(expert_knowledge(**given)) == Constraints(**given)


class Node:
    """The part of causal-learn's GraphNode that is read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def get_name(self) -> str:
        return self.name


def background_knowledge(**given: Any) -> SimpleNamespace:
    """Hold the attributes of causal-learn 0.1.4's BackgroundKnowledge, with its defaults."""
    defaults: dict[str, Any] = {
        "forbidden_rules_specs": set(),
        "forbidden_pattern_rules_specs": set(),
        "required_rules_specs": set(),
        "required_pattern_rules_specs": set(),
        "tier_map": {},
        "tier_value_map": {},
        "forbidden_within_tiers": set(),
    }
    return SimpleNamespace(**{**defaults, **given})


def test_causal_learn_background_knowledge() -> None:
    assert Constraints.coerce(background_knowledge()) == Constraints()
    x1, x2, y1, y2, z = map(Node, names := ["x1", "x2", "y1", "y2", "z"])
    constraints = Constraints.coerce(
        background_knowledge(
            required_rules_specs={(x1, y1)},
            required_pattern_rules_specs={("x2", "y.*")},
            forbidden_rules_specs={(x1, z)},
            forbidden_pattern_rules_specs={("y", ".*")},
            tier_map={1: {y1, y2}, 0: {x1, x2}, 2: set()},
            forbidden_within_tiers={0, 2},
        )
    )
    resolved = constraints.resolve(names)
    required = {("x1", "y1"), ("x2", "y1"), ("x2", "y2")}
    free = {("x1", "y2"), ("x2", "z"), ("z", "x1"), ("z", "x2"), ("z", "y1"), ("z", "y2")}

    def pairs(matrix: Any) -> set[tuple[str, str]]:
        return {(names[i], names[j]) for i, j in np.argwhere(matrix)}

    assert pairs(resolved.required) == required
    assert pairs(resolved.allowed) == required | free


def test_mappings_and_nothing() -> None:
    given = {"required_edges": [("a", "b")], "forbidden_edges": None, "max_indegree": 2}
    assert Constraints.coerce(given) == Constraints([("a", "b")], max_indegree=2)
    assert Constraints.coerce(None) == Constraints()
    constraints = Constraints(max_indegree=1)
    assert Constraints.coerce(constraints) is constraints
    with pytest.raises(ArgumentError, match=r"the keys 'max_parents'; the keys are .*max_indegree"):
        Constraints.coerce({"max_parents": 3})
    with pytest.raises(ArgumentError, match="of type int; give Constraints"):
        Constraints.coerce(42)


def test_a_foreign_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(ConstraintError, match=r"'\(', which is not a regular expression"):
        Constraints.coerce(background_knowledge(required_pattern_rules_specs={("(", "a")}))
