"""Posteriors and graphs in the forms of other packages, and back.

pgmpy and causal-learn bring much along, so that stand-ins with the part of their
interfaces that is used (pgmpy 1.1, causal-learn 0.1.4) take their place.
"""

from __future__ import annotations

import enum
import re
import sys
from types import ModuleType
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import arcwise
from arcwise import Dag, Posterior
from arcwise.errors import ArgumentError, MissingDependencyError
from arcwise.exchange import (
    to_causal_learn,
    to_dot,
    to_gml,
    to_networkx,
    to_pandas,
    to_pgmpy,
    to_polars,
)
from arcwise.exchange.graphs import edges_of
from arcwise.graphs import Cpdag
from support.run_records import chain_run
from support.sampled_posteriors import sampled_posterior

AWKWARD = ['say "hi"', "a & b", "back\\slash", "größe", "two\nlines", "x;y [z]"]


def awkward_posterior() -> Posterior:
    edges = np.zeros((6, 6))
    edges[0, 1], edges[1, 2], edges[3, 2], edges[5, 4] = 1.0, 0.5, 1e-7, 0.25
    errors = np.full((6, 6), 0.001)
    errors[1, 2] = np.nan
    return Posterior(tuple(AWKWARD), "modular", chain_run(), edges, edge_errors=errors)


def test_networkx() -> None:
    posterior = awkward_posterior()
    graph = posterior.to_networkx()
    assert list(graph.nodes) == AWKWARD
    assert dict(graph.edges) == {
        (AWKWARD[0], AWKWARD[1]): {
            "probability": 1.0,
            "standard_error": 0.001,
            "adjacency": 1.0,
            "adjacency_error": 0.002,
        },
        (AWKWARD[1], AWKWARD[2]): {"probability": 0.5, "adjacency": 0.5},
    }
    assert posterior.to_networkx(0.0).number_of_edges() == 4
    assert posterior.to_networkx(0.51).number_of_edges() == 1
    cpdag = Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")])
    assert set(to_networkx(cpdag).edges) == {("a", "b"), ("b", "c"), ("c", "b")}
    dag = Dag(["a", "b"], {"a": ["b"]})
    assert Dag.from_networkx(to_networkx(dag)) == dag
    with pytest.raises(ArgumentError, match=r"on is 'edges'; give 'adjacency' or 'direction'"):
        posterior.to_networkx(on="edges")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"threshold is 2; give a probability"):
        posterior.to_networkx(2)
    with pytest.raises(ArgumentError, match="of type str; give a Posterior, a Dag or a Cpdag"):
        edges_of("a", 0.5)  # type: ignore[arg-type]


def open_posterior() -> Posterior:
    """Return a posterior with an adjacency of open direction, and one of a clear direction."""
    edges = np.zeros((3, 3))
    edges[0, 1], edges[1, 0], edges[1, 2], edges[2, 1] = 0.44, 0.46, 0.95, 0.01
    return Posterior(("a", "b", "c"), "modular", chain_run(), edges)


def test_an_adjacency_of_open_direction_has_both() -> None:
    posterior = open_posterior()
    graph = posterior.to_networkx(0.5)
    assert set(graph.edges) == {("a", "b"), ("b", "a"), ("b", "c")}
    assert graph.edges["a", "b"] == {"probability": 0.44, "adjacency": 0.9}
    assert set(posterior.to_networkx(0.5, on="direction").edges) == {("b", "c")}
    assert set(nx.parse_gml(posterior.to_gml(0.5)).edges) == set(graph.edges)
    lines = posterior.to_dot(0.5).splitlines()
    (between,) = [line for line in lines if line.startswith('  "b" -> "a"')]
    for setting in (
        'label="0.90"',
        "dir=both",
        'headlabel="0.46"',
        'taillabel="0.44"',
        "probability=0.46",
        "back_probability=0.44",
        "adjacency=0.9",
    ):
        assert setting in between
    assert not any(line.startswith('  "a" -> "b"') for line in lines)
    assert '"b" -> "c" [label="0.96"' in posterior.to_dot(0.5)


