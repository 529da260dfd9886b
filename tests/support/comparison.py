"""How close the scores of the library and of the reference must be, over all families or DAGs."""

from __future__ import annotations

import math
from collections.abc import Callable

from arcwise.scores import FamilyScores
from reference.dags import all_dags
from reference.graphs import equivalence_class
from support.strategies import Case, Rule

Definition = Callable[[int, tuple[int, ...]], float]
"""From a node and its parents, as numbers, to the score."""


def close(value: float, expected: float, tolerance: float = 1e-10) -> bool:
    """Say whether the two differ by no more than the tolerance, relative beyond 1."""
    if math.isinf(expected) or math.isinf(value):
        return value == expected
    return abs(value - expected) <= tolerance * max(1.0, abs(expected))


def assert_families_agree(
    scores: FamilyScores, case: Case, rule: Rule, definition: Definition
) -> None:
    """Assert that exactly the families of the rule are there, each with the score it must have."""
    for node, name in enumerate(case.variables):
        families = dict(scores.families(name))
        assert set(families) == rule.families[name]
        for parents, value in families.items():
            expected = definition(node, case.numbers(parents))
            assert close(value, expected), (name, parents, value, expected)
            assert scores.log_score(name, reversed(parents)) == value


def assert_same_scores(first: FamilyScores, second: FamilyScores, tolerance: float) -> None:
    """Assert that the families of the second have the same score in the first."""
    assert set(first.variables) >= set(second.variables)
    for name in second.variables:
        for parents, value in second.families(name):
            assert close(first.log_score(name, parents), value, tolerance), (name, parents)


def assert_equivalent_dags_score_the_same(scores: FamilyScores) -> None:
    """Compare all DAGs of four nodes within each class: same skeleton, same v-structures."""
    classes: dict[object, list[float]] = {}
    for dag in all_dags(4):
        total = math.fsum(
            scores.log_score("abcd"[node], ["abcd"[parent] for parent in parents])
            for node, parents in enumerate(dag)
        )
        classes.setdefault(equivalence_class(dag), []).append(total)
    assert len(classes) == 185  # of the 543 DAGs, as is well known
    for totals in classes.values():
        assert max(totals) - min(totals) < 1e-9
    # Different classes do differ, so the test can fail.
    assert len({round(totals[0], 6) for totals in classes.values()}) > 100
