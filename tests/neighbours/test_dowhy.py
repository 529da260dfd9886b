"""DoWhy takes our DAG, identifies the effect, and estimates what we estimate."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest
from dowhy import CausalModel

import arcwise
from arcwise.exchange import to_gml, to_networkx
from arcwise.networks import GaussianNetwork

DAG = arcwise.Dag(
    ["z", "x", "m", "y", "late"], {"x": ["z"], "m": ["x"], "y": ["m", "z"], "late": ["y", "x"]}
)
WEIGHTS = {("z", "x"): 0.8, ("x", "m"): 1.2, ("m", "y"): 0.7, ("z", "y"): -1.0, ("y", "late"): 0.5}


def network() -> GaussianNetwork:
    place = {name: number for number, name in enumerate(DAG.variables)}
    weights = [[0.0] * 5 for _ in DAG.variables]
    for (source, target), weight in (WEIGHTS | {("x", "late"): 0.5}).items():
        weights[place[source]][place[target]] = weight
    return GaussianNetwork(DAG, weights)


@pytest.mark.parametrize(
    "graph", [to_networkx(DAG), to_gml(DAG).replace("\n", " ")], ids=["networkx", "gml"]
)
def test_the_effect_on_our_dag_is_ours(graph: Any) -> None:
    data = network().sample(4000, seed=1)
    model = CausalModel(data.to_pandas(), treatment="x", outcome="y", graph=graph)
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    assert estimand.get_backdoor_variables() == ["z"]
    theirs = model.estimate_effect(estimand, method_name="backdoor.linear_regression")
    ours: Any = arcwise.effects(DAG, "x", "y", model=arcwise.Model(data, "bge"))
    # Theirs adjusts for z, ours multiplies along the path: both are consistent, with standard
    # errors of about 0.02.
    assert theirs.value == pytest.approx(ours.estimate.mean, abs=0.06)
    assert theirs.value == pytest.approx(1.2 * 0.7, abs=0.06)


def test_a_dag_we_learned() -> None:
    """Tiers settle what data cannot, so that the best DAG is the true one."""
    data = network().sample(4000, seed=2)
    posterior = arcwise.learn(data, tiers=[["z"], ["x"], ["m"], ["y"], ["late"]], progress=None)
    dag = posterior.map_dag
    assert nx.utils.graphs_equal(to_networkx(dag), to_networkx(DAG))
    model = CausalModel(data.to_pandas(), treatment="x", outcome="y", graph=to_networkx(dag))
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    theirs = model.estimate_effect(estimand, method_name="backdoor.linear_regression")
    ours: Any = arcwise.effects(posterior, "x", "y")
    assert theirs.value == pytest.approx(ours.estimate.mean, abs=0.06)
