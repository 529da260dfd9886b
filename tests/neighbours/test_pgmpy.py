"""DAGs, networks and knowledge, there and back with the pgmpy that is installed."""

from __future__ import annotations

from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pgmpy.factors.continuous
import pgmpy.factors.discrete
import pytest
from pgmpy.base import DAG
from pgmpy.causal_discovery import ExpertKnowledge
from pgmpy.inference import CausalInference, VariableElimination
from pgmpy.metrics import SHD
from pgmpy.models import DiscreteBayesianNetwork, LinearGaussianBayesianNetwork
from pgmpy.structure_score import BDeu

import arcwise
from arcwise.errors import ArgumentError
from arcwise.exchange import from_equations, from_pgmpy, mean_network, to_equations, to_pgmpy
from arcwise.networks import DiscreteNetwork, discrete_network, gaussian_network, random_dag

DATA = arcwise.simulate("asia", 1000, seed=1)
MODEL = arcwise.Model(DATA, max_indegree=3)
DAG_OF_ASIA = arcwise.networks.asia().dag


@pytest.mark.parametrize("seed", range(5))
def test_dags_there_and_back(seed: int) -> None:
    dag = random_dag(7, expected_degree=2.5, seed=seed)
    theirs = to_pgmpy(dag)
    assert isinstance(theirs, DAG)
    assert from_pgmpy(theirs) == dag
    assert set(DAG.from_lavaan(to_equations(dag)).edges()) == set(dag.edges)
    for name in dag.variables:
        assert set(theirs.get_parents(name)) == set(dag.parents(name))


@pytest.mark.parametrize("seed", range(5))
def test_tables_there_and_back(seed: int) -> None:
    """Levels differ in number, so that axes that are taken for one another are noticed."""
    dag = random_dag(5, expected_degree=3.0, seed=seed)
    levels = {name: 2 + place % 3 for place, name in enumerate(dag.variables)}
    network = discrete_network(dag, levels=levels, seed=seed)
    theirs = to_pgmpy(network)
    assert isinstance(theirs, DiscreteBayesianNetwork)
    assert theirs.check_model()
    again = from_pgmpy(theirs)
    assert isinstance(again, DiscreteNetwork)
    assert again.dag == dag
    assert again.levels == network.levels
    for name in dag.variables:
        np.testing.assert_allclose(again.tables[name], network.tables[name], atol=1e-12)


def test_evidence_in_another_order_is_read() -> None:
    values = np.random.default_rng(1).dirichlet([1, 1], 6).T
    theirs = DiscreteBayesianNetwork([("a", "y"), ("b", "y")])
    cpd = pgmpy.factors.discrete.TabularCPD
    theirs.add_cpds(
        cpd("a", 2, [[0.3], [0.7]]),
        cpd("b", 3, [[0.2], [0.3], [0.5]]),
        cpd("y", 2, values, evidence=["b", "a"], evidence_card=[3, 2]),
    )
    ours = from_pgmpy(theirs)
    assert isinstance(ours, DiscreteNetwork)
    order = ours.dag.parents("y")
    for a, b, y in product(range(2), range(3), range(2)):
        place = {"a": a, "b": b}
        assert ours.tables["y"][*(place[name] for name in order), y] == values[y, 2 * b + a]


def test_their_inference_on_our_network_is_our_prediction() -> None:
    """Means of products over independent tables are products of means: both are exact."""
    theirs = VariableElimination(to_pgmpy(mean_network(DAG_OF_ASIA, MODEL)))
    for evidence in ({"smoke": "yes"}, {"xray": "yes", "bronc": "no"}, {"asia": "yes"}):
        for target in ("dysp", "lung", "tub"):
            row = {name: [label] for name, label in evidence.items()}
            ours: Any = arcwise.predict(DAG_OF_ASIA, row, target, model=MODEL)
            found = theirs.query([target], evidence, show_progress=False)
            expected = [found.get_value(**{target: level}) for level in ours.levels]
            np.testing.assert_allclose(ours.probabilities[0], expected, atol=1e-12)


def test_their_interventions_on_our_network_are_ours() -> None:
    theirs = CausalInference(to_pgmpy(mean_network(DAG_OF_ASIA, MODEL)))
    found = theirs.query(["dysp"], do={"bronc": "yes"}, show_progress=False)
    ours: Any = arcwise.effects(DAG_OF_ASIA, "bronc", "dysp", model=MODEL, draws=20_000)
    share = ours.given("yes", "yes").mean
    # 20,000 draws of a probability with a standard deviation of about 0.02.
    assert found.get_value(dysp="yes") == pytest.approx(share, abs=1e-3)


def test_linear_gaussian_networks_there_and_back() -> None:
    dag = random_dag(6, expected_degree=2.5, seed=3)
    network = gaussian_network(dag, signs="random", seed=3)
    theirs = to_pgmpy(network)
    assert isinstance(theirs, LinearGaussianBayesianNetwork)
    mean, covariance = theirs.to_joint_gaussian()
    order = [dag.variables.index(name) for name in nx.topological_sort(theirs)]
    np.testing.assert_allclose(mean, network.mean()[order], atol=1e-9)
    np.testing.assert_allclose(covariance, network.covariance()[np.ix_(order, order)], atol=1e-9)
    again: Any = from_pgmpy(theirs)
    assert again.dag == dag
    for name in ("weights", "intercepts", "variances"):
        np.testing.assert_allclose(getattr(again, name), getattr(network, name), atol=1e-12)


def test_scores_are_theirs() -> None:
    scores = arcwise.score(DATA, arcwise.scores.BDeu(10), max_indegree=2)
    theirs = BDeu(DATA.to_pandas(), equivalent_sample_size=10)
    for node, parents in [("dysp", ("bronc", "either")), ("lung", ("smoke",)), ("asia", ())]:
        expected = theirs.local_score(node, parents)
        assert scores.log_score(node, parents) == pytest.approx(expected, abs=1e-8)


def test_distances_are_theirs() -> None:
    for seed in range(5):
        one, other = (random_dag(6, expected_degree=2.5, seed=seed + k) for k in (0, 50))
        theirs = SHD()(true_causal_graph=to_pgmpy(one), est_causal_graph=to_pgmpy(other))
        assert arcwise.graphs.structural_hamming_distance(one, other) == theirs


def test_their_knowledge_is_read() -> None:
    knowledge = ExpertKnowledge(
        required_edges=[("smoke", "lung")],
        forbidden_edges=[("dysp", "bronc")],
        temporal_order=[["asia", "smoke"], ["tub", "lung", "bronc", "either", "xray", "dysp"]],
    )
    posterior = arcwise.learn(DATA, constraints=knowledge, max_indegree=2, progress=None)
    assert posterior.edge_probability("smoke", "lung") == pytest.approx(1.0)
    assert posterior.edge_probability("dysp", "bronc") == 0.0
    assert posterior.edge_probability("tub", "asia") == 0.0


def test_what_cannot_be_read_is_refused() -> None:
    theirs = DiscreteBayesianNetwork([("a", "b")])
    assert from_pgmpy(theirs) == from_equations("b ~ a")
    theirs.add_cpds(pgmpy.factors.discrete.TabularCPD("a", 2, [[0.5], [0.5]]))
    with pytest.raises(ArgumentError, match="graph has no parameters for 'b'"):
        from_pgmpy(theirs)
    with pytest.raises(ArgumentError, match="of type str; give a DAG or a Bayesian network"):
        from_pgmpy("a")
