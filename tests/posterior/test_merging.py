"""Several runs as one posterior: means, errors, DAGs, evidence, and what is refused."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Posterior
from arcwise.errors import ArcwiseWarning, ArgumentError
from arcwise.posterior import Traces
from arcwise.statistics.log_estimates import log_mean
from arcwise.support.names import Description
from support.exact_models import random_model
from support.log_weights import plain_error
from support.run_records import chains_of, merged_of
from support.sampled_posteriors import sampled_posterior
from support.sampling_errors import assert_common_within_errors

MODEL = random_model(6, 5.0, 3)


def run(algorithm: str, space: str, seed: int, **options: Any) -> Posterior:
    """Return a short run; that it is short is no matter for warnings here."""
    budget = {"particles": 60, "steps": 60} if algorithm == "ais" else {"steps": 3000, "chains": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArcwiseWarning)
        found: Posterior = getattr(arcwise, algorithm)(
            MODEL, space, seed=seed, **(budget | options)
        )
    return found


KINDS = (("mcmc", "partitions"), ("mcmc", "linear"), ("ais", "partitions"), ("ais", "linear"))


@pytest.mark.parametrize(("algorithm", "space"), KINDS)
def test_many_short_runs_are_one_long_run(algorithm: str, space: str) -> None:
    parts = [run(algorithm, space, seed) for seed in range(6)]
    whole = Posterior.concatenate(parts)
    exact = arcwise.exact(MODEL)
    assert whole.edge_errors is not None
    assert whole.dags is not None
    assert_common_within_errors(whole.edges, whole.edge_errors, exact.edges)
    between = ~np.eye(6, dtype=np.bool_)
    each = [part.edge_errors[between] for part in parts if part.edge_errors is not None]
    ratio = np.median(whole.edge_errors[between] / np.mean(each, axis=0))
    assert 0.25 < ratio < 0.65  # one by the root of six is 0.41
    assert len(whole.dags) == sum(len(part.dags) for part in parts if part.dags is not None)
    assert whole.dags.chains is not None
    assert len(np.unique(whole.dags.chains)) == (360 if algorithm == "ais" else 12)
    assert whole.map_log_weight == max(part.map_log_weight or -math.inf for part in parts)
    if algorithm == "ais":
        assert whole.evidence is not None
        assert exact.log_evidence is not None
        off = whole.evidence.log_evidence - exact.log_evidence
        assert abs(off) < 5 * whole.evidence.standard_error
        assert whole.evidence.lower_bounds["slack-2"].value < exact.log_evidence
        assert merged_of(whole).runs == 360
    else:
        assert merged_of(whole).chains == 12
        assert len(merged_of(whole).states) == 12


def test_annealing_runs_count_by_their_weights() -> None:
    parts = [run("ais", "partitions", seed, particles=runs) for seed, runs in ((1, 30), (2, 90))]
    whole = parts[0] + parts[1]
    assert whole.traces is not None
    logs = whole.traces.log_weights[0]
    assert len(logs) == 120
    totals = [np.exp(part.traces.log_weights[0] - logs.max()).sum() for part in parts]
    expected = (totals[0] * parts[0].edges + totals[1] * parts[1].edges) / sum(totals)
    np.testing.assert_allclose(whole.edges, expected, atol=1e-12)
    # As if all runs had been made at once.
    np.testing.assert_allclose(
        whole.dags.probability("x0 -- x1"),
        sum(t * p.dags.probability("x0 -- x1") for t, p in zip(totals, parts, strict=True))
        / sum(totals),
    )
    assert whole.evidence is not None
    assert parts[0].evidence is not None
    shift = parts[0].evidence.log_evidence - log_mean(parts[0].traces.log_weights[0])
    assert whole.evidence.log_evidence == pytest.approx(log_mean(logs) + shift, abs=1e-9)
    assert whole.evidence.standard_error == pytest.approx(plain_error(logs), rel=0.1)
    bound = whole.evidence.lower_bounds["nine-bins"]
    assert bound.confidence == pytest.approx(0.9)


def test_chains_count_by_their_states() -> None:
    one = run("mcmc", "partitions", 1, steps=3000)
    other = run("mcmc", "partitions", 2, steps=9000, thinning=3)
    states = [sum(chains_of(part).states) for part in (one, other)]
    whole = one + other
    expected = (states[0] * one.edges + states[1] * other.edges) / sum(states)
    np.testing.assert_allclose(whole.edges, expected, atol=1e-12)
    share = states[0] / sum(states)
    errors = np.sqrt(share**2 * one.edge_errors**2 + (1 - share) ** 2 * other.edge_errors**2)
    np.testing.assert_allclose(whole.edge_errors, errors)
    assert whole.traces is None  # other steps between their numbers
    assert merged_of(whole).difference_between_parts == pytest.approx(
        np.abs(one.edges - other.edges).max()
    )
    assert [part.seed for part in merged_of(whole).parts] == [1, 2]


def test_evidence_of_chains() -> None:
    parts = [run("mc3", "partitions", seed) for seed in (1, 2)]
    whole = Posterior.concatenate(parts)
    assert whole.evidence is not None
    logs = [part.log_evidence for part in parts]
    assert whole.evidence.log_evidence == pytest.approx(np.mean(logs))
    mixed = parts[0] + run("mcmc", "partitions", 3)
    assert mixed.evidence == parts[0].evidence
    assert mixed.algorithm == "mc3"


def test_merged_runs_merge_again_and_are_saved(tmp_path: Path) -> None:
    one, two, three = (run("mcmc", "partitions", seed) for seed in (1, 2, 3))
    whole = (one + two) + three
    at_once = Posterior.concatenate([one, two, three])
    np.testing.assert_allclose(whole.edges, at_once.edges)
    np.testing.assert_allclose(whole.edge_errors, at_once.edge_errors)
    assert whole.traces is not None
    assert len(whole.traces.log_weights) == 6
    whole.save(tmp_path / "whole.npz")
    again = Posterior.load(tmp_path / "whole.npz")
    assert again.probability("x0 ~> x3") == whole.probability("x0 ~> x3")
    assert again.run == whole.run
    with pytest.raises(ArgumentError, match=r"^two posteriors come from the same run"):
        again + two
    assert Posterior.concatenate([one]) is one


def test_what_does_not_belong_together() -> None:
    one = run("mcmc", "partitions", 1)
    other = run("mcmc", "partitions", 2)
    refused: dict[str, Posterior] = {
        "modularity is 'modular' in one posterior and 'order-modular' in another; conc": replace(
            other, modularity="order-modular"
        ),
        "score is .* in one posterior and 'BGe' in another": replace(
            other, provenance=replace(other.provenance, score=Description("BGe"))
        ),
        "data_fingerprint is None in one posterior and 'f' in another": replace(
            other, provenance=replace(other.provenance, data_fingerprint="f")
        ),
        "variables is .* in one posterior and .* in another": sampled_posterior(),
        "a posterior computed by 'exact' cannot be merged with others; concatenate": arcwise.exact(
            MODEL
        ),
        "two posteriors come from the same run, with seed 1; leave one out": run(
            "mcmc", "partitions", 1
        ),
        "annealing runs and Markov chains cannot be merged, because their weights have no": run(
            "ais", "partitions", 2
        ),
        "the DAGs of some posteriors are weighted by their numbers of topological orders and": run(
            "mcmc", "linear", 2
        ),
    }
    for said, posterior in refused.items():
        with pytest.raises(ArgumentError, match=f"^{said}"):
            one + posterior
    with pytest.raises(ArgumentError, match=r"^there is no posterior to concatenate; give one"):
        Posterior.concatenate([])
    annealed = run("ais", "partitions", 1)
    with pytest.raises(ArgumentError, match=r"^space is .*Partitions.* in one posterior and .*Lay"):
        annealed + run("ais", "layerings:2", 2)
    with pytest.raises(ArgumentError, match=r"^an annealed posterior has no traces"):
        annealed + replace(run("ais", "partitions", 2), traces=None)
    with pytest.raises(ArgumentError, match=r"^two posteriors come from the same run"):
        annealed + replace(annealed, traces=Traces(annealed.traces.log_weights, 3))
