"""Findings about data and model: each for the table it is about, and none for a good one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.data.profile import DataProfile
from arcwise.diagnostics.data_and_model import family_sizes
from arcwise.errors import DataWarning
from arcwise.records.account import Finding, data_verdict, sentences_of
from arcwise.records.runs import ExactRun
from support.run_records import chain_run

NOTES = {"hidden causes", "assumptions", "directions"}


def findings_of(posterior: Posterior) -> dict[str, Finding]:
    """Return the findings about data and model by their topics."""
    found = arcwise.diagnose(posterior).findings
    by_topic = {each.topic: each for each in found if each.part == "data and model"}
    assert len(by_topic) == sum(each.part == "data and model" for each in found)
    return by_topic


def coins(rows: int, columns: int, seed: int = 0) -> dict[str, list[int]]:
    random = np.random.default_rng(seed)
    return {f"x{i}": random.integers(0, 2, rows).tolist() for i in range(columns)}


def exact(table: Any, *, dags: int = 200, **options: Any) -> Posterior:
    chosen: dict[str, Any] = {"score": arcwise.scores.BDeu(1.0), "prior": "uniform"} | options
    return arcwise.exact(Model(table, **chosen), dags=dags, seed=1)


def test_a_good_table_has_notes_only() -> None:
    posterior = exact(coins(2000, 4), max_indegree=2)
    diagnosis = arcwise.diagnose(posterior)
    assert diagnosis.data_verdict == "no problem found"
    assert set(findings_of(posterior)) <= NOTES
    assert "Hidden common causes" in " ".join(diagnosis.data_sentences)


@pytest.mark.parametrize("dags", [0, 300])
def test_more_parameters_than_rows_are_serious(dags: int) -> None:
    # The uniform prior and BDeu give coins many parents.
    posterior = exact(coins(60, 9), dags=dags)
    found = findings_of(posterior)["rows per parameter"]
    assert found.severity == "serious"
    assert "parameters and 60 rows)" in found.fact
    assert arcwise.diagnose(posterior).data_verdict == "poor"
    assert "bound the number of parents" in found.advice


def test_the_size_of_a_family_is_its_posterior_median() -> None:
    posterior = exact(coins(60, 6), dags=0)
    profile = posterior.provenance.data
    assert profile is not None
    found = family_sizes(posterior, profile)
    assert found is not None
    for node, name in enumerate(posterior.variables):
        rows = sorted(
            (2.0 ** len(parents), share) for parents, share in posterior.parent_sets(name, 10**6)
        )
        below = sum(share for size, share in rows if size < found[node] - 1e-9)
        upto = sum(share for size, share in rows if size <= found[node] + 1e-9)
        assert below <= 0.5 + 1e-9
        assert upto >= 0.5 - 1e-9


def test_sizes_by_the_likely_parents_if_nothing_else_is_known() -> None:
    edges = np.zeros((3, 3))
    edges[0, 2] = edges[1, 2] = 0.9
    posterior = Posterior(("a", "b", "c"), "modular", chain_run(), edges)
    discrete = family_sizes(posterior, DataProfile((3, 4, 2), "discrete"))
    gaussian = family_sizes(posterior, DataProfile((0, 0, 0), "gaussian"))
    assert discrete is not None
    assert gaussian is not None
    assert discrete == pytest.approx([2.0, 3.0, 12.0])
    assert gaussian.tolist() == [2.0, 2.0, 4.0]
    assert family_sizes(posterior, DataProfile((3, 4, 2), None)) is None


def test_rows_in_which_a_variable_is_set_do_not_count_for_it() -> None:
    table = coins(300, 3)
    mask = {"x0": [i < 297 for i in range(300)]}
    found = findings_of(exact(arcwise.read(table, interventions=mask)))
    assert "(worst: x0, with " in found["rows per parameter"].fact
    assert found["interventions"].severity == "note"
    assert "In 297 of 300 rows variables were intervened on (x0 in 297)" in (
        found["interventions"].fact
    )


def test_few_rows_are_told_with_what_they_can_show() -> None:
    few = findings_of(exact(coins(30, 3)))["rows"]
    assert few.severity == "caution"
    assert "With only 30 rows" in few.fact
    assert f"{np.sqrt(1 - 30 ** (-1 / 30)):.2f}" in few.fact
    assert findings_of(exact(coins(150, 3)))["rows"].severity == "note"
    assert "rows" not in findings_of(exact(coins(300, 3)))


def test_columns_that_are_not_normal() -> None:
    random = np.random.default_rng(1)
    table = {name: random.normal(size=400) for name in "abc"}
    assert "normality" not in findings_of(exact(table, score="bge"))
    mild = findings_of(exact(table | {"d": random.exponential(size=400)}, score="bge"))
    assert "1 column of 4 is not normal, as the score assumes (worst: d " in mild["normality"].fact
    wild = findings_of(exact(table | {"d": np.exp(2 * random.normal(size=400))}, score="bge"))
    assert wild["normality"].severity == "serious"
    # Uniform columns are certainly not normal, but do little harm.
    flat = findings_of(exact(table | {"d": random.uniform(size=400)}, score="bge"))
    assert "normality" not in flat
    assert "normality" not in findings_of(exact(coins(400, 3)))


def test_no_false_alarm_about_normal_columns() -> None:
    """Of 200 tables, each fails with probability below 0.01; more than 6 with one below 0.005."""
    random = np.random.default_rng(7)
    alarms = 0
    for _ in range(200):
        table = {name: random.normal(size=60) for name in "abcde"}
        data = arcwise.read(table)
        edges = np.zeros((5, 5))
        profile = DataProfile.of(data, "gaussian")
        provenance = Model(data, "bge", max_indegree=0).provenance()
        assert provenance.data == profile
        posterior = Posterior(tuple("abcde"), "modular", ExactRun(), edges, provenance=provenance)
        alarms += "normality" in findings_of(posterior)
    assert alarms <= 6


def test_rows_dropped_and_columns_cut() -> None:
    random = np.random.default_rng(2)
    x = [None if i < 60 else float(v) for i, v in enumerate(random.normal(size=1000))]
    table = {"x": x, "y": random.normal(size=1000)}
    with pytest.warns(DataWarning, match="dropped 60"):
        data = arcwise.read(table, missing="drop")
    found = findings_of(exact(arcwise.discretize(data)))
    assert found["dropped rows"].severity == "caution"
    assert "60 of 1,000 rows (6%) were dropped" in found["dropped rows"].fact
    assert "2 columns were cut into intervals" in found["discretized"].fact
    with pytest.warns(DataWarning, match="dropped 10"):
        some = arcwise.read({**table, "x": [0.5] * 50 + x[50:]}, missing="drop")
    assert findings_of(exact(some, score="bge"))["dropped rows"].severity == "note"


def test_weights_that_claim_more_than_they_are_worth() -> None:
    table = coins(300, 3)
    counts = arcwise.read(table, weights=[1.0] * 300)
    assert findings_of(exact(counts))["weights"].severity == "note"
    uneven = arcwise.read(table, weights=[0.1, 1.9] * 150)
    found = findings_of(exact(uneven))["weights"]
    assert found.severity == "caution"
    assert "count as 300 rows, though as a sample they are worth only 165.7" in found.fact


def test_identifiers() -> None:
    table = coins(100, 2) | {"name": [f"n{i}" for i in range(100)]}
    with pytest.warns(DataWarning):
        data = arcwise.read(table)
    found = findings_of(exact(data, max_indegree=1))
    assert found["identifiers"].fact.startswith("name seems only to identify rows")


def test_directions_that_observational_data_cannot_tell() -> None:
    random = np.random.default_rng(3)
    a, b = random.normal(size=(2, 500))
    c = a + b + 0.3 * random.normal(size=500)
    d = c + 0.3 * random.normal(size=500)
    e = random.normal(size=500)
    f = e + 0.3 * random.normal(size=500)
    table = dict(zip("abcdef", (a, b, c, d, e, f), strict=True))
    posterior = exact(table, score="bge", max_indegree=3)
    found = findings_of(posterior)["directions"]
    # a → c ← b is a v-structure, from which c → d follows; only e – f may be turned.
    assert "cannot tell the direction of 1 of 4 likely adjacencies" in found.fact
    assert "(e – f)" in found.fact or "(f – e)" in found.fact
    mask = {"e": [i < 5 for i in range(500)]}
    told = findings_of(exact(arcwise.read(table, interventions=mask), score="bge", max_indegree=2))
    assert "directions" not in told or "is open" in told["directions"].fact


def test_without_a_table_nothing_is_claimed_about_it() -> None:
    posterior = Posterior(("a", "b"), "modular", ExactRun(), np.array([[0.0, 0.5], [0.4, 0.0]]))
    diagnosis = arcwise.diagnose(posterior)
    assert diagnosis.data_verdict == "unknown"
    assert set(findings_of(posterior)) == NOTES
    assert "The direction of 1 of 1 likely adjacency is open" in " ".join(diagnosis.data_sentences)


def test_findings_are_the_same_after_saving(tmp_path: Path) -> None:
    posterior = arcwise.learn(coins(60, 6), seed=1, progress=None)
    posterior.save(tmp_path / "p.npz")
    loaded = Posterior.load(tmp_path / "p.npz")
    diagnosis = arcwise.diagnose(posterior)
    assert arcwise.diagnose(loaded).findings == diagnosis.findings
    assert loaded.account == posterior.account
    assert posterior.account is not None
    assert posterior.account.findings == diagnosis.findings
    assert posterior.account.data_verdict == diagnosis.data_verdict
    assert f"data and model {diagnosis.data_verdict}>" in repr(posterior)
    assert repr(diagnosis) == f"<Diagnosis: {posterior.account.verdicts.replace(', ', '; ')}>"
    said = posterior.summary_dict()["findings"]
    assert [each["fact"] for each in said] == [each.fact for each in diagnosis.findings]


def test_the_gravest_finding_is_the_verdict_and_advice_is_given_once() -> None:
    def of(severity: Any, advice: str = "") -> Finding:
        return Finding("data and model", severity, "t", "It is so", advice)

    assert data_verdict([]) == data_verdict([of("note")]) == "no problem found"
    assert data_verdict([of("note"), of("caution")]) == "questionable"
    assert data_verdict([of("caution"), of("serious")]) == "poor"
    words = sentences_of([of("caution", "run more"), of("note", "run more"), of("note")])
    assert words == ["It is so; run more.", "It is so.", "It is so."]


def test_variables_that_hardly_vary() -> None:
    table = coins(500, 2) | {"rare": [int(i < 7) for i in range(500)]}
    found = findings_of(exact(table))["nearly constant"]
    assert found.severity == "caution"
    assert found.fact.startswith(
        "1 variable differs from the commonest level in fewer than 20 rows (rare in 7 rows)"
    )
    assert "nearly constant" not in findings_of(exact(coins(500, 2)))


def test_a_model_without_any_parents_is_no_result() -> None:
    table = coins(50, 3)
    none = arcwise.Model(table, candidates=np.zeros((3, 3), dtype=int))
    posterior = arcwise.mcmc(none, steps=400, seed=1)
    found = posterior.diagnose()
    assert found.verdict == "not converged"
    assert [finding.topic for finding in found.findings if finding.severity == "serious"] == [
        "parents"
    ]
    one = np.zeros((3, 3), dtype=int)
    one[0, 1] = 1
    some = arcwise.mcmc(arcwise.Model(table, candidates=one), steps=4000, seed=1)
    assert some.diagnose().verdict != "not converged"
