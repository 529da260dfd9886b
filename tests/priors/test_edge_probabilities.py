"""Stated probabilities of edges hold as defined, by enumeration, and raise what they should."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Constraints
from arcwise.errors import ArcwiseError, ConstraintError
from arcwise.families.resolved import ResolvedConstraints
from arcwise.priors import EdgePenalty, EdgeProbabilities, EdgeWeights, Fair, FunctionPrior, Prior
from reference.dags import Parents, all_dags, all_parent_sets

NAMES = ("a", "b", "c", "d")


def weights_of(prior: Prior, graphs: list[Parents]) -> list[float]:
    names = NAMES[: len(graphs[0])]
    terms = prior.terms(names)
    return [
        math.exp(sum(terms.log_weight(v, of, names) for v, of in enumerate(graph)))
        for graph in graphs
    ]


def allowed(graph: Parents, resolved: ResolvedConstraints) -> bool:
    matrix = np.zeros_like(resolved.allowed)
    for node, parents in enumerate(graph):
        matrix[list(parents), node] = True
    fits = not (matrix & ~resolved.allowed).any() and not (resolved.required & ~matrix).any()
    return fits and bool((matrix.sum(axis=0) <= resolved.max_indegree).all())


def share(
    prior: Prior, graphs: list[Parents], event: Callable[[Parents], bool], given: Any = None
) -> float:
    kept = [graph for graph in graphs if given is None or given(graph)]
    weights = weights_of(prior, kept)
    return sum(w for w, graph in zip(weights, kept, strict=True) if event(graph)) / sum(weights)


def stated(
    prior: EdgeProbabilities, n: int, source: int, target: int, *, directed: bool = True
) -> float:
    """Return the probability by its definition.

    Every node has any parents within the constraints, whatever cycles that makes, except that
    the two nodes are not parents of each other.
    """
    choices = product(*(list(all_parent_sets(n, node)) for node in range(n)))
    rules = (prior.constraints or Constraints()).resolve(NAMES[:n])
    graphs = [graph for graph in choices if allowed(graph, rules)]
    return share(
        prior,
        graphs,
        lambda g: source in g[target] or (not directed and target in g[source]),
        lambda g: not (source in g[target] and target in g[source]),
    )


BASES: list[Prior | str | None] = [
    None,
    "fair",
    EdgePenalty(1.5),
    EdgeWeights({("a", "b"): 3.0, ("b", "c"): 0.2}),
    Fair() * EdgePenalty(0.5),
]
RULES: list[dict[str, Any]] = [
    {},
    {"max_indegree": 1},
    {"max_indegree": {"b": 2}, "forbidden_edges": [("b", "a")]},
    {"required_edges": [("c", "b")], "max_indegree": 2},
]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("probability", [0.9, 0.03])
def test_an_edge_has_the_probability_stated(base: Any, rules: Any, probability: float) -> None:
    prior = EdgeProbabilities({("a", "b"): probability}, base).under(Constraints(**rules))
    assert stated(prior, 3, 0, 1) == pytest.approx(probability, rel=1e-9)


@pytest.mark.parametrize("base", BASES)
def test_statements_about_several_pairs_hold_together(base: Any) -> None:
    given: dict[Any, float] = {
        ("a", "b"): 0.8,
        ("c", "b"): 0.3,
        ("b", "c"): 0.5,
        frozenset(("a", "c")): 0.7,
    }
    prior = EdgeProbabilities(given, base)
    assert stated(prior, 3, 0, 1) == pytest.approx(0.8, rel=1e-8)
    assert stated(prior, 3, 2, 1) == pytest.approx(0.3, rel=1e-8)
    assert stated(prior, 3, 1, 2) == pytest.approx(0.5, rel=1e-8)
    assert stated(prior, 3, 0, 2, directed=False) == pytest.approx(0.7, rel=1e-8)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0.01, 0.45), min_size=6, max_size=6), st.sampled_from([None, "fair"]))
def test_a_matrix_states_every_edge(numbers: list[float], base: str | None) -> None:
    matrix = np.full((3, 3), np.nan)
    matrix[~np.eye(3, dtype=bool)] = numbers
    prior = EdgeProbabilities(matrix, base)
    for u, v in ((0, 1), (1, 0), (2, 1), (0, 2)):
        assert stated(prior, 3, u, v) == pytest.approx(matrix[u, v], rel=1e-7)


@pytest.mark.parametrize("base", BASES)
def test_two_variables_have_no_cycles_to_exclude(base: Any) -> None:
    if isinstance(base, EdgeWeights):
        base = EdgeWeights({("a", "b"): 3.0})
    for probability in (1e-12, 0.4, 0.9, 1 - 1e-9):
        prior = EdgeProbabilities({("a", "b"): probability}, base)
        dags = list(all_dags(2))
        found = share(prior, dags, lambda dag: 0 in dag[1])
        assert found == pytest.approx(probability, rel=1e-9)


def test_the_figures_of_the_documentation() -> None:
    one = EdgeProbabilities({("a", "b"): 0.9})
    for n, figure in ((3, 0.894), (4, 0.890)):
        found = share(one, list(all_dags(n)), lambda dag: 0 in dag[1])
        assert found == pytest.approx(figure, abs=5e-4)
    around = EdgeProbabilities({("a", "b"): 0.9, ("b", "c"): 0.9, ("c", "a"): 0.9})
    found = share(around, list(all_dags(3)), lambda dag: 0 in dag[1])
    assert found == pytest.approx(0.63, abs=5e-3)


def test_a_statement_leaves_the_ratio_of_the_other_states() -> None:
    base = EdgeWeights({("b", "a"): 3.0})
    prior = EdgeProbabilities({("a", "b"): 0.5}, base)
    empty, forward, backward = weights_of(prior, [((), ()), ((), (0,)), ((1,), ())])
    assert backward / empty == pytest.approx(3.0)
    assert forward / (empty + forward + backward) == pytest.approx(0.5)


def test_what_the_prior_says_anyway_changes_nothing() -> None:
    third = EdgeProbabilities({("a", "b"): 1 / 3}).terms(NAMES)
    assert np.abs(third.edge).max() < 1e-12


def test_a_function_stays_a_factor() -> None:
    base = FunctionPrior(lambda node, parents: -1.0 * len(parents))
    prior = EdgeProbabilities({("a", "b"): 1 / 3}, base)
    assert prior.log_weight(NAMES, "c", ["a"]) == pytest.approx(-1.0)


def test_all_forms_say_the_same(tmp_path: Path) -> None:
    pairs: dict[Any, float] = {("a", "b"): 0.9, ("c", "a"): 0.2}
    expected = EdgeProbabilities(pairs)
    frame = pd.DataFrame({"from": ["a", "c"], "to": ["b", "a"], "probability": [0.9, 0.2]})
    file = tmp_path / "edges.csv"
    frame.to_csv(file, index=False)
    square = pd.DataFrame(np.nan, index=list(NAMES), columns=list(NAMES))
    square.loc["a", "b"], square.loc["c", "a"] = 0.9, 0.2
    named = frame.rename(columns={"from": "source", "to": "target"})
    for form in (frame, named, file, str(file), square):
        assert EdgeProbabilities(form) == expected, form
    array = EdgeProbabilities(square.to_numpy()).terms(NAMES).edge
    assert np.allclose(array, expected.terms(NAMES).edge)
    file.write_text("from,to,probability,edge\na,b,0.9,->\nd,c,0.4,--\n")
    either = EdgeProbabilities({("a", "b"): 0.9, frozenset("cd"): 0.4})
    assert np.allclose(EdgeProbabilities(file).terms(NAMES).edge, either.terms(NAMES).edge)


def test_the_posterior_follows(tmp_path: Path) -> None:
    data = arcwise.simulate("asia", 100, seed=1)
    found = [
        arcwise.learn(
            data, max_indegree=2, progress=None, prior="uniform", edge_probabilities=stated
        ).edge_probability("smoke", "lung")
        for stated in ({("smoke", "lung"): 0.05}, None, {("smoke", "lung"): 0.95})
    ]
    assert found == sorted(found)
    assert found[0] < found[1] / 2
    model = arcwise.Model(
        data, prior="fair", max_indegree=2, edge_probabilities={("smoke", "lung"): 0.9}
    )
    assert "'smoke' -> 'lung': 0.9; base Fair()" in repr(model.prior)
    alone = arcwise.exact(arcwise.Model(model.prior_weights()))
    assert alone.edge_probability("smoke", "lung") == pytest.approx(0.9, abs=0.02)


REFUSALS: list[tuple[Any, dict[str, Any], str]] = [
    ({("a", "b"): 1}, {}, "is 1 for 'a' -> 'b'; give numbers between 0 and 1, and use forbidden"),
    ({("a", "b"): 0.0}, {}, "is 0.0 for 'a' -> 'b'"),
    ({("a", "b"): True}, {}, "is True for"),
    ({("a", "b"): "x"}, {}, "is 'x' for"),
    ({("a", "a"): 0.5}, {}, "from 'a' to 'a'; give two different names"),
    ({"ab": 0.5}, {}, r"the key 'ab'; give pairs \(parent, node\)"),
    ({("a", "b"): 0.6, ("b", "a"): 0.4}, {}, "add up to less than 1"),
    ({("a", "b"): 0.6, frozenset("ab"): 0.4}, {}, "twice; give one probability for each"),
    ({("a", "z"): 0.5}, {}, "edge_probabilities names 'z'"),
    ([[0.5, 0.5]], {}, "give a mapping from pairs"),
    (7, {}, "edge_probabilities is 7; give a mapping"),
    (np.full((3, 3), 0.2), {}, "an array for 3 variables and the model has 4"),
    (pd.DataFrame({"from": ["a"], "to": ["b"]}), {}, "without the column 'probability'"),
    ({("a", "b"): 0.5}, {"required_edges": [("a", "b")]}, "which the constraints decide"),
    ({("a", "b"): 0.5}, {"forbidden_edges": [("a", "b")]}, "which the constraints decide"),
    ({("a", "b"): 0.5}, {"required_edges": [("b", "a")]}, "which the constraints decide"),
    ({("a", "b"): 0.9, ("c", "b"): 0.9}, {"max_indegree": 1}, "to 'b' cannot all hold at once"),
]


@pytest.mark.parametrize(("given", "rules", "message"), REFUSALS)
def test_refusals(given: Any, rules: dict[str, Any], message: str) -> None:
    with pytest.raises(ArcwiseError, match=message):
        EdgeProbabilities(given).under(Constraints(**rules)).terms(NAMES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "has the header 'a,b'; give a .csv with the header from,to,probability"),
        ("from,to,probability\na,b\n", "row 2 of .* is 'a,b'"),
        ("from,to,probability\na,b,high\n", "row 2 of .* is 'a,b,high'"),
        ("from,to,probability,edge\na,b,0.5,<-\n", "and -> or -- if it has a column edge"),
        ("", "is empty"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "edges.csv"
    file.write_text(text)
    with pytest.raises(ArcwiseError, match=message):
        EdgeProbabilities(file)
    with pytest.raises(ArcwiseError, match="there is no file"):
        EdgeProbabilities(tmp_path / "none.csv")


def test_a_model_has_its_own_already() -> None:
    model = arcwise.Model({"a": [0, 1, 1], "b": [1, 0, 1]})
    with pytest.raises(ArcwiseError, match="already has its score, prior"):
        arcwise.learn(model, edge_probabilities={("a", "b"): 0.9}, progress=None)


def test_impossible_statements_are_constraint_errors() -> None:
    prior = EdgeProbabilities({("a", "b"): 0.9, ("c", "b"): 0.9}, constraints=Constraints(
        max_indegree=1))  # fmt: skip
    with pytest.raises(ConstraintError):
        prior.terms(NAMES)
