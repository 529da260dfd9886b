"""Chains that are saved and restored go on to the last bit as if they had never stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import _core
from arcwise.errors import FileFormatError
from arcwise.records.settings import filled

_NAMES = tuple("abcdefg")
_PARTS = [("a", "b"), ("a", "c"), ("d", "e"), ("f", "e")]
_SPACES = {
    "linear": arcwise.spaces.LinearOrders(),
    "canonical": arcwise.spaces.CanonicalOrders(),
    "buckets": arcwise.spaces.BucketOrders(3),
    "partial orders": arcwise.spaces.PartialOrders(_PARTS),
    "partitions": arcwise.spaces.Partitions(),
    "layerings": arcwise.spaces.Layerings(3),
    "dags": arcwise.spaces.Dags(),
}
_LADDERS = {"mcmc": [1.0], "mc3": [0.0, 0.2, 0.5, 1.0]}
_BURN_IN = 700


def _model(seed: int = 1, **constraints: Any) -> arcwise.Model:
    dag = arcwise.networks.random_dag(_NAMES, expected_degree=3.0, seed=seed)
    network = arcwise.networks.discrete_network(dag, seed=seed)
    return arcwise.Model(network.sample(60, seed=seed), max_indegree=3, **constraints)


_CANDIDATES = {"a": ["b", "c"], "e": ["a", "d", "f"], "g": ["c"]}
_METHODS = {
    "tables": (_model(), "table"),
    "walks": (_model(), "walk"),
    "scans": (_model(), "scan"),
    "rows": (_model(candidates=_CANDIDATES, plus_one=True), "rows"),
}
_MODELS = {
    "free": _model(),
    "constrained": _model(required_edges=[("a", "b")], forbidden_edges=[("c", "d"), ("g", "a")]),
}


def _chains(
    space: arcwise.spaces.Space,
    model: arcwise.Model,
    ladder: list[float] | list[tuple[float, float]],
    *,
    seed: int = 5,
    count: int = 2,
    method: Any = "auto",
) -> _core.Chains:
    record = filled(
        _core.RecordOptions(), dags_per_state=2, count_extensions=True, edges=True, edge_batches=4
    )
    sums = arcwise.model.ScoreSums(model, method=method, tolerance=1e-9, tabulate="sums")
    built = space.build(sums)
    adapt = len(ladder) > 1
    most = 2 * len(ladder) if adapt else 0
    options = filled(
        _core.ChainOptions(),
        path=ladder,
        steps_between_exchanges=3,
        adapt=adapt,
        most_temperatures=most,
        record=record,
    )
    chains = _core.Chains(built, options, seed, 0, count)
    chains.set_thinning(3)
    return chains


def _sampled_in_pieces(chains: _core.Chains, make: Callable[[], _core.Chains]) -> _core.Chains:
    """Sample by new chains for every piece, which know of the earlier ones only what was saved."""
    for draws in (1, 60, 7, 132):
        state = chains.save_state()
        chains = make()
        chains.restore_state(state)
        chains.sample(draws, 2, None)
    return chains


@pytest.mark.parametrize("model", _MODELS.values(), ids=_MODELS)
@pytest.mark.parametrize("ladder", _LADDERS.values(), ids=_LADDERS)
@pytest.mark.parametrize("space", _SPACES.values(), ids=_SPACES)
def test_restored_chains_go_on_bit_for_bit(
    space: arcwise.spaces.Space, ladder: list[float], model: arcwise.Model
) -> None:
    whole = _chains(space, model, ladder)
    whole.start(_BURN_IN, 1, None)
    whole.sample(200, 1, None)

    chains = _chains(space, model, ladder)
    chains.start(0, 1, None)
    # Every piece is made by chains that know of the earlier ones only what was saved.
    for piece in (1, 130, 99, 300, 170):
        state = chains.save_state()
        chains = _chains(space, model, ladder)
        chains.restore_state(state)
        chains.burn_in(piece, 2, None)
    chains = _sampled_in_pieces(chains, lambda: _chains(space, model, ladder))
    assert chains.save_state() == whole.save_state()
    for chain in range(2):
        assert chains.moves(chain) == whole.moves(chain)
        assert chains.exchanges(chain) == whole.exchanges(chain)
        assert chains.round_trips(chain) == whole.round_trips(chain)
        expected = whole.record(chain)
        for name, values in chains.record(chain).items():
            np.testing.assert_array_equal(values, expected[name])


@pytest.mark.parametrize("model", _MODELS.values(), ids=_MODELS)
def test_chains_on_the_bridge_go_on_bit_for_bit(model: arcwise.Model) -> None:
    space = _SPACES["canonical"]
    bridge = [(0.5, 0.0), (1.0, 0.0), (1.0, 0.9), (1.0, 1.0)]
    whole = _chains(space, model, bridge)
    whole.start(_BURN_IN, 1, None)
    whole.sample(200, 1, None)
    chains = _chains(space, model, bridge)
    chains.start(_BURN_IN, 1, None)
    chains = _sampled_in_pieces(chains, lambda: _chains(space, model, bridge))
    assert chains.save_state() == whole.save_state()


@pytest.mark.parametrize("space", _SPACES.values(), ids=_SPACES)
@pytest.mark.parametrize(("model", "method"), _METHODS.values(), ids=_METHODS)
def test_however_sums_are_had(
    space: arcwise.spaces.Space, model: arcwise.Model, method: str
) -> None:
    """Sums by other ways differ in their last bits, and moves take the one that is at hand."""
    whole = _chains(space, model, _LADDERS["mc3"], method=method)
    whole.start(300, 1, None)
    whole.sample(100, 1, None)
    chains = _chains(space, model, _LADDERS["mc3"], method=method)
    chains.start(300, 1, None)
    for _ in range(20):
        state = chains.save_state()
        chains = _chains(space, model, _LADDERS["mc3"], method=method)
        chains.restore_state(state)
        chains.sample(5, 1, None)
    assert chains.save_state() == whole.save_state()


@pytest.mark.parametrize(
    "space", [_SPACES[name] for name in ("linear", "canonical", "partitions", "dags")]
)
def test_weights_keep_the_rounding_of_their_way_here(space: arcwise.spaces.Space) -> None:
    """Long enough for rounding to build up, and for the sums to be made anew in between."""
    model = _MODELS["free"]
    whole, chains = _chains(space, model, [1.0]), _chains(space, model, [1.0])
    whole.start(30_000, 1, None)
    chains.start(0, 1, None)
    for _ in range(30):
        state = chains.save_state()
        chains = _chains(space, model, [1.0])
        chains.restore_state(state)
        chains.burn_in(1_000, 1, None)
    assert chains.save_state() == whole.save_state()


def test_taking_draws_leaves_the_path_and_the_edges_alone() -> None:
    space, model = _SPACES["partitions"], _MODELS["free"]
    whole, chains = _chains(space, model, [1.0]), _chains(space, model, [1.0])
    for each in (whole, chains):
        each.start(50, 1, None)
    whole.sample(90, 1, None)
    taken = []
    for draws in (20, 1, 69):
        chains.sample(draws, 1, None)
        taken.append(chains.take_draws(1))
        assert len(chains.record(1)["log_weights"]) == 0
    expected = whole.record(1)
    for name in ("log_weights", "codes", "dag_counts", "parents", "log_extensions"):
        together = np.concatenate([piece[name] for piece in taken])
        np.testing.assert_array_equal(together, expected[name])
    for name in ("edge_sums", "edge_batches", "edge_batch_size"):
        np.testing.assert_array_equal(taken[-1][name], expected[name])


def test_the_saved_state_does_not_grow_once_draws_are_taken() -> None:
    chains = _chains(_SPACES["linear"], _MODELS["free"], _LADDERS["mc3"])
    chains.start(100, 1, None)
    sizes = []
    for _ in range(12):
        chains.sample(200, 1, None)
        for chain in range(2):
            chains.take_draws(chain)
        sizes.append(len(chains.save_state()))
    # Batches fill up and are then merged.
    assert max(sizes) <= 1.5 * sizes[0]
    assert max(sizes[6:]) <= max(sizes[:6])


def test_a_damaged_state_is_refused() -> None:
    space, model = _SPACES["linear"], _MODELS["free"]
    chains = _chains(space, model, [1.0])
    chains.start(20, 1, None)
    state = chains.save_state()
    random = np.random.default_rng(3)
    for place in [0, 15, len(state) - 1, *random.integers(0, len(state), 200).tolist()]:
        damaged = bytearray(state)
        damaged[place] ^= 1 << int(random.integers(8))
        with pytest.raises(FileFormatError, match="damaged"):
            _chains(space, model, [1.0]).restore_state(bytes(damaged))
    for length in (0, 3, 30, len(state) - 1):
        with pytest.raises(FileFormatError, match="damaged"):
            _chains(space, model, [1.0]).restore_state(state[:length])


def test_a_state_of_other_chains_is_refused() -> None:
    space, model = _SPACES["linear"], _MODELS["free"]
    chains = _chains(space, model, [1.0])
    chains.start(20, 1, None)
    state = chains.save_state()
    for other in (
        _chains(space, model, [1.0], count=3),
        _chains(space, model, [0.0, 1.0]),
        _chains(_SPACES["dags"], model, [1.0]),
    ):
        with pytest.raises(FileFormatError, match="other chains"):
            other.restore_state(state)
    with pytest.raises(FileFormatError, match="scores"):
        _chains(space, _model(seed=2), [1.0]).restore_state(state)
