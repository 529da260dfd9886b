"""networkx says of our graphs what we say of them."""

from __future__ import annotations

import networkx as nx
import pytest

import arcwise
from arcwise.exchange import to_gml, to_networkx
from arcwise.graphs import v_structures
from arcwise.networks import random_dag


@pytest.mark.parametrize("seed", range(8))
def test_graphs_there_and_back(seed: int) -> None:
    dag = random_dag(8, expected_degree=2.5, seed=seed)
    theirs = to_networkx(dag)
    assert nx.is_directed_acyclic_graph(theirs)
    assert arcwise.Dag.from_networkx(theirs) == dag
    assert arcwise.Dag.from_networkx(nx.parse_gml(to_gml(dag))) == dag
    colliders = {(*sorted((a, c)), b) for a, b, c in nx.dag.v_structures(theirs)}
    assert colliders == {(*sorted((a, c)), b) for a, b, c in v_structures(dag)}


def test_the_edges_of_a_posterior() -> None:
    posterior = arcwise.learn(arcwise.simulate("asia", 500, seed=1), max_indegree=2, progress=None)
    theirs = posterior.to_networkx(0.5)
    for source, target, values in theirs.edges(data=True):
        assert values["probability"] == pytest.approx(posterior.edge_probability(source, target))
    weights = nx.to_pandas_edgelist(theirs)
    assert set(weights.columns) >= {"source", "target", "probability", "adjacency"}
