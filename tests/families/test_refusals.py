"""Constraints that contradict each other, or name what is not there, are refused by name."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from arcwise.errors import ConstraintError
from arcwise.families.families import Constraints


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"required_edges": [("smok", "lung"), ("lung", "zzz")]},
            r"required_edges names 'zzz' and 'smok' \(did you mean 'smoke'\?\); the variables",
        ),
        ({"forbidden_edges": [("agee", "lung")]}, "forbidden_edges names 'agee'"),
        ({"search_space": [("agee", "lung")]}, "search_space names 'agee'"),
        ({"tiers": ["agee"]}, "tiers names 'agee'"),
        ({"max_indegree": {"agee": 1}}, "max_indegree names 'agee'"),
        ({"max_indegree": {3: 1}}, "max_indegree names 3"),
        (
            {"required_edges": [("age", "age")]},
            "required_edges contains an edge from 'age' to itself",
        ),
        ({"forbidden_edges": [("age", "age")]}, "forbidden_edges contains an edge from 'age'"),
        ({"required_edges": np.eye(4)}, "an edge from 'number 0' to itself"),
        (
            {
                "required_edges": [("age", "lung"), ("smoke", "lung"), ("lung", "cough")],
                "forbidden_edges": [("age", "lung")],
                "tiers": ["lung", ["age", "smoke"]],
            },
            r"required_edges contains 'age' -> 'lung' \(forbidden by forbidden_edges and "
            r"tiers\) and 'smoke' -> 'lung' \(forbidden by tiers\); remove each",
        ),
        (
            {"required_edges": [("age", "lung")], "search_space": [("age", "smoke")]},
            r"'age' -> 'lung' \(forbidden by search_space\)",
        ),
        (
            {"required_edges": [("age", "lung"), ("lung", "smoke"), ("smoke", "age")]},
            "required_edges has the cycle age -> lung -> smoke -> age; remove one",
        ),
        (
            {
                "required_edges": [("age", "lung"), ("smoke", "lung"), ("age", "cough")],
                "max_indegree": {"lung": 1},
            },
            "max_indegree leave no parent set for 'lung': 'lung' requires 2 parents "
            r"\('age' and 'smoke'\) but may have at most 1; require",
        ),
        (
            {"required_edges": [("age", "lung")], "max_indegree": 0},
            "leave no parent set for 'lung'",
        ),
        ({"max_indegree": -1}, "max_indegree is -1; give a whole number, 0 or more"),
        ({"max_indegree": {"age": -2}}, r"max_indegree\['age'\] is -2"),
        ({"max_indegree": 1.5}, "max_indegree is 1.5"),
        ({"max_indegree": True}, "max_indegree is True"),
        ({"max_indegree": {"age": 1.5}}, r"max_indegree\['age'\] is 1.5"),
        ({"tiers": [["age", "lung"], ["lung", "age"]]}, "'age' and 'lung' in more than"),
        ({"tiers": "age"}, "tiers is 'age'; give lists"),
        ({"tiers": 3}, "tiers is 3; give lists"),
        ({"tiers": [3]}, "tiers holds 3"),
        (
            {"tiers": {"age": "first"}},
            "the tier of 'age' in tiers is 'first'; give a number",
        ),
        ({"tiers": {"age": float("nan")}}, "the tier of 'age' in tiers is nan"),
        ({"required_edges": ["ab"]}, "required_edges contains 'ab'; give each edge as a pair"),
        ({"required_edges": "ab"}, "required_edges is 'ab'; give pairs"),
        ({"required_edges": 7}, "required_edges is 7; give pairs"),
        ({"required_edges": [("age", "lung", 1)]}, "required_edges contains .*; give each edge"),
        ({"required_edges": [("age", 3)]}, "required_edges contains .*; give each edge"),
        ({"required_edges": [("age", ["lung"])]}, "required_edges contains .*; give each edge"),
        ({"forbidden_edges": np.ones((2, 3))}, r"forbidden_edges has the shape \(2, 3\)"),
        ({"forbidden_edges": np.ones((2, 2))}, "for 2 variables and there are 4"),
        ({"forbidden_edges": [[0, 5], [0, 0]]}, "forbidden_edges holds 5; give 1 where"),
        ({"forbidden_edges": [(re.compile("q"), "age")]}, "pattern 'q', which matches none"),
    ],
)
def test_refusals_name_everything_involved(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        Constraints(**given).resolve(["age", "smoke", "lung", "cough"])
