"""Counts beyond what a machine can hold or count are refused at once, with the memory they take."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import arcwise
from arcwise.errors import ArgumentError, CapacityError
from arcwise.support.checks import available_memory, real_number, real_numbers, whole_number
from arcwise.support.names import shown


@cache
def model() -> arcwise.Model:
    return arcwise.Model({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1], "c": [1, 1, 0, 0]})


@pytest.mark.parametrize(
    "call",
    [
        lambda: arcwise.mcmc(model(), steps=100, chains=10**18),
        lambda: arcwise.mcmc(model(), steps=10**15, thinning=1),
        lambda: arcwise.mcmc(model(), steps=10**6, thinning=1, dags_per_state=10**9),
        lambda: arcwise.mc3(model(), steps=100, temperatures=10**18),
        lambda: arcwise.ais(model(), particles=10**18),
        lambda: arcwise.ais(model(), steps=10**15),
        lambda: arcwise.exact(model(), dags=10**15),
        lambda: arcwise.map(model(), method="search", restarts=10**15),
        lambda: arcwise.simulate("asia", 10**15),
        lambda: arcwise.networks.random_dag(10**15, edge_probability=0.1),
    ],
)
def test_more_than_the_memory_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(CapacityError, match=r"would take about .*iB of memory, and .* are free"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: arcwise.mcmc(model(), steps=10**30),
        lambda: arcwise.mcmc(model(), steps=100, chains=10**30),
        lambda: arcwise.mcmc(model(), steps=100, seed=2**64),
        lambda: arcwise.exact(model(), threads=2**31),
        lambda: arcwise.map(model(), restarts=10**30),
        lambda: arcwise.exact(model(), dags=10**5000),
    ],
)
def test_numbers_beyond_the_cores_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ArgumentError, match=r"give a whole number up to \d"):
        call()


def test_the_largest_seed_is_taken() -> None:
    assert arcwise.exact(model(), dags=2, seed=2**64 - 1).run.dags == 2


@pytest.mark.parametrize("value", [True, np.bool_(True), 1.0, "1", None, np.array(1), [1]])
def test_whole_numbers_are_whole_numbers(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"n is .*; give a whole number, 0 or more"):
        whole_number(value, "n", at_least=0)


@pytest.mark.parametrize("value", [True, "1", None, float("nan"), 1j, [1.0], np.array([1.0])])
def test_real_numbers_are_real_numbers(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"x is .*; give any number"):
        real_number(value, "x", lambda _: True, "any number")


def test_whole_numbers_beyond_all_floats_are_infinite() -> None:
    assert real_number(10**400, "x", lambda _: True, "any") == float("inf")
    assert real_number(-(10**400), "x", lambda _: True, "any") == float("-inf")


@pytest.mark.parametrize("value", ["a", ["a"], [[1], [2, 3]], np.array([1j]), [None], {"a": 1}])
def test_arrays_of_anything_else_are_refused(value: object) -> None:
    with pytest.raises(ArgumentError, match="x holds values that are not numbers"):
        real_numbers(value, "x")


def test_long_values_are_shown_without_their_middle() -> None:
    assert shown("a" * 10**6) == "'" + "a" * 38 + "..." + "a" * 37 + "'"
    assert len(shown(list(range(10**5)))) == 80


def test_long_sentences_are_shown_without_their_middle() -> None:
    sentence = str(ArgumentError("x is ", "a" * 10**5, "; give less"))
    assert len(sentence) < 2100
    assert sentence.startswith("x is aaa")
    assert sentence.endswith("; give less")


def test_the_free_memory_is_within_reason() -> None:
    assert 2**20 < available_memory() < 2**60
