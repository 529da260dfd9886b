"""What every space owes: few variables, its target, moves it refuses, and its word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Posterior, _core
from arcwise.cli import main
from arcwise.errors import ArgumentError
from arcwise.spaces import (
    NAMED_SPACES,
    BucketOrders,
    CanonicalOrders,
    Dags,
    Layerings,
    LinearOrders,
    PartialOrders,
    Partitions,
    Space,
    as_space,
)
from arcwise.support.names import quoted
from support.exact_models import MODULARITIES, random_model
from support.run_records import chains_of

SPACES: dict[str, Space] = {
    "linear": LinearOrders(),
    "buckets:2": BucketOrders(2),
    "canonical": CanonicalOrders(),
    "partitions": Partitions(),
    "layerings:1": Layerings(1),
    "layerings:2": Layerings(2),
    "dags": Dags(),
}
"""Every space that has a word, by the word."""

MODULAR = [word for word, space in SPACES.items() if space.modularity == "modular"]
WITH_MOVES = [word for word, space in SPACES.items() if hasattr(space, "moves")]


def test_every_space_is_here() -> None:
    assert {type(space) for space in SPACES.values()} == set(NAMED_SPACES.values()) - {
        PartialOrders  # of given variables: nothing asks for it by a word
    }


@pytest.mark.parametrize("word", SPACES)
def test_the_word_stands_for_the_space(word: str, tmp_path: Path) -> None:
    assert as_space(word) == SPACES[word]
    assert as_space(SPACES[word]) is SPACES[word]
    table, out = tmp_path / "data.csv", tmp_path / "out"
    arcwise.simulate("asia", 60, seed=1).select(["smoke", "lung", "bronc"]).write_csv(table)
    # The shell would choose the prior by the evidence.
    options = ["--prior", "sparse:1", "--score", "bdeu"]
    options += ["--algorithm", "mcmc", "--space", word, "--steps", "4000", "--seed", "3"]
    assert main(["sample", str(table), *options, "--threads", "1", "--out", str(out)]) == 0
    saved = Posterior.load(out / "posterior.npz")
    same = arcwise.mcmc(arcwise.Model(table), SPACES[word], steps=4000, seed=3, threads=1)
    assert np.array_equal(saved.edges, same.edges)
    assert chains_of(saved).settings.space == chains_of(same).settings.space == SPACES[word]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("word", SPACES)
def test_one_and_two_variables(word: str, n: int) -> None:
    model = random_model(n, spread=2.0)
    for modularity in MODULARITIES:
        if modularity == "order-modular" and word in MODULAR:
            continue
        found = arcwise.mcmc(
            model, SPACES[word], modularity=modularity, steps=20_000, chains=2, seed=1
        )
        # Of 1,000 draws and more: one twentieth is beyond six standard errors.
        assert np.abs(found.edges - arcwise.exact(model, modularity).edges).max() < 0.05


@pytest.mark.parametrize("word", MODULAR)
def test_the_order_modular_posterior_is_refused(word: str) -> None:
    with pytest.raises(ArgumentError, match="samples the modular posterior"):
        arcwise.mcmc(random_model(3), SPACES[word], modularity="order-modular", steps=10)


@pytest.mark.parametrize("word", WITH_MOVES)
def test_moves_that_cannot_be_are_refused(word: str) -> None:
    space: Any = SPACES[word]
    known = [move for move, _ in _core.space_moves(space.name, 4)]
    message = f"^moves names 'shuffle'; {type(space).__name__} has {quoted(known)}$"
    with pytest.raises(ArgumentError, match=message):
        replace(space, moves={"shuffle": 1.0})
    move = known[0]
    for shares in ({}, {move: -1.0}, {move: 0.0}, {move: float("inf")}):
        with pytest.raises(ArgumentError, match="give numbers from 0 on, at least one above 0"):
            replace(space, moves=shares)
