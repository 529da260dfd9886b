"""Networks of mixed variables: what is drawn, interventions, refusals.

The statistical comparison uses a fixed seed and would fail for a correct library with
probability 1e-6 at most.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import arcwise
from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.networks import (
    ConditionalGaussianNetwork,
    Regression,
    conditional_gaussian_network,
    random_dag,
)

FALSE_ALARM = 1e-6
# b, x and y in an order that mixes kinds: x's parents are a and b, y's a and x.
DAG = Dag(["x", "a", "y", "b"], {"b": ["a"], "x": ["a", "b"], "y": ["x", "a"]})
LEVELS = {"a": ("no", "yes"), "b": (0, 1, 2)}
TABLES = {"a": [0.25, 0.75], "b": [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]}


def network() -> ConditionalGaussianNetwork:
    return ConditionalGaussianNetwork(
        DAG,
        LEVELS,
        TABLES,
        {
            "x": Regression(np.arange(6.0).reshape(2, 3), variances=[[1, 2, 3], [4, 5, 6]]),
            "y": Regression([1.0, -1.0], [[2.0], [-0.5]], [0.5, 2.0]),
        },
    )


def test_each_configuration_has_its_regression() -> None:
    """Counts and residuals of every configuration, by one chi-squared sum."""
    rows = 20_000
    table = network().sample(rows, seed=3).to_dict()
    a = np.array([label == "yes" for label in table["a"]], dtype=int)
    b, x, y = (np.array(table[name]) for name in ("b", "x", "y"))
    total, degrees = 0.0, 0
    for i in range(2):
        for j in range(3):
            chosen = (a == i) & (b == j)
            share = [0.25, 0.75][i] * TABLES["b"][i][j]  # type: ignore[index]
            total += (chosen.sum() - rows * share) ** 2 / (rows * share)
            standard = (x[chosen] - (3 * i + j)) / np.sqrt(3 * i + j + 1)
            total += standard.sum() ** 2 / len(standard)
            total += (np.square(standard).sum() - len(standard)) ** 2 / (2 * len(standard))
            degrees += 3
        noise = y[a == i] - [1.0, -1.0][i] - [2.0, -0.5][i] * x[a == i]
        standard = noise / np.sqrt([0.5, 2.0][i])
        total += standard.sum() ** 2 / len(standard)
        total += (np.square(standard).sum() - len(standard)) ** 2 / (2 * len(standard))
        degrees += 2
    assert total < chi2.isf(FALSE_ALARM, degrees - 1)


def test_interventions_set_levels_and_numbers() -> None:
    data = network().sample(50, seed=1, interventions={"b": 2, "x": 7.5})
    table = data.to_dict()
    assert set(table["b"]) == {2}
    assert set(table["x"]) == {7.5}
    assert data.intervened is not None
    assert data.intervened.sum(axis=0).tolist() == [50, 0, 0, 50]
    assert table["a"] == network().sample(50, seed=1).to_dict()["a"]


def test_data_can_be_simulated_by_the_public_function() -> None:
    data = arcwise.simulate(network(), 30, seed=2)
    assert data.kinds == {
        "x": "continuous",
        "a": "discrete",
        "y": "continuous",
        "b": "discrete",
    }
    assert data == network().sample(30, seed=2)
    assert pickle.loads(pickle.dumps(network())).sample(30, seed=2) == data


def test_random_networks_have_the_shape_of_their_dag() -> None:
    for seed in range(20):
        names = [f"X{i}" for i in range(8)]
        dag = random_dag(names, expected_degree=4, first=names[:4], seed=seed)
        found = conditional_gaussian_network(
            dag, dict.fromkeys(names[:4], 3), signs="random", seed=seed
        )
        for name in names[4:]:
            discrete = [parent for parent in dag.parents(name) if parent in names[:4]]
            numbers = len(dag.parents(name)) - len(discrete)
            shape = (3,) * len(discrete)
            assert np.shape(found.regressions[name].intercepts) == shape
            assert np.shape(found.regressions[name].coefficients) == (*shape, numbers)
        found.sample(10, seed=seed)


def test_variables_that_come_first_have_no_parents_among_the_others() -> None:
    names = [f"X{i}" for i in range(10)]
    for seed in range(10):
        dag = random_dag(names, edge_probability=0.6, first=names[5:], seed=seed)
        assert not dag.matrix()[:5, 5:].any()
        assert dag.matrix()[5:, :5].any()
    plain = random_dag(names, edge_probability=0.6, seed=3)
    assert plain == random_dag(names, edge_probability=0.6, first=[], seed=3)


PARTS: dict[str, Any] = {
    "dag": DAG,
    "levels": LEVELS,
    "tables": TABLES,
    "regressions": network().regressions,
}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"levels": {"z": (0, 1)}}, "levels names 'z'"),
        ({"levels": {"b": (0, 1, 2)}, "tables": {}}, "tables"),
        ({"regressions": {}}, "regressions"),
        ({"dag": Dag(DAG.variables, {"a": ["x"]})}, "the edge 'x' -> 'a', from a continuous"),
        (
            {"regressions": network().regressions | {"y": Regression([1.0, 2.0])}},
            "has no coefficients, but 1 continuous parents",
        ),
        (
            {"regressions": network().regressions | {"x": Regression([1.0, 2.0])}},
            r"have the shape \(2,\); give the shape \(2, 3\)",
        ),
        (
            {"regressions": network().regressions | {"x": Regression(0.0, variances=0.0)}},
            "not all positive",
        ),
        ({"regressions": network().regressions | {"x": 3}}, "arcwise.networks.Regression"),
    ],
)
def test_what_is_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        ConditionalGaussianNetwork(**(PARTS | changed))


def test_settings_that_are_refused() -> None:
    with pytest.raises(ArgumentError, match="its levels are"):
        network().sample(5, interventions={"a": "maybe"})
    with pytest.raises(ArgumentError, match="a finite number"):
        network().sample(5, interventions={"x": "high"})
