"""Models of the same data compared by their evidence: probabilities, doubts, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise import Model
from arcwise.cli import main
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.results import Evidence, ModelEvidence
from arcwise.scores import BDeu

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")

DATA = arcwise.simulate("asia", 300, seed=1)


def evidence(value: float, error: float | None) -> ModelEvidence:
    """Return an estimate of the evidence."""
    return ModelEvidence(Evidence(value, error, method="some", effective_runs=5.0))


def test_scores_priors_and_constraints() -> None:
    models = {
        "one": Model(DATA, BDeu(equivalent_sample_size=1), max_indegree=2),
        "fifty": Model(DATA, BDeu(equivalent_sample_size=50), max_indegree=2),
        "fair": Model(DATA, prior="fair", max_indegree=2),
        "forbidden": Model(DATA, max_indegree=2, forbidden_edges=[("smoke", "bronc")]),
    }
    found = arcwise.compare_models(models)
    logs = np.array([arcwise.exact(model).log_evidence for model in models.values()])
    shares = np.exp(logs - logs.max())
    expected = dict(zip(models, shares / shares.sum(), strict=True))
    assert found.probabilities == pytest.approx(expected)
    assert [model.probability for model in found.models] == sorted(expected.values(), reverse=True)
    assert found.decided
    for model in found.models:
        assert model.interval.low == pytest.approx(model.probability)
        assert model.interval.high == pytest.approx(model.probability)
    assert found.models[0].log_bayes_factor == 0.0
    listed = arcwise.compare_models(list(models.values()))
    assert listed.probabilities["model 1"] == pytest.approx(expected["one"])


def test_prior_probabilities_of_models() -> None:
    models = {"a": evidence(-10.0, 0.0), "b": evidence(-10.0, 0.0)}
    found = arcwise.compare_models(models, prior={"b": 3.0, "a": 1.0})
    assert found.probabilities == pytest.approx({"a": 0.25, "b": 0.75})
    assert arcwise.compare_models(models, prior=[3.0, 1.0]).probabilities["a"] == pytest.approx(
        0.75
    )


def test_errors_of_the_evidence_go_on() -> None:
    """Intervals against draws of the log evidences: they cover 95 % of what may be true."""
    values, errors = [-100.0, -100.7, -102.0], [0.2, 0.1, 0.3]
    models = {
        str(i): evidence(value, error)
        for i, (value, error) in enumerate(zip(values, errors, strict=True))
    }
    found = arcwise.compare_models(models)
    draws = np.random.default_rng(1).normal(values, errors, size=(20_000, 3))
    shares = np.exp(draws - draws.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    for model in found.models:
        within = (shares[:, int(model.name)] > model.interval.low) & (
            shares[:, int(model.name)] < model.interval.high
        )
        # 20,000 draws know it to 0.15 %; the rest is that log odds are not quite linear.
        assert 0.94 < within.mean() < 0.96
    assert found.decided


def test_what_is_not_decided() -> None:
    close = arcwise.compare_models({"a": evidence(-100.0, 0.2), "b": evidence(-100.1, 0.2)})
    assert not close.decided
    assert "not decided" in close.sentences[0]
    guess = arcwise.compare_models({"a": evidence(-100.0, None), "b": evidence(-140.0, 0.1)})
    assert not guess.decided
    assert guess.sentences[0].startswith("The evidence of 'a' is not reliable")
    assert guess.models[0].interval == (0.0, 1.0)
    both = arcwise.compare_models({"a": evidence(-100.0, 0.0), "b": evidence(-100.5, 0.0)})
    assert both.decided
    assert both.sentences == ("'a' is the most probable model, but the data do not rule out 'b'.",)
    far = arcwise.compare_models({"a": evidence(-100.0, 0.1), "b": evidence(-2000.0, 0.1)})
    assert far.sentences == ("'a' is the most probable model.",)
    assert far.probabilities["b"] == 0.0
    assert json.loads(json.dumps(far.as_dict()))["models"]["a"]["probability"] == 1.0


def test_other_data_are_refused() -> None:
    fewer = arcwise.simulate("asia", 200, seed=1)
    with pytest.raises(ArgumentError, match=r"^'model 1' and 'model 2' are .*300 and 200 rows"):
        arcwise.compare_models([Model(DATA, max_indegree=1), Model(fewer, max_indegree=1)])
    columns = DATA.select([name for name in DATA.variables if name != "asia"])
    with pytest.raises(ArgumentError, match="different columns, levels or values"):
        arcwise.compare_models([Model(DATA, max_indegree=1), Model(columns, max_indegree=1)])


def test_posteriors_and_refusals() -> None:
    model = Model(DATA, max_indegree=1)
    exact, chains = arcwise.exact(model), arcwise.mcmc(model, steps=100, seed=1)
    same = arcwise.compare_models({"a": exact, "b": model})
    assert same.probabilities == pytest.approx({"a": 0.5, "b": 0.5})
    with pytest.raises(ArgumentError, match=r"^the posterior 'b' has no evidence, as mcmc does"):
        arcwise.compare_models({"a": exact, "b": chains})
    for few in ([], [model], model, None):
        with pytest.raises(ArgumentError, match=r"^models is .*; give two or more models"):
            arcwise.compare_models(few)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^'model 2' is of type int; give models"):
        arcwise.compare_models([model, 3])
    with pytest.raises(ArgumentError, match=r"^prior is for 'c'; give one number for each of"):
        arcwise.compare_models({"a": exact, "b": exact}, prior={"c": 1.0})
    for wrong in ([1.0], [1.0, -1.0], [1.0, math.inf]):
        with pytest.raises(ArgumentError, match=r"^prior is .*; give one positive number"):
            arcwise.compare_models({"a": exact, "b": exact}, prior=wrong)


def test_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "data.csv"
    DATA.write_csv(table)
    files = []
    for size in ("1", "50"):
        files.append(str(tmp_path / f"{size}.json"))
        asked = ["evidence", str(table), "--max-indegree", "2", "--score", "bdeu"]
        asked += ["--equivalent-sample-size", size]
        assert main([*asked, "--out", files[-1]]) == 0
    capsys.readouterr()
    out = tmp_path / "comparison.json"
    assert main(["compare-models", *files, "--out", str(out)]) == 0
    assert "1.json' is the most probable model" in capsys.readouterr().out.replace("\n", "")
    found = json.loads(out.read_text())
    models = [Model(DATA, BDeu(equivalent_sample_size=s), max_indegree=2) for s in (1, 50)]
    expected = arcwise.compare_models(models).probabilities["model 1"]
    assert found["models"][files[0]]["probability"] == pytest.approx(expected)
    assert main(["compare-models", files[0], str(tmp_path / "none.json")]) == 2
    assert main(["compare-models", files[0], str(table)]) == 2
    assert "is not a file of evidence" in capsys.readouterr().err
    with pytest.raises(FileFormatError):
        ModelEvidence.read(table)
