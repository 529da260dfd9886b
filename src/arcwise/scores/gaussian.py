"""Scores of jointly normal columns: `BGe`, and `DegenerateGaussian` for mixed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.data.table import IndicatorBlocks
from arcwise.errors import ArgumentError, NumericalError
from arcwise.laws import LinearGaussian, NormalWishart
from arcwise.scores.base import IndependenceTest, LocalScore
from arcwise.scores.discrete import intervention_mask, positive
from arcwise.support.checks import real_numbers
from arcwise.support.names import positions, shown


@dataclass(frozen=True, eq=False)
class BGe(LocalScore, name="bge"):
    """The Bayesian Gaussian equivalent score of continuous data.

    The rows are normal with unknown mean and precision; the mean given the
    precision W is normal with precision ``alpha_mu W``, and W is Wishart with
    ``alpha_w`` degrees of freedom. The correction of Kuipers, Moffa and
    Heckerman (2014) is included. Integer columns are treated as continuous.

    Parameters
    ----------
    alpha_mu
        The strength of the prior mean, as a number of rows.
    alpha_w
        The degrees of freedom, greater than n - 1 for n variables; None for n + 2.
    prior_mean
        One number for all variables, one for each in their order, or a mapping from names
        to numbers, with 0 for omitted names. None for the mean of each column.
    prior_scale
        The matrix T: one number t for ``t I``, one for each variable for a
        diagonal matrix, or a full positive definite matrix. None for ``t V``, where V is the
        diagonal matrix of the column variances and
        ``t = alpha_mu (alpha_w - n - 1) / (alpha_mu + 1)``, which needs ``alpha_w > n + 1``.

    Notes
    -----
    By default the score depends neither on the units nor on the origin of the columns. With a
    fixed prior mean of 0, columns far from zero, such as temperatures in kelvin, would all seem
    to be related. Standardised columns with ``prior_mean=0`` and the default scale have the
    same scores as the raw columns with the default prior.

    Examples
    --------
    >>> import arcwise
    >>> data = {"x": [0.1, 1.2, 1.9, 3.2], "y": [0.0, 1.1, 2.2, 2.9]}
    >>> scores = arcwise.score(data, BGe())
    >>> scores.log_score("y", ["x"]) > scores.log_score("y", [])
    True
    """

    alpha_mu: float = 1.0
    alpha_w: float | None = None
    prior_mean: float | Sequence[float] | Mapping[str, float] | NDArray[np.float64] | None = None
    prior_scale: float | ArrayLike | None = None

    def __post_init__(self) -> None:
        """Refuse values that are wrong for any data."""
        check_strengths(self.alpha_mu, self.alpha_w)

    def law(self, data: Data) -> LinearGaussian:
        """Return the conditional distribution of a node and the prior of its parameters."""
        return LinearGaussian(self.normal_wishart(data))

    def independence_test(self, data: Data) -> IndependenceTest:
        """Return the test of normal columns; integers are continuous to this score."""
        return "fisher-z"

    def visits_rows(self, data: Data) -> bool:
        """Return False: products of columns are summed only once."""
        return False

    def fixed_by(self, data: Data) -> BGe:
        """Return the score with its prior for these data."""
        prior = self.normal_wishart(data)
        return replace(self, alpha_w=prior.alpha_w, prior_mean=prior.mean, prior_scale=prior.scale)

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as an object of the core."""
        values = data.continuous_values("BGe")
        prior = self.normal_wishart(data)
        return _core.bge_score(
            values,
            list(data.variables),
            data.weights,
            intervention_mask(data),
            prior.alpha_mu,
            prior.alpha_w,
            prior.mean,
            prior.scale,
        )

    def normal_wishart(self, data: Data) -> NormalWishart:
        """Return the normal-Wishart prior for these data."""
        variables = data.variables
        n = len(variables)
        degrees = float(n + 2 if self.alpha_w is None else self.alpha_w)
        if degrees <= n - 1:
            raise ArgumentError(
                f"alpha_w is {shown(self.alpha_w)}; for {n} variables give a number above {n - 1}"
            )
        strength = float(self.alpha_mu)
        given, scale = self.prior_mean, self.prior_scale
        values = data.continuous_values("BGe")
        if given is None or scale is None:
            means, variances = column_moments(values, data.weights, data.intervened)
        mean = means if given is None else _mean(given, variables)
        if scale is None:
            scale = scaled(default_scale(strength, degrees, n), variances, variables)
        return NormalWishart(strength, degrees, mean, _scale(scale, n))


