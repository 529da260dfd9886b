"""Reads objects of pgmpy and causal-learn by their attributes, without importing either."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import permutations
from typing import Any

from arcwise.errors import ConstraintError, Wording
from arcwise.graphs.foreign import edges_of_general_graph
from arcwise.support.words import shown

_KNOWLEDGE = ("required_edges", "forbidden_edges", "temporal_order", "search_space")


def is_expert_knowledge(value: Any) -> bool:
    """Return whether a value looks like pgmpy's ExpertKnowledge."""
    return any(hasattr(value, attribute) for attribute in _KNOWLEDGE)


def from_expert_knowledge(value: Any) -> dict[str, Any]:
    """Return an ExpertKnowledge as keyword arguments of `Constraints`."""
    keywords = {attribute: getattr(value, attribute, None) for attribute in _KNOWLEDGE}
    # In pgmpy, an empty set means that no search space was given.
    if keywords["search_space"] is not None and len(keywords["search_space"]) == 0:
        del keywords["search_space"]
    return keywords


def is_background_knowledge(value: Any) -> bool:
    """Return whether a value looks like causal-learn's BackgroundKnowledge."""
    return hasattr(value, "required_rules_specs") and hasattr(value, "forbidden_rules_specs")


def from_background_knowledge(value: Any) -> dict[str, Any]:
    """Return a BackgroundKnowledge as keyword arguments of `Constraints`."""
    tiers = {
        number: [node.get_name() for node in nodes]
        for number, nodes in getattr(value, "tier_map", {}).items()
    }
    within = [
        pair
        for number in getattr(value, "forbidden_within_tiers", ())
        for pair in permutations(tiers[number], 2)
    ]
    return {
        "required_edges": _edges(value, "required"),
        "forbidden_edges": [*_edges(value, "forbidden"), *within],
        "tiers": [tiers[number] for number in sorted(tiers)],
    }


def _edges(value: Any, kind: str) -> list[tuple[Any, Any]]:
    named: Iterable[tuple[Any, Any]] = getattr(value, f"{kind}_rules_specs")
    patterns: Iterable[tuple[str, str]] = getattr(value, f"{kind}_pattern_rules_specs", ())
    return [
        *((start.get_name(), end.get_name()) for start, end in named),
        *((_compiled(start), _compiled(end)) for start, end in patterns),
    ]


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as problem:
        raise ConstraintError(
            f"the background knowledge contains {shown(pattern)}, which is not a regular "
            f"expression ({problem}); correct the pattern"
        ) from None


def directed_edges(graph: Any, source: str | Wording) -> list[tuple[str, str]]:
    """Return the edges of a GeneralGraph of causal-learn, all of which must be directed."""
    pairs = []
    for first, second, directed in edges_of_general_graph(graph):
        if not directed:
            raise ConstraintError(
                source,
                f" has an edge between {first!r} and {second!r} that is not directed; "
                "give directed edges only",
            )
        pairs.append((first, second))
    return pairs
