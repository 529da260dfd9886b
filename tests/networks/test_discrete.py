"""Discrete networks: joint, log probability, frequencies, interventions, ASIA, refusals.

Every statistical comparison uses fixed seeds and would fail for a correct library with
probability 1e-6 at most.
"""

from __future__ import annotations

import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, kstest

from arcwise.data import Data
from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs.dag import Dag
from arcwise.networks import DiscreteNetwork, asia, discrete_network, random_dag
from support.columns import discrete

FALSE_ALARM = 1e-6
FORK = Dag(["c", "a", "b"], {"c": ["a", "b"]})
LEVELS = {"a": ("x", "y"), "b": (1, 2, 3), "c": ("lo", "hi")}
TABLES: dict[str, Any] = {
    "a": [0.25, 0.75],
    "b": [0.5, 0.0, 0.5],
    "c": [[[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]], [[0.4, 0.6], [1.0, 0.0], [0.5, 0.5]]],
}


def fork(**changed: Any) -> DiscreteNetwork:
    return DiscreteNetwork(FORK, LEVELS, {**TABLES, **changed})


def codes(data: Data) -> np.ndarray:
    return np.column_stack([discrete(data, i).codes for i in range(len(data.columns))])


def assert_frequencies_fit(network: DiscreteNetwork, rows: int, seed: int) -> None:
    """Chi-squared test of a sample against the joint, rare cells pooled."""
    cells, probabilities = network.joint()
    weights = np.cumprod([1, *network.number_of_levels[:0:-1]])[::-1]
    np.testing.assert_array_equal(cells @ weights, np.arange(len(cells)))
    counts = np.bincount(codes(network.sample(rows, seed=seed)) @ weights, minlength=len(cells))
    assert (counts[probabilities == 0] == 0).all()
    common = probabilities * rows > 10
    observed = [*counts[common], counts[~common].sum()]
    expected = rows * np.array([*probabilities[common], probabilities[~common].sum()])
    kept = expected > 0
    statistic = ((np.array(observed)[kept] - expected[kept]) ** 2 / expected[kept]).sum()
    assert statistic < chi2.isf(FALSE_ALARM, kept.sum() - 1)


def test_joint_by_hand() -> None:
    cells, probabilities = fork().joint()
    assert cells.dtype == np.uint16
    rows = list(product(range(2), range(2), range(3)))
    assert [tuple(row) for row in cells.tolist()] == rows
    by_hand = [TABLES["a"][a] * TABLES["b"][b] * TABLES["c"][a][b][c] for c, a, b in rows]
    np.testing.assert_allclose(probabilities, by_hand, rtol=1e-15)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(fork().log_probability(cells), np.log(by_hand), rtol=1e-14)


def test_the_joint_of_random_networks_sums_to_one_and_fits_their_samples() -> None:
    for seed in range(5):
        dag = random_dag(5, expected_degree=2.5, seed=seed)
        network = discrete_network(dag, levels=(1, 4), seed=seed)
        assert network.joint()[1].sum() == pytest.approx(1.0, abs=1e-12)
        assert_frequencies_fit(network, rows=20_000, seed=seed)


def test_levels_that_never_occur_are_kept() -> None:
    data = fork().sample(400, seed=1)
    assert data.variables == ("c", "a", "b")
    assert [discrete(data, i).levels for i in range(len(data.columns))] == [
        LEVELS[name] for name in data.variables
    ]
    assert set(codes(data)[:, 2]) == {0, 2}
    assert_frequencies_fit(fork(), rows=5_000, seed=1)


def test_a_level_of_probability_zero_is_never_drawn_however_a_row_is_rounded() -> None:
    network = DiscreteNetwork(Dag(["a"], {}), {"a": tuple("xyz")}, {"a": [1 - 1e-9, 0.0, 0.0]})
    network.tables["a"].flags.writeable = True
    network.tables["a"][0] = 1e-9  # a row that falls short of 1 by almost everything
    assert (codes(network.sample(1000)) == 0).all()


