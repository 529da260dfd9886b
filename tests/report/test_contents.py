"""What the report page says: its contents for every kind of posterior, without a browser."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.layout.marks import forest_rows
from arcwise.posterior.summary import run_summary
from arcwise.records.account import Account, Choices
from arcwise.records.runs import ChainRun, ExactRun
from arcwise.records.settings import Algorithm
from arcwise.report import report_contents
from arcwise.report.network import MOST_LINKS, SMALLEST_PROBABILITY
from arcwise.statistics.convergence import rank_shares
from arcwise.support.names import number
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
    charts = {name for name, chart in contents["charts"].items() if chart is not None}
    assert ("ranks" in charts) == (kind in ("mcmc", "mc3"))
    assert ({"round_trips", "exchanges"} <= charts) == (kind == "mc3")
    nodes = contents["nodes"]
    assert (nodes["blankets"] is None) == (nodes["why_no_blankets"] is not None)
    assert (nodes["blankets"] is None) == (kind == "exact")


def test_links_are_those_of_the_posterior(posteriors: dict[str, arcwise.Posterior]) -> None:
    posterior = posteriors["mcmc"]
    network = report_contents(posterior)["network"]
    errors = posterior.matrix("skeleton").standard_errors
    shown = np.zeros_like(posterior.edges)
    for source, target, forward, backward, error in network["links"]:
        assert forward >= backward
        shown[source, target], shown[target, source] = forward, backward
        assert error == pytest.approx(errors[source, target], abs=1e-6)
    left = posterior.edges + posterior.edges.T <= SMALLEST_PROBABILITY
    assert np.where(left, 0.0, posterior.edges) == pytest.approx(shown, abs=1e-6)
    falling = [link[2] + link[3] for link in network["links"]]
    assert np.diff(falling).max() <= 2e-6  # rounded to six digits


def test_a_large_dense_posterior_is_cut_and_the_page_says_so() -> None:
    n = 100
    edges = np.triu(np.random.default_rng(1).random((n, n)), 1)
    posterior = arcwise.Posterior(tuple(names(n)), "modular", ExactRun(), edges)
    network = report_contents(posterior)["network"]
    assert len(network["links"]) == MOST_LINKS
    either = np.sort(edges[np.triu_indices(n, 1)])[::-1]
    assert network["links"][-1][2] == pytest.approx(either[MOST_LINKS - 1], abs=1e-6)
    assert f"{MOST_LINKS:,} pairs out of {n * (n - 1) // 2:,}" in network["left_out"]
    assert number(float(either[MOST_LINKS]), 2) in network["left_out"]
    assert network["start"]["threshold"] == 0.95


def test_a_small_network_has_one_view_with_a_place_for_each_variable() -> None:
    network = report_contents(sampled_posterior(12, 90))["network"]
    (view,) = network["views"]
    assert network["start"] == {"threshold": 0.5, "view": 0}
    assert view["nodes"] == list(range(12))
    assert len({tuple(place) for place in view["places"]}) == 12
    assert view["frames"] == []


def test_a_large_network_starts_with_its_first_module() -> None:
    n = 90
    random = np.random.default_rng(7)
    edges = np.triu((random.random((n, n)) < 2.5 / n) * 0.9, 1)
    edges[:, 80:] = edges[80:, :] = 0.0  # the last ten have no edge
    network = report_contents(arcwise.Posterior(tuple(names(n)), "modular", ExactRun(), edges))[
        "network"
    ]
    whole, *parts = network["views"]
    assert network["start"]["view"] == 1
    assert whole["nodes"] == list(range(n))
    assert len(whole["frames"]) >= 2
    assert sorted(node for part in parts for node in part["nodes"]) == list(range(n))
    assert all(len(part["nodes"]) <= 40 for part in parts)
    assert "variables around x" in parts[0]["title"]
    assert set(range(80, 90)) <= set(parts[-1]["nodes"])
    assert "without an edge" in parts[-1]["title"]
    assert len(parts[-1]["alone"]) == len(parts[-1]["nodes"])
    for view in network["views"]:
        for own in view["ways"]:
            source, target = network["links"][int(own)][:2]
            assert {source, target} <= set(view["nodes"])


def test_the_data_file_is_named_and_nothing_else_made_up(tmp_path: Path) -> None:
    file = tmp_path / "lungs 2024.csv"
    arcwise.simulate("asia", 500, seed=1).write_csv(file)
    for data, name in ((file, "lungs 2024.csv"), (arcwise.simulate("asia", 500, seed=1), None)):
        table = arcwise.read(data)
        assert table.name == name
        posterior = arcwise.exact(arcwise.Model(table, max_indegree=2))
        posterior.save(tmp_path / "posterior.npz")
        contents = report_contents(arcwise.Posterior.load(tmp_path / "posterior.npz"))
        text = json.dumps(contents)
        assert "data.csv" not in text
        assert (name is not None) == (contents["title"].endswith("lungs 2024.csv"))
        assert (name is not None) == (
            "arcwise.read('lungs 2024.csv')" in contents["reproduction"]["code"]
        )
        assert (name is not None) == (["Data", name] in contents["provenance"][0]["rows"])


def test_the_name_stays_with_the_data(tmp_path: Path) -> None:
    file = tmp_path / "measured.csv"
    file.write_text("a,b,c\n" + "\n".join(f"{i}.5,{i % 3},{i % 2}" for i in range(12)), "utf-8")
    table = arcwise.read(file, kinds="discrete")
    assert arcwise.read(table, missing="drop").name == "measured.csv"
    assert table.select(["a", "b"]).name == "measured.csv"
    assert table.take_rows([0, 1, 2, 3]).name == "measured.csv"
    assert pickle.loads(pickle.dumps(table)).name == "measured.csv"
    assert arcwise.discretize(arcwise.read(file), bins=2).name == "measured.csv"
    assert table == arcwise.read(table.to_pandas(), kinds="discrete")


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_in_words_and_not_in_python(
    kind: str, posteriors: dict[str, arcwise.Posterior]
) -> None:
    for table in report_contents(posteriors[kind])["provenance"]:
        for label, value in table["rows"]:
            assert not re.search(r"<[A-Z]\w+:|\w\(\)|=None|\w+\(\w+=", value), (label, value)


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


def test_what_was_chosen_is_told_in_its_own_words(tmp_path: Path) -> None:
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
    account = Account(
        ("Exact was too dear.",), chosen, "doubtful", ("Hm.",), 1.5, sensitivity=("As it is: 3.",)
    )
    posterior = sampled_posterior(account=account)
    contents = report_contents(posterior, title="T", data_description="Of lungs.")
    assert contents["title"] == "T"
    assert contents["done"] == ["Of lungs.", "Exact was too dear."]
    assert contents["moved"] == ["As it is: 3."]
    posterior.report(tmp_path / "page.html")
    assert "<li>As it is: 3.</li>" in (tmp_path / "page.html").read_text(encoding="utf-8")
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
    assert len(chart["marks"]) == 12
    assert chart["marks"][0]["x"][:2] == [0, 21]
    assert len(chart["marks"][0]["y"]) == len(chart["marks"][0]["x"]) == 834
    assert "One in 3" in chart["note"]
    assert "first 12 of 14 chains" in chart["note"]


def test_agreement_names_the_edge_furthest_apart(posteriors: dict[str, Any]) -> None:
    diagnosis = arcwise.diagnose(posteriors["mcmc"])
    chart = report_contents(posteriors["mcmc"])["charts"]["agreement"]
    assert diagnosis.most_different_edge is not None
    assert " → ".join(diagnosis.most_different_edge) in chart["note"]
    assert [mark["name"] for mark in chart["marks"]] == [f"chain {i}" for i in range(1, 5)]


def test_round_trips_and_ranks_are_those_of_the_run(
    posteriors: dict[str, arcwise.Posterior],
) -> None:
    charts = report_contents(posteriors["mc3"])["charts"]
    run = posteriors["mc3"].run
    assert isinstance(run, ChainRun)
    exchanges = run.exchanges
    (bars,) = charts["round_trips"]["marks"]
    assert bars["y"] == list(exchanges.round_trips)
    (bars,) = charts["exchanges"]["marks"]
    assert bars["y"] == pytest.approx(exchanges.acceptance, abs=1e-4)
    shares = rank_shares(posteriors["mc3"].traces.log_weights)
    for mark, row in zip(charts["ranks"]["marks"], shares, strict=True):
        assert mark["y"] == pytest.approx(row, abs=1e-4)
        assert len(mark["x"]) == len(mark["y"]) + 1


def test_the_forest_has_the_rows_of_the_plot(posteriors: dict[str, arcwise.Posterior]) -> None:
    for kind in ("exact", "mcmc"):
        forest = report_contents(posteriors[kind])["forest"]
        rows, count = forest_rows(posteriors[kind])
        assert [row[2] for row in forest["rows"]] == pytest.approx(
            [row.probability for row in rows], abs=1e-4
        )
        assert forest["intervals"] == (kind == "mcmc")
        assert forest["note"].startswith(f"{count} pair")


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
