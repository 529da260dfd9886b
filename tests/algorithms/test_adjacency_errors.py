"""Standard errors of adjacencies: those of the sum of both directions, not sums of two errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise import Model
from arcwise.algorithms import estimates
from arcwise.algorithms.estimates import assemble
from arcwise.records.chain_record import ChainRecord
from arcwise.records.settings import Recording
from arcwise.statistics.convergence import weighted_standard_error
from support.exact_models import flat_model


def record_of(batches: np.ndarray[tuple[int, ...], np.dtype[np.float64]], size: int) -> ChainRecord:
    """Return a record of some batches of edge probabilities, without DAGs."""
    states, n = len(batches) * size, batches.shape[1]
    return ChainRecord(
        log_weights=np.zeros(states),
        codes=np.zeros((states, 1), dtype=np.uint16),
        dag_counts=np.zeros(states, dtype=np.uint32),
        parents=np.zeros((0, n, 1), dtype=np.uint64),
        log_extensions=np.zeros(0),
        extension_errors=np.zeros(0),
        edge_sums=batches.sum(axis=0) * size,
        edge_batches=batches * size,
        edge_batch_size=size,
    )


def random_records(n: int, chains: int, seed: int) -> list[ChainRecord]:
    """Return batches in which adjacencies hold and their directions change."""
    random = np.random.default_rng(seed)
    records = []
    for _ in range(chains):
        joined = np.triu(random.random((30, n, n)), 1)
        turned = random.random((30, n, n))
        edges = joined * turned + (joined * (1.0 - turned)).transpose(0, 2, 1)
        edges[:, 0, n - 1] = edges[:, n - 1, 0] = 0.0  # never seen
        records.append(record_of(edges, 10))
    return records


@pytest.mark.parametrize("at_once", [2**23, 1])
def test_errors_of_chains_are_those_of_the_sum_in_each_batch(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimates, "_MOST_AT_ONCE", at_once)
    n = 4
    records = random_records(n, 3, 5)
    found = assemble(flat_model(n), Recording("partitions"), records, None)
    numbers = np.repeat(np.arange(3), 30)
    for u in range(n):
        for v in range(n):
            if u == v:
                continue
            sums = np.concatenate(
                [
                    (record.edge_batches[:, u, v] + record.edge_batches[:, v, u]) / 10
                    for record in records
                ]
            )
            expected = float(weighted_standard_error(sums, np.full(90, 10), numbers))
            assert found.adjacency_errors[u, v] == pytest.approx(expected, rel=1e-9, abs=1e-15)
    one_by_one = found.edge_errors + found.edge_errors.T
    assert (found.adjacency_errors <= one_by_one + 1e-12).all()
    assert (found.adjacency_errors < 0.9 * one_by_one)[0, 1]


def test_errors_of_particles_are_those_of_the_sum_of_each() -> None:
    n = 3
    records = random_records(n, 12, 6)
    log_weights = np.random.default_rng(1).normal(size=12)
    found = assemble(flat_model(n), Recording("partitions"), records, log_weights)
    shares = np.exp(log_weights) / np.exp(log_weights).sum()
    means = np.array([record.edge_sums / record.states for record in records])
    either = means[:, 0, 1] + means[:, 1, 0]
    mean = shares @ either
    others = np.array(
        [np.average(np.delete(either, i), weights=np.delete(shares, i)) for i in range(12)]
    )
    variance = max(
        np.sum((others - mean) ** 2), np.sum(shares**2) * (shares @ (either - mean) ** 2)
    )
    assert found.adjacency_errors[0, 1] == pytest.approx(np.sqrt(12 / 11 * variance))


def test_they_are_kept_in_files_and_used_by_estimates(tmp_path: Path) -> None:
    copies = {"a": [0, 0, 1, 1] * 10, "b": [0, 0, 1, 1] * 10, "c": [0, 1, 0, 1] * 10}
    model = Model(copies, arcwise.scores.BDeu(1.0), prior="uniform")
    posterior = arcwise.mcmc(model, "partitions", steps=4000, chains=2, seed=1)
    errors, either = posterior.edge_errors, posterior.adjacency_errors
    assert errors is not None
    assert either is not None
    # a and b are copies: certainly adjacent, in either direction.
    assert errors[0, 1] > 0.005
    assert either[0, 1] < 1e-6
    assert posterior.matrix("skeleton").standard_errors is either
    assert posterior.estimate("a -- c").standard_error == either[0, 2]
    path = tmp_path / "p.npz"
    posterior.save(path)
    assert np.array_equal(arcwise.Posterior.load(path).adjacency_errors, either)
    other = arcwise.mcmc(model, "partitions", steps=4000, chains=2, seed=2)
    merged = (posterior + other).adjacency_errors
    assert merged is not None
    expected = np.hypot(either[0, 2], other.matrix("skeleton").standard_errors[0, 2]) / 2
    assert merged[0, 2] == pytest.approx(expected)


def test_they_are_as_large_as_the_errors_are() -> None:
    """The squared errors of 30 runs, in standard errors, have the mean 1.

    With 30 independent runs of 3 pairs, of which at worst all three are the same, the mean of
    chi-squared variables is outside 0.45 to 1.75 with probability below 0.005.
    """
    table = arcwise.simulate("asia", 150, seed=2).select(["smoke", "lung", "bronc", "dysp"])
    model = Model(table, arcwise.scores.BDeu(1.0), prior="uniform")
    truth = arcwise.exact(model).edges
    truth = truth + truth.T
    runs = [
        arcwise.mcmc(model, "partitions", steps=8000, chains=2, seed=seed) for seed in range(30)
    ]
    pairs = [(0, 1), (1, 3), (0, 3)]
    squares = [
        ((run.edges + run.edges.T - truth)[pair] / run.adjacency_errors[pair]) ** 2
        for run in runs
        for pair in pairs
    ]
    assert 0.45 < np.mean(squares) < 1.75