def test_an_intervention_cuts_dependence_upward_only() -> None:
    network = asia()
    place = {name: index for index, name in enumerate(network.dag.variables)}
    free = codes(network.sample(50_000, seed=2))
    data = network.sample(50_000, seed=2, interventions={"bronc": "yes"})
    cut = codes(data)
    assert data.intervened is not None
    marked = [name == "bronc" for name in network.dag.variables]
    assert data.intervened.all(axis=0).tolist() == marked
    assert data.intervened.any(axis=0).tolist() == marked
    assert (cut[:, place["bronc"]] == 1).all()
    for name in set(place) - {"bronc", "dysp"}:
        np.testing.assert_array_equal(cut[:, place[name]], free[:, place[name]])
    # Seen bronchitis tells of smoking, set bronchitis does not: P(smoke | bronc) = 2/3 against 1/2.
    # 4.9 deviations are exceeded with probability 1e-6.
    seen = free[free[:, place["bronc"]] == 1, place["smoke"]]
    assert abs(seen.mean() - 2 / 3) < 4.9 * np.sqrt(2 / 9 / len(seen))
    assert abs(cut[:, place["smoke"]].mean() - 1 / 2) < 4.9 * np.sqrt(1 / 4 / 50_000)
    # P(dysp | do(bronc)) = 0.9 P(either) + 0.8 (1 - P(either)), P(either) = 0.064828.
    expected = 0.8 + 0.1 * 0.064828
    dysp = cut[:, place["dysp"]]
    assert abs(dysp.mean() - expected) < 4.9 * np.sqrt(expected * (1 - expected) / 50_000)


def test_all_variables_may_be_set() -> None:
    data = fork().sample(3, interventions={"a": "y", "b": 2, "c": "hi"})
    assert codes(data).tolist() == [[1, 1, 1]] * 3


def test_asia_has_the_published_marginals() -> None:
    network = asia()
    cells, probabilities = network.joint()
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-14)
    marginals = dict(zip(network.dag.variables, probabilities @ cells, strict=True))
    expected = {
        "asia": 0.01,
        "tub": 0.0104,
        "smoke": 0.5,
        "lung": 0.055,
        "bronc": 0.45,
        "either": 0.064828,
        "xray": 0.11029004,
        "dysp": 0.4359706,
    }
    assert marginals == pytest.approx(expected, abs=1e-12)
    assert network.dag.number_of_edges == 8
    assert_frequencies_fit(network, rows=50_000, seed=6)


def test_seeds_and_prefixes() -> None:
    network = asia()
    np.testing.assert_array_equal(
        codes(network.sample(10, seed=8)), codes(network.sample(1000, seed=8))[:10]
    )
    assert network.sample(50, seed=8) == network.sample(50, seed=8)
    assert network.sample(50, seed=8) != network.sample(50, seed=9)


def test_dirichlet_rows_follow_the_concentration() -> None:
    dag = Dag(["a", "b"], {"b": ["a"]})
    for concentration in (0.5, 1.0, 8.0):
        network = discrete_network(
            dag, levels={"a": 2000, "b": 2}, concentration=concentration, seed=1
        )
        # The first of two symmetric Dirichlet cells is Beta(concentration, concentration).
        drawn = network.tables["b"][:, 0]
        assert kstest(drawn, "beta", args=(concentration, concentration)).pvalue > FALSE_ALARM / 3
    tiny = discrete_network(dag, levels=3, concentration=1e-4, seed=1)
    assert np.isfinite(tiny.tables["b"]).all()


def test_levels_by_number_range_and_label() -> None:
    dag = random_dag(50, max_indegree=1, seed=1)
    assert set(discrete_network(dag).levels.values()) == {(0, 1)}
    assert set(discrete_network(dag, levels=(2, 4)).number_of_levels) == {2, 3, 4}
    network = discrete_network(FORK, levels={"a": 2, "b": ["u", "v", "w"], "c": 1})
    assert network.levels == {"c": (0,), "a": (0, 1), "b": ("u", "v", "w")}
    assert network.tables["c"].shape == (2, 3, 1)
    assert pickle.loads(pickle.dumps(network)).levels == network.levels