def test_frames_by_pairs() -> None:
    for frame in (open_posterior().to_pandas(), open_posterior().to_polars()):
        assert list(frame.columns) == ["source", "target", "adjacency", "forward", "backward"]
        assert frame["source"].to_list() == ["b", "b", "a"]
        assert frame["target"].to_list() == ["c", "a", "c"]
        assert frame["adjacency"].to_list() == pytest.approx([0.96, 0.9, 0.0])
        assert frame["forward"].to_list() == [0.95, 0.46, 0.0]
        assert frame["backward"].to_list() == [0.01, 0.44, 0.0]
    assert len(open_posterior().to_pandas(0.5)) == 2
    kinds = ["adjacency", "forward", "backward"]
    sampled = sampled_posterior()
    frame = sampled.to_pandas()
    assert list(frame.columns)[2:] == [*kinds, *(f"{kind}_error" for kind in kinds)]
    errors = sampled.matrix("skeleton").standard_errors
    for row in frame.itertuples():
        u, v = int(row.source[1:]), int(row.target[1:])
        assert row.adjacency_error == errors[u, v]


def test_frames_by_directions() -> None:
    posterior = sampled_posterior()
    expected = posterior.edge_table()
    for frame in (posterior.to_pandas(on="direction"), posterior.to_polars(on="direction")):
        assert list(frame.columns) == ["source", "target", "probability", "standard_error"]
        rows = zip(*(frame[name].to_list() for name in list(frame.columns)[:3]), strict=True)
        assert list(rows) == expected
    assert isinstance(to_pandas(posterior), pd.DataFrame)
    assert isinstance(to_polars(posterior), pl.DataFrame)
    some = posterior.to_pandas(threshold=0.3, on="direction")
    assert 0 < len(some) < len(expected)
    assert (some.probability >= 0.3).all()
    model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    assert "standard_error" not in arcwise.exact(model).to_pandas(on="direction")


def test_networkx_reads_our_gml() -> None:
    posterior = awkward_posterior()
    for threshold in (0.0, 0.5):
        read = nx.parse_gml(posterior.to_gml(threshold))
        ours = posterior.to_networkx(threshold)
        assert list(read.nodes) == AWKWARD
        assert set(read.edges) == set(ours.edges)
        for edge, values in ours.edges.items():
            assert read.edges[edge] == pytest.approx(values)
    cpdag = Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")])
    assert set(nx.parse_gml(to_gml(cpdag)).edges) == set(to_networkx(cpdag).edges)


def dot_unquoted(text: str) -> str:
    return text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")


def test_dot() -> None:
    text = awkward_posterior().to_dot(0.0)
    name = r'"((?:[^"\\]|\\.)*)"'
    nodes = re.findall(rf"^  {name};$", text, re.MULTILINE)
    assert [dot_unquoted(node) for node in nodes] == AWKWARD
    edges = re.findall(rf"^  {name} -> {name} \[(.*)\];$", text, re.MULTILINE)
    pairs = {(dot_unquoted(u), dot_unquoted(v)): settings for u, v, settings in edges}
    assert set(pairs) == set(awkward_posterior().to_networkx(0.0).edges)
    widths = {
        edge: float(re.findall(r"penwidth=([\d.]+)", value)[0]) for edge, value in pairs.items()
    }
    assert widths[AWKWARD[0], AWKWARD[1]] > widths[AWKWARD[1], AWKWARD[2]]
    assert 'label="0.50"' in pairs[AWKWARD[1], AWKWARD[2]]
    assert "standard_error" not in pairs[AWKWARD[1], AWKWARD[2]]
    undirected = to_dot(Cpdag(["a", "b"], undirected=[("a", "b")]))
    assert '"a" -> "b" [dir=none];' in undirected


class Endpoint(enum.Enum):
    TAIL = -1
    ARROW = 1


class GraphNode:
    def __init__(self, name: str) -> None:
        self.name = name

    def get_name(self) -> str:
        return self.name


class Edge:
    def __init__(self, node1: GraphNode, node2: GraphNode, end1: Endpoint, end2: Endpoint) -> None:
        self.parts = (node1, node2, end1, end2)

    def get_node1(self) -> GraphNode:
        return self.parts[0]

    def get_node2(self) -> GraphNode:
        return self.parts[1]

    def get_endpoint1(self) -> Endpoint:
        return self.parts[2]

    def get_endpoint2(self) -> Endpoint:
        return self.parts[3]


