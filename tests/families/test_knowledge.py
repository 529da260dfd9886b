"""Tiers as text and in files, knowledge files of Tetrad, and graphs in any form as DAGs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import Constraints, Dag
from arcwise.errors import ArcwiseError, ArgumentError
from arcwise.families.edges import as_dag
from arcwise.families.resolved import parse_tiers

NAMES = ["age", "sex", "smoke", "lung"]
TIERS = (("age", "sex"), ("smoke",), ("lung",))


@pytest.mark.parametrize(
    "form",
    [
        [["age", "sex"], "smoke", ["lung"]],
        {"age": 0, "sex": 0, "smoke": 1, "lung": 7.5},
        "age,sex < smoke<lung",
        ' sex , "age" <\n smoke < lung ',
    ],
)
def test_forms_of_tiers(form: Any) -> None:
    assert Constraints(tiers=form).tiers == TIERS
    assert Constraints(temporal_order=form) == Constraints(tiers=form)
    assert Constraints.coerce({"temporal_order": form}).tiers == TIERS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "variable,tier\nage,1\nsex,1\nsmoke,2\nlung,3\n"),
        ("t.json", '[["age", "sex"], ["smoke"], "lung"]'),
        ("t.json", '{"age": 1, "sex": 1, "smoke": 2, "lung": 3}'),
        ("t.txt", "age, sex\nsmoke\n\nlung\n"),
        ("t.txt", "age, sex <\nsmoke < lung\n"),
    ],
)
def test_files_of_tiers(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert Constraints(tiers=path).tiers == Constraints(tiers=str(path)).tiers == TIERS


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1),
                min_size=1, max_size=4))  # fmt: skip
def test_quoted_names_may_be_anything(tiers: list[list[str]]) -> None:
    quoted = [['"' + name.replace('"', '""') + '"' for name in tier] for tier in tiers]
    assert parse_tiers(" < ".join(", ".join(tier) for tier in quoted)) == tiers


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("age", "tiers is 'age'; give lists of names"),
        ("age < ", "ends without a name"),
        ("< age", "goes wrong at character 1"),
        ("age,,sex < lung", "goes wrong at character 5"),
        ('"age < lung', "goes wrong at character 1"),
        ("age < sex < age", "has 'age' in more than one tier"),
    ],
)
def test_texts_that_are_no_tiers(form: str, message: str) -> None:
    with pytest.raises(ArcwiseError, match=message):
        Constraints(tiers=form)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "variable,tier\nage,first\n", "row 2 of .* is 'age,first'"),
        ("t.csv", "variable,tier\nage,1\nage,2\n", "has 'age' more than once"),
        ("t.json", "3", "is not a JSON list of lists"),
        ("t.json", "{", "is not a JSON list of lists"),
        ("t.txt", "", "is empty"),
    ],
)
def test_files_that_hold_no_tiers(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ArcwiseError, match=message):
        Constraints(tiers=path)
    with pytest.raises(ArcwiseError, match="there is no file"):
        Constraints(tiers=tmp_path / "none.csv")


def test_one_name_at_a_time() -> None:
    with pytest.raises(ArgumentError, match="two names of one argument"):
        Constraints(tiers=["a"], temporal_order=["a"])


KNOWLEDGE = """/knowledge
addtemporal

1 age sex
2* smoke tar
3- lung
4 xray
5 death

forbiddirect
// a comment
age sex
x* "other name"

