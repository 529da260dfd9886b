"""Summary graphs by name, and their fair comparison with a known graph."""

from __future__ import annotations

import numpy as np
import pytest

import arcwise
from arcwise import Dag, Posterior
from arcwise.comparison import compare_summary_graphs
from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag, compare, cpdag
from arcwise.posterior.summary_graphs import SUMMARY_GRAPHS, available
from arcwise.results import DagSample
from support.enumerated import law_of
from support.exact_models import names, random_model
from support.run_records import chain_run
from support.sampled_posteriors import sampled_posterior


def by_enumeration(n: int, seed: int) -> tuple[Posterior, DagSample]:
    """Return a posterior with all DAGs, each with its probability, and these."""
    model = random_model(n, 8.0, seed)
    law = law_of(model)
    best = law[int(law.shares.argmax())]
    posterior = sampled_posterior(
        n, dags=law, edges=law.edge_probabilities(), edge_errors=None, map_dag=best
    )
    return posterior, law


@pytest.mark.parametrize("seed", range(4))
def test_the_most_probable_class_is_that_of_enumeration(seed: int) -> None:
    posterior, law = by_enumeration(4, seed)
    shares: dict[Cpdag, float] = {}
    for dag, share in zip(law, law.shares, strict=True):
        shares[cpdag(dag)] = shares.get(cpdag(dag), 0.0) + float(share)
    assert posterior.summary_graph("cpdag") == max(shares, key=lambda graph: shares[graph])
    assert posterior.summary_graph("map") == posterior.map_dag
    assert posterior.map_dag is not None
    assert posterior.summary_graph("map-cpdag") == cpdag(posterior.map_dag)


@pytest.mark.parametrize("seed", range(4))
def test_the_median_cpdag_has_the_likeliest_kind_of_each_probable_adjacency(seed: int) -> None:
    posterior, law = by_enumeration(4, seed)
    kinds = np.zeros((4, 4, 3))  # directed this way, directed back, undirected
    for dag, share in zip(law, law.shares, strict=True):
        matrix = cpdag(dag).matrix()
        kinds[..., 0] += share * (matrix & ~matrix.T)
        kinds[..., 1] += share * (matrix.T & ~matrix)
        kinds[..., 2] += share * (matrix & matrix.T)
    found = posterior.summary_graph("median-cpdag").matrix()
    for u in range(4):
        for v in range(u):
            kind = [
                bool(found[u, v] and not found[v, u]),
                bool(found[v, u] and not found[u, v]),
                bool(found[u, v] and found[v, u]),
            ]
            assert any(kind) == (kinds[u, v].sum() > 0.5)
            if any(kind):
                assert kinds[u, v][kind.index(True)] == pytest.approx(kinds[u, v].max())


def test_among_classes_drawn_once_that_of_the_best_dag_is_chosen() -> None:
    parents = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 2]], dtype=np.uint64)
    dags = DagSample(names(3), parents)
    assert dags.credible_set(0.1, classes=True).graphs[0].number_of_edges == 0
    posterior = sampled_posterior(
        3, dags=dags, edges=dags.edge_probabilities(), edge_errors=None, map_dag=dags[2]
    )
    assert posterior.summary_graph("cpdag") == cpdag(dags[2])


def test_names_and_what_they_need() -> None:
    edges = np.array([[0.0, 0.45], [0.45, 0.0]])
    bare = Posterior(("a", "b"), "modular", chain_run(), edges)
    assert bare.summary_graph() == Dag(["a", "b"], {"b": ["a"]})
    assert bare.summary_graph("threshold", threshold=0.7) == Cpdag(
        ["a", "b"], undirected=[("a", "b")]
    )
    assert bare.summary_graph("threshold", threshold=0.95).number_of_edges == 0
    assert list(available(bare)) == ["median"]
    with pytest.raises(ArgumentError, match=r"^name is 'best'; give one of 'median', 'median-cpda"):
        arcwise.summary_graph(bare, "best")  # type: ignore[arg-type]
    for name in ("median-cpdag", "cpdag"):
        with pytest.raises(ArgumentError, match="estimated from sampled DAGs, but this posterior"):
            arcwise.summary_graph(bare, name)
    with pytest.raises(ArgumentError, match="has no DAG of highest probability"):
        bare.summary_graph("map")
    posterior, _ = by_enumeration(3, 1)
    assert set(available(posterior)) == set(SUMMARY_GRAPHS) - {"threshold"}


def test_graphs_are_compared_as_classes_and_dags_by_arrows_too() -> None:
    truth = Dag(["a", "b", "c", "d"], {"b": ["a"], "c": ["b"], "d": ["c", "a"]})
    # Of a to b and b to c only one direction is turned, within the class of the truth.
    edges = np.zeros((4, 4))
    edges[1, 0] = edges[1, 2] = 0.9
    edges[2, 3] = edges[0, 3] = 0.8
    posterior = Posterior(truth.variables, "modular", chain_run(), edges, map_dag=truth)
    median, best = compare_summary_graphs(posterior, truth, ["median", "map-cpdag"])
    assert median.graph == Dag(["a", "b", "c", "d"], {"a": ["b"], "c": ["b"], "d": ["c", "a"]})
    assert (median.skeleton.true_positives, median.skeleton.false_positives) == (4, 0)
    assert median.cpdag_distance == 0
    assert median.directions == compare(cpdag(truth), cpdag(truth)).directed
    assert median.arrows is not None
    assert (median.arrows.true_positives, median.arrows.false_positives) == (3, 1)
    assert (best.cpdag_distance, best.arrows) == (0, None)
    # Against a known class, arrows cannot be counted.
    (against_class,) = compare_summary_graphs(posterior, cpdag(truth), ["median"])
    assert (against_class.cpdag_distance, against_class.arrows) == (0, None)
    assert [row.name for row in compare_summary_graphs(posterior, truth)] == [
        "median",
        "map",
        "map-cpdag",
    ]
    with pytest.raises(ArgumentError, match="of type str; give a Dag or a Cpdag"):
        compare_summary_graphs(posterior, "truth")  # type: ignore[arg-type]


def test_edges_that_the_score_allows_one_way_are_directed() -> None:
    random = np.random.default_rng(1)
    group = random.integers(0, 2, 300)
    table = {"x": group + 0.2 * random.normal(size=300), "group": group}
    posterior = arcwise.learn(table, progress=None)
    for name in ("cpdag", "map-cpdag", "median-cpdag"):
        graph = arcwise.summary_graph(posterior, name)
        assert isinstance(graph, Cpdag)
        assert graph.directed == (("group", "x"),), name
    assert arcwise.map(arcwise.Model(table)).cpdag.directed == (("group", "x"),)
    # A comparison is of what data can tell, and either direction has this class.
    truth = arcwise.Dag(["x", "group"], {"group": ["x"]})
    for row in compare_summary_graphs(posterior, truth):
        assert row.cpdag_distance == 0, row.name
