"""BDeu, BDe and BIC of discrete data agree with their definitions, however they are computed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import Dag, Data
from arcwise.data import DiscreteColumn
from arcwise.errors import ArgumentError, DataError
from arcwise.networks import DiscreteNetwork
from arcwise.scores import BIC, BDe, BDeu, LocalScore
from reference import scores as reference
from support.comparison import (
    assert_equivalent_dags_score_the_same,
    assert_families_agree,
    assert_same_scores,
    close,
)
from support.strategies import Case, discrete_case, discrete_cases, rules

SAMPLE_SIZES = st.sampled_from([0.01, 1.0, 7.5, 100.0])


def skewed_marginals(levels: Any, seed: int = 3) -> list[list[float]]:
    random = np.random.default_rng(seed)
    return [random.dirichlet(np.full(count, 2.0)).tolist() for count in levels]


def random_network(case: Case, seed: int, impossible: bool = False) -> DiscreteNetwork:
    """Return a prior network with all edges a -> b, a before b, in another order of levels."""
    random = np.random.default_rng(seed)
    names = case.variables[::-1]
    dag = Dag(names, {name: names[:place] for place, name in enumerate(names)})
    levels = {
        name: tuple(random.permutation(count).tolist())
        for name, count in zip(case.variables, case.rows.levels, strict=True)
    }
    tables = {}
    for name in names:
        shape = [len(levels[parent]) for parent in dag.parents(name)]
        table = random.dirichlet(np.full(len(levels[name]), 1.5), size=shape)
        if impossible and table.shape[-1] > 1:
            table[..., 0] = 0.0
            table /= table.sum(axis=-1, keepdims=True)
        tables[name] = table
    return DiscreteNetwork(dag, levels, tables)


def joint_of(network: DiscreteNetwork, case: Case) -> np.ndarray:
    """Return the joint distribution with one axis for each variable of the data, by code."""
    joint = np.zeros(tuple(case.rows.levels))
    codes, probabilities = network.joint()
    for row, probability in zip(codes.tolist(), probabilities.tolist(), strict=True):
        labels = {
            name: network.levels[name][code]
            for name, code in zip(network.dag.variables, row, strict=True)
        }
        joint[tuple(labels[name] for name in case.variables)] += probability
    return joint


@given(st.data(), SAMPLE_SIZES)
def test_bdeu_agrees_with_its_definition(data: Any, ess: float) -> None:
    case = data.draw(discrete_cases())
    rule = data.draw(rules(case.variables))
    scores = arcwise.score(case.data, BDeu(ess), threads=1, **rule.keywords)
    assert_families_agree(
        scores, case, rule, lambda node, parents: reference.bdeu(case.rows, node, parents, ess)
    )


@given(st.data())
def test_bic_agrees_with_its_definition(data: Any) -> None:
    case = data.draw(discrete_cases())
    rule = data.draw(rules(case.variables))
    scores = arcwise.score(case.data, BIC(), threads=1, **rule.keywords)
    assert_families_agree(
        scores, case, rule, lambda node, parents: reference.discrete_bic(case.rows, node, parents)
    )


@given(st.data(), SAMPLE_SIZES)
def test_bde_of_marginals_agrees_with_its_definition(data: Any, ess: float) -> None:
    case = data.draw(discrete_cases())
    rule = data.draw(rules(case.variables))
    marginals = skewed_marginals(case.rows.levels, data.draw(st.integers(0, 99)))
    score = BDe(dict(zip(case.variables, marginals, strict=True)), ess)
    scores = arcwise.score(case.data, score, threads=1, **rule.keywords)

    def definition(node: int, parents: tuple[int, ...]) -> float:
        return reference.bde_of_marginals(case.rows, node, parents, ess, marginals)

    assert_families_agree(scores, case, rule, definition)


@given(st.data(), SAMPLE_SIZES)
def test_bde_of_a_prior_network_agrees_with_its_definition(data: Any, ess: float) -> None:
    case = data.draw(discrete_cases())
    rule = data.draw(rules(case.variables))
    network = random_network(case, data.draw(st.integers(0, 99)))
    joint = joint_of(network, case)
    scores = arcwise.score(case.data, BDe(network, ess), threads=1, **rule.keywords)

    def definition(node: int, parents: tuple[int, ...]) -> float:
        return reference.bde_of_joint(case.rows, node, parents, ess, joint)

    assert_families_agree(scores, case, rule, definition)


def test_bde_allows_impossible_combinations_that_do_not_occur() -> None:
    # The first level in the network's order of each variable is impossible given the others.
    codes = np.array([[0, 1], [0, 1], [0, 1], [1, 1]])
    case = discrete_case(codes, [2, 3])
    network = random_network(case, 2, impossible=True)
    joint = joint_of(network, case)
    possible = np.argwhere(joint > 0)
    assert 0 < len(possible) < joint.size
    case = discrete_case(possible[[0, 0, -1]], [2, 3])
    scores = arcwise.score(case.data, BDe(network, 4.0), threads=1)
    for node, name in enumerate(case.variables):
        for parents, value in scores.families(name):
            expected = reference.bde_of_joint(case.rows, node, case.numbers(parents), 4.0, joint)
            assert close(value, expected)
    occurring = discrete_case(np.argwhere(joint >= 0), [2, 3])
    with pytest.raises(DataError, match="probability zero to a combination"):
        arcwise.score(occurring.data, BDe(network, 4.0), threads=1)


@pytest.mark.parametrize("score", [BDeu(3.0), BIC(), BDe({"b": [0.2, 0.3, 0.5]}, 3.0)])
def test_the_common_table_and_own_walks_agree(score: LocalScore) -> None:
    # All families come from one table of sets; few candidates, or an intervention, lead to walks
    # of each node on its own.
    random = np.random.default_rng(1)
    levels = [2, 3, 2, 4, 1, 3]
    codes = np.column_stack([random.integers(0, count, 60) for count in levels])
    data = discrete_case(codes, levels).data
    common = arcwise.score(data, score, threads=1)
    few = {"a": list("bcd"), "b": ["f"], "f": list("abcde")}
    assert_same_scores(common, arcwise.score(data, score, threads=1, candidates=few), 1e-12)
    # One row more, in which everything was set, counts for nothing.
    mask = np.zeros((61, len(levels)), dtype=bool)
    mask[60] = True
    set_once = discrete_case(np.vstack([codes, codes[:1]]), levels, None, mask).data
    assert_same_scores(common, arcwise.score(set_once, score, threads=1), 1e-12)


@pytest.mark.parametrize("score", [BDeu(3.0), BIC()])
def test_whole_and_real_counts_agree(score: LocalScore) -> None:
    # Ten times a tenth is not quite one, so the repeated rows are counted in real numbers.
    random = np.random.default_rng(2)
    levels = [2, 3, 4, 2]
    codes = np.column_stack([random.integers(0, count, 50) for count in levels])
    whole = arcwise.score(discrete_case(codes, levels).data, score, threads=1)
    ones = arcwise.score(discrete_case(codes, levels, np.ones(50)).data, score, threads=1)
    assert_same_scores(whole, ones, 0.0)
    tenths = discrete_case(np.repeat(codes, 10, axis=0), levels, np.full(500, 0.1)).data
    assert_same_scores(whole, arcwise.score(tenths, score, threads=1), 1e-12)


def test_bde_with_a_uniform_prior_is_bdeu() -> None:
    random = np.random.default_rng(2)
    levels = [2, 3, 4, 2]
    case = discrete_case(np.column_stack([random.integers(0, c, 50) for c in levels]), levels)
    bdeu = arcwise.score(case.data, BDeu(3.0), threads=1)
    assert_same_scores(bdeu, arcwise.score(case.data, BDe({}, 3.0), threads=1), 1e-12)
    empty = Dag(case.variables, {})
    uniform = DiscreteNetwork(
        empty,
        {name: tuple(range(c)) for name, c in zip(case.variables, levels, strict=True)},
        {name: np.full(c, 1 / c) for name, c in zip(case.variables, levels, strict=True)},
    )
    assert_same_scores(bdeu, arcwise.score(case.data, BDe(uniform, 3.0), threads=1), 1e-12)


@pytest.mark.parametrize("count", [4095, 4096, 4097, 5000, 100_000, 3_000_000_000])
@pytest.mark.parametrize("score", [BDeu(1.0), BIC()])
def test_cells_too_large_for_the_table_of_contributions(score: LocalScore, count: int) -> None:
    codes = np.array([[0, 0, 0], [0, 1, 1], [1, 1, 0], [1, 0, 1], [0, 0, 1]])
    weights = np.array([count, 3, 2 * count if count < 2**30 else 5, 1, 4097], dtype=float)
    case = discrete_case(codes, [2, 2, 3], weights)
    scores = arcwise.score(case.data, score, threads=1)
    for node, name in enumerate(case.variables):
        for parents, value in scores.families(name):
            numbers = case.numbers(parents)
            expected = (
                reference.bdeu(case.rows, node, numbers, 1.0)
                if isinstance(score, BDeu)
                else reference.discrete_bic(case.rows, node, numbers)
            )
            # Sums of this size have lost the digits after 1e-16 of the largest term.
            assert close(value, expected, 1e-10 + 1e-16 * count), (name, parents)


@pytest.mark.parametrize("score", [BDeu(1.0), BIC(), BDe({}, 1.0)])
def test_columns_of_very_many_levels(score: LocalScore) -> None:
    # 60,000 x 60,000 cells cannot be an array; only those that hold a row are numbered.
    random = np.random.default_rng(4)
    codes = np.column_stack([random.integers(0, 60_000, 40), random.integers(0, 60_000, 40)])
    codes = np.column_stack([codes, codes[:, 0] % 2, codes[:, 1] % 3])
    case = discrete_case(codes, [60_000, 60_000, 2, 3])
    scores = arcwise.score(case.data, score, threads=1)
    for child, parents in [("c", "a"), ("c", "ab"), ("a", "bcd"), ("d", "abc"), ("b", "")]:
        sizes = [case.rows.levels[parent] for parent in case.numbers(parents)]
        expected = _score_of_observed_cells(score, case, child, parents, math.prod(sizes))
        assert close(scores.log_score(child, parents), expected), (child, parents)


def _score_of_observed_cells(
    score: LocalScore, case: Case, child: str, parents: str, configurations: float
) -> float:
    """Return the score from the cells that hold a row: the others add nothing but parameters."""
    (node,), members = case.numbers(child), case.numbers(parents)
    levels = case.rows.levels[node]
    cells: dict[tuple[Any, ...], int] = {}
    totals: dict[tuple[Any, ...], int] = {}
    for row in case.rows.values:
        configuration = tuple(row[parent] for parent in members)
        totals[configuration] = totals.get(configuration, 0) + 1
        cells[*configuration, row[node]] = cells.get((*configuration, row[node]), 0) + 1
    if isinstance(score, BIC):
        likelihood = math.fsum(n * math.log(n / totals[cell[:-1]]) for cell, n in cells.items())
        penalty = 0.5 * math.log(len(case.rows.values)) * configurations * (levels - 1)
        return likelihood - penalty
    a = 1.0 / configurations
    terms = [math.lgamma(a) - math.lgamma(a + n) for n in totals.values()]
    terms += [math.lgamma(a / levels + n) - math.lgamma(a / levels) for n in cells.values()]
    return math.fsum(terms)


def test_a_thousand_columns_with_a_few_candidates_each() -> None:
    n = 1000
    random = np.random.default_rng(5)
    codes = random.integers(0, 3, (30, n)).astype(np.uint16)
    names = [f"x{i}" for i in range(n)]
    data = Data([DiscreteColumn(name, codes[:, i], (0, 1, 2)) for i, name in enumerate(names)])
    candidates = {
        names[i]: [names[(i + step) % n] for step in (1, 2, 50, 500, 999)] for i in range(n)
    }
    scores = arcwise.score(data, "bdeu", candidates=candidates)
    assert len(scores) == n * 32
    for node in (0, 499, 999):
        parents = sorted((node + step) % n for step in (2, 50, 999))
        few = discrete_case(codes[:, [node, *parents]], [3] * 4)
        expected = reference.bdeu(few.rows, 0, [1, 2, 3], 1.0)
        assert close(scores.log_score(names[node], [names[p] for p in parents]), expected)


@given(discrete_cases(), SAMPLE_SIZES)
def test_a_weight_of_two_is_a_row_that_came_twice(case: Case, ess: float) -> None:
    # Rows one at a time against the same rows in one go.
    doubled = Data(case.data.columns, np.full(case.data.rows, 2.0), case.data.intervened)
    repeated = case.data.take_rows(np.repeat(np.arange(case.data.rows), 2))
    repeated = Data(repeated.columns, None, repeated.intervened)
    for score in (BDeu(ess), BIC()):
        assert_same_scores(
            arcwise.score(doubled, score, threads=1),
            arcwise.score(repeated, score, threads=1),
            1e-12,
        )


@pytest.mark.parametrize("kind", ["BDeu", "BIC", "marginals", "network"])
def test_equivalent_dags_score_the_same(kind: str) -> None:
    random = np.random.default_rng(6)
    levels = [2, 3, 2, 4]
    codes = np.column_stack([random.integers(0, count, 80) for count in levels])
    codes[:, 1] = (codes[:, 0] + random.integers(0, 2, 80)) % 3
    codes[:, 3] = (codes[:, 1] * codes[:, 2] + random.integers(0, 2, 80)) % 4
    case = discrete_case(codes, levels)
    score: LocalScore = {
        "BDeu": BDeu(2.0),
        "BIC": BIC(),
        "marginals": BDe(dict(zip("abcd", skewed_marginals(levels), strict=True)), 2.0),
        "network": BDe(random_network(case, 8), 2.0),
    }[kind]
    scores = arcwise.score(case.data, score, threads=1)
    assert_equivalent_dags_score_the_same(scores)


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, "1", None, True])
def test_the_equivalent_sample_size_must_be_positive(value: Any) -> None:
    for build in (BDeu, lambda ess: BDe({}, ess)):
        with pytest.raises(ArgumentError, match=r"equivalent_sample_size is .*greater than 0"):
            build(value)


TWO_COLUMNS = {"a": ["no", "no", "yes"], "b": ["u", "v", "w"]}


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"c": [0.5, 0.5]}, "the prior of BDe names 'c'"),
        ({"a": [1.0]}, "gives 'a' 1 probabilities.*'no' and 'yes'"),
        ({"a": [0.5, 0.6]}, "sum to 1"),
        ({"a": [0.0, 1.0]}, "positive numbers"),
        ({"a": {"no": 1.0}}, "gives 'a' the levels 'no'; the data have 'no' and 'yes'"),
        (DiscreteNetwork(Dag(["a"], {}), {"a": ("no", "yes")}, {"a": [0.5, 0.5]}), "variables 'a'"),
        (
            DiscreteNetwork(
                Dag(["b", "a"], {}),
                {"a": ("no", "yes"), "b": ("u", "v")},
                {"a": [0.5, 0.5], "b": [0.5, 0.5]},
            ),
            "gives 'b' the levels 'u' and 'v'; the data have 'u', 'v' and 'w'",
        ),
    ],
)
def test_a_prior_that_does_not_fit_the_data_is_refused(prior: Any, message: str) -> None:
    with pytest.raises((ArgumentError, DataError), match=message):
        arcwise.score(TWO_COLUMNS, BDe(prior))


@pytest.mark.parametrize("score", ["bdeu", BDe({})])
def test_continuous_columns_are_refused(score: Any) -> None:
    with pytest.raises(DataError, match="needs discrete columns, but column 'x' is continuous"):
        arcwise.score({"a": [0, 1], "x": [0.5, 1.5]}, score)
