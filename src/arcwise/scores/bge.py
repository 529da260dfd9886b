"""`BGe`: the Bayesian score of Gaussian data under a normal-Wishart prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.errors import ArgumentError, NumericalError
from arcwise.laws import LinearGaussian, NormalWishart
from arcwise.scores.base import IndependenceTest, LocalScore
from arcwise.scores.column_moments import column_moments
from arcwise.scores.discrete import intervention_mask, positive
from arcwise.support.checks import real_numbers
from arcwise.support.names import positions
from arcwise.support.words import shown


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
        to numbers, with 0 for those left out. None for the mean of each column.
    prior_scale
        The matrix T: one number t for ``t I``, one for each variable for a
        diagonal matrix, or the whole positive definite matrix. None for ``t V``, where V has
        the variances of the columns in its diagonal and
        ``t = alpha_mu (alpha_w - n - 1) / (alpha_mu + 1)``, which needs ``alpha_w > n + 1``.

    Notes
    -----
    By default the score does not depend on the units of the columns, nor on where their zero
    is. With a fixed prior mean of 0, columns far from zero, such as temperatures in kelvin,
    would all seem to be related. Standardised columns with ``prior_mean=0`` and the default
    scale give the same scores as the default.

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
        positive(self.alpha_mu, "alpha_mu")
        if self.alpha_w is not None:
            positive(self.alpha_w, "alpha_w")

    def law(self, data: Data) -> LinearGaussian:
        """Return what the parameters of a family are, and their prior."""
        return LinearGaussian(self.normal_wishart(data))

    def independence_test(self, data: Data) -> IndependenceTest:
        """Return the test of normal columns, as integers are to this score."""
        return "fisher-z"

    def visits_rows(self, data: Data) -> bool:
        """Return that it does not: products of columns are summed up once."""
        return False

    def fixed_by(self, data: Data) -> BGe:
        """Return the score with the prior that it has for these data."""
        prior = self.normal_wishart(data)
        return replace(self, alpha_w=prior.alpha_w, prior_mean=prior.mean, prior_scale=prior.scale)

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as the core computes it."""
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
    """Return a multiple of the variances of columns, if that is within the range of numbers."""
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
