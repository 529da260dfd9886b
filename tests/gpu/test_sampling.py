"""`mcmc` and `ais` on a device, against exact answers and those of the processors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import ArgumentError
from arcwise.support.devices import Gpu
from support.emulated_gpu import kernel_device


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Any:
    device = kernel_device()
    monkeypatch.setattr("arcwise.gpu.device.opened", lambda wanted: device)
    return device


@pytest.fixture(scope="module")
def model() -> arcwise.Model:
    return arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)


def test_edges_are_those_of_the_exact_posterior(gpu: Any, model: arcwise.Model) -> None:
    posterior = arcwise.mcmc(
        model, modularity="order-modular", chains=40, steps=20_000, seed=1, device="gpu"
    )
    assert "walk_canonical_orders" in gpu.launched
    exact = arcwise.exact(model, "order-modular")
    # Far beyond what chance can do: six standard errors of the worst of all edges.
    assert (np.abs(posterior.edges - exact.edges) < 6 * posterior.edge_errors + 1e-3).all()
    assert posterior.edge_errors.max() < 0.01
    run: Any = posterior.run
    assert set(run.moves) == {"adjacent", "swap"}
    assert 0 < run.moves["adjacent"] < 1
    assert run.convergence.rhat < 1.02


def test_relocations_of_linear_orders(gpu: Any, model: arcwise.Model) -> None:
    space = arcwise.spaces.LinearOrders({"swap": 1, "relocate": 1})
    exact = arcwise.exact(model, "order-modular")
    common: dict[str, Any] = {"modularity": "order-modular", "seed": 1, "device": "gpu"}
    posterior = arcwise.mcmc(model, space, chains=40, steps=10_000, **common)
    assert (np.abs(posterior.edges - exact.edges) < 6 * posterior.edge_errors + 1e-3).all()
    run: Any = posterior.run
    assert set(run.moves) == {"adjacent", "swap", "relocate"}
    assert run.moves["relocate"] == 1.0
    annealed = arcwise.ais(model, space, particles=200, steps=800, **common)
    assert np.abs(annealed.edges - exact.edges).max() < 0.1


def test_dags_are_weighted_for_the_modular_posterior(gpu: Any, model: arcwise.Model) -> None:
    posterior = arcwise.mcmc(model, chains=20, steps=20_000, seed=1, device="gpu")
    exact = arcwise.exact(model)
    assert np.abs(posterior.edges - exact.edges).max() < 0.1
    assert posterior.map_log_weight <= exact.map_log_weight + 1e-9


@pytest.mark.filterwarnings("ignore::arcwise.errors.ConvergenceWarning")
def test_the_same_seed_gives_the_same_draws(gpu: Any, model: arcwise.Model) -> None:
    def draw(seed: int) -> Any:
        return arcwise.mcmc(
            model, modularity="order-modular", chains=8, steps=400, seed=seed, device="gpu"
        ).edges

    assert (draw(1) == draw(1)).all()
    assert (draw(1) != draw(2)).any()


def test_annealing_estimates_the_evidence(gpu: Any, model: arcwise.Model) -> None:
    posterior = arcwise.ais(
        model, modularity="order-modular", particles=400, steps=800, seed=1, device="gpu"
    )
    exact = arcwise.exact(model, "order-modular")
    estimate = posterior.evidence
    assert abs(estimate.log_evidence - exact.log_evidence) < 5 * estimate.standard_error + 1e-3
    assert estimate.standard_error < 0.2
    assert np.abs(posterior.edges - exact.edges).max() < 0.1


def test_exact_posterior(gpu: Any, model: arcwise.Model) -> None:
    one = arcwise.exact(model, "order-modular", device="gpu", dags=10, seed=1)
    other = arcwise.exact(model, "order-modular", dags=10, seed=1)
    assert np.allclose(one.edges, other.edges, rtol=0, atol=1e-10)
    assert math.isclose(one.log_evidence, other.log_evidence, rel_tol=1e-12)
    assert one.map_dag == other.map_dag
    assert one.dags.parents.shape == other.dags.parents.shape
    assert {"forward_sums", "backward_sums", "forward_maxima", "draw_orders"} <= set(gpu.launched)


def test_exact_modular_posterior(gpu: Any, model: arcwise.Model) -> None:
    """Probabilities come from the device, draws and paths from processors."""
    one = arcwise.exact(model, device="gpu", dags=10, seed=1, paths=True)
    other = arcwise.exact(model, dags=10, seed=1, paths=True)
    assert np.allclose(one.edges, other.edges, rtol=0, atol=1e-12)
    assert math.isclose(one.log_evidence, other.log_evidence, rel_tol=1e-12)
    assert one.map_dag == other.map_dag
    assert (one.dags.parents == other.dags.parents).all()
    assert (one.paths == other.paths).all()
    assert {"fill_modular_beyond", "fill_modular_on", "forward_maxima"} <= set(gpu.launched)


def test_parent_only_variables(gpu: Any) -> None:
    """They are folded before the device sees the weights; its chains would not unfold them."""
    data = arcwise.simulate("asia", 200, seed=1)
    model = arcwise.Model(data, max_indegree=2, parent_only=["smoke", "asia"])
    one = arcwise.exact(model, "order-modular", device="gpu", dags=50, seed=1)
    other = arcwise.exact(model, "order-modular")
    assert np.allclose(one.edges, other.edges, rtol=0, atol=1e-10)
    assert math.isclose(one.log_evidence, other.log_evidence, rel_tol=1e-12)
    assert one.map_dag == other.map_dag
    assert one.dags.variables == data.variables
    modular = arcwise.exact(model, device="gpu")
    assert np.allclose(modular.edges, arcwise.exact(model).edges, rtol=0, atol=1e-12)
    with pytest.raises(ArgumentError, match="parent-only variables cannot be sampled there"):
        arcwise.mcmc(model, device="gpu", steps=100)


@pytest.mark.filterwarnings("ignore::arcwise.errors.ConvergenceWarning")
def test_auto_takes_the_device_where_it_is_worth_it(gpu: Any, model: arcwise.Model) -> None:
    arcwise.exact(model, "order-modular", device="auto")
    arcwise.mcmc(model, "partitions", steps=1000, device="auto")
    assert gpu.launched == []
    arcwise.mc3(
        model, "linear", chains=2, temperatures=4, ladder="linear", steps=400, device="auto"
    )
    assert gpu.launched == []
    arcwise.mcmc(model, modularity="order-modular", chains=256, steps=400, device="auto")
    assert "walk_canonical_orders" in gpu.launched
    arcwise.mc3(
        model, "canonical", chains=64, temperatures=4, ladder="linear", steps=400, device="auto"
    )
    assert "exchange_replica_groups" in gpu.launched


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: arcwise.exact(m, device="tpu"), "device is 'tpu'; give 'gpu'"),
        (
            lambda m: arcwise.mcmc(m, "partitions", device="gpu"),
            "use the space 'linear' or 'canonical'",
        ),
        (lambda m: arcwise.mc3(m, "dags", device="gpu"), "use the space 'linear' or 'canonical'"),
        (lambda m: arcwise.smc(m, device="gpu", seconds=1), "give particles or runs"),
        (
            lambda m: arcwise.mcmc(
                m, arcwise.spaces.CanonicalOrders({"renumber": 1}), device="gpu", steps=100
            ),
            "other moves alone",
        ),
        (
            lambda m: arcwise.ais(
                m,
                arcwise.spaces.CanonicalOrders({"swap": 1, "renumber": 1}),
                device="gpu",
                particles=4,
            ),
            "in mcmc alone",
        ),
        (lambda m: arcwise.mcmc(m, device="gpu", engine="tcp://127.0.0.1:1"), "engine"),
        (lambda m: arcwise.mcmc(m, device="gpu", directory="x"), "run directory"),
        (lambda m: arcwise.ais(m, device="gpu", seconds=1), "give particles"),
        (lambda m: arcwise.mcmc(m, device="gpu", dag_time_share=0.5), "DAGs by time"),
    ],
)
def test_refusals(gpu: Any, model: arcwise.Model, call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call(model)


def test_too_many_parents_are_refused(gpu: Any) -> None:
    names = [f"x{node}" for node in range(18)]
    wide = arcwise.Model(names, lambda node, parents: 0.0, max_indegree=1)
    with pytest.raises(ArgumentError, match="17 possible parents"):
        arcwise.mcmc(wide, device="gpu", steps=100)


def test_words_of_devices() -> None:
    assert [str(Gpu(number)) for number in (0, 3)] == ["gpu", "gpu:3"]


def test_canonical_orders_follow_the_modular_posterior(gpu: Any, model: arcwise.Model) -> None:
    posterior = arcwise.mcmc(model, "canonical", chains=40, steps=20_000, seed=1, device="gpu")
    assert {"walk_canonical_orders", "number_canonical_orders"} <= set(gpu.launched)
    exact = arcwise.exact(model)
    # Far beyond what chance can do: six standard errors of the worst of all edges.
    assert (np.abs(posterior.edges - exact.edges) < 6 * posterior.edge_errors + 1e-3).all()
    assert posterior.edge_errors.max() < 0.01
    run: Any = posterior.run
    assert set(run.moves) == {"adjacent", "swap", "relocate", "renumber"}
    assert run.moves["relocate"] == 1.0
    assert run.moves["renumber"] == 1.0
    assert run.convergence.rhat < 1.02
    assert posterior.map_log_weight <= exact.map_log_weight + 1e-9
    assert np.abs(posterior.dags.edge_probabilities() - exact.edges).max() < 0.05


def test_a_numbering_that_is_given_stays(gpu: Any, model: arcwise.Model) -> None:
    space = arcwise.spaces.CanonicalOrders(numbering=model.variables[::-1])
    posterior = arcwise.mcmc(model, space, chains=20, steps=20_000, seed=1, device="gpu")
    run: Any = posterior.run
    assert set(run.moves) == {"adjacent", "swap", "relocate"}
    assert "number_canonical_orders" in gpu.launched  # to start from
    exact = arcwise.exact(model)
    assert (np.abs(posterior.edges - exact.edges) < 6 * posterior.edge_errors + 1e-3).all()


@pytest.mark.parametrize("schedule", ["bridge", "linear"])
def test_annealing_canonical_orders(gpu: Any, model: arcwise.Model, schedule: str) -> None:
    posterior = arcwise.ais(
        model, "canonical", schedule=schedule, particles=400, steps=1600, seed=1, device="gpu"
    )
    exact = arcwise.exact(model)
    estimate = posterior.evidence
    assert abs(estimate.log_evidence - exact.log_evidence) < 5 * estimate.standard_error + 1e-3
    assert estimate.standard_error < 0.2
    assert np.abs(posterior.edges - exact.edges).max() < 0.1


@pytest.mark.parametrize(
    ("space", "ladder"),
    [("linear", "linear"), ("linear", "adapted"), ("canonical", "uniform bridge")],
)
def test_coupled_chains_estimate_the_evidence(
    gpu: Any, model: arcwise.Model, space: str, ladder: str
) -> None:
    posterior = arcwise.mc3(
        model, space, ladder=ladder, chains=20, steps=8000, seed=1, device="gpu"
    )
    assert {"walk_canonical_orders", "add_replica_ratios"} <= set(gpu.launched)
    exact = arcwise.exact(model)
    estimate = posterior.evidence
    assert abs(estimate.log_evidence - exact.log_evidence) < 5 * estimate.standard_error + 1e-3
    assert estimate.standard_error < 0.2
    assert np.abs(posterior.edges - exact.edges).max() < 0.1
    run: Any = posterior.run
    assert min(run.exchanges.acceptance) > 0.2
    assert sum(run.exchanges.round_trips) > 0
    assert run.convergence.rhat < 1.05


def test_coupled_chains_over_the_bridge(gpu: Any, model: arcwise.Model) -> None:
    posterior = arcwise.mc3(
        model, "canonical", ladder="bridge", chains=20, steps=8000, seed=1, device="gpu"
    )
    exact, orders = arcwise.exact(model), arcwise.exact(model, "order-modular")
    run: Any = posterior.run
    ratio = run.exchanges.evidence_ratio
    apart = exact.log_evidence - orders.log_evidence
    assert abs(ratio.log_ratio - apart) < 5 * ratio.standard_error + 1e-3
    assert np.abs(posterior.edges - exact.edges).max() < 0.1


@pytest.mark.parametrize(
    ("space", "modularity"),
    [("linear", "order-modular"), ("linear", "modular"), ("canonical", "modular")],
)
def test_populations_estimate_the_evidence(
    gpu: Any, model: arcwise.Model, space: str, modularity: Any
) -> None:
    posterior = arcwise.smc(
        model, space, modularity=modularity, particles=64, runs=12, seed=1, device="gpu"
    )
    assert {"reweigh_canonical_orders", "copy_canonical_orders"} <= set(gpu.launched)
    exact = arcwise.exact(model, modularity)
    estimate = posterior.evidence
    assert abs(estimate.log_evidence - exact.log_evidence) < 5 * estimate.standard_error + 1e-3
    assert estimate.standard_error < 0.3
    assert np.abs(posterior.edges - exact.edges).max() < 0.15
    assert (posterior.edge_errors >= 0).all()


@pytest.mark.filterwarnings("ignore::arcwise.errors.ConvergenceWarning")
@pytest.mark.parametrize("sampler", ["mcmc", "mc3", "ais", "smc"])
def test_required_edges(gpu: Any, sampler: Any) -> None:
    """Most orders have weight zero; chains begin where it is positive, and stay there."""
    data = arcwise.simulate("asia", 100, seed=1)
    required = [("xray", "either"), ("either", "lung"), ("lung", "smoke")]
    model = arcwise.Model(data, max_indegree=2, required_edges=required)
    options: dict[str, dict[str, Any]] = {
        "mcmc": {"chains": 20, "steps": 10_000},
        "mc3": {"chains": 10, "steps": 4000, "ladder": "uniform bridge"},
        "ais": {"particles": 200, "steps": 1600},
        "smc": {"particles": 64, "runs": 8},
    }
    posterior = arcwise.sample(
        model, "canonical", sampler, seed=2, device="gpu", **options[sampler]
    )
    exact = arcwise.exact(model)
    assert np.abs(posterior.edges - exact.edges).max() < 0.15
    for parent, child in required:
        assert posterior.edge_probability(parent, child) == pytest.approx(1.0, abs=1e-9)
