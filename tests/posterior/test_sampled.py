"""What samplers' results say: features, errors, traces and the summary."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Dag, Posterior
from arcwise.errors import (
    ArcwiseWarning,
    ArgumentError,
    ConvergenceWarning,
    InterruptedWarning,
    WeightCollapseWarning,
)
from arcwise.model.model import Provenance
from arcwise.posterior import Evidence, Traces
from arcwise.records.runs import OrderWeights
from arcwise.records.settings import Convergence
from support.exact_models import flat_model
from support.run_records import LEVELS, chain_run
from support.sampled_posteriors import random_sample, sampled_posterior

NO_DAGS = r"^the probability of .* sampled DAGs, but this posterior has none; use ExactSampler"


def test_edges_are_those_of_the_matrix() -> None:
    edges = np.arange(25.0).reshape(5, 5) / 100
    posterior = sampled_posterior(edges=edges)
    assert posterior.probability(("x1", "x3")) == posterior.edge_probability("x1", "x3") == 0.08
    with pytest.raises(ArgumentError, match=r"^feature names 'nobody'; the variables are"):
        posterior.probability(("x1", "nobody"))


def test_functions_of_dags() -> None:
    posterior = sampled_posterior()
    assert posterior.dags is not None
    weights = np.exp(posterior.dags.log_weights + 2000.0)

    def has_path(dag: Dag) -> bool:
        return ("x0", "x1") in dag.edges and ("x1", "x2") in dag.edges

    expected = sum(w for w, dag in zip(weights, posterior.dags, strict=True) if has_path(dag))
    assert posterior.probability(has_path) == pytest.approx(expected / weights.sum())
    assert 0.0 < posterior.probability(has_path) < 1.0
    sizes = [len(dag.edges) for dag in posterior.dags]
    mean = posterior.probability(lambda dag: len(dag.edges))
    assert mean == pytest.approx(np.average(sizes, weights=weights))


@pytest.mark.parametrize("n", [5, 70])
def test_parent_sets_from_dags(n: int) -> None:
    count = 200 if n == 5 else 20
    dags = random_sample(n, count, weights=np.random.default_rng(2).random(count))
    posterior = sampled_posterior(n, edges=dags.edge_probabilities(), edge_errors=None, dags=dags)
    for node in ("x0", f"x{n - 1}"):
        law: dict[frozenset[str], float] = {}
        for share, dag in zip(dags.shares, dags, strict=True):
            parents = frozenset(source for source, target in dag.edges if target == node)
            law[parents] = law.get(parents, 0.0) + float(share)
        found = posterior.parent_sets(node, 1000)
        assert {frozenset(parents): share for parents, share in found} == pytest.approx(law)
        shares = [share for _, share in found]
        assert shares == sorted(shares, reverse=True)
        assert posterior.parent_sets(node, 2) == found[:2]
        for parents, share in law.items():
            assert posterior.parent_set_probability(node, parents) == pytest.approx(share)
    assert posterior.parent_set_probability("x0", ["x0"]) == 0.0


def test_without_dags_one_clear_sentence() -> None:
    posterior = sampled_posterior(dags=None)
    asked: list[Any] = [
        lambda: posterior.probability(lambda dag: True),
        lambda: posterior.parent_sets("x0"),
        lambda: posterior.parent_set_probability("x0", []),
    ]
    for ask in asked:
        with pytest.raises(ArgumentError, match=NO_DAGS):
            ask()
    with pytest.raises(ArgumentError, match=NO_DAGS):
        arcwise.exact(flat_model(3)).probability(lambda dag: True)
    assert arcwise.exact(flat_model(3)).probability(("x0", "x1")) > 0.0


def test_parent_sets_of_exact_posteriors_are_exact() -> None:
    exact = arcwise.exact(flat_model(3))
    assert exact.dags is None
    assert exact.parent_set_probability("x0", []) == pytest.approx(12 / 25)
    assert len(exact.parent_sets("x0", 10)) == 4


def test_no_evidence() -> None:
    posterior = sampled_posterior(evidence=None)
    assert posterior.log_evidence is None
    assert posterior.log_prior_constant is None
    assert repr(posterior) == "<Posterior: mcmc, modular, 5 variables, 60 DAGs>"
    with pytest.raises(ArgumentError, match=r"^mcmc does not estimate the evidence; use exact"):
        posterior.evidence_dict()


def test_evidence(tmp_path: Path) -> None:
    posterior = sampled_posterior()
    assert (posterior.log_evidence, posterior.log_prior_constant) == (-120.25, 3.5)
    assert repr(posterior).endswith("60 DAGs, log evidence -120.250000>")
    posterior.write_evidence(tmp_path / "evidence.json")
    said = json.loads((tmp_path / "evidence.json").read_text(encoding="utf-8"))
    assert said == {
        "log_evidence": -120.25,
        "standard_error": 0.5,
        "lower_bounds": {"slack-2": {"value": -121.0, "confidence": 0.96875, "bins": 5}},
        "log_prior_constant": 3.5,
        "log_prior_constant_error": 0.25,
        "method": "ais",
        "effective_runs": None,
        "degrees_of_freedom": None,
        "doubts": [],
        "parts": [],
        "verdict": "reliable",
        "interval": [*posterior.evidence.interval],
        "modularity": "modular",
        "algorithm": "mcmc",
        "error": None,
        "provenance": Provenance("1", rows=10).as_dict(),
    }
    exact = arcwise.exact(flat_model(3))
    assert exact.evidence == Evidence(exact.log_evidence, log_prior_constant=math.log(25))


def no_constants(word: str) -> Any:
    raise AssertionError(f"{word} is no JSON")


def test_the_summary_is_strict_json(tmp_path: Path) -> None:
    run = chain_run(
        tempered=True,
        states=(40, 40),
        moves={"swap": 0.25, "modularity": None},
        convergence=Convergence(rhat=math.inf, ess=math.nan, difference=0.5),
        order_weights=OrderWeights(12.5, 2, 0.25),
        steps=None,
        until="rhat<1.01",
        rule_met=False,
        dags=80,
    )
    posterior = sampled_posterior(run=run)
    posterior.write_summary(tmp_path / "summary.json")
    text = (tmp_path / "summary.json").read_text(encoding="utf-8")
    said = json.loads(text, parse_constant=no_constants)
    assert said == posterior.summary_dict()
    assert said == {
        "space": "Partitions(moves=None)",
        "chains": 3,
        "seed": 3,
        "burn_in_steps": 1000,
        "steps_after_burn_in": [400, 400],
        "thinning": 10,
        "states": [40, 40],
        "dags": 80,
        "interrupted": False,
        "until": "rhat<1.01",
        "until_met": False,
        "acceptance": {"swap": 0.25, "modularity": None},
        "inverse_temperatures": [list(LEVELS)] * 3,
        "exchange_acceptance": [0.5, 0.4, None],
        "round_trips": [3, 2, 0],
        "rhat_log_weight": None,
        "effective_samples_log_weight": None,
        "largest_rhat_edge": None,
        "smallest_effective_samples_edge": None,
        "largest_edge_difference_between_chains": 0.5,
        "effective_dags": 12.5,
        "dags_with_estimated_orders": 2,
        "largest_error_of_estimated_orders": 0.25,
        "seconds_sampling": 1.5,
        "seconds": 2.0,
        "modularity": "modular",
        "algorithm": "mc3",
        "variables": ["x0", "x1", "x2", "x3", "x4"],
        "provenance": Provenance("1", rows=10).as_dict(),
    }
    nothing = sampled_posterior(evidence=Evidence(-math.inf, math.nan))
    nothing.write_evidence(tmp_path / "evidence.json")
    said = json.loads((tmp_path / "evidence.json").read_text(), parse_constant=no_constants)
    assert said["log_evidence"] is said["standard_error"] is None


def test_edges_in_csv_with_their_errors(tmp_path: Path) -> None:
    posterior = sampled_posterior()
    assert posterior.edge_errors is not None
    posterior.edge_errors[1, 2] = np.nan
    posterior.write_edges(tmp_path / "edges.csv")
    with open(tmp_path / "edges.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    kinds = ["adjacency", "forward", "backward"]
    assert list(rows[0]) == ["source", "target", *kinds, *(f"{kind}_error" for kind in kinds)]
    assert len(rows) == 10
    skeleton = posterior.matrix("skeleton")
    for row in rows:
        u, v = int(row["source"][1:]), int(row["target"][1:])
        assert float(row["adjacency"]) == skeleton.probabilities[u, v]
        for kind, (source, target) in {"forward": (u, v), "backward": (v, u)}.items():
            assert float(row[kind]) == posterior.edges[source, target]
            if (source, target) == (1, 2):
                assert row[f"{kind}_error"] == ""
            else:
                error = float(row[f"{kind}_error"])
                assert error == posterior.edge_errors[source, target] > 0.0


def test_traces() -> None:
    traces = Traces(([-1, -2, -3], np.array([-4.0, -5.0])), steps=5)  # type: ignore[arg-type]
    assert traces.log_weights[0].dtype == np.float64
    assert traces.log_weights_matrix().tolist() == [[-1.0, -2.0], [-4.0, -5.0]]
    assert Traces((np.zeros(3),)).steps == 1
    for rows in ((), (np.zeros((2, 2)),)):
        with pytest.raises(ArgumentError, match=r"^log_weights must hold a vector of numbers"):
            Traces(rows)
    with pytest.raises(ArgumentError, match=r"^steps is 0; give a whole number, 1 or more"):
        Traces((np.zeros(3),), steps=0)


def test_parts_that_do_not_belong_together() -> None:
    for name in ("edges", "edge_errors"):
        wrong: dict[str, Any] = {name: np.zeros((2, 5))}
        with pytest.raises(ArgumentError, match=rf"^{name} has the shape \(2, 5\); give \(5, 5\)$"):
            sampled_posterior(**wrong)
    with pytest.raises(ArgumentError, match=r"^dags has different variables from the posterior"):
        sampled_posterior(dags=random_sample(4, 3))
    with pytest.raises(ArgumentError, match=r"^map_dag has different variables from the posterior"):
        sampled_posterior(map_dag=Dag(["a", "b"], {}))
    with pytest.raises(ArgumentError, match=r"given without the DAG; give map_dag too$"):
        sampled_posterior(map_log_weight=-3.0)


def test_only_edges_are_needed() -> None:
    posterior = Posterior(("a", "b"), "modular", chain_run(), np.array([[0.0, 0.25], [0.5, 0.0]]))
    assert posterior.edge_table() == [("b", "a", 0.5), ("a", "b", 0.25)]
    assert posterior.summary_dict()["variables"] == ["a", "b"]


def test_warnings_have_classes_of_their_own() -> None:
    for kind in (ConvergenceWarning, WeightCollapseWarning, InterruptedWarning):
        assert issubclass(kind, ArcwiseWarning)
        assert issubclass(kind, UserWarning)
        assert "Issued" in str(kind.__doc__)