requiredirect
smoke lung
"""


def test_knowledge_files_of_tetrad(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.txt"
    path.write_text(KNOWLEDGE)
    found = Constraints.read(path)
    assert found == Constraints.coerce(path) == Constraints.coerce(str(path))
    assert found.tiers == (("age", "sex"), ("smoke", "tar"), ("lung",), ("xray",), ("death",))
    assert found.required_edges == (("smoke", "lung"),)
    names = ["age", "sex", "smoke", "tar", "lung", "xray", "death", "other name", "xy"]
    resolved = found.resolve(names)
    free = {
        (names[u], names[v])
        for u, v in np.argwhere(resolved.allowed)
        if "other name" not in (names[u], names[v])
    }
    # Within tier 2 nothing, and from tier 3 only to tier 4.
    assert {("smoke", "tar"), ("tar", "smoke"), ("age", "sex"), ("lung", "death")}.isdisjoint(free)
    assert {("sex", "age"), ("lung", "xray"), ("xray", "death"), ("age", "death")} <= free
    assert not resolved.allowed[names.index("xy"), names.index("other name")]
    assert not resolved.allowed[names.index("xray"), names.index("other name")]
    assert resolved.allowed[names.index("age"), names.index("other name")]


def test_knowledge_goes_out_and_comes_back(tmp_path: Path) -> None:
    rules = Constraints(
        required_edges=[("smoke", "lung")],
        forbidden_edges=[("age", "sex"), ("a name", 'with "quotes"')],
        tiers=[["age", "sex"], ["smoke", "a name"]],
    )
    path = tmp_path / "knowledge.txt"
    rules.write(path)
    assert Constraints.read(path) == rules
    assert path.read_text().startswith("/knowledge\naddtemporal\n1 age sex\n2 ")
    for other in (Constraints(max_indegree=2), Constraints(forbidden_edges=np.eye(2, k=1))):
        with pytest.raises(ArgumentError, match="holds tiers and edges between named variables"):
            (rules & other).write(path)
    Constraints().write(path)
    assert Constraints.read(path) == Constraints()


def test_knowledge_in_json(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.json"
    path.write_text('{"tiers": [["a"], ["b"]], "max_indegree": 2}')
    assert Constraints.read(path) == Constraints(tiers=[["a"], ["b"]], max_indegree=2)
    for content in ("[1]", "{", '"a"'):
        path.write_text(content)
        with pytest.raises(ArcwiseError, match="is not a JSON object"):
            Constraints.read(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a b\n", "line 1 of .* is 'a b', outside any section"),
        ("", "has none of the sections"),
        ("/knowledge\naddtemporal\nfirst a\n", "line 3 of .* begins with 'first'"),
        ("forbiddirect\na b c\n", "line 2 of .* has 3 names; in forbiddirect give"),
        ('requiredirect\n"a b\n', "line 2 of .* has a quotation mark"),
    ],
)
def test_files_that_hold_no_knowledge(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "knowledge.txt"
    path.write_text(content)
    with pytest.raises(ArcwiseError, match=message):
        Constraints.read(path)


EDGES = [("age", "smoke"), ("smoke", "lung")]
MATRIX = np.zeros((4, 4), dtype=int)
MATRIX[0, 2] = MATRIX[2, 3] = 1
GRAPHS: list[Any] = [
    nx.DiGraph(EDGES),
    EDGES,
    MATRIX,
    MATRIX.tolist(),
    pd.DataFrame(MATRIX, index=NAMES, columns=NAMES),
    pd.DataFrame(EDGES, columns=["from", "to"]),
    Dag.from_edges(NAMES, EDGES),
]


@pytest.mark.parametrize("graph", GRAPHS)
def test_a_graph_in_any_form_is_a_dag(graph: Any) -> None:
    expected = Dag.from_edges(NAMES, EDGES)
    assert as_dag(graph, NAMES, "graph") == expected
    table = {name: [0, 1, 1, 0] for name in NAMES}
    model = arcwise.Model(table, max_indegree=1)
    posterior = arcwise.exact(model)
    assert repr(arcwise.compare(posterior, graph)) == repr(arcwise.compare(posterior, expected))
    assert repr(posterior.compare(graph)) == repr(posterior.compare(expected))
    assert arcwise.compare(expected, graph).skeleton.false_positives == 0
    assert model.log_weight_of(graph) == model.log_weight_of(expected)
    best = arcwise.map(model, method="search", starts=[graph], restarts=1, seed=1)
    assert best.log_weight == pytest.approx(arcwise.map(model, method="exact").log_weight)
    rules = Constraints(required_edges=graph).resolve(NAMES)
    assert rules.required.tolist() == MATRIX.astype(bool).tolist()


def test_reference_graphs_of_priors() -> None:
    complete = nx.DiGraph(EDGES)
    complete.add_node("sex")
    for graph in (complete, pd.DataFrame(MATRIX, index=NAMES, columns=NAMES)):
        prior = arcwise.priors.DistanceToDag(graph, 0.5)
        assert prior.log_weight(NAMES, "smoke", ["age"]) > prior.log_weight(NAMES, "smoke", [])
    with pytest.raises(ArgumentError, match=r"Dag\.from_matrix"):
        arcwise.priors.DistanceToDag(MATRIX, 0.5)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.Graph(EDGES), "truth is an undirected graph; give a directed one"),
        ([("age", "smok")], r"truth names 'smok' \(did you mean 'smoke'\?\)"),
        (nx.DiGraph([*EDGES, ("lung", "age")]), "truth is no DAG, as the edges have the cycle"),
        (3, "truth is 3; give pairs"),
    ],
)
def test_graphs_that_are_no_dags(graph: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        as_dag(graph, NAMES, "truth")


def test_the_error_of_a_list_of_edges_names_the_constructor() -> None:
    for wrong in (EDGES, MATRIX, nx.DiGraph(EDGES)):
        with pytest.raises(ArgumentError, match=r"Dag\.from_edges for pairs"):
            Dag(NAMES, wrong)  # type: ignore[arg-type]
