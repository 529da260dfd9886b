"""Spaces by name: the core and the package have the same, and each move has its law tested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import arcwise
from arcwise import _core, _core_testing
from arcwise.errors import ArgumentError
from arcwise.model.score_sums import ScoreSums
from arcwise.records.run_files import plain_space, read_space
from arcwise.spaces import NAMED_SPACES, LinearOrders, Space, as_space, move_shares, space_words
from support.law_cases import CASES

OWN = [kind for kind in NAMED_SPACES.values() if kind.__module__.startswith("arcwise.")]


def test_the_core_and_the_package_have_the_same_spaces() -> None:
    assert {kind.name for kind in OWN} == set(_core_testing.space_names())


@pytest.mark.parametrize("kind", OWN)
def test_every_move_alone_is_a_case_of_the_laws(kind: type[Space]) -> None:
    moves = list(move_shares(kind, 4))
    cases = [case.space for case in CASES.values() if type(case.space) is kind]
    assert cases
    if len(moves) > 1:
        alone = {name for space in cases for name in _only_move(space)}
        assert alone == set(moves) - {"stay"}


def _only_move(space: Space) -> list[str]:
    asked = getattr(space, "moves", None) or {}
    return list(asked) if len(asked) == 1 else []


@pytest.fixture
def toy() -> Iterator[type[Space]]:
    @dataclass(frozen=True)
    class Toy(Space, name="toy"):
        """Linear orders, by swaps of neighbours."""

        tries: int = 1

        def build(self, sums: ScoreSums) -> _core.Space:
            return LinearOrders({"adjacent": self.tries}).build(sums)

    yield Toy
    del NAMED_SPACES["toy"]


def test_a_space_of_ones_own_goes_by_its_name(toy: type[Space]) -> None:
    assert as_space("toy") == toy()
    assert "toy" in space_words()
    model = arcwise.Model(["a", "b", "c"], lambda node, parents: -float(len(parents)))
    found = arcwise.mcmc(model, "toy", steps=200, chains=2, seed=1)
    same = arcwise.mcmc(model, LinearOrders({"adjacent": 1}), steps=200, chains=2, seed=1)
    assert (found.edges == same.edges).all()
    plain = plain_space(toy(), model.variables)
    assert plain == {"kind": "Toy", "tries": 1}
    assert read_space(plain) == toy()


@pytest.mark.parametrize("word", ["toy", "linear:3", "linear:", "buckets", "buckets:", "dags:x"])
def test_words_of_no_space_are_refused(word: str) -> None:
    with pytest.raises(ArgumentError, match="give one of 'buckets:SIZE'"):
        as_space(word)
