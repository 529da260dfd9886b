"""Edges averaged between kept states: smaller errors, and what chains differ by comes from them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.algorithms import GivenOrder
from arcwise.model.score_sums import ScoreSums
from arcwise.records.chain_record import ChainRecord
from arcwise.spaces import LinearOrders
from arcwise.statistics.convergence import chain_edges, edge_convergence
from support.exact_models import random_model
from support.presence import known
from support.same_posteriors import assert_same_posterior
from support.sampled_chains import sampled
from support.stopped_runs import assert_same, run_with_stops

pytestmark = pytest.mark.filterwarnings(
    "ignore::arcwise.errors.ConvergenceWarning"
)  # runs are short

SAMPLERS: dict[str, Any] = {
    "mcmc dags": partial(arcwise.mcmc, space="dags", thinning=45),
    "mcmc partitions": partial(arcwise.mcmc, space="partitions", thinning=130),
    "mcmc linear": partial(arcwise.mcmc, space="linear", thinning=150, modularity="order-modular"),
    "mc3 canonical": partial(arcwise.mc3, space="canonical", thinning=100, temperatures=3),
}


@pytest.fixture(scope="module")
def model() -> Model:
    return random_model(6, spread=6.0, seed=3)


def test_averages_between_kept_states_have_smaller_errors(model: Model) -> None:
    """The squared errors of 200 runs, against those of the same runs' kept states alone.

    Were both equally good, the ratio of the two sums would be below a half less than once
    in a million times: the logarithm of a ratio of chi-squared with 200 degrees of freedom
    has the standard deviation 0.14, and edges only add to these degrees.
    """
    exact = arcwise.exact(model, "order-modular").edges
    sums = ScoreSums(model)
    averaged, kept = 0.0, 0.0
    for seed in range(200):
        record = sampled(model, LinearOrders(), [1.0], draws=8, thinning=360, seed=seed)
        (own,) = known(chain_edges([record]))
        given = [
            GivenOrder(
                model, [model.variables[node] for node in code], sums=sums
            ).edge_probabilities()
            for code in record.codes
        ]
        averaged += float(((own - exact) ** 2).sum())
        kept += float(((np.mean(given, axis=0) - exact) ** 2).sum())
    assert averaged < kept / 2


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)
def test_the_same_averages_whatever_the_threads(sampler: Any, model: Model) -> None:
    one: Posterior = sampler(model, steps=4_000, chains=3, seed=4, threads=1)
    many: Posterior = sampler(model, steps=4_000, chains=3, seed=4, threads=3)
    assert_same_posterior(one, many)


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)
@pytest.mark.parametrize(
    "budget", [{"steps": 1_500}, {"until": "difference<0.001", "steps": 1_500}]
)
def test_the_same_averages_with_stops_and_without(
    sampler: Any, budget: dict[str, Any], model: Model, tmp_path: Path
) -> None:
    begin = partial(sampler, model, chains=2, seed=5, **budget)
    found, stops = run_with_stops(begin, tmp_path / "run", seed=2)
    assert stops >= 2
    assert_same(found, begin(), tmp_path)


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)
@pytest.mark.parametrize("dags", [0, 1])
def test_chains_differ_by_what_they_average(
    sampler: Any, dags: int, model: Model, tmp_path: Path
) -> None:
    found: Posterior = sampler(model, steps=4_000, chains=3, seed=6, dags_per_state=dags)
    edges = known(found.chain_edges)
    assert edges.shape == (3, 6, 6)
    np.testing.assert_allclose(edges.mean(axis=0), found.edges, atol=1e-12)
    difference = float(np.ptp(edges, axis=0).max())
    assert 0.0 < difference < 1.0
    diagnosis = found.diagnose()
    for figures in (found.run.convergence, diagnosis.convergence):
        assert figures.difference == pytest.approx(difference, abs=1e-15)
    assert known(diagnosis.chain_edges).tobytes() == edges.tobytes()
    found.save(tmp_path / "posterior.npz")
    loaded = Posterior.load(tmp_path / "posterior.npz")
    assert known(loaded.chain_edges).tobytes() == edges.tobytes()
    assert loaded.diagnose().convergence == diagnosis.convergence


def test_a_rule_sees_the_averages_of_its_stage(model: Model) -> None:
    found = arcwise.mcmc(model, "dags", until="difference<0.02", chains=2, seed=7)
    edges = known(found.chain_edges)
    assert float(np.ptp(edges, axis=0).max()) < 0.02
    np.testing.assert_allclose(edges.mean(axis=0), found.edges, atol=1e-9)


def test_merged_chains_keep_their_averages(model: Model) -> None:
    runs = [arcwise.mcmc(model, "dags", steps=2_000, chains=2, seed=seed) for seed in (1, 2)]
    merged = Posterior.concatenate(runs)
    expected = np.concatenate([known(run.chain_edges) for run in runs])
    assert known(merged.chain_edges).tobytes() == expected.tobytes()
    assert known(merged.diagnose().chain_edges).tobytes() == expected.tobytes()


def test_weighted_dags_are_no_averages(model: Model) -> None:
    found = arcwise.mcmc(model, "linear", modularity="modular", steps=4_000, chains=2, seed=1)
    assert found.chain_edges is None
    assert found.run.convergence.difference is not None
    assert known(found.diagnose().chain_edges).shape == (2, 6, 6)


def test_differences_come_from_sums_of_edges() -> None:
    """Chains whose DAGs are the same, but not their averages."""

    def record(edge: float) -> ChainRecord:
        return ChainRecord(
            log_weights=np.zeros(4),
            codes=np.zeros((4, 2), dtype=np.uint16),
            dag_counts=np.ones(4, dtype=np.uint32),
            parents=np.array([[[0], [1]], [[0], [0]]] * 2, dtype=np.uint64),
            log_extensions=np.zeros(4),
            extension_errors=np.zeros(4),
            edge_sums=np.array([[0.0, 4 * edge], [0.0, 0.0]]),
        )

    records = [record(0.5), record(0.625)]
    assert edge_convergence(records, 2).difference == 0.125
    without = [ChainRecord(**{**vars(each), "edge_sums": None}) for each in records]
    assert edge_convergence(without, 2).difference == 0.0
    assert chain_edges(without) is None


@pytest.mark.parametrize("shape", [(6, 6), (0, 6, 6), (2, 5, 5), (2, 6)])
def test_edges_of_chains_of_another_shape_are_refused(shape: tuple[int, ...], model: Model) -> None:
    exact = arcwise.exact(model)
    with pytest.raises(arcwise.errors.ArgumentError, match="chain_edges has the shape"):
        Posterior(
            exact.variables, exact.modularity, exact.run, exact.edges, chain_edges=np.zeros(shape)
        )