class GeneralGraph:
    def __init__(self, nodes: list[GraphNode]) -> None:
        self.nodes = nodes
        self.added: list[Edge] = []

    def add_edge(self, edge: Edge) -> None:
        self.added.append(edge)

    def get_graph_edges(self) -> list[Edge]:
        return self.added

    def get_node_names(self) -> list[str]:
        return [node.get_name() for node in self.nodes]


@pytest.fixture
def causal_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Endpoint, GraphNode, Edge, GeneralGraph):
        module: Any = ModuleType(f"causallearn.graph.{kind.__name__}")
        setattr(module, kind.__name__, kind)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    for name in ("causallearn", "causallearn.graph"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))


@pytest.mark.usefixtures("causal_learn")
def test_causal_learn_there_and_back() -> None:
    dag = Dag(["a", "b", "c"], {"c": ["a"], "a": ["b"]})
    graph = dag.to_causal_learn()
    assert graph.get_node_names() == ["a", "b", "c"]
    constraints = arcwise.Constraints(required_edges=graph)
    assert set(constraints.required_edges) == set(dag.edges)
    turned = GeneralGraph(graph.nodes)
    for edge in graph.added:
        node1, node2, end1, end2 = edge.parts
        turned.add_edge(Edge(node2, node1, end2, end1))
    assert arcwise.Constraints(turned) == constraints
    cpdag = to_causal_learn(Cpdag(["a", "b"], undirected=[("a", "b")]))
    with pytest.raises(arcwise.errors.ArcwiseError, match="'a' and 'b' that is not directed"):
        arcwise.Constraints(cpdag)
    with pytest.raises(ArgumentError, match="give a Dag or a Cpdag"):
        to_causal_learn("a")  # type: ignore[arg-type]


def test_pgmpy(monkeypatch: pytest.MonkeyPatch) -> None:
    base: Any = ModuleType("pgmpy.base")
    base.DAG = nx.DiGraph
    monkeypatch.setitem(sys.modules, "pgmpy", ModuleType("pgmpy"))
    monkeypatch.setitem(sys.modules, "pgmpy.base", base)
    dag = Dag(["a", "b", "c"], {"c": ["a"], "a": ["b"]})
    assert Dag.from_networkx(dag.to_pgmpy()) == dag
    with pytest.raises(ArgumentError, match="give a Dag"):
        to_pgmpy(Cpdag(["a"]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("module", "function", "install"),
    [
        ("networkx", "to_networkx", r"'arcwise\[graphs\]'"),
        ("pandas", "to_pandas", "pandas"),
        ("polars", "to_polars", "polars"),
        ("arviz_base", "to_arviz", r"'arcwise\[arviz\]'"),
    ],
)
def test_a_missing_package_is_named(
    module: str, function: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    posterior = sampled_posterior()
    with pytest.raises(
        MissingDependencyError, match=rf"needs .* {module}.*`pip install {install}`"
    ):
        getattr(posterior, function)()


def test_constraints_from_tables_of_edges() -> None:
    expected = arcwise.Constraints([("a", "b"), ("c", "b")])
    columns = {"source": ["a", "c"], "target": ["b", "b"], "weight": [1.0, 0.1]}
    renamed = {"from": columns["source"], "to": columns["target"]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pd.DataFrame(renamed)):
        assert arcwise.Constraints(frame) == expected
    graph = nx.DiGraph([("a", "b"), ("c", "b")])
    assert arcwise.Constraints(graph) == expected
    assert arcwise.Constraints(nx.to_pandas_edgelist(graph)) == expected
    matrix = nx.to_pandas_adjacency(graph)
    assert arcwise.Constraints(matrix) == expected
    # Variables may be called so; then the rows of their matrix are, too.
    names = ["source", "target"]
    labelled = pd.DataFrame([[0, 1], [0, 0]], index=names, columns=names)
    assert arcwise.Constraints(labelled) == arcwise.Constraints([("source", "target")])
