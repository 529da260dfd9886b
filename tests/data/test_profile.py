"""Facts about a table that go with results: moments, preparation, weights, interventions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import arcwise
from arcwise.data.profile import DataProfile
from arcwise.data.scales import Moments
from arcwise.errors import DataWarning


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(20, 500),
    st.sampled_from(["normal", "exponential", "uniform", "laplace"]),
    st.sampled_from([1e-120, 1.0, 1e120]),
)
def test_moments_and_test_are_those_of_scipy(seed: int, n: int, law: str, scale: float) -> None:
    values = getattr(np.random.default_rng(seed), law)(size=n)
    found = Moments.of(scale * values)
    assert found is not None
    assert found.skewness == pytest.approx(stats.skew(values), abs=1e-9)
    assert found.excess_kurtosis == pytest.approx(stats.kurtosis(values), abs=1e-9)
    assert found.p_value == pytest.approx(stats.normaltest(values).pvalue, rel=1e-6, abs=1e-300)


def test_nothing_is_said_of_few_or_equal_values() -> None:
    assert Moments.of(np.arange(19.0)) is None
    assert Moments.of(np.full(30, 2.5)) is None


def test_normal_columns_pass() -> None:
    """Of 2,000 normal columns, 2 are expected below 0.001; more than 12 with probability 1e-6."""
    random = np.random.default_rng(4)
    found = [Moments.of(random.normal(size=100)) for _ in range(2000)]
    assert sum(moments is not None and moments.p_value < 0.001 for moments in found) <= 12


def test_what_was_done_to_a_table_goes_with_it() -> None:
    table = {
        "x": [None, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
        "y": ["a", "b", "a", "b", None, "a", "b"],
        "z": [1, 1, 1, 1, 1, 1, 1],
    }
    with pytest.warns(DataWarning):
        data = arcwise.read(table, missing="drop", constant="drop")
    data = arcwise.discretize(data, bins=2)
    done = data.preparation
    assert (done.dropped_rows, dict(done.discretized)) == (2, {"x": 2})
    told = " ".join(DataProfile.of(data, None).preparation_sentences(data.rows))
    assert "2 of 7 rows were dropped" in told
    assert "Left out: 'z'" in told
    assert "Cut into intervals: 'x' (2 intervals)." in told
    for other in (pickle.loads(pickle.dumps(data)), data.take_rows([0, 1]), data.select(["y"])):
        assert other.preparation == done
    assert data == arcwise.Data(data.columns)  # it is no part of what the data are
    levels = arcwise.read({"y": table["y"], "w": [0, 1] * 3 + [0]}, missing="level")
    assert levels.preparation.missing_as_level == ("y",)
    again = arcwise.read(data, kinds={"x": "discrete"})  # a table of a table
    assert (again.preparation, again.notes) == (done, data.notes)


def test_profile_of_weights_interventions_and_identifiers() -> None:
    rows = 40
    mask = np.zeros((rows, 4), dtype=np.bool_)
    mask[:10, 0] = mask[5:20, 2] = True
    table = {
        "a": [0, 1] * 20,
        "key": [f"k{i}" for i in range(rows)],
        "b": [0, 0, 1, 1] * 10,
        "number": list(range(100, 100 + rows)),
    }
    data = arcwise.read(
        table,
        weights=[0.5, 1.5] * 20,
        interventions=mask,
        kinds={"number": "continuous"},
        identifiers="keep",
    )
    profile = DataProfile.of(data, None)
    assert profile.levels == (2, rows, 2, 0)
    assert profile.identifiers == ("key", "number")
    assert (profile.intervened_rows, dict(profile.intervened)) == (20, {"a": 10, "b": 15})
    assert profile.total_weight == 40.0
    assert profile.effective_rows == pytest.approx(32.0)
    assert profile.rows_for("a", rows) == pytest.approx(30.0)
    assert profile.rows_for("key", rows) == pytest.approx(40.0)
    told = " ".join(profile.preparation_sentences(rows))
    assert "In 20 of 40 rows 2 variables were intervened on" in told
    assert "The rows are weighted and count as 40 rows." in told


def test_moments_are_of_rows_without_an_intervention() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=120)
    x[:40] = 50.0
    data = arcwise.read(
        {"x": x, "y": random.normal(size=120)}, interventions={"x": [i < 40 for i in range(120)]}
    )
    moments = DataProfile.of(data, "gaussian").moments
    assert moments["x"] == Moments.of(x[40:])
    assert set(moments) == {"x", "y"}
