"""BGe and BIC of continuous data agree with their definitions, also where digits are at risk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import multivariate_t

import arcwise
from arcwise.errors import ArgumentError, DataError, NumericalError
from arcwise.scores import BIC, BGe, LocalScore
from reference import scores as reference
from reference.scores import Rows
from support.comparison import (
    assert_equivalent_dags_score_the_same,
    assert_families_agree,
    assert_same_scores,
    close,
)
from support.strategies import Case, continuous_case, continuous_cases, rules


def chain(rows: int, seed: int = 1, n: int = 4) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = random.standard_normal((rows, n))
    for i in range(1, n):
        values[:, i] += 0.8 * values[:, i - 1]
    return values


def default_bge(case: Case, node: int, parents: tuple[int, ...]) -> float:
    """Return the score with the settings that `BGe()` stands for."""
    n = len(case.variables)
    values = np.array(case.rows.values)
    weights = None if case.rows.weights is None else np.array(case.rows.weights, dtype=float)
    means = np.average(values, axis=0, weights=weights)
    variances = np.average((values - means) ** 2, axis=0, weights=weights)
    variances[np.ptp(values, axis=0) == 0.0] = 1.0
    scale = 0.5 * np.diag(variances)
    return reference.bge(case.rows, node, parents, 1.0, n + 2.0, means, scale)


@given(st.data())
def test_bge_agrees_with_its_definition(data: Any) -> None:
    case = data.draw(continuous_cases())
    rule = data.draw(rules(case.variables))
    n = len(case.variables)
    alpha_mu = data.draw(st.sampled_from([0.1, 1.0, 5.0]))
    alpha_w = n + data.draw(st.sampled_from([-0.5, 0.0, 2.0, 7.5]))
    random = np.random.default_rng(data.draw(st.integers(0, 999)))
    mean = random.uniform(-3, 3, n)
    scale = np.diag(random.uniform(0.1, 4.0, n))
    if data.draw(st.booleans()):
        factor = random.standard_normal((n, n))
        scale += factor @ factor.T
    score = BGe(alpha_mu, alpha_w, mean, scale)
    scores = arcwise.score(case.data, score, threads=1, **rule.keywords)

    def definition(node: int, parents: tuple[int, ...]) -> float:
        return reference.bge(case.rows, node, parents, alpha_mu, alpha_w, mean, scale)

    assert_families_agree(scores, case, rule, definition)


@given(st.data())
def test_bic_agrees_with_its_definition_or_refuses_a_perfect_fit(data: Any) -> None:
    case = data.draw(continuous_cases())
    rule = data.draw(rules(case.variables))
    expected = {
        (node, case.numbers(parents)): reference.gaussian_bic(
            case.rows, node, case.numbers(parents)
        )
        for node, name in enumerate(case.variables)
        for parents in rule.families[name]
    }
    if None in expected.values():
        with pytest.raises(NumericalError, match="is a linear combination of other columns"):
            arcwise.score(case.data, BIC(), threads=1, **rule.keywords)
        return
    scores = arcwise.score(case.data, BIC(), threads=1, **rule.keywords)
    assert_families_agree(scores, case, rule, lambda node, parents: expected[node, parents])


def test_the_reference_is_the_product_of_predictive_densities() -> None:
    # Row by row, the prediction from the rows before is a multivariate t; no determinant of a
    # scatter matrix comes in, nor a multivariate gamma function.
    values = chain(12, n=3)
    n, alpha_mu, alpha_w = 3, 0.7, 6.5
    prior_mean = np.array([0.3, -1.0, 0.5])
    prior_scale = np.array([[1.0, 0.3, 0.1], [0.3, 2.0, -0.4], [0.1, -0.4, 1.5]])

    def log_likelihood(members: list[int]) -> float:
        size = len(members)
        degrees = alpha_w - n + size
        mean, scale = prior_mean[members], prior_scale[np.ix_(members, members)]
        strength, total = alpha_mu, 0.0
        for row in values[:, members]:
            freedom = degrees - size + 1
            spread = scale * (strength + 1) / (strength * freedom)
            # The stubs know of whole degrees of freedom only.
            total += float(multivariate_t(mean, spread, freedom).logpdf(row))  # type: ignore[arg-type]
            offset = row - mean
            scale = scale + strength / (strength + 1) * np.outer(offset, offset)
            mean = mean + offset / (strength + 1)
            strength, degrees = strength + 1, degrees + 1
        return total

    for node, parents in [(0, ()), (2, (0,)), (1, (0, 2))]:
        ours = reference.bge(
            Rows(values.tolist()), node, parents, alpha_mu, alpha_w, prior_mean, prior_scale
        )
        alone = log_likelihood(list(parents)) if parents else 0.0
        assert close(ours, log_likelihood([*parents, node]) - alone, 1e-10)


@pytest.mark.parametrize("spread", [1.0, 1e-3, 1e-6])
@pytest.mark.parametrize("centre", [0.0, 1e6])
def test_columns_far_from_zero_and_of_tiny_scale(centre: float, spread: float) -> None:
    case = continuous_case(centre + spread * chain(30))
    mean, scale = np.full(4, centre), spread**2 * np.eye(4)
    bic = arcwise.score(case.data, BIC(), threads=1)
    near = arcwise.score(case.data, BGe(1.0, 6.0, centre, spread**2), threads=1)
    far = arcwise.score(case.data, BGe(), threads=1)
    for node, name in enumerate(case.variables):
        for parents, value in bic.families(name):
            numbers = case.numbers(parents)
            assert close(value, reference.gaussian_bic(case.rows, node, numbers))
            expected = reference.bge(case.rows, node, numbers, 1.0, 6.0, mean, scale)
            assert close(near.log_score(name, parents), expected)
            assert close(far.log_score(name, parents), default_bge(case, node, numbers))


@pytest.mark.parametrize(("a", "b", "centre"), [(1e-8, 1e8, 0.0), (1e-4, 1e3, 1e5)])
def test_columns_of_very_different_scales(a: float, b: float, centre: float) -> None:
    case = continuous_case(centre + chain(40) * np.array([a, b, 1.0, a]))
    scores = arcwise.score(case.data, BIC(), threads=1)
    for node, name in enumerate(case.variables):
        for parents, value in scores.families(name):
            assert close(value, reference.gaussian_bic(case.rows, node, case.numbers(parents)))


@pytest.mark.parametrize("score", [BGe(), BGe(prior_scale=np.eye(6) + 0.5), BIC()])
def test_the_common_table_and_own_walks_agree(score: LocalScore) -> None:
    values = chain(60, n=6)
    data = continuous_case(values).data
    common = arcwise.score(data, score, threads=1)
    few = {"a": list("bcd"), "b": ["f"], "f": list("abcde")}
    assert_same_scores(common, arcwise.score(data, score, threads=1, candidates=few), 1e-12)
    # One row more, in which everything was set, counts for nothing.
    mask = np.zeros((61, 6), dtype=bool)
    mask[60] = True
    set_once = continuous_case(np.vstack([values, values[:1]]), None, mask).data
    assert_same_scores(common, arcwise.score(set_once, score, threads=1), 1e-12)


def test_walks_cut_into_many_pieces() -> None:
    # The common table of 30 variables is cut below pairs of members, the walk of a node on its own
    # below single ones; then the other way round, against walks that are not cut at all.
    names = [f"x{i}" for i in range(61)]
    values = np.random.default_rng(7).standard_normal((80, 61))
    data = arcwise.read(values[:, :30], names=names[:30])
    common = arcwise.score(data, "bge", max_indegree=4)
    for name in ("x0", "x13", "x29"):
        others = {name: [other for other in names[:30] if other != name]}
        alone = arcwise.score(data, "bge", max_indegree=4, candidates=others)
        assert dict(alone.families(name)) == pytest.approx(dict(common.families(name)), rel=1e-12)
    data = arcwise.read(values, names=names)
    cut = arcwise.score(data, "bge", max_indegree=4, candidates={"x60": names[:60]})
    for few in ([59, 58, 57, 56], [59, 40, 3, 0], [30, 29, 2, 1], [1, 2, 3, 59]):
        candidates = {"x60": [names[place] for place in few]}
        whole = arcwise.score(data, "bge", candidates=candidates)
        assert_same_scores(cut, whole, 1e-12)


def test_a_thousand_columns() -> None:
    n = 1000
    values = np.random.default_rng(8).standard_normal((30, n))
    data = arcwise.read(values)
    pairs = arcwise.score(data, "bge", max_indegree=1)
    assert len(pairs) == n * n
    candidates = {
        f"X{i}": [f"X{(i + step) % n}" for step in (1, 2, 50, 500, 999)] for i in range(n)
    }
    few = arcwise.score(data, "bic", candidates=candidates)
    for node in (0, 499, 999):
        parents = sorted((node + step) % n for step in (2, 50, 999))
        case = continuous_case(values[:, [node, *parents]])
        expected = reference.gaussian_bic(case.rows, 0, [1, 2, 3])
        assert expected is not None
        assert close(few.log_score(f"X{node}", [f"X{p}" for p in parents]), expected)
        pair = pairs.log_score(f"X{node}", [f"X{parents[0]}"])
        assert close(pair, default_bge(case, 0, (1,)))


@pytest.mark.parametrize("score", [BGe(), BIC()])
def test_a_weight_of_two_is_a_row_that_came_twice(score: LocalScore) -> None:
    values = chain(20)
    doubled = arcwise.score(continuous_case(values, np.full(20, 2.0)).data, score, threads=1)
    repeated = arcwise.score(continuous_case(np.repeat(values, 2, axis=0)).data, score, threads=1)
    assert_same_scores(doubled, repeated, 1e-12)


@pytest.mark.parametrize(
    "score",
    [BGe(), BGe(0.5, 7.5, [1.0, 0.0, -1.0, 2.0], np.eye(4) + 0.3), BIC()],
    ids=["default", "full prior", "bic"],
)
def test_equivalent_dags_score_the_same(score: LocalScore) -> None:
    case = continuous_case(chain(50))
    assert_equivalent_dags_score_the_same(arcwise.score(case.data, score, threads=1))


def test_the_default_score_does_not_depend_on_other_columns() -> None:
    values = chain(30, n=6)
    all_columns = arcwise.score(continuous_case(values).data, "bge", threads=1)
    three = arcwise.score(continuous_case(values[:, :3]).data, "bge", threads=1)
    assert_same_scores(all_columns, three, 1e-12)


def test_a_variable_set_in_every_row_scores_the_same_with_any_parents() -> None:
    mask = np.zeros((30, 4), dtype=bool)
    mask[:, 2] = True
    case = continuous_case(chain(30), None, mask)
    for score in (BIC(), BGe()):
        values = dict(arcwise.score(case.data, score, threads=1).families("c")).values()
        assert max(abs(value) for value in values) < 1e-12


COLLINEAR = np.column_stack([chain(25, n=2), chain(25, n=2) @ [2.0, -3.0] + 7.0])


def test_bic_refuses_collinear_columns_and_bge_takes_them() -> None:
    case = continuous_case(COLLINEAR)
    with pytest.raises(NumericalError, match=r"Column '[abc]' is a linear combination") as refusal:
        arcwise.score(case.data, "bic", threads=1)
    assert "use the BGe score" in str(refusal.value)
    assert len(arcwise.score(case.data, "bic", max_indegree=1, threads=1)) == 9
    scores = arcwise.score(case.data, "bge", threads=1)
    for node, name in enumerate(case.variables):
        for parents, value in scores.families(name):
            assert close(value, default_bge(case, node, case.numbers(parents)))


def test_bge_refuses_collinear_columns_when_no_digit_of_the_score_would_be_right() -> None:
    case = continuous_case(1e8 * COLLINEAR)
    with pytest.raises(NumericalError, match=r"Column '[abc]' is so close .*standard deviations"):
        arcwise.score(case.data, BGe(prior_mean=0.0, prior_scale=0.5), threads=1)
    assert len(arcwise.score(case.data, BGe(prior_scale=1e16), threads=1)) == 12
    assert len(arcwise.score(case.data, BGe(), threads=1)) == 12


@pytest.mark.parametrize("constant", [0.0, 0.1, -4.050054152688492, 1e6 / 3])
def test_a_constant_column_is_refused_by_bic_however_it_rounds(constant: float) -> None:
    case = continuous_case(np.column_stack([np.full(7, constant), chain(7, n=1)]))
    for weights in (None, np.linspace(0.3, 3.1, 7)):
        weighted = continuous_case(np.array(case.rows.values), weights)
        with pytest.raises(NumericalError, match="Column 'a' is a linear combination"):
            arcwise.score(weighted.data, "bic", threads=1)
        scores = arcwise.score(weighted.data, "bge", threads=1)
        assert close(scores.log_score("b", "a"), default_bge(weighted, 1, (0,)))


def test_integer_columns_are_numbers_to_a_gaussian_score() -> None:
    data = {"a": [3, 1, 4, 1, 5, 9], "b": [2.5, 0.5, 1.5, 2.5, 4.5, 7.5]}
    scores = arcwise.score(data, "bge")
    case = continuous_case(np.array([data["a"], data["b"]]).T)
    assert close(scores.log_score("b", ["a"]), default_bge(case, 1, (0,)))
    declared = arcwise.read(data, kinds="continuous")
    assert arcwise.score(declared).log_score("b", ["a"]) == scores.log_score("b", ["a"])
    bic = arcwise.score(data, "bic")
    assert close(bic.log_score("b", ["a"]), reference.gaussian_bic(case.rows, 1, (0,)))


def test_prior_means_and_scales_in_every_form() -> None:
    data = continuous_case(chain(10, n=3)).data
    expected = arcwise.score(data, BGe(2.0, 7.0, [0.0, 1.5, 0.0], np.diag([3.0] * 3)), threads=1)
    forms: list[tuple[Any, Any]] = [
        ({"b": 1.5}, 3.0),
        (np.array([0.0, 1.5, 0.0]), [3.0, 3.0, 3.0]),
        ((0.0, 1.5, 0.0), 3.0 * np.eye(3)),
    ]
    for mean, scale in forms:
        assert_same_scores(arcwise.score(data, BGe(2.0, 7.0, mean, scale)), expected, 1e-13)
    # The default scale is alpha_mu (alpha_w - n - 1) / (alpha_mu + 1) times the variances.
    by_default = arcwise.score(data, BGe(2.0, 7.0, [0.0, 1.5, 0.0]), threads=1)
    scale = 2.0 * chain(10, n=3).var(axis=0)
    assert_same_scores(
        by_default, arcwise.score(data, BGe(2.0, 7.0, [0.0, 1.5, 0.0], scale), threads=1), 1e-13
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha_mu": 0}, "alpha_mu is 0; give a number greater than 0"),
        ({"alpha_w": -1}, "alpha_w is -1; give a number greater than 0"),
        ({"alpha_w": 1.0}, "alpha_w is 1.0; for 2 variables give a number above 1"),
        ({"alpha_w": 2.5}, "alpha_w is 2.5.*alpha_w above 3, or prior_scale"),
        ({"prior_mean": [1.0]}, r"prior_mean has the shape \(1,\)"),
        ({"prior_mean": {"z": 1.0}}, "prior_mean names 'z'"),
        ({"prior_mean": math.nan}, "prior_mean contains inf or nan"),
        ({"prior_scale": np.eye(3)}, r"prior_scale has the shape \(3, 3\)"),
        ({"prior_scale": -1.0}, "not a symmetric positive definite matrix"),
        ({"prior_scale": [[1.0, 2.0], [2.0, 1.0]]}, "not a symmetric positive definite"),
        ({"prior_scale": [[1.0, 0.5], [0.4, 1.0]]}, "not a symmetric positive definite"),
        ({"prior_scale": [[1e-9, 5e-10], [4e-10, 1e-9]]}, "not a symmetric positive definite"),
        ({"prior_scale": [[math.inf, 0.0], [0.0, 1.0]]}, "not a symmetric positive definite"),
    ],
)
def test_settings_that_make_no_prior_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        arcwise.score({"a": [0.5, 1.0, 3.0], "b": [1.5, 0.0, 1.0]}, BGe(**settings))


def test_labels_are_refused() -> None:
    mixed = {"a": ["x", "y", "x"], "b": [1.5, 0.0, 1.0]}
    with pytest.raises(
        DataError, match="BGe needs continuous columns, but column 'a' is categorical"
    ):
        arcwise.score(mixed, "bge")
    with pytest.raises(DataError, match="BIC needs columns of one kind"):
        arcwise.score(mixed, "bic")


@given(continuous_cases(fewest_rows=12), st.floats(0.01, 100.0))
def test_bic_moves_with_the_units_by_a_constant(case: Case, factor: float) -> None:
    # Measuring one variable in other units adds the same to all scores of that node.
    assume(case.data.intervened is None)
    values = np.array(case.rows.values)
    values[:, 0] *= factor
    changed = continuous_case(values, case.data.weights)
    before = arcwise.score(case.data, BIC(), threads=1)
    after = arcwise.score(changed.data, BIC(), threads=1)
    for name in case.variables:
        shift = -case.rows.total(0) * math.log(factor) if name == "a" else 0.0
        for parents, value in before.families(name):
            assert close(after.log_score(name, parents), value + shift, 1e-9)


def test_by_default_units_and_zeros_of_columns_do_not_matter() -> None:
    random = np.random.default_rng(8)
    x = random.normal(size=60)
    table = {"x": x, "y": 0.5 * x + random.normal(size=60), "z": random.normal(size=60)}
    other = {"x": 1e-3 * x + 7.0, "y": 40.0 * table["y"] - 9_000.0, "z": table["z"] + 300.0}
    scores = arcwise.score(table, arcwise.scores.BGe())
    moved = arcwise.score(other, arcwise.scores.BGe())
    standardised = {name: (column - column.mean()) / column.std() for name, column in table.items()}
    fixed = arcwise.score(standardised, arcwise.scores.BGe(prior_mean=0.0, prior_scale=0.5))
    for node, parents in (("y", ["x"]), ("y", ["x", "z"]), ("z", ["y"])):
        gain = scores.log_score(node, parents) - scores.log_score(node, [])
        assert moved.log_score(node, parents) - moved.log_score(node, []) == pytest.approx(gain)
        assert fixed.log_score(node, parents) - fixed.log_score(node, []) == pytest.approx(gain)
