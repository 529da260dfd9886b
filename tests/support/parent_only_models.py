"""Models with parent-only variables, and what each must be by definition."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from arcwise import Model
from arcwise.model.model import Modularity
from arcwise.results import DagSample
from arcwise.scores import FamilyScores
from reference.dags import Parents
from reference.parent_only import ConditionalPosterior
from support.exact_models import random_model

MODELS: dict[str, dict[str, Any]] = {
    "one": {"n": 4, "parent_only": ["x1"]},
    "first and last": {"n": 5, "parent_only": ["x0", "x4"]},
    "as many": {"n": 6, "parent_only": ["x1", "x3", "x4"], "spread": 3.0, "max_indegree": 2},
    "one ordinary": {"n": 3, "parent_only": ["x0", "x2"]},
    "four ordinary": {"n": 5, "parent_only": ["x2"], "spread": 4.0, "max_indegree": 2},
    "thousands of nats apart": {"n": 5, "parent_only": ["x0", "x3"], "spread": 2_000.0},
    "impossible families": {"n": 5, "parent_only": ["x1", "x2"], "impossible": 0.4, "seed": 5},
    "required": {
        "n": 5,
        "parent_only": ["x0", "x3"],
        "required_edges": [("x0", "x1"), ("x2", "x1")],
        "forbidden_edges": [("x3", "x4"), ("x4", "x2")],
    },
    "tiers": {"n": 5, "parent_only": ["x4", "x1"], "tiers": [["x0", "x4"], ["x2", "x3"], ["x1"]]},
    "fair": {"n": 5, "parent_only": ["x1", "x2"], "prior": "fair", "max_indegree": 3},
    "sparse": {"n": 5, "parent_only": ["x1", "x2"], "prior": "sparse"},
    "candidates": {
        "n": 5,
        "parent_only": ["x0", "x1"],
        "candidates": {"x2": ["x0", "x3"], "x3": ["x2", "x1", "x4"], "x4": ["x1"]},
    },
    "plus one": {
        "n": 5,
        "parent_only": ["x0", "x1"],
        "plus_one": True,
        "candidates": {"x2": ["x0", "x3"], "x3": ["x2"], "x4": ["x1"]},
        "max_indegree": 2,
    },
    "plus one, required": {
        "n": 5,
        "parent_only": ["x3", "x4"],
        "plus_one": True,
        "candidates": {"x0": ["x1", "x2"], "x1": ["x3"], "x2": []},
        "required_edges": [("x4", "x2")],
    },
}
"""Arguments of `random_model`: three or four ordinary variables, one to three parent-only ones."""


def model_of(name: str) -> Model:
    return random_model(**({"spread": 6.0, "seed": 2} | MODELS[name]))


def listed(model: Model) -> Model:
    """Return the same model from precomputed scores, whose families are lists."""
    n = len(model.variables)
    everything = model.weights.table.restricted(
        np.ones((n, n), dtype=np.uint8),
        np.zeros((n, n), dtype=np.uint8),
        np.full(n, n, dtype=np.int64),
    )
    return Model(FamilyScores(model.variables, everything), parent_only=model.parent_only)


def folded_by_definition(model: Model) -> Model:
    """Return a model of the ordinary variables, with families summed over parent-only parents."""
    if not model.parent_only:
        return model
    sums: dict[tuple[str, frozenset[str]], float] = {}
    for node in model.ordinary:
        for parents, weight in model.weights.families(node):
            key = node, frozenset(parents).difference(model.parent_only)
            sums[key] = sums.get(key, 0.0) + math.exp(weight)

    def weight_of(node: str, parents: tuple[str, ...]) -> float:
        total = sums.get((node, frozenset(parents)), 0.0)
        return math.log(total) if total > 0.0 else -math.inf

    return Model(list(model.ordinary), weight_of, prior="uniform")


def definition(model: Model, modularity: Modularity) -> ConditionalPosterior:
    """Return the posterior of a model from the weights of its families alone."""
    names = model.variables

    @cache
    def weight(node: int, parents: tuple[int, ...]) -> float:
        return model.weights.log_score(names[node], [names[u] for u in parents])

    chosen = frozenset(names.index(name) for name in model.parent_only)
    return ConditionalPosterior(len(names), chosen, weight, modularity == "order-modular")


def log_prior_total(model: Model, modularity: Modularity) -> float:
    """Return the log of the summed prior weights of all DAGs whose families there are."""
    names = model.variables

    @cache
    def weight(node: int, parents: tuple[int, ...]) -> float:
        named = [names[u] for u in parents]
        if model.scores.log_score(names[node], named) == -math.inf:
            return -math.inf
        return model.prior.log_weight(names, names[node], named)

    chosen = frozenset(names.index(name) for name in model.parent_only)
    return ConditionalPosterior(len(names), chosen, weight, modularity == "order-modular").log_total


def parents_of(dags: DagSample) -> list[Parents]:
    """Return the DAGs of a sample of up to 64 nodes as tuples of parents."""
    return [tuple(map(_members, masks)) for masks in dags.parents[:, :, 0].tolist()]


@cache
def _members(mask: int) -> tuple[int, ...]:
    return tuple(u for u in range(mask.bit_length()) if mask >> u & 1)
