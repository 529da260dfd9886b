"""The network of posterior means predicts what `predict` and `effects` do for its DAG."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import ArgumentError
from arcwise.exchange import mean_network
from arcwise.networks import GaussianNetwork, discrete_network, gaussian_network, random_dag


@pytest.mark.parametrize("seed", range(4))
def test_discrete_networks_predict_alike(seed: int) -> None:
    dag = random_dag(5, expected_degree=2.5, seed=seed)
    levels = {name: 2 + place % 2 for place, name in enumerate(dag.variables)}
    data = discrete_network(dag, levels=levels, seed=seed).sample(60, seed=seed)
    model = arcwise.Model(data, arcwise.scores.BDeu(3.0))
    shuffled = arcwise.Dag.from_edges(reversed(dag.variables), dag.edges)
    for order in (dag, shuffled):
        network: Any = mean_network(order, model)
        new = data.take_rows(np.arange(10))
        columns: Any = new.columns
        codes = np.stack([columns[new.index(name)].codes for name in order.variables], axis=1)
        expected = arcwise.log_predictive(dag, new, model=model)
        np.testing.assert_allclose(network.log_probability(codes), expected, atol=1e-10)


def test_the_coefficients_are_the_means_of_the_effects() -> None:
    dag = arcwise.Dag(["x", "m", "z", "y"], {"x": ["z"], "m": ["x"], "y": ["m", "z"]})
    data = gaussian_network(dag, seed=1).sample(300, seed=1)
    model = arcwise.Model(data, "bge")
    network = mean_network(dag, model)
    assert isinstance(network, GaussianNetwork)
    total = np.linalg.inv(np.eye(4) - network.weights)
    for source, target in [("x", "m"), ("m", "y"), ("x", "y"), ("z", "y")]:
        found: Any = arcwise.effects(dag, source, target, model=model)
        place = dag.variables.index(source), dag.variables.index(target)
        # Coefficients of different nodes are independent, so that means multiply along paths.
        error = found.estimate.values.std() / np.sqrt(len(found.estimate.values))
        assert total[place] == pytest.approx(found.estimate.mean, abs=5 * error)
    np.testing.assert_allclose(network.variances, 1.0, rtol=0.3)
    np.testing.assert_allclose(network.mean(), data.to_pandas().mean(), atol=0.1)


def test_what_has_no_such_network_is_refused() -> None:
    data = arcwise.simulate("asia", 50, seed=1)
    dag = arcwise.networks.asia().dag
    some = arcwise.Dag([name for name in dag.variables if name != "bronc"], {})
    with pytest.raises(ArgumentError, match="dag lacks 'bronc'"):
        mean_network(some, arcwise.Model(data))
    with pytest.raises(ArgumentError, match=r"give an arcwise\.Dag"):
        mean_network("asia", arcwise.Model(data))  # type: ignore[arg-type]
    mixed = arcwise.Model({"a": ["u", "v", "v", "u"] * 5, "b": [0.1, 2.5, 1.5, 0.7] * 5})
    with pytest.raises(ArgumentError, match="the model's are mixed; use predict"):
        mean_network(arcwise.Dag(mixed.variables, {}), mixed)
