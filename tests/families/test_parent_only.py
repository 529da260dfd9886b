"""Parent-only variables: as given, as refused, and everywhere they go besides the algorithms."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Constraints, Data, Model
from arcwise.cli import main
from arcwise.errors import ArgumentError, ConstraintError
from arcwise.families import Families
from support.command_line import Captured, refusal

GIVEN = ["asia", "smoke"]


@pytest.fixture(scope="module")
def data() -> Data:
    return arcwise.simulate("asia", 300, seed=1)


def test_names_in_any_form_are_the_same() -> None:
    one = Constraints(parent_only="a")
    assert one == Constraints(parent_only=["a"]) == Constraints.coerce({"parent_only": ("a", "a")})
    both = one & Constraints(parent_only=["b", "a"])
    assert both.parent_only == ("a", "b")
    resolved = both.resolve(["b", "c", "a"])
    assert resolved.parent_only.tolist() == [True, False, True]
    assert np.argwhere(resolved.allowed).tolist() == [[0, 1], [2, 1]]
    assert resolved.as_dict(["b", "c", "a"]) == {"parent_only": ["b", "a"]}
    again = Constraints.coerce(resolved.as_dict(["b", "c", "a"])).resolve(["b", "c", "a"])
    assert np.array_equal(again.allowed, resolved.allowed)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"required_edges": [("b", "a")]}, r"'b' -> 'a' \(forbidden by parent_only\)"),
        ({"parent_only": ["z"]}, "parent_only names 'z'; the variables are"),
        ({"parent_only": ["a", "b", "c"]}, "names every variable, so that none is left"),
        ({"parent_only": [3]}, "parent_only holds 3; give names of variables"),
    ],
)
def test_contradictions_are_refused(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        Constraints(**({"parent_only": ["a"]} | rule)).resolve(["a", "b", "c"])


def test_no_list_is_refused() -> None:
    with pytest.raises(ArgumentError, match="parent_only is 3; give a list of names"):
        Constraints(parent_only=3)


def test_no_knowledge_file_holds_them(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"leave out .*parent_only"):
        Constraints(parent_only="a").write(tmp_path / "knowledge.txt")


def test_families_count_them_as_parents_alone() -> None:
    families = Families.of(["a", "b", "z", "y"], parent_only=["z", "y"], max_indegree=2)
    assert families.count("z") == families.count("y") == 1
    assert families.count("a") == 1 + 3 + 3


def test_their_own_score_is_zero(data: Data) -> None:
    model = Model(data, parent_only=GIVEN, prior="fair", max_indegree=2)
    assert model.parent_only == ("asia", "smoke")
    assert model.log_weight("smoke", []) == model.scores.log_score("smoke", []) == 0.0
    assert model.log_weight("smoke", ["lung"]) == -math.inf
    edges = [("smoke", "lung"), ("lung", "xray"), ("asia", "xray")]
    # Under the fair prior, all seven others are possible parents.
    plain = Model(data, prior="fair", max_indegree=2)
    children = [name for name in data.variables if name not in GIVEN]
    parents: dict[str, list[str]] = {"lung": ["smoke"], "xray": ["lung", "asia"]}
    expected = sum(plain.log_weight(name, parents.get(name, [])) for name in children)
    assert model.log_weight_of(edges) == pytest.approx(expected, rel=1e-12)


def test_scores_from_a_file_are_conditional_as_well(data: Data) -> None:
    scores = arcwise.score(data, max_indegree=2)
    model = Model(scores, parent_only=GIVEN)
    direct = Model(data, parent_only=GIVEN, max_indegree=2, prior="uniform")
    one, other = arcwise.exact(model), arcwise.exact(direct)
    assert np.abs(one.edges - other.edges).max() < 1e-10
    assert one.log_evidence == pytest.approx(other.log_evidence, abs=1e-8)


@pytest.mark.parametrize("method", ["pc", "greedy:3", "gains:3", "pc+greedy:2"])
def test_candidates_of_others_that_have_none(method: str, data: Data) -> None:
    found = arcwise.candidates(data, method, parent_only=["smoke", "either"])
    assert found["smoke"] == found["either"] == ()
    assert any({"smoke", "either"} & {*found[name]} for name in data.variables)


@pytest.mark.parametrize("by", ["map", "posterior"])
def test_growth(by: Any, data: Data) -> None:
    grown = arcwise.grow(data, by=by, parent_only=GIVEN, seed=1, progress=None)
    assert grown.candidates["smoke"] == ()
    assert "smoke" in grown.candidates["lung"]
    if by == "map":
        best = arcwise.map(Model(data, parent_only=GIVEN), method="exact")
        assert grown.best is not None
        assert grown.best.log_weight == pytest.approx(best.log_weight, abs=1e-6)


def test_the_best_dag_is_found_by_search(data: Data) -> None:
    model = Model(data, parent_only=GIVEN)
    exact = arcwise.map(model, method="exact")
    found = arcwise.map(model, method="search", seed=1, starts=[exact.dag])
    assert found.log_weight == pytest.approx(exact.log_weight, abs=1e-8)
    assert found.agree
    assert exact.log_score == pytest.approx(
        sum(model.scores.log_score(name, exact.dag.parents(name)) for name in data.variables)
    )


def test_learn_to_the_page(data: Data, tmp_path: Path) -> None:
    found = arcwise.learn(data, parent_only=GIVEN, progress=None)
    assert found.algorithm == "exact"
    assert found.parent_only == ("asia", "smoke")
    assert any("6 variables, given 2 that are parents only" in s for s in found.account.choices)
    directions = [f.fact for f in found.account.findings if f.topic == "directions"]
    assert not any("smoke" in fact for fact in directions)
    found.report(tmp_path / "page.html")
    assert "of which 2 parent-only" in (tmp_path / "page.html").read_text()
    with pytest.raises(ArgumentError, match="'smoke', which is parent-only"):
        arcwise.predict(found, data, "smoke")
    assert len(arcwise.predict(found, data.take_rows(np.arange(5)), "lung")) == 5


def test_prior_probabilities_of_their_edges() -> None:
    """What is stated of an edge from a parent-only variable holds exactly: nothing is acyclic."""
    model = Model(
        ["a", "b", "z"],
        lambda node, parents: 0.0,
        parent_only="z",
        edge_probabilities={("z", "a"): 0.9},
    )
    assert arcwise.exact(model).edge_probability("z", "a") == pytest.approx(0.9, abs=0.02)


def test_in_the_shell(data: Data, tmp_path: Path, capsys: Captured) -> None:
    table = tmp_path / "table.csv"
    rows = data.discrete_codes("BDeu")
    header = ",".join(data.variables)
    np.savetxt(table, rows, fmt="%d", delimiter=",", header=header, comments="")
    options = ["--parent-only", "asia", "--parent-only", "smoke", "--discrete", "*"]
    out = tmp_path / "posterior"
    assert main(["learn", str(table), *options, "--out", str(out), "--json", "--quiet"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["provenance"]["constraints"]["parent_only"] == ["asia", "smoke"]
    message = refusal(capsys, "learn", table, "--parent-only", "age", "--discrete", "*")
    assert "--parent-only names 'age'" in message
