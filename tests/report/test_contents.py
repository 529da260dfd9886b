"""What the report page says: its contents for every kind of posterior, without a browser."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.posterior.summary import run_summary
from arcwise.records.account import Account, Choices
from arcwise.records.algorithm import Algorithm
from arcwise.records.runs import ExactRun
from arcwise.report import report_contents
from arcwise.report.network import MOST_EDGES, SMALLEST_PROBABILITY
from arcwise.support.words import number
from support.edge_chains import chain_posterior
from support.exact_models import names
from support.run_records import chain_run
from support.sampled_posteriors import sampled_posterior


@pytest.fixture(scope="module")
def model() -> arcwise.Model:
    return arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=3)


@pytest.fixture(scope="module")
def posteriors(model: arcwise.Model) -> dict[str, arcwise.Posterior]:
    return {
        "exact": arcwise.exact(model),
        "mcmc": arcwise.mcmc(model, "partitions", steps=20_000, seed=1),
        "mc3": arcwise.mc3(model, steps=4_000, temperatures=7, chains=2, seed=1),
        "ais": arcwise.ais(model, particles=60, steps=400, seed=1),
    }


KINDS = ["exact", "mcmc", "mc3", "ais"]


@pytest.mark.parametrize("kind", KINDS)
def test_contents_are_plain_values(kind: str, posteriors: dict[str, arcwise.Posterior]) -> None:
    contents = report_contents(posteriors[kind])
    assert json.loads(json.dumps(contents, allow_nan=False)) == contents


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_is_there_or_its_absence_explained(
    kind: str, posteriors: dict[str, arcwise.Posterior]
) -> None:
    contents = report_contents(posteriors[kind])
    parts = contents["charts"] | {"evidence": contents["evidence"]}
    for name, reason in contents["missing"].items():
        assert (parts[name] is None) == (reason is not None)
    there = {name for name in contents["missing"] if parts[name] is not None}
    assert (
        there
        == {
            "exact": {"evidence"},
            "mcmc": {"traces", "agreement"},
            "mc3": {"traces", "agreement", "evidence"},
            "ais": {"traces", "agreement", "evidence"},
        }[kind]
    )
    nodes = contents["nodes"]
    assert (nodes["blankets"] is None) == (nodes["why_no_blankets"] is not None)
    assert (nodes["blankets"] is None) == (kind == "exact")


def test_edges_are_those_of_the_posterior(posteriors: dict[str, arcwise.Posterior]) -> None:
    posterior = posteriors["mcmc"]
    network = report_contents(posterior)["network"]
    assert posterior.edge_errors is not None
    shown = np.zeros_like(posterior.edges)
    for source, target, probability, error, _ in network["edges"]:
        shown[source, target] = probability
        assert error == pytest.approx(posterior.edge_errors[source, target], abs=1e-6)
    left = posterior.edges <= SMALLEST_PROBABILITY
    assert np.where(left, 0.0, posterior.edges) == pytest.approx(shown, abs=1e-6)
    falling = [edge[2] for edge in network["edges"]]
    assert falling == sorted(falling, reverse=True)


def test_a_large_dense_posterior_is_cut_and_the_page_says_so() -> None:
    n = 80
    edges = np.random.default_rng(1).random((n, n)) * 0.5
    np.fill_diagonal(edges, 0.0)
    posterior = arcwise.Posterior(tuple(names(n)), "modular", ExactRun(), edges)
    network = report_contents(posterior)["network"]
    assert len(network["edges"]) == MOST_EDGES
    off_diagonal = np.sort(edges[~np.eye(n, dtype=np.bool_)])[::-1]
    assert network["edges"][-1][2] == pytest.approx(off_diagonal[MOST_EDGES - 1], abs=1e-6)
    assert f"{MOST_EDGES:,} edges out of {n * (n - 1):,}" in network["left_out"]
    assert number(float(off_diagonal[MOST_EDGES]), 2) in network["left_out"]


def test_places_are_in_the_picture_and_apart() -> None:
    network = report_contents(sampled_posterior(12, 90))["network"]
    places = np.array(network["places"])
    assert places.shape == (12, 2)
    assert len({tuple(place) for place in network["places"]}) == 12
    for points in (places, *(np.array(edge[4]) for edge in network["edges"] if edge[4])):
        assert (points >= 0).all()
        assert (points <= 1).all()


def test_edges_there_and_back_pass_on_different_sides() -> None:
    edges = np.array([[0.0, 0.45], [0.55, 0.0]])
    network = report_contents(arcwise.Posterior(("a", "b"), "modular", ExactRun(), edges))[
        "network"
    ]
    there, back = (np.array(edge[4]) for edge in network["edges"])
    assert there.tolist() != back.tolist()
    assert len(there) + len(back) >= 1


def test_the_panel_has_the_blanket() -> None:
    posterior = sampled_posterior(6, 90)
    blankets = report_contents(posterior)["nodes"]["blankets"]
    assert posterior.dags is not None
    for node, rows in enumerate(blankets):
        for member, probability in rows:
            wanted = 0.0
            for share, dag in zip(posterior.dags.shares, posterior.dags, strict=True):
                matrix = dag.matrix()
                joined = matrix[node, member] or matrix[member, node]
                wanted += share * bool(joined or (matrix[node] & matrix[member]).any())
            assert probability == pytest.approx(wanted, abs=1e-4)
        assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)


def test_the_panel_has_the_likeliest_parent_sets(
    posteriors: dict[str, arcwise.Posterior],
) -> None:
    for kind in ("exact", "mcmc"):
        posterior = posteriors[kind]
        sets = report_contents(posterior)["nodes"]["parent_sets"]
        for name, rows in zip(posterior.variables, sets, strict=True):
            members, probability = rows[0]
            best, value = posterior.parent_sets(name, 1)[0]
            assert [posterior.variables[i] for i in members] == list(best)
            assert probability == pytest.approx(value, abs=1e-4)


def test_without_dags_and_families_the_panel_says_why() -> None:
    posterior = arcwise.Posterior(
        ("a", "b"), "modular", chain_run(), np.array([[0, 0.5], [0.2, 0]])
    )
    contents = report_contents(posterior)
    assert contents["nodes"]["parent_sets"] is None
    assert "neither sampled DAGs nor" in contents["nodes"]["why_no_parent_sets"]
    assert contents["missing"]["traces"]
    assert contents["trust"]["computation"]["verdict"] == "Unknown"
    assert contents["trust"]["data"]["verdict"] == "Unknown"


def test_the_summary_says_what_was_done(posteriors: dict[str, arcwise.Posterior]) -> None:
    done = {kind: " ".join(report_contents(posteriors[kind])["done"]) for kind in KINDS}
    assert all("8 variables and 300 rows" in words for words in done.values())
    assert "computed exactly" in done["exact"]
    assert (
        "Markov chain Monte Carlo over partitions: 4 chains, 16,000 steps each after a burn-in"
        in done["mcmc"]
    )
    assert "2 chains at 7 temperatures" in done["mc3"]
    assert "60 particles of 400 annealing steps" in done["ais"]
    assert all("BDeu (equivalent sample size 1)" in words for words in done.values())


def test_what_was_chosen_is_told_in_its_own_words() -> None:
    chosen = Choices(
        score="BDeu()",
        prior="Uniform()",
        modularity="modular",
        parents="all",
        families=8,
        algorithm=Algorithm.MCMC,
        exact_operations=None,
        exact_limit=1e10,
        arguments={"moves": {"size": 8}},
        seed=7,
    )
    account = Account(("Exact was too dear.",), chosen, "doubtful", ("Hm.",), 1.5)
    posterior = sampled_posterior(account=account)
    contents = report_contents(posterior, title="T", data_description="Of lungs.")
    assert contents["title"] == "T"
    assert contents["done"] == ["Of lungs.", "Exact was too dear."]
    assert contents["provenance"][2]["title"] == "Choices and arguments"
    assert ["Moves: size", "8"] in contents["provenance"][2]["rows"]
    assert "arcwise.learn(data, seed=7)" in contents["reproduction"]["code"]
    assert not {"Choices", "Trust", "Verdict"} & {
        row[0] for row in contents["provenance"][1]["rows"]
    }


def test_connections_without_direction_are_named() -> None:
    edges = np.zeros((4, 4))
    edges[0, 1] = edges[1, 0] = 0.5
    edges[2, 3] = 0.95
    posterior = arcwise.Posterior(("a", "b", "c", "d"), "modular", ExactRun(), edges)
    found = " ".join(report_contents(posterior)["found"]).replace("\u00a0", " ")
    assert "2 pairs of variables are adjacent with a probability of at least 0.9." in found
    assert "With a clear direction: c → d." in found
    assert "With an open direction: a – b." in found


def test_the_verdict_is_that_of_diagnose(posteriors: dict[str, arcwise.Posterior]) -> None:
    for posterior in posteriors.values():
        diagnosis = arcwise.diagnose(posterior)
        trust = report_contents(posterior)["trust"]
        for part, verdict, sentences in (
            ("computation", diagnosis.verdict, diagnosis.sentences),
            ("data", diagnosis.data_verdict, diagnosis.data_sentences),
        ):
            assert trust[part]["verdict"].lower() == verdict
            assert [each["sentence"] for each in trust[part]["findings"]] == list(sentences)


def test_no_figure_stands_unqualified_beside_a_verdict_of_doubt() -> None:
    always = np.ones((4, 1000), dtype=np.bool_)
    mostly = always.copy()
    mostly[0, :300] = False
    apart = always.copy()
    apart[:2] = False
    posterior = chain_posterior({(0, 1): always, (1, 2): mostly, (0, 3): apart})
    contents = report_contents(posterior)
    assert contents["trust"]["computation"]["verdict"] == "Not converged"
    assert contents["found"][0].startswith("The chains have not converged, so these figures")
    # In all draws together x1 → x2 has a probability of 0.925, but in the first chain only 0.7.
    assert contents["found"][1] == (
        "Of the 2 adjacencies below, every chain alone gives 1 a probability of at least 0.9."
    )
    notes = [figure["note"] for figure in contents["figures"] if "probab" in figure["note"]]
    assert len(notes) == 2
    assert all(note.endswith("; computation not converged") for note in notes)


def test_evidence_has_its_error_and_bounds(posteriors: dict[str, arcwise.Posterior]) -> None:
    rows = report_contents(posteriors["ais"])["evidence"]["rows"]
    labels = [row[0] for row in rows]
    assert labels[:4] == ["Log evidence", "Reliability", "Standard error", "95 % interval"]
    found = posteriors["ais"].evidence
    assert found is not None
    assert labels.count("Lower bound") == len(found.lower_bounds) > 0
    exact = report_contents(posteriors["exact"])["evidence"]["rows"]
    assert [row[0] for row in exact] == ["Log evidence", "Log prior constant"]


def test_traces_are_thinned_and_the_page_says_so() -> None:
    random = np.random.default_rng(1)
    traces = arcwise.posterior.Traces(tuple(random.normal(size=2500) for _ in range(14)), steps=7)
    chart = report_contents(sampled_posterior(traces=traces))["charts"]["traces"]
    assert len(chart["data"]) == 12
    assert chart["data"][0]["x"][:2] == [0, 21]
    assert len(chart["data"][0]["y"]) == len(chart["data"][0]["x"]) == 834
    assert "One in 3" in chart["note"]
    assert "first 12 of 14 chains" in chart["note"]


def test_agreement_names_the_edge_furthest_apart(posteriors: dict[str, Any]) -> None:
    diagnosis = arcwise.diagnose(posteriors["mcmc"])
    chart = report_contents(posteriors["mcmc"])["charts"]["agreement"]
    assert diagnosis.most_different_edge is not None
    assert " → ".join(diagnosis.most_different_edge) in chart["note"]
    assert [trace["name"] for trace in chart["data"][1:]] == [f"chain {i}" for i in range(1, 5)]


def test_provenance_has_every_setting(posteriors: dict[str, arcwise.Posterior]) -> None:
    for posterior in posteriors.values():
        model, run = report_contents(posterior)["provenance"]
        values = dict(model["rows"])
        assert values["Data fingerprint"] == posterior.provenance.data_fingerprint
        assert values["arcwise version"] == arcwise.__version__
        labels = " ".join(label for label, _ in run["rows"])
        for name in run_summary(posterior.run):
            assert name.replace("_", " ").split()[-1].lower() in labels.lower()


def test_what_was_done_to_the_table_is_told() -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=200)
    table = {
        "x": [None if i < 20 else v for i, v in enumerate(x)],
        "y": x + random.normal(size=200),
    }
    mask = {"y": [i % 4 == 0 for i in range(200)]}
    with pytest.warns(arcwise.errors.DataWarning, match="dropped 20 of 200 rows"):
        data = arcwise.read(table, missing="drop", interventions=mask)
    posterior = arcwise.exact(arcwise.Model(arcwise.discretize(data, bins=2)))
    done = " ".join(report_contents(posterior)["done"])
    assert "20 of 200 rows were dropped" in done
    assert "Cut into intervals: 'x' (2 intervals) and 'y' (2 intervals)." in done
    assert "In 45 of 180 rows 'y' was intervened on" in done


def test_a_report_without_the_evidence_does_not_read_as_no_support(
    posteriors: dict[str, arcwise.Posterior],
) -> None:
    words = report_contents(posteriors["mcmc"])["missing"]["evidence"]
    assert "no evidence" not in words
    assert "marginal likelihood" in words
    assert "says nothing for or against any edge" in words
