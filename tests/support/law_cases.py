"""Every space with each of its moves, and models of few variables, to tabulate laws of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from arcwise import Model, _core
from arcwise.model.score_sums import ScoreSums
from arcwise.spaces import (
    BucketOrders,
    CanonicalOrders,
    Dags,
    Layerings,
    LinearOrders,
    PartialOrders,
    Partitions,
    Space,
)
from reference.spaces import (
    State,
    weights_of_bucket_orders,
    weights_of_canonical_orders,
    weights_of_dags,
    weights_of_layerings,
    weights_of_linear_orders,
    weights_of_numbered_orders,
    weights_of_partial_orders,
    weights_of_partitions,
)
from support.exact_models import random_model
from support.parent_only_models import folded_by_definition

Weights = Callable[[Model], dict[State, float]]


def _required_edges(n: int) -> Model:
    """Return a model in which many orders have no structure at all."""
    edges = [("x2", "x0"), ("x3", "x1")] if n > 3 else [("x2", "x0")]
    return random_model(n, spread=4.0, seed=3, required_edges=edges)


def _candidates(n: int) -> dict[str, list[str]]:
    chosen = {"x0": ["x1"], "x1": ["x2", "x0"], "x2": [], "x3": ["x0"]}
    return {f"x{i}": chosen[f"x{i}"] for i in range(n)}


def _plus_one(n: int) -> Model:
    """Return a model with at most one parent besides few candidates, one of them required."""
    return random_model(
        n,
        spread=4.0,
        seed=6,
        candidates=_candidates(n),
        plus_one=True,
        required_edges=[("x2", "x1")],
        forbidden_edges=[("x1", "x0")],
    )


def _plus_one_free(n: int) -> Model:
    """Return one in which no parent is required: the sums of all nodes are known as numbers."""
    return random_model(n, spread=8.0, seed=7, candidates=_candidates(n), plus_one=True)


def _parent_only(n: int) -> Model:
    """Return a model with two parent-only variables besides, which states know nothing of."""
    edges = [(f"x{n}", "x0")]
    chosen = [f"x{n}", f"x{n + 1}"]
    return random_model(
        n + 2, spread=5.0, seed=8, parent_only=chosen, max_indegree=3, required_edges=edges
    )


MODELS: dict[str, Callable[[int], Model]] = {
    "free": lambda n: random_model(n, spread=5.0, seed=1),
    "far apart": lambda n: random_model(n, spread=60.0, seed=2),
    "required edges": _required_edges,
    "candidates": lambda n: random_model(n, spread=4.0, seed=4, candidates=_candidates(n)),
    "plus one": _plus_one,
    "plus one, free": _plus_one_free,
    "impossible families": lambda n: random_model(n, spread=4.0, seed=5, impossible=0.4),
    "max_indegree": lambda n: random_model(n, spread=5.0, seed=6, max_indegree=n - 2),
    "parent-only": _parent_only,
}


@dataclass(frozen=True)
class Case:
    """A space and the weights its states must have."""

    space: Space
    weights: Weights
    reaches: bool = True
    """Whether this move alone leads from every state to every other."""
    misses: tuple[str, ...] = ()
    """The models in whose posterior it does not."""
    numbered: bool = False
    """Whether every structure is there once for each numbering of the variables."""


def _bucket_orders(size: int) -> Case:
    return Case(BucketOrders(size), partial(weights_of_bucket_orders, size=size))


def _partial_orders(*pairs: tuple[int, int]) -> Case:
    named = [(f"x{first}", f"x{second}") for first, second in pairs]
    return Case(PartialOrders(named), partial(weights_of_partial_orders, pairs=pairs))


def _linear_orders(move: str) -> Case:
    return Case(LinearOrders({move: 1.0}), weights_of_linear_orders)


_first_to_last: Weights = partial(weights_of_canonical_orders, numbers=range(4))


def _canonical_orders(move: str) -> Case:
    return Case(CanonicalOrders({move: 1.0}), _first_to_last, reaches=False)


def _partitions(move: str, reaches: bool = False) -> Case:
    return Case(Partitions({move: 1.0}), weights_of_partitions, reaches)


def _dags(move: str) -> Case:
    return Case(Dags({move: 1.0}), weights_of_dags, reaches=False)


@cache
def _weights_of_layerings(max_size: int) -> Weights:
    return partial(weights_of_layerings, max_size=max_size)


def _layerings(max_size: int, move: str | None = None, reaches: bool = False) -> Case:
    moves = None if move is None else {move: 1.0}
    space = Layerings(max_size, moves, partition_moves=1)
    return Case(space, _weights_of_layerings(max_size), reaches or move is None)


# Where the way from one family to another leads over sets that are none, edges cannot go it.
_BLOCKED = ("impossible families",)

CASES = {
    "linear": Case(LinearOrders(), weights_of_linear_orders),
    "swap": _linear_orders("swap"),
    "adjacent": _linear_orders("adjacent"),
    "relocate": _linear_orders("relocate"),
    "canonical": Case(CanonicalOrders(), weights_of_numbered_orders, numbered=True),
    "canonical, first to last": Case(
        CanonicalOrders({"swap": 1.0, "adjacent": 1.0, "relocate": 1.0}),
        _first_to_last,
    ),
    "swap in canonical orders": _canonical_orders("swap"),
    "adjacent in canonical orders": _canonical_orders("adjacent"),
    "relocate in canonical orders": _canonical_orders("relocate"),
    "renumber": Case(
        CanonicalOrders({"renumber": 1.0}),
        weights_of_numbered_orders,
        reaches=False,
        numbered=True,
    ),
    "buckets of 1": _bucket_orders(1),
    "buckets of 2": _bucket_orders(2),
    "buckets of 3": _bucket_orders(3),
    "partial orders": _partial_orders((0, 2), (1, 2)),
    "partial chains": _partial_orders((0, 1), (1, 2)),
    "partitions": Case(Partitions(), weights_of_partitions),
    "split or join": _partitions("split or join", reaches=True),
    "relocate in partitions": _partitions("relocate", reaches=True),
    "swap in partitions": _partitions("swap"),
    "swap adjacent": _partitions("swap adjacent"),
    "reverse edge": _partitions("reverse edge"),
    "dags": Case(Dags(), weights_of_dags),
    "add or delete": Case(Dags({"add or delete": 1.0}), weights_of_dags, misses=_BLOCKED),
    "add, delete, reverse": Case(
        Dags({"add or delete": 1.0, "reverse": 1.0}), weights_of_dags, misses=_BLOCKED
    ),
    "reverse": _dags("reverse"),
    "reverse path": _dags("reverse path"),
    "redraw parents": _dags("redraw parents"),
    "reverse and redraw": _dags("reverse and redraw"),
    "window": _dags("window"),
    "class jump": _dags("class jump"),
    "Markov blanket": _dags("Markov blanket"),
    "layerings of 1": _layerings(1),
    "layerings of 2": _layerings(2),
    "layerings of 3": _layerings(3),
    "relocate in layerings of 1": _layerings(1, "relocate", reaches=True),
    "relocate in layerings of 2": _layerings(2, "relocate"),
    "relocate in layerings of 3": _layerings(3, "relocate"),
    "swap in layerings": _layerings(2, "swap"),
    "swap adjacent in layerings": _layerings(2, "swap adjacent"),
    "re-partition layerings of 2": _layerings(2, "re-partition"),
    "re-partition layerings of 3": _layerings(3, "re-partition"),
    "reverse edge in layerings of 2": _layerings(2, "reverse edge"),
    "reverse edge in layerings of 3": _layerings(3, "reverse edge"),
}


@cache
def model_of(name: str, n: int) -> Model:
    """Return a model by its name."""
    return MODELS[name](n)


@cache
def _weights_by(definition: Weights, model: str, n: int) -> dict[State, float]:
    return definition(folded_by_definition(model_of(model, n)))


def weights_of(case: str, model: str, n: int) -> dict[State, float]:
    """Return the weight of each state from its definition, which the moves of a space share."""
    return _weights_by(CASES[case].weights, model, n)


@cache
def _sums_of(model: str, n: int) -> ScoreSums:
    return ScoreSums(model_of(model, n))


def space_of(case: str, model: str, n: int) -> _core.Space:
    """Return the space of the core."""
    return CASES[case].space.build(_sums_of(model, n))