def test_large_jobs_are_refused_in_one_sentence() -> None:
    star = Dag([f"x{i}" for i in range(30)], {"x0": [f"x{i}" for i in range(1, 30)]})
    with pytest.raises(
        CapacityError, match="table of 'x0', with 29 parents, would have 1073741824"
    ):
        discrete_network(star)
    chain = random_dag(22, max_indegree=1)
    with pytest.raises(CapacityError, match=r"22 variables has 4194304 cells, and at most 4000000"):
        discrete_network(chain).joint()


def test_log_probability_reads_the_codes_of_data() -> None:
    network = asia()
    data = network.sample(200, seed=3)
    cells, probabilities = network.joint()
    table = {tuple(row): p for row, p in zip(cells.tolist(), probabilities, strict=True)}
    expected = [np.log(table[tuple(row)]) for row in codes(data).tolist()]
    np.testing.assert_allclose(network.log_probability(codes(data)), expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: fork(a=[0.5, 0.4]), r"tables\['a'\] holds \[0.5, 0.4\] at \[\]; .*sum to 1"),
        (lambda: fork(a=[1.5, -0.5]), r"tables\['a'\] holds \[1.5, -0.5\]"),
        (lambda: fork(a=[np.nan, 0.5]), r"tables\['a'\] holds \[nan, 0.5\]"),
        (lambda: fork(c=np.full((2, 3, 2), 0.3)), r"holds \[0.3, 0.3\] at \[0, 0\]"),
        (lambda: fork(c=np.full((3, 2, 2), 0.5)), r"shape \(3, 2, 2\); give the shape \(2, 3, 2\)"),
        (lambda: fork(e=[1.0]), "tables names 'e'"),
        (lambda: DiscreteNetwork(FORK, {"a": (1, 2)}, TABLES), "levels lacks 'c' and 'b'"),
        (lambda: DiscreteNetwork(FORK, {**LEVELS, "a": ()}, TABLES), r"levels\['a'\] is \(\)"),
        (lambda: DiscreteNetwork(FORK, {**LEVELS, "a": "xy"}, TABLES), r"levels\['a'\] is 'xy'"),
        (
            lambda: DiscreteNetwork(FORK, {**LEVELS, "a": (1, 1)}, TABLES),
            "texts or booleans, each once",
        ),
        (lambda: discrete_network(FORK, levels=0), "levels is 0; give a whole number, 1 or more"),
        (
            lambda: discrete_network(FORK, levels=(3, 2)),
            r"levels is \(3, 2\); .*with the smaller first",
        ),
        (lambda: discrete_network(FORK, levels=(1, 2, 3)), r"levels is \(1, 2, 3\)"),  # type: ignore[arg-type]
        (lambda: discrete_network(FORK, levels=2.5), "levels is 2.5"),  # type: ignore[arg-type]
        (lambda: discrete_network(FORK, levels={"a": 2}), "levels lacks 'c' and 'b'"),
        (lambda: discrete_network(FORK, levels={"a": 2, "b": 0, "c": 1}), r"levels\['b'\] is 0"),
        (lambda: discrete_network(FORK, concentration=0.0), "concentration is 0.0"),
        (lambda: fork().sample(5, interventions={"a": "z"}), "sets 'a' to 'z'; its levels are 'x'"),
        (lambda: fork().sample(5, interventions={"z": 1}), "interventions names 'z'"),
        (lambda: fork().log_probability([[0, 0, 3]]), "codes is 3 for 'b' in row 0; .* 0 to 2"),
        (lambda: fork().log_probability([[0, -1, 0]]), "codes is -1 for 'a'"),
        (lambda: fork().log_probability([0, 0, 0]), r"shape \(rows, 3\)"),
        (lambda: fork().log_probability([[0.0, 0.0, 0.0]]), "an array of float64"),
    ],
)
def test_refusals(build: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        build()
