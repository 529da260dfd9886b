"""Inputs that fuzzing found to end in something other than the library's own errors."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import _core
from arcwise.errors import (
    ArcwiseError,
    ArgumentError,
    DataError,
    FileFormatError,
    NumericalError,
)
from arcwise.learning.request import Request
from arcwise.model.provenance import Provenance
from arcwise.parameters.highest_density import checked_level
from arcwise.posterior.evidence import Evidence
from arcwise.priors import EdgeProbabilities
from arcwise.records.settings import Schedule
from arcwise.records.start import usual_order_steps
from arcwise.records.tempering import Tempering
from arcwise.statistics.student import summed_degrees
from arcwise.support.archives import read_archive
from arcwise.support.files import UNREADABLE, write_json
from arcwise.support.plain_dataclasses import PlainDataclasses
from arcwise.support.words import byte_size
from support.exact_models import flat_model


@pytest.mark.parametrize("steps", [-7, 0, 10**30])
def test_schedules_without_steps(steps: int) -> None:
    with pytest.raises(ArgumentError, match=r"^steps is"):
        Schedule(steps)


def test_a_population_without_temperatures_is_refused_by_the_core_too() -> None:
    space = arcwise.spaces.LinearOrders().build(arcwise.sums.ScoreSums(flat_model(3)))
    with pytest.raises(ArcwiseError, match="no temperature"):
        _core.plan_population(space, [], 8, 0.9, 0.1, 1, 1, 1, 1, None)


@pytest.mark.parametrize("name", ["steps_between_exchanges", "most_temperatures"])
@pytest.mark.parametrize("value", [-(10**30), 0, 2**40])
def test_ladders_that_the_core_cannot_hold(name: str, value: int) -> None:
    with pytest.raises(ArgumentError, match=f"^{name} is"):
        Tempering((0.0, 1.0), **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a\0b.json", "\ud800.json"])
def test_names_that_no_file_can_have(name: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="cannot be the name of a file"):
        write_json({}, tmp_path / name)


def test_seconds_beyond_all_steps() -> None:
    assert usual_order_steps(20, 1e308) == usual_order_steps(20, None)


def test_counts_are_plain_numbers() -> None:
    assert type(Request(chains=np.int64(2**62)).chains) is int  # type: ignore[arg-type]


def test_a_pair_without_dimensions_and_a_name_of_too_many_digits() -> None:
    model = arcwise.Model(np.random.default_rng(1).normal(size=(50, 3)), max_indegree=1)
    found = arcwise.exact(model, dags=10)
    with pytest.raises(ArgumentError, match=r"^pairs holds"):
        arcwise.effects(found, pairs=[np.array(3)], model=model)  # type: ignore[list-item]
    with pytest.raises(DataError, match="more than 4,300 digits"):
        arcwise.read({10**5000: [0, 1]})


def test_a_header_that_is_no_python(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, a=np.zeros(3))
    content = path.read_bytes()
    assert content.count(b"'shape'") == 1
    path.write_bytes(content.replace(b"'shape'", b"\x11sha(e'"))
    with pytest.raises(UNREADABLE):
        read_archive(path)


@pytest.mark.parametrize("level", [{}, object(), "b", 1j, 0, 1, math.nan, None])
def test_levels_that_are_no_probability(level: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^level is "):
        checked_level(level)


def test_probabilities_of_edges_that_are_complex() -> None:
    with pytest.raises(ArgumentError, match=r"^edge_probabilities is "):
        EdgeProbabilities(np.array([[0, 0.5j], [0.5, 0]]))


def test_tiers_numbered_in_sixteen_bits() -> None:
    given = {"a": np.float16(2.0), "b": 10**300, "c": 1}
    assert arcwise.Constraints(tiers=given).tiers == (("c",), ("a",), ("b",))


def test_chains_without_dimensions() -> None:
    with pytest.raises(ArgumentError, match="chain_edges has the shape"):
        replace(arcwise.exact(arcwise.Model({"a": [0, 1], "b": [1, 0]})), chain_edges=np.array(1.0))


@pytest.mark.parametrize("largest", [1e200, 1e-200])
def test_variances_whose_squares_are_no_numbers(largest: float) -> None:
    assert summed_degrees([largest, largest], [3.0, 3.0]) == pytest.approx(6.0)
    assert summed_degrees([math.inf, 1.0], [3.0, 5.0]) == 3.0


def test_variances_beyond_all_numbers() -> None:
    values = np.random.default_rng(1).normal(size=(20, 2))
    for scale in (1e200, 1e-200):
        with pytest.raises(NumericalError, match=r"the variance of column 'X0' times 0\.5 is too"):
            arcwise.score(scale * values, "bge")


def test_a_parent_with_a_nul_byte(tmp_path: Path) -> None:
    path = tmp_path / "scores.jkl"
    path.write_bytes(b"2\na 1\n-1.0 1 b\0c\nb 1\n-1.0 0\n")
    with pytest.raises(FileFormatError, match="not a variable of the file; correct the file"):
        arcwise.scores.read_scores(path)


def test_errors_of_the_evidence_below_zero() -> None:
    for wrong in ({"standard_error": -1.0}, {"degrees_of_freedom": 0.0}):
        with pytest.raises(ArgumentError, match=f"^{next(iter(wrong))} is"):
            Evidence(-3.0, **wrong)  # type: ignore[arg-type]


def test_breaks_that_are_complex() -> None:
    with pytest.raises(ArgumentError, match=r"^breaks\['a'\] is"):
        arcwise.read({"a": [0.1, 0.7, 0.9], "b": [1, 0, 1]}, discretize={"a": [0.5j]})


def test_seconds_too_few_for_thousands_of_columns() -> None:
    values = np.random.default_rng(1).normal(size=(5, 2000))
    with pytest.raises(ArgumentError, match=r"^seconds is 5, and the probabilities of 2,000"):
        arcwise.learn(values, seconds=5)


@pytest.mark.parametrize("rows", [-3, 0])
def test_a_posterior_from_fewer_than_one_row(rows: int) -> None:
    form = PlainDataclasses()
    written = form.write(Provenance(rows=7))
    assert form.read(Provenance, written).rows == 7
    with pytest.raises(ValueError, match="rows"):
        form.read(Provenance, written | {"rows": rows})


def test_bytes_beyond_all_numbers() -> None:
    assert byte_size(10**400) == "more than 10^24 bytes"


def test_a_share_of_particles_below_all_others() -> None:
    model = flat_model(3)
    least = np.float64(5e-324)
    found = arcwise.smc(model, "partitions", particles=4, runs=4, effective_share=least, seed=1)
    assert found.log_evidence is not None