def check_strengths(alpha_mu: float, alpha_w: float | None) -> None:
    """Refuse strengths of a normal-Wishart prior that are not positive."""
    positive(alpha_mu, "alpha_mu")
    if alpha_w is not None:
        positive(alpha_w, "alpha_w")


def column_moments(
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    intervened: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the variance of each column; 1 for the variance of a constant one.

    Rows in which the column was intervened on carry no information and are left out.
    """
    counted = np.ones(values.shape)
    if weights is not None:
        counted *= weights[:, np.newaxis]
    if intervened is not None:
        counted[intervened] = 0.0
    counted[:, counted.sum(axis=0) == 0.0] = 1.0
    with np.errstate(over="ignore", invalid="ignore"):  # `scaled` refuses infinite variances
        means = np.average(values, axis=0, weights=counted)
        variances = np.average((values - means) ** 2, axis=0, weights=counted)
    # Rounding gives a constant column a small positive variance.
    known = np.where(counted > 0.0, values, values[counted.argmax(axis=0), range(len(means))])
    return means, np.where(np.ptp(known, axis=0) > 0.0, variances, 1.0)


def _mean(prior_mean: Any, variables: tuple[str, ...]) -> NDArray[np.float64]:
    n = len(variables)
    mean = np.zeros(n)
    if isinstance(prior_mean, Mapping):
        numbers = real_numbers(list(prior_mean.values()), "prior_mean")
        if numbers.ndim != 1:
            raise ArgumentError("prior_mean holds lists; give one number for each variable")
        mean[positions(prior_mean, variables, "prior_mean")] = numbers
    else:
        numbers = real_numbers(prior_mean, "prior_mean")
        if numbers.shape not in ((), (n,)):
            raise ArgumentError(
                f"prior_mean has the shape {numbers.shape}; give one number or {n} of them"
            )
        mean[:] = numbers
    if not np.isfinite(mean).all():
        raise ArgumentError("prior_mean contains inf or nan; give finite numbers")
    return mean


def scaled(
    factor: float, variances: NDArray[np.float64], variables: Sequence[str]
) -> NDArray[np.float64]:
    """Return a multiple of the variances of columns, or refuse overflow and underflow."""
    with np.errstate(over="ignore", under="ignore"):
        scale: NDArray[np.float64] = factor * variances
    far = np.flatnonzero(~(np.isfinite(scale) & (scale > 0.0)))
    if len(far):
        raise NumericalError(
            f"the variance of column {variables[far[0]]!r} times {factor:g} is too large or too "
            "small for a number; rescale the column, or give prior_scale"
        )
    return scale


def default_scale(alpha_mu: float, alpha_w: float, n: int) -> float:
    """Return the factor t of the default prior scale; see `BGe`."""
    if alpha_w <= n + 1:
        raise ArgumentError(
            f"alpha_w is {alpha_w:g}, for which the default prior_scale is not positive; "
            f"for {n} variables give alpha_w above {n + 1}, or prior_scale"
        )
    return alpha_mu * (alpha_w - n - 1) / (alpha_mu + 1)


def _scale(prior_scale: ArrayLike, n: int) -> NDArray[np.float64]:
    given = real_numbers(prior_scale, "prior_scale")
    if given.shape not in ((), (n,), (n, n)):
        raise ArgumentError(
            f"prior_scale has the shape {given.shape}; give one number, {n} of them, or an "
            f"{n} x {n} matrix"
        )
    if not np.isfinite(given).all() or not _positive_definite(given):
        raise ArgumentError(
            "prior_scale is not a symmetric positive definite matrix; give one, or a positive "
            "number for a multiple of the identity matrix"
        )
    matrix = given if given.ndim == 2 else np.diag(np.broadcast_to(given, (n,)))
    return np.ascontiguousarray(matrix, dtype=np.float64)


def _positive_definite(given: NDArray[np.float64]) -> bool:
    if given.ndim < 2:
        return bool((given > 0).all())
    if not np.allclose(given, given.T, rtol=0, atol=1e-12 * np.abs(given).max()):
        return False
    try:
        np.linalg.cholesky(given)
    except np.linalg.LinAlgError:
        return False
    return True


@dataclass(frozen=True)
class DegenerateGaussian(LocalScore, name="degenerate-gaussian"):
    """A surrogate score of mixed data, in which edges of every direction are possible.

    A discrete variable is replaced by a block of indicator columns, one for each level but the
    last, and all columns are scored as if they were jointly normal (Andrews, Ramsey and Cooper
    2019), here by the marginal likelihood of `BGe`. Indicators are not normal: the score is not
    a probability of the discrete data, and its posterior probabilities are approximations.
    Interactions of discrete parents, and variances that differ between levels, are not modelled;
    if they matter, and continuous causes of discrete variables can be excluded, use
    `ConditionalGaussian`.

    An ordinal variable is one column with the ranks of its levels.

    Parameters
    ----------
    alpha_mu
        The strength of the prior mean, as a number of rows.
    alpha_w
        The degrees of freedom, greater than m + 1 for m columns; None for m + 2.

    Notes
    -----
    The prior means are those of the columns, and the prior scale is a multiple of their
    covariances within each block, so the score depends neither on the units of continuous
    columns nor on which level has no indicator. Markov equivalent DAGs have the same score.

    Examples
    --------
    >>> import arcwise
    >>> data = {"group": ["a", "a", "b", "b"], "x": [0.1, 0.2, 5.1, 5.3]}
    >>> scores = arcwise.score(data, DegenerateGaussian())
    >>> scores.log_score("group", ["x"]) > scores.log_score("group", [])
    True
    """

    surrogate: ClassVar[bool] = True
    uses_order: ClassVar[bool] = True

    alpha_mu: float = 1.0
    alpha_w: float | None = None

    def __post_init__(self) -> None:
        """Refuse values that are wrong for any data."""
        check_strengths(self.alpha_mu, self.alpha_w)

    def independence_test(self, data: Data) -> IndependenceTest:
        """Return the test of the same model."""
        return "degenerate-gaussian"

    def visits_rows(self, data: Data) -> bool:
        """Return False: products of columns are summed only once."""
        return False

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as an object of the core."""
        blocks = IndicatorBlocks.of(data)
        prior = self.normal_wishart(data, blocks)
        mask = intervention_mask(data)
        return _core.block_score(
            blocks.values,
            [data.variables[owner] for owner in blocks.owners],
            list(blocks.starts),
            data.weights,
            None if mask is None else np.asfortranarray(mask[:, blocks.owners]),
            prior.alpha_mu,
            prior.alpha_w,
            prior.mean,
            prior.scale,
        )

    def normal_wishart(self, data: Data, blocks: IndicatorBlocks) -> NormalWishart:
        """Return the normal-Wishart prior of the columns."""
        columns = len(blocks.owners)
        degrees = float(columns + 2 if self.alpha_w is None else self.alpha_w)
        if degrees <= columns + 1:
            raise ArgumentError(
                f"alpha_w is {shown(self.alpha_w)}; for these {columns} columns, of which discrete "
                f"variables have one less than levels, give a number above {columns + 1}"
            )
        strength = float(self.alpha_mu)
        factor = default_scale(strength, degrees, columns)
        mask = None if data.intervened is None else data.intervened[:, blocks.owners]
        mean, variances = column_moments(blocks.values, data.weights, mask)
        scale = np.diag(scaled(factor, variances, [data.variables[v] for v in blocks.owners]))
        # Indicators use all rows, so that a level that occurs only as an intervention has a prior.
        indicators = np.flatnonzero(~np.isnan(blocks.shares))
        shares, owners = blocks.shares[indicators], blocks.owners[indicators]
        covariances = np.diag(shares) - np.outer(shares, shares)
        mean[indicators] = shares
        scale[np.ix_(indicators, indicators)] = factor * np.where(
            np.equal.outer(owners, owners), covariances, 0.0
        )
        return NormalWishart(strength, degrees, mean, scale)
