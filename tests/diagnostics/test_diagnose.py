"""`diagnose`: its numbers against ArviZ, and that no trap gets a good verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from arviz_stats.base import array_stats

import arcwise
from arcwise.algorithms.mc3 import MC3
from arcwise.errors import (
    ArgumentError,
    ChainsApartWarning,
    ConvergenceWarning,
    ExchangeWarning,
    RareChangeWarning,
    WeightCollapseWarning,
)
from arcwise.posterior.matrices import unpacked
from arcwise.records.runs import Exchanges
from arcwise.spaces import BucketOrders, Dags, LinearOrders, Partitions, Space
from arcwise.statistics.convergence import EdgeDiagnostics, effective_sample_size, rhat
from support.edge_chains import chain_posterior, flipping
from support.run_records import LEVELS, chain_run
from support.sampled_posteriors import random_sample

GOOD = {(0, 1): flipping(4, 1000, 0.4, 1), (1, 2): flipping(4, 1000, 0.3, 2)}


def test_edges_as_arviz() -> None:
    edges = {
        (0, 1): flipping(4, 400, 0.5, 1),
        (0, 2): flipping(4, 400, 0.05, 2),
        (1, 2): flipping(4, 400, 0.3, 3) & flipping(4, 400, 0.3, 4),
        (2, 3): flipping(4, 400, 0.3, 5) & (np.arange(4) > 1)[:, np.newaxis],
    }
    diagnosis = arcwise.diagnose(chain_posterior(edges))
    assert diagnosis.rhat is not None
    assert diagnosis.effective_samples is not None
    assert diagnosis.changes is not None
    assert diagnosis.chain_edges is not None
    assert diagnosis.differences is not None
    for (u, v), bits in edges.items():
        numbers = bits.astype(np.float64)
        axes = {"chain_axis": 0, "draw_axis": 1}
        assert diagnosis.rhat[u, v] == pytest.approx(array_stats.rhat(numbers, **axes))
        effective = array_stats.ess(numbers, method="bulk", **axes)
        assert diagnosis.effective_samples[u, v] == pytest.approx(effective)
        assert diagnosis.changes[u, v] == (bits[:, 1:] != bits[:, :-1]).sum()
        means = bits.mean(axis=1)
        assert diagnosis.chain_edges[:, u, v] == pytest.approx(means)
        assert diagnosis.differences[u, v] == pytest.approx(np.ptp(means))
    assert np.isnan(diagnosis.rhat).sum() == 16 - len(edges)
    assert diagnosis.convergence.edge_rhat == np.nanmax(diagnosis.rhat)
    assert diagnosis.convergence.edge_ess == np.nanmin(diagnosis.effective_samples)
    assert diagnosis.most_different_edge == ("x2", "x3")
    assert diagnosis.convergence.difference == diagnosis.differences[2, 3]


def test_chains_that_agree_are_trusted() -> None:
    diagnosis = arcwise.diagnose(chain_posterior(GOOD))
    assert diagnosis.verdict == "reliable"
    assert diagnosis.warnings == ()
    assert str(diagnosis).startswith(
        "Computation: reliable. The 4 chains agree: no edge probability differs by more"
    )
    assert "standard error" in diagnosis.sentences[0]
    assert repr(diagnosis) == "<Diagnosis: computation reliable; data and model unknown>"
    diagnosis.warn()  # nothing: warnings are errors here


def test_what_is_compared_of_many_chains_is_called_groups_of_them() -> None:
    # Single chains differ by more than their groups, so that "between chains" would be false.
    many = arcwise.diagnose(chain_posterior({(0, 1): flipping(8, 1000, 0.4, 1)}))
    assert many.verdict == "reliable"
    assert "between four groups of chains and" in many.sentences[0]
    few = arcwise.diagnose(chain_posterior({(0, 1): flipping(4, 2000, 0.4, 1)}))
    assert "between chains and" in few.sentences[0]


def test_an_edge_that_never_changes_has_no_rhat() -> None:
    always = np.ones((4, 1000), dtype=np.bool_)
    diagnosis = arcwise.diagnose(chain_posterior({**GOOD, (0, 3): always}))
    assert diagnosis.rhat is not None
    assert diagnosis.effective_samples is not None
    assert np.isnan(diagnosis.rhat[0, 3])
    assert np.isnan(diagnosis.effective_samples[0, 3])
    assert diagnosis.verdict == "reliable"


def test_one_flip_in_thousands_of_draws_fools_nobody() -> None:
    once = np.zeros((4, 1000), dtype=np.bool_)
    for chain, moment in enumerate((450, 520, 480, 530)):
        once[chain, moment:] = True
    diagnosis = arcwise.diagnose(chain_posterior({**GOOD, (0, 3): once}))
    assert diagnosis.changes is not None
    assert diagnosis.effective_samples is not None
    assert diagnosis.changes[0, 3] == 4
    assert np.isnan(diagnosis.effective_samples[0, 3])
    assert diagnosis.verdict == "not converged"  # by R-hat: first halves lack what second ones have
    assert RareChangeWarning in map(type, diagnosis.warnings)
    assert "x0 → x3" in " ".join(diagnosis.sentences)
    # There for a while and gone again, the same in every half chain: R-hat sees nothing.
    once[:] = False
    once[:, 250:750] = True
    hidden = arcwise.diagnose(chain_posterior({(0, 1): once}))
    assert hidden.convergence.edge_rhat is not None
    assert hidden.convergence.edge_rhat < 1.01
    assert hidden.verdict == "doubtful"
    assert [type(warning) for warning in hidden.warnings] == [RareChangeWarning]


def test_rare_edges_are_no_reason_to_doubt() -> None:
    rare = np.zeros((4, 1000), dtype=np.bool_)
    rare[0, 17] = rare[2, 801] = True
    assert arcwise.diagnose(chain_posterior({**GOOD, (0, 3): rare})).verdict == "reliable"


def test_chains_stuck_apart_shout() -> None:
    apart = np.zeros((4, 1000), dtype=np.bool_)
    apart[:2] = True
    diagnosis = arcwise.diagnose(chain_posterior({**GOOD, (0, 3): apart}))
    assert diagnosis.verdict == "not converged"
    assert diagnosis.convergence.edge_rhat == np.inf
    assert diagnosis.convergence.difference == 1.0
    assert diagnosis.most_different_edge == ("x0", "x3")
    first = diagnosis.sentences[0]
    assert "The chains disagree" in first
    assert "(x0 → x3) differs by 1.00" in first
    assert any("R-hat is infinite for an edge" in sentence for sentence in diagnosis.sentences)
    assert all("1.00" in s for s in diagnosis.sentences if "R-hat" in s)
    with pytest.warns(ConvergenceWarning, match="use mc3") as issued:
        diagnosis.warn()
    assert [warning.category for warning in issued] == [ChainsApartWarning, ConvergenceWarning]
    mc3 = arcwise.diagnose(chain_posterior({(0, 3): apart}, run=chain_run(tempered=True)))
    assert "more temperatures" in mc3.sentences[0]
    # A ladder that adapts has as many temperatures as it needs.
    run = chain_run(tempered=True)
    adapted = replace(run, settings=MC3(run.settings.space, ladder="adapted"))
    found = arcwise.diagnose(chain_posterior({(0, 3): apart}, run=adapted))
    assert found.sentences[0].endswith("; run more steps, or use smc.")


@pytest.mark.parametrize(
    ("space", "modularity", "change"),
    [
        (Partitions(), "modular", "run more steps, or use mc3"),
        (Dags(), "modular", "run more steps, or use mc3 or the space partitions"),
        (LinearOrders(), "order-modular", "run more steps, or use mc3 or the space buckets:4"),
        (
            BucketOrders(3),
            "modular",
            "run more steps, or use mc3 or the space partitions or larger buckets",
        ),
    ],
)
def test_advice_fits_the_run_and_is_given_once(space: Space, modularity: Any, change: str) -> None:
    apart = np.zeros((4, 1000), dtype=np.bool_)
    apart[:2] = True
    slow = flipping(4, 1000, 0.002, 6)
    diagnosis = arcwise.diagnose(
        chain_posterior(
            {(0, 3): apart, (1, 3): slow},
            run=chain_run(space=space, modularity=modularity),
            modularity=modularity,
        )
    )
    assert len(diagnosis.sentences) >= 3
    assert diagnosis.sentences[0].endswith(f"between them; {change}.")
    assert not any("run more" in sentence for sentence in diagnosis.sentences[1:])
    # Warnings are read one by one.
    assert all("; run more steps" in str(warning) for warning in diagnosis.warnings)


def test_a_log_weight_that_drifts_and_few_draws() -> None:
    traces = arcwise.posterior.Traces(tuple(np.arange(1000.0) + np.zeros((4, 1))))
    drift = arcwise.diagnose(chain_posterior(GOOD, traces=traces))
    assert drift.verdict == "not converged"
    assert "R-hat is 1.73 for the log posterior (above 1.01)" in drift.sentences[0]
    short = {edge: bits[:, :3] for edge, bits in GOOD.items()}
    assert arcwise.diagnose(chain_posterior(short)).verdict == "unknown"


def test_one_chain_alone_and_slow_chains_are_doubtful() -> None:
    one = arcwise.diagnose(chain_posterior({edge: bits[:1] for edge, bits in GOOD.items()}))
    assert one.verdict == "doubtful"
    assert one.convergence.difference is None
    assert any("run 4 chains or more" in sentence for sentence in one.sentences)
    three = arcwise.diagnose(chain_posterior({edge: bits[:3] for edge, bits in GOOD.items()}))
    assert three.verdict == "doubtful"
    assert "3 chains cannot show whether they have all missed a mode" in str(three)
    slow = arcwise.diagnose(chain_posterior({(0, 1): flipping(4, 1000, 0.005, 4)}))
    assert slow.verdict in ("doubtful", "not converged")
    assert any("for an edge (below 400)" in sentence for sentence in slow.sentences)


def test_exchanges_acceptance_and_interruption() -> None:
    poor = chain_run(
        tempered=True,
        moves={"swap": 0.001, "relocate": None},
        exchanges=Exchanges((LEVELS,), (0.4, 0.01, None), (3,)),
        interrupted=True,
    )
    diagnosis = arcwise.diagnose(chain_posterior(GOOD, run=poor))
    assert diagnosis.verdict == "doubtful"
    assert {type(warning) for warning in diagnosis.warnings} == {
        ExchangeWarning,
        ConvergenceWarning,
    }
    assert "only 1.0% of the proposed exchanges" in diagnosis.sentences[1]
    assert "interrupted" in diagnosis.sentences[-1]
    # Chains that agree do so without exchanges as well.
    alone = replace(poor, moves={"swap": 0.3}, interrupted=False)
    agree = arcwise.diagnose(chain_posterior(GOOD, run=alone))
    assert agree.verdict == "reliable"
    assert "The 4 chains agree" in agree.sentences[0]
    assert "only 1.0% of the proposed exchanges" in agree.sentences[1]


def test_four_groups_of_many_chains_are_compared() -> None:
    edges = {(0, 1): flipping(16, 1000, 0.4, 1)}
    diagnosis = arcwise.diagnose(chain_posterior(edges))
    means = edges[0, 1].mean(axis=1)
    groups = [means[group::4].mean() for group in range(4)]
    assert diagnosis.convergence.difference == pytest.approx(np.ptp(groups))
    assert np.ptp(groups) < np.ptp(means)
    # Weighted DAGs are pooled before they are averaged.
    logs = np.random.default_rng(1).normal(size=16_000)
    weighted = arcwise.diagnose(chain_posterior(edges, log_weights=logs))
    weights = np.exp(logs).reshape(16, 1000)
    pooled = [np.average(edges[0, 1][group::4], weights=weights[group::4]) for group in range(4)]
    assert weighted.convergence.difference == pytest.approx(np.ptp(pooled))


def test_a_difference_beyond_the_stopping_rule_is_a_reason_to_doubt() -> None:
    random = np.random.default_rng(1)
    for apart, verdict in ((0.02, "reliable"), (0.08, "doubtful")):
        edge = np.zeros((4, 1000), dtype=np.bool_)
        for chain, share in enumerate((0.5 - apart / 2, 0.5, 0.5, 0.5 + apart / 2)):
            edge[chain, : round(1000 * share)] = True
            random.shuffle(edge[chain])
        found = arcwise.diagnose(chain_posterior({(0, 1): edge}))
        assert found.convergence.difference == pytest.approx(apart)
        assert found.convergence.edge_rhat is not None
        assert found.convergence.edge_rhat < 1.05
        assert found.verdict == verdict
    assert found.sentences[0].startswith("The probability of an edge (x0 → x1) differs by 0.08")


def test_a_standard_error_that_is_large_is_a_reason_to_doubt() -> None:
    found = arcwise.diagnose(chain_posterior(GOOD, edge_errors=np.full((4, 4), 0.03)))
    assert found.verdict == "doubtful"
    assert found.sentences[0].startswith(
        "The standard error of an edge probability is 0.03 (above 0.025)"
    )


def test_states_that_never_travel_through_all_temperatures_are_remarked_on() -> None:
    for trips in ((0, 0), (0, 1), None):
        exchanges = Exchanges((LEVELS,) * 2, (0.4, 0.5, 0.6), round_trips=trips)
        diagnosis = arcwise.diagnose(
            chain_posterior(GOOD, run=chain_run(tempered=True, exchanges=exchanges))
        )
        assert diagnosis.verdict == "reliable"  # the chains agree all the same
        assert diagnosis.as_dict()["round_trips"] == (None if trips is None else list(trips))
        remark = "No state went from the hottest temperature to the coldest and back"
        assert (remark in str(diagnosis)) == (trips == (0, 0))


def test_weights_that_collapse() -> None:
    logs = np.zeros(4000)
    logs[::1000] = 20.0
    diagnosis = arcwise.diagnose(chain_posterior(GOOD, log_weights=logs))
    assert diagnosis.effective_dags == pytest.approx(4.0, rel=1e-3)
    assert WeightCollapseWarning in map(type, diagnosis.warnings)
    few = {edge: bits[:, :4] for edge, bits in GOOD.items()}
    alike = arcwise.diagnose(chain_posterior(few, log_weights=np.zeros(16)))
    assert WeightCollapseWarning not in map(type, alike.warnings)
    # What a chain says, it says with weights: of each, one DAG is left.
    assert diagnosis.chain_edges is not None
    starts = GOOD[0, 1][:, 0].astype(np.float64)
    assert diagnosis.chain_edges[:, 0, 1] == pytest.approx(starts, abs=1e-4)


def test_annealing_is_judged_by_its_weights() -> None:
    model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    good = arcwise.diagnose(arcwise.ais(model, "partitions", particles=100, steps=2000, seed=1))
    assert good.verdict == "reliable"
    assert "two halves of the particles" in good.sentences[0]
    assert good.chain_edges is not None
    assert good.chain_edges.shape == (2, 8, 8)
    assert good.rhat is None
    halves = arcwise.ais(model, "partitions", particles=100, steps=2000, seed=1)
    assert halves.dags is not None
    assert halves.dags.chains is not None
    # An edge that only the second half of the particles has.
    second = halves.dags.chains > halves.dags.chains.max() // 2
    parents = np.zeros_like(halves.dags.parents)
    parents[second, 1, 0] = 1
    apart = replace(
        halves, dags=arcwise.results.DagSample(halves.variables, parents, chains=halves.dags.chains)
    )
    assert arcwise.diagnose(apart).verdict == "not converged"
    assert "differs by 1.00 between the two halves" in str(arcwise.diagnose(apart))
    poor = arcwise.diagnose(arcwise.ais(model, "partitions", particles=20, steps=10, seed=1))
    assert poor.verdict == "not converged"
    assert WeightCollapseWarning in map(type, poor.warnings)


def test_real_runs_and_runs_without_dags() -> None:
    model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    posterior = arcwise.mcmc(model, "partitions", steps=80_000, thinning=20, chains=4, seed=1)
    diagnosis = posterior.diagnose()
    assert diagnosis.verdict == "reliable"
    # The run's own numbers are of the same draws, by the same functions.
    assert diagnosis.convergence == posterior.run.convergence
    without = arcwise.mcmc(model, "partitions", steps=80_000, dags_per_state=0, chains=4, seed=1)
    found = without.diagnose()
    assert found.verdict == "reliable"
    assert found.rhat is None
    unique = arcwise.algorithms.unique_dags(
        model, steps=400, thinning=10, chains=1, most_dags=50, seed=1
    )
    assert unique.diagnose().verdict == "unknown"
    assert "compare runs with different seeds" in str(unique.diagnose())


def test_exact_is_exact() -> None:
    model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    diagnosis = arcwise.diagnose(arcwise.exact(model))
    assert diagnosis.verdict == "exact"
    assert "computed exactly, not sampled" in diagnosis.sentences[0]
    assert diagnosis.as_dict()["largest_rhat_edge"] is None


def test_plain_values() -> None:
    values = arcwise.diagnose(chain_posterior(GOOD)).as_dict()
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert values["verdict"] == "reliable"
    assert values["most_different_edge"] in (["x0", "x1"], ["x1", "x2"])


def test_bits_of_more_than_a_word() -> None:
    sample = random_sample(70, 8)
    matrices = np.stack([dag.matrix() for dag in sample])
    assert (unpacked(sample.parents, 70).transpose(0, 2, 1) == matrices).all()
    found = EdgeDiagnostics.of([sample.parents[:5], sample.parents[5:]], 70)
    assert found.chain_edges[0] == pytest.approx(matrices[:5].mean(axis=0))
    assert np.isnan(found.rhat).all()  # 3 draws are too few
    assert found.changes.sum() == sum(
        (part[1:] != part[:-1]).sum() for part in (matrices[:5], matrices[5:])
    )


def test_refusal() -> None:
    with pytest.raises(ArgumentError, match="of type int; give a Posterior"):
        arcwise.diagnose(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("draws", [4, 5, 7, 63, 64, 65, 127, 128, 129, 130, 200, 257, 1000, 5001])
@pytest.mark.parametrize("chains", [1, 3])
def test_edges_by_bits_as_by_numbers(draws: int, chains: int) -> None:
    rates = (0.5, 0.2, 0.02, 0.002, 0.95)
    edges = {
        (0, k + 1): flipping(chains, draws, rate, 7 * k + draws) for k, rate in enumerate(rates)
    }
    edges[1, 69] = flipping(chains, draws, 0.3, draws)
    found = arcwise.diagnose(chain_posterior(edges, nodes=70))
    assert found.rhat is not None
    assert found.effective_samples is not None
    assert found.changes is not None
    compared = 0
    for (u, v), bits in edges.items():
        assert found.changes[u, v] == (bits[:, 1:] != bits[:, :-1]).sum()
        assert found.rhat[u, v] == pytest.approx(float(rhat(bits)), nan_ok=True)
        if found.changes[u, v] >= 10:
            effective = float(effective_sample_size(bits))
            # Pairs of autocorrelations may cancel exactly in short chains, up to rounding.
            if draws > 60:
                assert found.effective_samples[u, v] == pytest.approx(effective)
            compared += 1
        else:
            assert np.isnan(found.effective_samples[u, v])
    assert compared > 0 or draws < 30


def test_chains_of_different_lengths_in_any_order() -> None:
    bits = flipping(2, 300, 0.3, 5)
    posterior = chain_posterior({(0, 1): bits})
    dags = posterior.dags
    assert dags is not None
    assert dags.chains is not None
    kept = np.flatnonzero((np.arange(600) < 300) | (np.arange(600) < 520))
    mixed = np.argsort(np.tile(np.arange(300), 2)[kept], kind="stable")
    order = kept[mixed]
    uneven = arcwise.results.DagSample(
        dags.variables, dags.parents[order], chains=dags.chains[order]
    )
    found = arcwise.diagnose(chain_posterior({(0, 1): bits}, dags=uneven))
    assert found.rhat is not None
    assert found.chain_edges is not None
    assert found.rhat[0, 1] == pytest.approx(float(rhat(bits[:, :220])))
    means = [bits[0].mean(), bits[1, :220].mean()]
    assert found.chain_edges[:, 0, 1] == pytest.approx(means)


def test_long_memories_of_long_chains_by_batches() -> None:
    """As by every draw, whether an edge forgets slowly, soon, or both at different scales."""
    chains, draws = 4, 60_001
    slow, slower = flipping(chains, draws, 1 / 200, 1), flipping(chains, draws, 1 / 3000, 2)
    noise = np.random.default_rng(3).random((chains, draws)) < 0.4
    seldom = np.random.default_rng(4).random((chains, draws)) < 0.02
    apart = flipping(chains, draws, 1 / 20, 5) & (np.arange(chains) > 0)[:, np.newaxis]
    series = [slow, slower, noise, slow ^ seldom, slower & noise, apart]
    posterior = chain_posterior(
        {(source, 6): bits for source, bits in enumerate(series)}, nodes=7, edge_errors=None
    )
    found = arcwise.diagnose(posterior).effective_samples
    assert found is not None
    for source, bits in enumerate(series):
        assert found[source, 6] == pytest.approx(float(effective_sample_size(bits)), rel=0.05)
