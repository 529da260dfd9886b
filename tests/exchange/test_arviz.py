"""`to_arviz`: ArviZ's statistics of what it gives are ours."""

from __future__ import annotations

import json
from typing import Any

import arviz_stats
import numpy as np
import pytest
from arviz_stats import summary

import arcwise
from arcwise.errors import ArgumentError
from support.edge_chains import chain_posterior, flipping
from support.sampled_posteriors import sampled_posterior

EDGES = {(0, 1): flipping(4, 300, 0.4, 1), (1, 2): flipping(4, 300, 0.3, 2)}


def test_the_groups_and_what_is_in_them() -> None:
    posterior = chain_posterior(EDGES)
    tree = posterior.to_arviz()
    edge = tree.posterior["edge"]
    assert edge.dims == ("chain", "draw", "source", "target")
    for (u, v), bits in EDGES.items():
        assert (edge.sel(source=f"x{u}", target=f"x{v}").values == bits).all()
    assert (tree.posterior["number_of_edges"].values == sum(EDGES.values())).all()
    assert edge.mean(("chain", "draw")).values == pytest.approx(posterior.edges)
    assert posterior.traces is not None
    assert (tree.sample_stats["lp"].values == posterior.traces.log_weights_matrix()).all()
    assert "weight" not in tree.sample_stats
    assert tree.attrs["inference_library"] == "arcwise"
    assert json.loads(tree.attrs["provenance"]) == posterior.provenance.as_dict()
    assert json.loads(tree.attrs["summary"]) == posterior.summary_dict()


def test_arviz_computes_with_it() -> None:
    posterior = chain_posterior(EDGES)
    diagnosis = posterior.diagnose()
    assert diagnosis.rhat is not None
    assert diagnosis.effective_samples is not None
    tree = posterior.to_arviz(edges="uncertain")
    edge = tree.posterior["edge"]
    assert edge.dims == ("chain", "draw", "pair")
    assert edge["pair"].values.tolist() == ["x0 -> x1", "x1 -> x2"]
    assert edge["source"].values.tolist() == ["x0", "x1"]
    assert edge["target"].values.tolist() == ["x1", "x2"]
    rhat: Any = arviz_stats.rhat(tree)
    effective: Any = arviz_stats.ess(tree)
    for number, (u, v) in enumerate(EDGES):
        assert rhat["edge"].values[number] == pytest.approx(diagnosis.rhat[u, v])
        assert effective["edge"].values[number] == pytest.approx(diagnosis.effective_samples[u, v])
    table = summary(tree, var_names=["edge"], round_to="none")
    means = [posterior.edges[u, v] for u, v in EDGES]
    assert table["mean"].to_numpy(dtype=np.float64) == pytest.approx(means)


def test_weights_uneven_chains_and_runs() -> None:
    logs = np.random.default_rng(3).normal(size=1200)
    tree = chain_posterior(EDGES, log_weights=logs).to_arviz()
    weight = tree.sample_stats["weight"].values
    assert weight.shape == (4, 300)
    assert weight.mean() == pytest.approx(1.0)
    assert np.log(weight / weight[0, 0]).reshape(-1) == pytest.approx(logs - logs[0])
    # Traces of other lengths than the chains of DAGs: no state is known for a DAG.
    assert "lp" not in sampled_posterior().to_arviz().sample_stats
    model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    several = arcwise.mcmc(
        model, "partitions", steps=2000, thinning=10, dags_per_state=3, chains=2, seed=1
    )
    assert several.traces is not None
    tree = several.to_arviz()
    assert tree.sample_stats["lp"].shape == (2, 480)
    assert (tree.sample_stats["lp"].values[:, ::3] == several.traces.log_weights_matrix()).all()
    runs = arcwise.ais(model, "partitions", particles=10, steps=300, seed=1)
    assert runs.dags is not None
    assert runs.to_arviz().posterior.sizes["chain"] == 1
    assert runs.to_arviz().posterior.sizes["draw"] == len(runs.dags)


def test_refusals() -> None:
    model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    with pytest.raises(ArgumentError, match="needs sampled DAGs"):
        arcwise.exact(model).to_arviz()
    with pytest.raises(ArgumentError, match="'all' or 'uncertain'"):
        sampled_posterior().to_arviz(edges="some")  # type: ignore[arg-type]
