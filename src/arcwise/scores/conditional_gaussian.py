"""`ConditionalGaussian`: the Bayesian score of tables with discrete and continuous columns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.data.scales import Moments
from arcwise.errors import ArgumentError
from arcwise.laws import ConditionalLinearGaussian, DirichletPrior, Law, RegressionPrior
from arcwise.scores.base import LocalScore
from arcwise.scores.discrete import BDeu, intervention_mask, positive
from arcwise.scores.gaussian import BGe, check_strengths, column_moments, default_scale, scaled
from arcwise.support.checks import real_numbers
from arcwise.support.names import as_list, quoted, shown

_HEAVY = 3.0  # the excess kurtosis of a double exponential distribution


@dataclass(frozen=True)
class ConditionalGaussian(LocalScore, name="conditional-gaussian"):
    """The Bayesian score of mixed data: discrete and continuous columns in one table.

    A discrete variable has discrete parents only and is scored as by `BDeu`. A continuous
    variable has, for each configuration of its discrete parents, a separate linear regression
    on its continuous parents, with its own intercept and variance (Boettcher 2001). The
    equivalent sample size of the prior is divided between the configurations.

    Parameters
    ----------
    equivalent_sample_size
        The strength of the prior of discrete variables, as a number of rows; see `BDeu`.
    alpha_mu
        The strength of the prior mean of continuous variables, as a number of rows; see `BGe`.
    alpha_w
        The degrees of freedom of their variances, greater than n + 1 for n continuous
        variables; None for n + 2.
    prior_moments
        The means and the variances, one of each for every column, that define the prior of
        continuous variables; None for those of the columns.

    Notes
    -----
    It is a marginal likelihood. With q configurations of the discrete parents, the prior within
    each is the normal-Wishart prior of `BGe` with ``alpha_mu / q``, scale matrix ``T / q`` and
    ``(alpha_w - n + 1) / q + l - 1`` degrees of freedom for l variables, where T and the prior
    mean come from the variances and means of the columns. The score therefore depends neither
    on the units nor on the origin of continuous columns, and Markov equivalent DAGs without an
    edge from a continuous to a discrete variable have the same score. It is equal to `BDeu` if
    all columns are discrete, and to `BGe` if all are continuous.

    Continuous columns with far heavier tails than normal ones mislead it: a few extreme values
    make variances differ between the levels of any discrete variable. Transform such columns, for
    example by their logarithm, or use `DegenerateGaussian`.

    The levels of ordinal columns are treated as unordered.

    Examples
    --------
    >>> import arcwise
    >>> data = {"group": ["a", "a", "b", "b"], "x": [0.1, 0.2, 5.1, 5.3]}
    >>> scores = arcwise.score(data, ConditionalGaussian())
    >>> scores.log_score("x", ["group"]) > scores.log_score("x", [])
    True
    >>> [parents for parents, _ in scores.families("group")]
    [()]
    """

    equivalent_sample_size: float = 1.0
    alpha_mu: float = 1.0
    alpha_w: float | None = None
    prior_moments: tuple[NDArray[np.float64], NDArray[np.float64]] | None = field(
        default=None, repr=False
    )

    def __post_init__(self) -> None:
        """Refuse values that are wrong for any data."""
        positive(self.equivalent_sample_size, "equivalent_sample_size")
        check_strengths(self.alpha_mu, self.alpha_w)
        if self.prior_moments is not None:
            wanted = "an array of means and one of variances"
            moments = as_list(self.prior_moments, "prior_moments", wanted)
            numbers = tuple(real_numbers(given, "prior_moments") for given in moments)
            if len(numbers) != 2 or not all(np.isfinite(given).all() for given in numbers):
                raise ArgumentError(f"prior_moments is {shown(moments)}; give {wanted}")
            object.__setattr__(self, "prior_moments", numbers)

    def alternatives(self) -> tuple[LocalScore, ...]:
        """Return scores with equivalent sample sizes from 1 to 30."""
        return tuple(replace(self, equivalent_sample_size=size) for size in (1.0, 3.0, 10.0, 30.0))

    def impossible_edges(self, data: Data) -> NDArray[np.bool_] | None:
        """Return the edges from continuous to discrete variables, or None."""
        discrete = _discrete(data)
        edges: NDArray[np.bool_] = np.logical_and.outer(~discrete, discrete)
        return edges if edges.any() else None

    def impossibility(self) -> str:
        """Return a clause that explains impossible edges."""
        return "a discrete variable cannot have a continuous parent under ConditionalGaussian"

    def law(self, data: Data) -> Law:
        """Return the conditional distribution of a node and the prior of its parameters."""
        discrete = _discrete(data)
        if discrete.all():
            return BDeu(self.equivalent_sample_size).law(data)
        if not discrete.any():
            return BGe(self.alpha_mu, self.alpha_w).law(data)
        tables = DirichletPrior(float(self.equivalent_sample_size))
        return ConditionalLinearGaussian(tables, self.regression_prior(data))

    def remarks(self, data: Data) -> tuple[str, ...]:
        """Return sentences on the implications of the score for these data."""
        remarks = super().remarks(data)
        heavy = [
            column.name
            for column in data.columns
            if _is_mixed(data)
            and not column.size
            and (shape := Moments.of(column.stored)) is not None
            and shape.excess_kurtosis > _HEAVY
        ]
        if not heavy:
            return remarks
        has = "has" if len(heavy) == 1 else "have"
        return (
            *remarks,
            f"{quoted(heavy)} {has} far more extreme values than normal columns; "
            "ConditionalGaussian mistakes these for effects of discrete variables: give the "
            "transform by-evidence, log, asinh or normal-scores for them, or use the score "
            "degenerate-gaussian.",
        )

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as an object of the core."""
        discrete = _discrete(data)
        if discrete.all():
            return BDeu(self.equivalent_sample_size).in_core(data)
        if not discrete.any():
            return BGe(self.alpha_mu, self.alpha_w).in_core(data)
        prior = self.regression_prior(data)
        deviations = np.sqrt(prior.scale)
        numbers = _numbers(data)
        codes = np.where(discrete, numbers, 0.0)
        return _core.conditional_gaussian_score(
            np.asfortranarray(codes, dtype=np.uint16),
            np.asfortranarray((numbers - prior.mean) / deviations),
            data.level_counts().tolist(),
            np.where(discrete, 0.0, np.log(deviations)).tolist(),
            data.weights,
            intervention_mask(data),
            self.equivalent_sample_size,
            prior.alpha_mu,
            prior.degrees,
            1.0,
        )

    def regression_prior(self, data: Data) -> RegressionPrior:
        """Return the prior of continuous variables without discrete parents."""
        discrete = _discrete(data)
        n = int((~discrete).sum())
        if self.alpha_w is not None and self.alpha_w <= n + 1:
            raise ArgumentError(
                f"alpha_w is {shown(self.alpha_w)}; for {n} continuous variables give a number "
                f"above {n + 1}"
            )
        degrees = float(n + 2 if self.alpha_w is None else self.alpha_w)
        mean, variances = self._moments(data)
        scale = scaled(default_scale(self.alpha_mu, degrees, n), variances, data.variables)
        mean[discrete], scale[discrete] = 0.0, 1.0
        return RegressionPrior(float(self.alpha_mu), degrees - n + 1, mean, scale)

    def fixed_by(self, data: Data) -> ConditionalGaussian:
        """Return the score with the moments of these data as its prior moments."""
        return replace(self, prior_moments=self._moments(data))

    def _moments(self, data: Data) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return new arrays of the means and variances that define the prior."""
        if self.prior_moments is None:
            return column_moments(_numbers(data), data.weights, data.intervened)
        means, variances = (np.array(given) for given in self.prior_moments)
        columns = len(data.variables)
        if not means.shape == variances.shape == (columns,):
            raise ArgumentError(
                f"prior_moments has the shapes {means.shape} and {variances.shape}; for "
                f"{columns} columns give {columns} means and {columns} variances"
            )
        return means, variances


def _discrete(data: Data) -> NDArray[np.bool_]:
    return np.array([column.size > 0 for column in data.columns])


def _is_mixed(data: Data) -> bool:
    discrete = _discrete(data)
    return bool(discrete.any() and not discrete.all())


def _numbers(data: Data) -> NDArray[np.float64]:
    """Return the values of continuous columns and the codes of discrete ones."""
    table = np.empty((data.rows, len(data.columns)))
    for place, column in enumerate(data.columns):
        table[:, place] = column.stored
    return table
