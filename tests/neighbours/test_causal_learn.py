"""DAGs, CPDAGs and knowledge, there and back with the causal-learn that is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from causallearn.graph.AdjacencyConfusion import AdjacencyConfusion
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphNode import GraphNode
from causallearn.graph.SHD import SHD
from causallearn.search.ConstraintBased.FCI import fci
from causallearn.search.ConstraintBased.PC import pc
from causallearn.search.ScoreBased.GES import ges
from causallearn.utils.DAG2CPDAG import dag2cpdag
from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge

import arcwise
from arcwise.errors import ArgumentError
from arcwise.exchange import from_causal_learn, to_causal_learn
from arcwise.graphs import Cpdag, cpdag, structural_hamming_distance
from arcwise.networks import gaussian_network, random_dag

SEEDS = range(6)


def dag_of(seed: int, n: int = 7) -> arcwise.Dag:
    return random_dag(n, expected_degree=2.5, seed=seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_graphs_there_and_back(seed: int) -> None:
    dag = dag_of(seed)
    theirs = to_causal_learn(dag)
    assert isinstance(theirs, GeneralGraph)
    assert from_causal_learn(theirs) == dag
    # -1 is a tail and 1 an arrow head, at the node of the row.
    arrows = (theirs.graph == 1).T & (theirs.graph == -1)
    np.testing.assert_array_equal(arrows, dag.matrix())
    ours = cpdag(dag)
    assert from_causal_learn(to_causal_learn(ours)) == (ours if ours.undirected else dag)


@pytest.mark.parametrize("seed", SEEDS)
def test_their_cpdag_of_our_dag_is_ours(seed: int) -> None:
    dag = dag_of(seed)
    theirs: Any = from_causal_learn(dag2cpdag(to_causal_learn(dag)))
    expected = cpdag(dag)
    if isinstance(theirs, arcwise.Dag):
        theirs = Cpdag(theirs.variables, theirs.edges)
    assert theirs == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_distances_and_confusions_agree(seed: int) -> None:
    one, other = cpdag(dag_of(seed)), cpdag(dag_of(seed + 50))
    truth, found = to_causal_learn(one), to_causal_learn(other)
    assert SHD(truth, found).get_shd() == structural_hamming_distance(one, other)
    adjacent = AdjacencyConfusion(truth, found)
    ours, theirs = set(one.skeleton), set(other.skeleton)
    assert adjacent.get_adj_tp() == len(ours & theirs)
    assert adjacent.get_adj_fp() == len(theirs - ours)
    assert adjacent.get_adj_fn() == len(ours - theirs)


def test_what_their_searches_find_is_read_and_compared() -> None:
    """A collider with a tail: a network so clear that any search finds its class."""
    dag = arcwise.Dag(["a", "b", "c", "d"], {"c": ["a", "b"], "d": ["c"]})
    data = gaussian_network(dag, seed=1).sample(2000, seed=1)
    table, names = data.to_pandas().to_numpy(), list(data.variables)
    by_ges = from_causal_learn(ges(table, node_names=names)["G"])
    by_pc = from_causal_learn(pc(table, 0.01, node_names=names, show_progress=False))
    assert by_ges == by_pc == dag
    assert arcwise.learn(data, progress=None).map_dag == dag


def test_hidden_causes_are_refused() -> None:
    random = np.random.default_rng(1)
    hidden = random.normal(size=2000)
    a, b = random.normal(size=(2, 2000))
    table = np.stack([a, a + hidden, b + hidden, b], axis=1)
    table += 0.3 * random.normal(size=table.shape)
    graph, _ = fci(table, verbose=False, show_progress=False)
    with pytest.raises(ArgumentError, match="stands for hidden causes; give a DAG or a CPDAG"):
        from_causal_learn(graph)
    with pytest.raises(ArgumentError, match="of type int; give a GeneralGraph"):
        from_causal_learn(1)


def test_their_knowledge_is_read() -> None:
    nodes = {name: GraphNode(name) for name in arcwise.networks.asia().dag.variables}
    knowledge = (
        BackgroundKnowledge()
        .add_required_by_node(nodes["smoke"], nodes["lung"])
        .add_forbidden_by_node(nodes["dysp"], nodes["bronc"])
        .add_forbidden_by_pattern("asia", "x.*")
    )
    for name in ("tub", "lung"):
        knowledge.add_node_to_tier(nodes[name], 1)
    for name in ("asia", "smoke"):
        knowledge.add_node_to_tier(nodes[name], 0)
    data = arcwise.simulate("asia", 500, seed=1)
    posterior = arcwise.learn(data, constraints=knowledge, max_indegree=2, progress=None)
    assert posterior.edge_probability("smoke", "lung") == pytest.approx(1.0)
    for source, target in [("dysp", "bronc"), ("asia", "xray"), ("tub", "asia")]:
        assert posterior.edge_probability(source, target) == 0.0
