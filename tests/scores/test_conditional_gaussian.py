"""ConditionalGaussian agrees with its definition, and the definition with integrals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.stats import multivariate_t

import arcwise
from arcwise.errors import ArgumentError, ConstraintError
from arcwise.model.question import Definition, Question
from arcwise.scores import BDeu, BGe, ConditionalGaussian
from arcwise.support.devices import Processors
from arcwise.support.running import Stage
from reference import mixed_scores as reference
from reference.dags import all_dags
from reference.graphs import equivalence_class
from reference.scores import Rows
from support.comparison import assert_families_agree, assert_same_scores, close
from support.strategies import Case, mixed_case, mixed_cases, rules


def definition(case: Case, score: ConditionalGaussian) -> Any:
    continuous = sum(levels == 0 for levels in case.rows.levels)
    alpha_w = continuous + 2 if score.alpha_w is None else score.alpha_w
    degrees = alpha_w - continuous + 1
    mean, covariance = reference.columns(case.rows)
    scale = score.alpha_mu * (degrees - 2) / (score.alpha_mu + 1) * np.diag(covariance)

    def of_family(node: int, parents: tuple[int, ...]) -> float:
        ess = score.equivalent_sample_size
        return reference.conditional_gaussian(
            case.rows, node, parents, ess, score.alpha_mu, degrees, mean, scale
        )

    return of_family


@given(st.data())
def test_it_agrees_with_its_definition(data: Any) -> None:
    case = data.draw(mixed_cases())
    levels = case.rows.levels
    rule = data.draw(rules(case.variables, lambda parent, node: not levels[node] or levels[parent]))
    continuous = sum(levels == 0 for levels in case.rows.levels)
    score = ConditionalGaussian(
        data.draw(st.sampled_from([0.5, 1.0, 10.0])),
        data.draw(st.sampled_from([0.1, 1.0, 5.0])),
        data.draw(st.sampled_from([None, continuous + 1.5, continuous + 6.0])),
    )
    threads = data.draw(st.sampled_from([1, 2]))
    scores = arcwise.score(case.data, score, threads=threads, **rule.keywords)
    assert_families_agree(scores, case, rule, definition(case, score))


def table(rows: int, kinds: str, seed: int = 1) -> Case:
    """Return a table of dependent columns, "d" for discrete ones with three levels."""
    random = np.random.default_rng(seed)
    values = np.empty((rows, len(kinds)))
    level = np.zeros(rows)
    for i, kind in enumerate(kinds):
        level = 0.7 * level + random.standard_normal(rows)
        values[:, i] = level if kind == "c" else np.clip(np.round(level) + 1, 0, 2)
    return mixed_case(values, [3 if kind == "d" else 0 for kind in kinds])


def test_the_definition_is_the_product_of_predictive_densities() -> None:
    # Row by row, within each configuration, a prediction from the rows before is Student's t.
    case = table(25, "dcc")
    mean, scale, alpha_mu, degrees = np.array([0.0, 0.3, -0.2]), np.array([1.0, 0.7, 1.9]), 0.8, 2.6

    def log_likelihood(members: list[int]) -> float:
        total = 0.0
        for level in range(3):
            strength, freedom = alpha_mu / 3, degrees / 3
            centre, spread = mean[members], np.diag(scale[members]) / 3
            for row in np.array(case.rows.values):
                if row[0] != level:
                    continue
                shape = spread * (strength + 1) / (strength * freedom)
                total += float(multivariate_t(centre, shape, freedom).logpdf(row[members]))  # type: ignore[arg-type]
                offset = row[members] - centre
                spread = spread + strength / (strength + 1) * np.outer(offset, offset)
                centre = centre + offset / (strength + 1)
                strength, freedom = strength + 1, freedom + 1
        return total

    ours = reference.conditional_gaussian(case.rows, 2, [0, 1], 1.0, alpha_mu, degrees, mean, scale)
    assert close(ours, log_likelihood([1, 2]) - log_likelihood([1]), 1e-10)
    ours = reference.conditional_gaussian(case.rows, 2, [0], 1.0, alpha_mu, degrees, mean, scale)
    assert close(ours, log_likelihood([2]), 1e-10)


def log_normal(value: float, mean: float, variance: float) -> float:
    return -0.5 * (math.log(2 * math.pi * variance) + (value - mean) ** 2 / variance)


def test_the_definition_is_an_integral_over_means_and_variances() -> None:
    rows = Rows([[0, 0.4], [1, -1.1], [0, 1.2], [1, 0.3], [1, -0.6]], levels=(2, 0))
    alpha_mu, degrees, centre, scale = 1.3, 3.4, 0.2, 1.7
    expected = 0.0
    for level in range(2):
        x = [row[1] for row in rows.values if row[0] == level]

        def density(mean: float, log_variance: float, x: list[float] = x) -> float:
            # Inverse gamma for the variance, normal for the mean and the rows; by hand, as SciPy's
            # distributions take a millisecond to make.
            variance = math.exp(log_variance)
            shape, rate = degrees / 4, scale / 4
            log_density = shape * math.log(rate) - math.lgamma(shape) - rate / variance
            log_density -= shape * log_variance
            log_density += log_normal(mean, centre, variance * 2 / alpha_mu)
            return math.exp(log_density + sum(log_normal(value, mean, variance) for value in x))

        area, _ = integrate.dblquad(density, -8, 14, -25, 25, epsabs=1e-10, epsrel=1e-7)
        expected += math.log(area)
    ours = reference.conditional_gaussian(
        rows, 1, [0], 1.0, alpha_mu, degrees, [0.0, centre], [1.0, scale]
    )
    assert close(ours, expected, 1e-5)


def test_it_is_bdeu_of_discrete_and_bge_of_continuous_tables() -> None:
    discrete = table(40, "dddd").data
    ours = arcwise.score(discrete, ConditionalGaussian(3.0), threads=1)
    theirs = arcwise.score(discrete, BDeu(3.0), threads=1)
    continuous = table(40, "cccc").data
    for first, second in (
        (ours, theirs),
        (
            arcwise.score(continuous, ConditionalGaussian(3.0, 2.0, 7.5), threads=1),
            arcwise.score(continuous, BGe(2.0, 7.5), threads=1),
        ),
    ):
        assert_same_scores(first, second, 0.0)
    # Of a mixed table, within a kind.
    mixed = table(40, "dcdc").data
    ours = arcwise.score(mixed, ConditionalGaussian(3.0, 2.0), threads=1)
    for part, score in (("ac", BDeu(3.0)), ("bd", BGe(2.0))):
        assert_same_scores(ours, arcwise.score(mixed.select(list(part)), score, threads=1), 1e-12)


@pytest.mark.parametrize("kinds", ["dcdc", "ddcc", "cddc"])
def test_equivalent_dags_score_the_same_if_it_can_have_both(kinds: str) -> None:
    scores = arcwise.score(table(60, kinds).data, ConditionalGaussian(2.0), threads=1)
    classes: dict[object, list[float]] = {}
    for dag in all_dags(4):
        if any(
            kinds[node] == "d" and kinds[parent] == "c"
            for node, parents in enumerate(dag)
            for parent in parents
        ):
            continue
        total = math.fsum(
            scores.log_score("abcd"[node], ["abcd"[parent] for parent in parents])
            for node, parents in enumerate(dag)
        )
        classes.setdefault(equivalence_class(dag), []).append(total)
    assert max(map(len, classes.values())) > 2
    for totals in classes.values():
        assert max(totals) - min(totals) < 1e-9
    assert len({round(totals[0], 6) for totals in classes.values()}) > 0.9 * len(classes)


def test_units_and_zero_do_not_matter() -> None:
    case = table(50, "dcdc")
    values = np.array(case.rows.values)
    plain = arcwise.score(case.data, ConditionalGaussian(), threads=1)
    values[:, [1, 3]] = 1e5 + values[:, [1, 3]] * [1e-3, 4e4]
    moved = arcwise.score(mixed_case(values, case.rows.levels).data, threads=1)
    shift = {"a": 0.0, "b": 50 * math.log(1e-3), "c": 0.0, "d": 50 * math.log(4e4)}
    for name in "abcd":
        for parents, value in plain.families(name):
            assert close(moved.log_score(name, parents), value - shift[name], 1e-8)


def test_the_same_bits_with_any_number_of_threads_and_in_parts(tmp_path: Any) -> None:
    data = table(80, "dcdccdcd").data
    whole = arcwise.score(data, ConditionalGaussian(), threads=1)
    more = arcwise.score(data, ConditionalGaussian(), threads=2)
    job = Question.of(data, Definition(ConditionalGaussian())).scoring
    parts = job.score_all(Stage(Processors(1)), tmp_path / "scores")
    for node in range(8):
        assert (whole.table.values(node) == more.table.values(node)).all()
        assert (whole.table.values(node) == parts.values(node)).all()


def test_families_with_an_outside_parent_and_required_parents() -> None:
    data = table(50, "dcdcdc").data
    whole = arcwise.score(data, ConditionalGaussian(), threads=1)
    few = {"b": ["a", "d"], "d": ["f", "e"], "e": ["a"], "f": ["b", "c"]}
    some = arcwise.score(data, ConditionalGaussian(), candidates=few, plus_one=True, threads=1)
    assert len(dict(some.families("b"))) == 4 + 4 * 3
    assert_same_scores(whole, some, 1e-11)
    more = arcwise.score(
        data, ConditionalGaussian(), candidates=few, plus_one=True, required_edges=[("a", "b")]
    )
    assert_same_scores(whole, more, 1e-11)


def test_an_impossible_edge_cannot_be_required() -> None:
    data = table(20, "dc").data
    with pytest.raises(ConstraintError, match="'b' -> 'a', but a discrete variable cannot have"):
        arcwise.Model(data, required_edges=[("b", "a")])
    model = arcwise.Model(data, required_edges=[("a", "b")])
    assert model.log_weight("a", ["b"]) == -math.inf


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ArgumentError, match="equivalent_sample_size"):
        ConditionalGaussian(0.0)
    with pytest.raises(ArgumentError, match="alpha_mu"):
        ConditionalGaussian(alpha_mu=-1.0)
    with pytest.raises(ArgumentError, match="for 1 continuous variables give a number above 2"):
        arcwise.score(table(20, "dc").data, ConditionalGaussian(alpha_w=2.0))
