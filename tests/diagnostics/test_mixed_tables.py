"""What is said about mixed tables: parameters, normality within levels, directions.

The test of normality flags a table of normal columns with a probability below 0.01; its seeds are
fixed.
"""

from __future__ import annotations

import numpy as np
import pytest

import arcwise
from arcwise import Dag, Data, Model
from arcwise.data import ContinuousColumn, DiscreteColumn
from arcwise.data.profile import DataProfile, standardized_within_levels
from arcwise.diagnostics.data_and_model import data_and_model, family_sizes
from arcwise.networks import ConditionalGaussianNetwork, Regression

DAG = Dag(["g", "h", "x", "y"], {"x": ["g", "h"], "y": ["x", "g"]})


def separated(rows: int) -> Data:
    """Return a table whose columns have well separated modes, and are normal within them."""
    network = ConditionalGaussianNetwork(
        DAG,
        {"g": ("a", "b"), "h": (0, 1, 2)},
        {"g": [0.3, 0.7], "h": [0.2, 0.5, 0.3]},
        {
            "x": Regression(
                [[0.0, 8.0, 30.0], [100.0, 120.0, 90.0]], variances=[[1, 2, 9], [4, 1, 1]]
            ),
            "y": Regression([0.0, -50.0], [[1.0], [0.5]]),
        },
    )
    return network.sample(rows, seed=3)


def topics(data: Data) -> list[str]:
    posterior = arcwise.exact(Model(data), dags=100, seed=1)
    return [finding.topic for finding in data_and_model(posterior)[1]]


def test_modes_of_levels_are_no_lack_of_normality() -> None:
    data = separated(600)
    profile = DataProfile.of(data, "conditional-gaussian")
    assert set(profile.moments) == {"x", "y"}
    assert all(abs(found.excess_kurtosis) < 1.0 for found in profile.moments.values())
    assert DataProfile.of(data.select(["x", "y"]), "gaussian").moments["x"].p_value < 1e-9
    assert "normality" not in topics(data)


def test_what_is_skewed_within_levels_is_told() -> None:
    data = separated(600)
    random = np.random.default_rng(1)
    skewed = ContinuousColumn("z", np.exp(random.normal(size=600)))
    found = topics(Data([*data.columns, skewed]))
    assert "normality" in found


def test_groups_are_those_that_matter() -> None:
    random = np.random.default_rng(2)
    group, other = random.integers(0, 3, 900), random.integers(0, 40, 900)
    values = random.normal(size=900) * (1 + group) + 50 * group
    found = standardized_within_levels(values, [other, group])
    # Split by the other column as well, most groups would have been too small.
    assert len(found) == 900
    for level in range(3):
        chosen = found[group == level]
        assert chosen.mean() == pytest.approx(0.0, abs=1e-9)
        assert chosen.std() == pytest.approx(1.0, abs=1e-9)


def test_constant_columns_and_groups_are_standardized_as_well() -> None:
    codes = np.repeat([0, 1], 50)
    assert len(standardized_within_levels(np.ones(100), [codes])) == 0
    values = np.where(codes == 0, 1.0, np.random.default_rng(1).normal(size=100))
    assert np.isfinite(standardized_within_levels(values, [codes])).all()


def test_parameters_are_counted_by_configuration() -> None:
    data = separated(100)
    profile = DataProfile.of(data, "conditional-gaussian")
    model = Model(
        data, required_edges=DAG.edges, forbidden_edges=[("h", "y"), ("g", "h"), ("h", "g")]
    )
    posterior = arcwise.exact(model, dags=5, seed=1)
    sizes = family_sizes(posterior, profile)
    assert sizes is not None
    # Levels less one; six configurations with mean and variance; two with a slope as well.
    assert sizes == pytest.approx([1, 2, 6 * 2, 2 * 3])


def test_directions_that_the_score_decides_are_told() -> None:
    assert "kinds" in topics(separated(200))
    random = np.random.default_rng(1)
    alone = Data(
        [
            DiscreteColumn("a", random.integers(0, 2, 100).astype(np.uint16), (0, 1)),
            ContinuousColumn("x", random.normal(size=100)),
        ]
    )
    assert "kinds" not in topics(alone)
