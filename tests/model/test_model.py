"""Models: prior times likelihood for every DAG, ready scores under constraints, and refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Constraints, Dag, Model
from arcwise.errors import ArcwiseError, ArgumentError, ConstraintError
from arcwise.families import Families
from arcwise.priors import (
    DistanceToDag,
    EdgePenalty,
    EdgeWeights,
    Fair,
    FunctionPrior,
    Prior,
    PriorTerms,
    Uniform,
)
from arcwise.scores import BDeu, FamilyScores, LocalScore
from reference import priors as reference
from reference.dags import Parents, all_dags
from reference.scores import bdeu
from support.comparison import close
from support.strategies import discrete_case

NAMES = ("a", "b", "c", "d")
WEIGHTS = np.random.default_rng(1).uniform(0.1, 5.0, (4, 4))
CENTRE: Parents = ((2,), (), (), (0, 2))
CASE = discrete_case(np.random.default_rng(2).integers(0, 2, (25, 4)), [2, 3, 2, 2])


def odd(node: str, parents: tuple[str, ...]) -> float:
    return -0.3 * len(parents) ** 2 + (1.7 if node == "c" and "d" in parents else 0.0)


def names_of(dag: Parents) -> Dag:
    return Dag(
        NAMES, {NAMES[node]: [NAMES[parent] for parent in of] for node, of in enumerate(dag)}
    )


PRIORS: dict[str, tuple[Any, Callable[[Parents], float]]] = {
    "none": (None, lambda dag: reference.edge_penalty(dag, math.log(3.0))),
    "uniform": ("uniform", reference.uniform),
    "fair": ("fair", reference.fair),
    "edge weights": (
        EdgeWeights(WEIGHTS),
        lambda dag: reference.edge_weights(dag, WEIGHTS.tolist()),
    ),
    "distance": (
        DistanceToDag(names_of(CENTRE), 0.3),
        lambda dag: reference.distance_to_dag(dag, CENTRE, 0.3),
    ),
    "penalty": (EdgePenalty(0.8), lambda dag: reference.edge_penalty(dag, 0.8)),
    "function": (odd, lambda dag: reference.function_prior(dag, NAMES, odd)),
    "product": (
        Fair() * EdgeWeights(WEIGHTS) * FunctionPrior(odd) * Uniform() * FunctionPrior(odd),
        lambda dag: (
            reference.fair(dag)
            + reference.edge_weights(dag, WEIGHTS.tolist())
            + 2 * reference.function_prior(dag, NAMES, odd)
        ),
    ),
}


@pytest.fixture(scope="module")
def likelihood() -> dict[tuple[int, tuple[int, ...]], float]:
    families = {(node, of) for dag in all_dags(4) for node, of in enumerate(dag)}
    return {(node, of): bdeu(CASE.rows, node, of, 2.0) for node, of in families}


@pytest.mark.parametrize("kind", PRIORS)
def test_every_dag_weighs_prior_times_likelihood(
    kind: str, likelihood: dict[tuple[int, tuple[int, ...]], float]
) -> None:
    prior, definition = PRIORS[kind]
    model = Model(CASE.data, BDeu(2.0), prior=prior)
    for dag in all_dags(4):
        expected = definition(dag) + math.fsum(likelihood[node, of] for node, of in enumerate(dag))
        assert close(model.log_weight_of(names_of(dag)), expected)


@pytest.mark.parametrize("kind", PRIORS)
def test_constraints_leave_the_weights_of_the_dags_that_satisfy_them(
    kind: str, likelihood: dict[tuple[int, tuple[int, ...]], float]
) -> None:
    prior, definition = PRIORS[kind]
    model = Model(
        CASE.data,
        BDeu(2.0),
        prior=prior,
        required_edges=[("a", "c")],
        forbidden_edges=[("d", "a"), ("b", "d")],
        max_indegree={"c": 2},
    )
    left = 0
    for dag in all_dags(4):
        weight = model.log_weight_of(names_of(dag))
        satisfied = 0 in dag[2] and 3 not in dag[0] and 1 not in dag[3] and len(dag[2]) <= 2
        if not satisfied:
            assert weight == -math.inf
            continue
        left += 1
        expected = definition(dag) + math.fsum(likelihood[node, of] for node, of in enumerate(dag))
        assert close(weight, expected)
    assert 0 < left < 543


def test_a_uniform_prior_changes_no_bit() -> None:
    model = Model(CASE.data, "bdeu", prior="uniform")
    assert model.weights is model.scores
    assert model.prior == Uniform()
    assert model.score == BDeu()
    assert model.data == CASE.data


def test_a_dag_with_its_variables_in_another_order_weighs_the_same() -> None:
    model = Model(CASE.data, "bdeu", prior="fair")
    edges = [("d", "a"), ("a", "c"), ("b", "c")]
    first = Dag.from_edges(NAMES, edges)
    second = Dag.from_edges(NAMES[::-1], edges)
    assert model.log_weight_of(first) == model.log_weight_of(second)


def test_the_families_are_told_back() -> None:
    rule: dict[str, Any] = {
        "max_indegree": 2,
        "required_edges": [("a", "b")],
        "candidates": {"b": ["c", "d"], "c": ["d"]},
    }
    model = Model(CASE.data, "bdeu", **rule)
    assert model.families == Families.of(NAMES, **rule)
    assert Model(model.scores, prior="fair").families == model.families


def ready() -> FamilyScores:
    return FamilyScores.from_mapping(
        {
            "a": {(): -1.0, ("b",): -2.0, ("c",): -3.0, ("b", "c"): -4.0},
            "b": {(): -5.0, ("a", "c"): -6.0},
            "c": {("a",): -7.0, ("a", "b"): -8.0},
        }
    )


@pytest.mark.parametrize("form", ["scores", "path", "text"])
def test_ready_scores(form: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.jkl"
    ready().write_jkl(path)
    given = {"scores": ready(), "path": path, "text": str(path)}[form]
    model = Model(given, prior=EdgePenalty(10.0))
    assert model.data is None
    assert model.score is None
    assert model.families is None
    assert model.log_weight("a", ["b", "c"]) == -24.0
    assert model.log_weight("b", ["a"]) == -math.inf


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({"max_indegree": 1}, {"a": ["", "b", "c"], "b": [""], "c": ["a"]}),
        ({"max_indegree": {"a": 0}}, {"a": [""], "b": ["", "ac"], "c": ["a", "ab"]}),
        (
            {"forbidden_edges": [("b", "c")]},
            {"a": ["", "b", "c", "bc"], "b": ["", "ac"], "c": ["a"]},
        ),
        ({"required_edges": [("b", "a")]}, {"a": ["b", "bc"], "b": ["", "ac"], "c": ["a", "ab"]}),
        ({"candidates": {"a": ["b"], "c": ["a"]}}, {"a": ["", "b"], "b": [""], "c": ["a"]}),
        (
            {"candidates": {"a": ["b"]}, "required_edges": [("a", "c")]},
            {"a": ["", "b"], "b": [""], "c": ["a"]},
        ),
        ({"temporal_order": ["a", ["b", "c"]]}, {"a": [""], "b": ["", "ac"], "c": ["a", "ab"]}),
        (
            {"constraints": Constraints(forbidden_edges=[("c", "a")])},
            {"a": ["", "b"], "b": ["", "ac"], "c": ["a", "ab"]},
        ),
    ],
)
def test_ready_scores_under_constraints(
    keywords: dict[str, Any], expected: dict[str, list[str]]
) -> None:
    model = Model(ready(), prior="fair", **keywords)
    for node in "abc":
        assert {"".join(parents) for parents, _ in model.scores.families(node)} == set(
            expected[node]
        )
        for parents, value in model.scores.families(node):
            assert value == ready().log_score(node, parents)
            weight = value - math.log(math.comb(2, len(parents)))
            assert model.log_weight(node, parents) == pytest.approx(weight, abs=1e-14)


def test_a_score_of_ones_own() -> None:
    class Sizes(LocalScore, name="sizes"):
        def fill(self, data: Any, table: Any, run: Any) -> None:
            for node in range(len(data.variables)):
                _, offsets = table.parent_sets(node)
                table.values(node)[:] = -np.diff(offsets.astype(float))

    assert Model(CASE.data, "sizes", prior="uniform").log_weight("a", ["b", "c"]) == -2.0

    class Broken(LocalScore):
        def fill(self, data: Any, table: Any, run: Any) -> None:
            table.values(2)[1] = np.nan

    with pytest.raises(ArgumentError, match="the score Broken returned nan for a family of 'c'"):
        arcwise.score(CASE.data, Broken())


def test_a_prior_of_ones_own_must_give_weights() -> None:
    class Broken(Prior):
        def terms(self, variables: Any) -> PriorTerms:
            return PriorTerms(np.full(4, np.nan), np.zeros((4, 4)), np.zeros((4, 4)))

    with pytest.raises(ArgumentError, match="constant contains nan or inf"):
        Model(CASE.data, prior=Broken())


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (
            lambda: Model(ready(), "bdeu"),
            ArgumentError,
            "the data are precomputed scores, which have their own",
        ),
        (lambda: Model(ready(), max_indegree=0), ConstraintError, "leave no parent set for 'c'"),
        (
            lambda: Model(ready(), forbidden_edges=[("a", "c")]),
            ConstraintError,
            "leave no parent set for 'c'; relax",
        ),
        (
            lambda: Model(["a", "b"], lambda node, parents: -math.inf if node == "b" else 0.0),
            ConstraintError,
            "leave no parent set for 'b'",
        ),
        (
            lambda: Model(["a", "b"], lambda n, p: 0.0, prior=lambda n, p: -math.inf),
            ConstraintError,
            "leave no parent set for 'a' and 'b'",
        ),
        (lambda: Model(["a", "b"], "bdeu"), ArgumentError, "a list of names, from which BDeu"),
        (lambda: Model(["a", "b"]), ArgumentError, "score is None"),
        (lambda: Model(CASE.data, "bdu"), ArgumentError, "score is 'bdu'; give one of 'bdeu'"),
        (lambda: Model(CASE.data, BDeu), ArgumentError, r"the class BDeu; give an instance"),
        (lambda: Model(CASE.data, prior="fiar"), ArgumentError, "prior is 'fiar'"),
        (lambda: Model(CASE.data, prior=EdgeWeights(np.ones((3, 3)))), ArgumentError, "for 3"),
        (lambda: Model(CASE.data, threads=0), ArgumentError, "threads is 0"),
        (
            lambda: Model(CASE.data, lambda node, parents: "much"),
            ArgumentError,
            "the function of the score returned 'much' for the node 'a' with parents",
        ),
        (
            lambda: Model(CASE.data, lambda node, parents: math.inf),
            ArgumentError,
            "the function of the score returned inf",
        ),
        (
            lambda: Model(CASE.data, prior=lambda node, parents: math.nan),
            ArgumentError,
            "the function of the prior returned nan",
        ),
        (
            lambda: Model(CASE.data).log_weight_of(Dag(["a", "b"], {})),
            ArgumentError,
            "the DAG has the variables 'a' and 'b'; the model has",
        ),
        (lambda: Model(CASE.data).log_weight("x", []), ArgumentError, "node names 'x'"),
        (lambda: Model(CASE.data).log_weight("a", ["x"]), ArgumentError, "parents names 'x'"),
        (lambda: arcwise.scores.FunctionScore(3), ArgumentError, "function is 3"),  # type: ignore[arg-type]
        (lambda: FamilyScores.from_mapping({}), ArgumentError, "variables is empty"),
        (lambda: FamilyScores.from_mapping({"a": {}}), ArgumentError, "'a' has no parent set"),
        (
            lambda: FamilyScores.from_mapping({"a": {(): 0.0, ("a",): 1.0}}),
            ArgumentError,
            "'a' is in one of its own parent sets",
        ),
        (
            lambda: FamilyScores.from_mapping(
                {"a": {("b", "c"): 0.0, ("c", "b"): 1.0}, "b": {(): 0.0}, "c": {(): 0.0}}
            ),
            ArgumentError,
            "'a' has a parent set twice",
        ),
        (
            lambda: FamilyScores.from_mapping({"a": {(): math.nan}}),
            ArgumentError,
            "'a' has a score that is not a finite number",
        ),
        (
            lambda: FamilyScores.from_mapping({"a": {(): "much"}}),  # type: ignore[dict-item]
            ArgumentError,
            "'a' has a score that is not a finite number",
        ),
        (
            lambda: FamilyScores.from_mapping({"a": {("x",): 0.0}}),
            ArgumentError,
            "a parent set of 'a' names 'x'",
        ),
        (lambda: ready().best("a", -1), ArgumentError, "count is -1"),
    ],
)
def test_refusals(build: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as refusal:
        build()
    assert isinstance(refusal.value, ArcwiseError)
    assert "\n" not in str(refusal.value)


def test_the_best_families() -> None:
    scores = ready()
    assert scores.best("a", 2) == [((), -1.0), (("b",), -2.0)]
    assert scores.best("a", 0) == []
    assert [value for _, value in scores.best("a", 99)] == [-1.0, -2.0, -3.0, -4.0]
    assert len(scores) == 8
    assert scores.nbytes == 64


def test_provenance_tells_constraints_and_candidates() -> None:
    data = arcwise.simulate("asia", 50, seed=1)
    free = Model(data).provenance()
    assert (free.constraints, free.candidates, free.plus_one) == ({}, None, False)
    told = Model(
        data,
        required_edges=[("smoke", "lung")],
        temporal_order=[["asia", "smoke"], ["dysp"]],
        max_indegree={"tub": 1},
        candidates=arcwise.candidates(data, "greedy:2"),
        plus_one=True,
    )
    said = json.loads(json.dumps(told.provenance().as_dict()))
    assert said["constraints"]["required_edges"] == [["smoke", "lung"]]
    assert said["constraints"]["forbidden_edges"] == [["dysp", "asia"], ["dysp", "smoke"]]
    assert said["constraints"]["max_indegree"]["tub"] == 1
    assert said["plus_one"] is True
    again = Model(
        data,
        constraints=said["constraints"],
        candidates=said["candidates"],
        plus_one=said["plus_one"],
    )
    assert again.families == told.families
    assert again.provenance() == told.provenance()
