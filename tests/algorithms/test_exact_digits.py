"""Cancellation in the modular recursion: known counts, honest errors, more digits when asked.

The fewer edges the probable DAGs have, the more nodes are sinks at once and the
more the alternating sums lose: with a strong penalty 3^n terms of size 1 add up
to 1.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import arcwise
from arcwise import Model
from arcwise.errors import NumericalError
from arcwise.priors import EdgePenalty
from support.exact_models import counts, flat_model, log_count, names, random_score

KNOWN_COUNTS = [1, 1, 3, 25, 543, 29281, 3781503, 1138779265, 783702329343, 1213442454842881]


def log_total(posterior: arcwise.Posterior) -> float:
    return posterior.log_evidence + posterior.log_prior_constant


def edge_weighted_counts(n: int, weight: Fraction) -> tuple[Fraction, Fraction]:
    """Return the sum over all DAGs of weight^edges, and the same times the number of edges."""
    sums, edges = [Fraction(1)], [Fraction(0)]
    for m in range(1, n + 1):
        total, counted = Fraction(0), Fraction(0)
        for j in range(1, m + 1):
            # Each edge from the m - j others to the j sinks is there or not.
            sign = (-1) ** (j + 1) * math.comb(m, j)
            pairs = j * (m - j)
            free = (1 + weight) ** pairs
            total += sign * free * sums[m - j]
            counted += sign * free * edges[m - j]
            counted += sign * pairs * weight * (1 + weight) ** max(pairs - 1, 0) * sums[m - j]
        sums.append(total)
        edges.append(counted)
    return sums[n], edges[n]


def log_of(value: Fraction) -> float:
    with localcontext() as context:
        context.prec = 40
        return float(Decimal(value.numerator).ln() - Decimal(value.denominator).ln())


def test_the_recurrence_gives_the_known_counts() -> None:
    assert counts(9) == KNOWN_COUNTS
    assert edge_weighted_counts(4, Fraction(1))[0] == 543
    # Two nodes: no edge, or one of two.
    assert edge_weighted_counts(2, Fraction(1, 3)) == (Fraction(5, 3), Fraction(2, 3))


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9, 12, 13, 14])
def test_flat_weights_count_dags(n: int) -> None:
    posterior = arcwise.exact(flat_model(n))
    assert log_total(posterior) == pytest.approx(log_count(n), abs=1e-9)
    assert posterior.log_prior_constant == pytest.approx(log_count(n), abs=1e-9)
    assert posterior.log_evidence == pytest.approx(0.0, abs=1e-9)
    total, edges = edge_weighted_counts(n, Fraction(1))
    each = float(edges / total) / max(1, n * (n - 1))
    off_diagonal = posterior.edges[~np.eye(n, dtype=bool)]
    assert np.abs(off_diagonal - each).max(initial=0.0) < 1e-9
    assert posterior.map_probability == pytest.approx(math.exp(-log_count(n)), rel=1e-9)


@pytest.mark.parametrize("max_indegree", [0, 1, 2, 4])
@pytest.mark.parametrize("n", [5, 12])
def test_flat_weights_count_dags_with_few_parents(n: int, max_indegree: int) -> None:
    posterior = arcwise.exact(flat_model(n, max_indegree=max_indegree))
    assert log_total(posterior) == pytest.approx(log_count(n, max_indegree), abs=1e-9)


def true_error(posterior: arcwise.Posterior, penalty: float) -> float:
    """Return the error of the total weight and of the edges, from a sum in whole numbers."""
    n = len(posterior.variables)
    total, edges = edge_weighted_counts(n, Fraction(math.exp(-penalty)))
    each = float(edges / total) / (n * (n - 1))
    off_diagonal = posterior.edges[~np.eye(n, dtype=bool)]
    return max(
        abs(math.expm1(log_total(posterior) - log_of(total))),
        float(np.abs(off_diagonal - each).max()),
    )


@pytest.mark.parametrize("n", [4, 8, 11, 13])
@pytest.mark.parametrize("penalty", [-1.0, 1.0, 3.0, 8.0, 30.0])
def test_the_error_reported_is_no_less_than_the_error_there_is(n: int, penalty: float) -> None:
    model = flat_model(n, prior=EdgePenalty(penalty))
    posterior = arcwise.exact(model)
    assert true_error(posterior, penalty) <= posterior.error
    assert posterior.error < 1e-7


def test_a_small_tolerance_takes_more_digits() -> None:
    model = flat_model(12, prior=EdgePenalty(8.0))
    rough = arcwise.exact(model, tolerance=1e-6)
    fine = arcwise.exact(model, tolerance=1e-11)
    # Doubles leave the roundings of 3^12 terms, and long doubles what the score sums have.
    assert rough.error <= 1e-6
    assert fine.error <= 1e-11 < 3e-11 < rough.error
    assert true_error(fine, 8.0) < true_error(rough, 8.0)
    assert np.abs(fine.edges - rough.edges).max() < rough.error


def test_a_tolerance_that_doubles_meet_changes_nothing() -> None:
    model = flat_model(9, prior=EdgePenalty(1.0))
    first, second = arcwise.exact(model), arcwise.exact(model, tolerance=1e-3)
    assert first.error == second.error
    assert (first.edges == second.edges).all()


@pytest.mark.parametrize("tolerance", [1e-25, 1e-15])
def test_a_tolerance_beyond_all_digits_is_refused(tolerance: float) -> None:
    model = flat_model(6, prior=EdgePenalty(3.0))
    sentence = (
        r"^The alternating sums of the modular recursion have an error of up to \d\.\de-1\d, more "
        rf"than the tolerance {tolerance:.1e}; [^.;]*\.$"
    )
    with pytest.raises(NumericalError, match=sentence):
        arcwise.exact(model, tolerance=tolerance)
    with pytest.raises(NumericalError, match=sentence):
        arcwise.algorithms.ExactSampler(model, tolerance=tolerance)
    # No sum alternates there.
    assert arcwise.exact(model, "order-modular", tolerance=tolerance).error < 1e-11


def test_the_prior_constant_is_held_to_the_tolerance_too() -> None:
    # A prior that tells nodes apart has its constant from the same recursion.
    score = random_score(6, 2.0, 1)
    model = Model(list(names(6)), score, prior=score)
    with pytest.raises(NumericalError, match="alternating sums"):
        arcwise.exact(model, tolerance=1e-25)


@pytest.mark.parametrize("tolerance", [0.0, 1.0, -1e-9, math.nan, math.inf])
def test_tolerances_that_are_none(tolerance: float) -> None:
    with pytest.raises(
        arcwise.errors.ArcwiseError, match=r"^tolerance is .*; give a number between"
    ):
        arcwise.exact(flat_model(3), tolerance=tolerance)
