"""Every prior and every constraint, for models of any number of variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arcwise import Dag
from arcwise.priors import DistanceToDag, EdgePenalty, EdgeWeights, Fair, FunctionPrior
from arcwise.scores import FamilyScores
from reference.exact import members
from support.exact_models import names, random_score


def odd(node: str, parents: tuple[str, ...]) -> float:
    return -0.3 * len(parents) ** 2 + (1.7 if node == "x1" and "x0" in parents else 0.0)


def edge_weights(n: int) -> EdgeWeights:
    return EdgeWeights(np.random.default_rng(3).uniform(0.05, 20.0, (n, n)))


def chain(n: int) -> Dag:
    return Dag.from_edges(names(n), [(f"x{i}", f"x{i + 1}") for i in range(n - 1)])


PRIORS: dict[str, Callable[[int], Any]] = {
    "none": lambda n: None,
    "uniform": lambda n: "uniform",
    "fair": lambda n: "fair",
    "edge weights": edge_weights,
    "distance": lambda n: DistanceToDag(chain(n), 0.2),
    "penalty": lambda n: EdgePenalty(1.3),
    "reward": lambda n: EdgePenalty(-0.7),
    "function": lambda n: odd,
    "product": lambda n: Fair() * edge_weights(n) * FunctionPrior(odd) * EdgePenalty(0.4),
}

RULES: dict[str, Callable[[int], dict[str, Any]]] = {
    "all families": lambda n: {},
    "no edges": lambda n: {"max_indegree": 0},
    "max_indegree": lambda n: {"max_indegree": min(2, n - 1)},
    "max_indegree of one": lambda n: {"max_indegree": {"x0": 0, f"x{n - 1}": 1}},
    "required": lambda n: {"required_edges": [(f"x{n - 1}", "x0"), ("x0", "x1")][: n - 1]},
    "forbidden": lambda n: {"forbidden_edges": [("x0", f"x{n - 1}")] if n > 1 else []},
    "tiers": lambda n: {
        "temporal_order": [list(names(n)[: n // 2 + 1]), list(names(n)[n // 2 + 1 :])]
    },
    "candidates": lambda n: {
        "candidates": {f"x{i}": [f"x{(i + 1) % n}", f"x{(i + 2) % n}"] for i in range(n) if n > 2}
    },
    "several": lambda n: {
        "max_indegree": min(3, n - 1),
        "required_edges": [("x1", "x0")] if n > 1 else [],
        "forbidden_edges": [("x0", "x2")] if n > 2 else [],
    },
}


def listed(n: int, seed: int) -> FamilyScores:
    """Return scores of half of the parent sets; one of a node's may be all it has."""
    random = np.random.default_rng(seed)
    score = random_score(n, 15.0, seed)
    families: dict[str, dict[Any, float]] = {}
    for v, node in enumerate(names(n)):
        masks = [mask for mask in range(1 << n) if not mask >> v & 1]
        kept = [mask for mask in masks if random.random() < 0.5]
        sets = [tuple(names(n)[u] for u in members(mask)) for mask in kept]
        families[node] = {parents: score(node, parents) for parents in [*sets, *([()] * (not v))]}
    return FamilyScores.from_mapping({v: of or {(): -1.0} for v, of in families.items()})
