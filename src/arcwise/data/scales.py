"""`Scale`: a function of a continuous column that is modelled in its place; `Moments`: its shape.

Scores of continuous data assume normal columns, and a few extreme values then look like edges:
where outliers coincide, and in mixed tables as variances that differ between levels. A column can
be modelled on another scale if the evidence of the column alone strongly favours that.

A column without parents is normal on the scale of its values, of their logarithms, or of the
inverse hyperbolic sine, which is linear near a centre and logarithmic far from it on both sides.
Under Jeffreys' invariant prior of mean and deviation, 1 / deviation^2, the evidence of N values x
on the scale t is ::

    constant(N)  *  (sum of squares of t(x) about its mean) ^ (-N / 2)  *  prod_x |t'(x)|

so scales are compared by the ratio of these; the last factor, the Jacobian, makes them densities of
the same values. Centre and width of the inverse hyperbolic sine are estimated by quartiles, so its
evidence is divided by N, as in the Bayesian information criterion.

Alternatively, a column is replaced by its normal scores. Ranks keep which rows are larger and lose
by how much: the normal score of a value is the quantile of its rank, (rank - 1/2) / N, of the
standard normal distribution. Dependence through monotone functions of normal variables, a Gaussian
copula, becomes linear.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import KindName
from arcwise.data.encoding import ByColumn
from arcwise.errors import ArgumentError, option
from arcwise.support.names import quoted, shown

Array = NDArray[np.float64]
ScaleKind = Literal["log", "asinh"]


@dataclass(frozen=True)
class Scale:
    """A strictly increasing function of a column: its logarithm, or an inverse hyperbolic sine.

    Examples
    --------
    >>> Scale("log").label("income")
    'log(income)'
    >>> Scale("asinh", 3.0, 2.0).restored(Scale("asinh", 3.0, 2.0).of(np.array([7.0]))).round(9)
    array([7.])
    """

    kind: ScaleKind  # ``"log"`` for log x, or ``"asinh"`` for asinh((x - centre) / width)
    centre: float = 0.0
    width: float = 1.0

    def of(self, values: Array) -> Array:
        """Return the values on this scale; NaN or infinite where it is not defined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.kind == "log":
                return np.asarray(np.log(values))
            return np.asarray(np.arcsinh((values - self.centre) / self.width))

    def restored(self, values: Array) -> Array:
        """Return the values of the column, given those on this scale."""
        with np.errstate(over="ignore"):
            if self.kind == "log":
                return np.asarray(np.exp(values))
            return np.asarray(self.centre + self.width * np.sinh(values))

    def log_slope(self, values: Array) -> Array:
        """Return the log derivative of the scale at values of the column."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.kind == "log":
                return np.asarray(-np.log(values))
            away = (values - self.centre) / self.width
            return np.asarray(-0.5 * np.log1p(np.square(away)) - math.log(self.width))

    def normal_moments(self, means: Array, deviations: Array) -> tuple[Array, Array]:
        """Return mean and mean square of a column that is normal on this scale."""
        variances = np.square(deviations)
        with np.errstate(over="ignore"):
            if self.kind == "log":
                return np.exp(means + variances / 2), np.exp(2 * (means + variances))
            first = np.sinh(means) * np.exp(variances / 2)
            second = (np.cosh(2 * means) * np.exp(2 * variances) - 1) / 2
        mean = self.centre + self.width * first
        square = self.centre**2 + 2 * self.centre * self.width * first + self.width**2 * second
        return mean, square

    def label(self, name: str) -> str:
        """Return the modelled function of a column of this name, as a formula."""
        if self.kind == "log":
            return f"log({name})"
        centre = f"{abs(self.centre):.4g}"
        sign = "+" if self.centre < 0.0 else "-"
        from_centre = name if float(centre) == 0.0 else f"({name} {sign} {centre})"
        return f"asinh({from_centre} / {self.width:.4g})"


def log_scale(values: Array) -> Scale | None:
    """Return the logarithm if all values have one."""
    return Scale("log") if bool((values > 0.0).all()) else None


def asinh_scale(values: Array) -> Scale | None:
    """Return the inverse hyperbolic sine about the median; None if the quartiles are equal."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    width = (high - low) / 1.349  # the interquartile range of a standard normal distribution
    return Scale("asinh", middle, width) if width > 0.0 and math.isfinite(width) else None


MARGIN = 5.0
"""The log of the Bayes factor by which another scale must be better than that of the values.

For a normal column the probability of this is below exp(-5), one in 148, for any number of rows
(Markov's inequality), and much smaller in practice.
"""


def chosen_scale(values: Array) -> Scale | None:
    """Return the scale that the evidence strongly favours; None for that of the values.

    Examples
    --------
    >>> normal = np.random.default_rng(1).normal(size=200)
    >>> chosen_scale(np.exp(normal)), chosen_scale(normal + 10.0)
    (Scale(kind='log', centre=0.0, width=1.0), None)
    """
    if len(values) < 10 or not _is_skewed_or_heavy_tailed(values):
        return None
    best, most = None, MARGIN
    for scale, charge in ((log_scale(values), 0.0), (asinh_scale(values), math.log(len(values)))):
        if scale is None:
            continue
        better = log_bayes_factor(scale, values) - charge
        if better > most:
            best, most = scale, better
    return best


def log_bayes_factor(scale: Scale, values: Array) -> float:
    """Return the log evidence of values on a scale minus that on their own scale."""
    there, here = _squares(scale.of(values)), _squares(values)
    if not (there > 0.0 and here > 0.0 and math.isfinite(there) and math.isfinite(here)):
        return -math.inf
    slopes = float(scale.log_slope(values).sum())
    return -0.5 * len(values) * (math.log(there) - math.log(here)) + slopes


def _squares(values: Array) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.square(values - values.mean()).sum())


def _is_skewed_or_heavy_tailed(values: Array) -> bool:
    """Return whether a column is visibly skewed or has heavy tails."""
    # Without either, two groups that a parent causes may be closer to normal on another scale.
    shape = skewness_and_kurtosis(values)
    return shape is not None and (abs(shape[0]) > 1.0 or shape[1] - 3.0 > 2.0)


Method = Literal["normal-scores", "log", "asinh", "by-evidence", "none"]


def parsed_transformation(value: Any) -> ByColumn[Method]:
    """Return the transformation specified by a user.

    Examples
    --------
    >>> wanted_scale(parsed_transformation({"income": "log"}), "income", "continuous")
    'log'
    """
    return ByColumn.parse(value, _parsed)


def wanted_scale(transformation: ByColumn[Method], name: str, kind: KindName) -> Method:
    """Return the transformation of a column, which must be continuous if it is named."""
    if kind == "continuous":
        return transformation.of(name)
    if transformation.columns.get(name, "none") not in ("none", "by-evidence"):
        raise ArgumentError(
            option("transform"),
            f" names {name!r}, which is discrete and cannot be transformed; leave it out",
        )
    return "none"


def _parsed(value: object) -> Method:
    if value is None:
        return "none"
    for method in get_args(Method):
        if isinstance(value, str) and value == method:
            return method  # type: ignore[no-any-return]
    raise ArgumentError(
        option("transform"),
        f" is {shown(value)}; give one of {quoted(get_args(Method))}, for all continuous columns "
        "or by name",
    )


def asked_scale(name: str, values: NDArray[np.float64], method: Method) -> Scale | None:
    """Return the scale of a column by the specified method; None for that of its values."""
    if method not in ("log", "asinh", "by-evidence") or not len(values):
        return None
    if method == "by-evidence":
        return chosen_scale(values)
    found = log_scale(values) if method == "log" else asinh_scale(values)
    if found is None:
        raise ArgumentError(
            option("transform"),
            f" is {method!r} for {name!r}, "
            + (
                "which has values that are not positive; give 'asinh' or 'none'"
                if method == "log"
                else "half of whose values are equal; give 'normal-scores' or 'none'"
            ),
        )
    return found


def normal_scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal score of each value, which ties share by their mean rank.

    Examples
    --------
    >>> normal_scores(np.array([3.0, 1000.0, -5.0])).round(3).tolist()
    [0.0, 0.967, -0.967]
    """
    scores = np.full(len(values), np.nan)
    present = ~np.isnan(values)
    _, inverse, counts = np.unique(values[present], return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2.0  # the mean rank, from 0 to N, of each value
    inverse_cdf = NormalDist().inv_cdf
    each = np.array([inverse_cdf(share) for share in (middle / max(1, present.sum())).tolist()])
    scores[present] = each[inverse]
    return scores


FEWEST_ROWS = 20
"""The least number of rows for which the approximations of the test hold."""


@dataclass(frozen=True)
class Moments:
    """The shape of a column's distribution, with a test of normality.

    Examples
    --------
    >>> import numpy as np
    >>> skewed = Moments.of(np.exp(np.random.default_rng(1).normal(size=500)))
    >>> skewed.skewness > 2, skewed.p_value < 1e-9
    (True, True)
    """

    # Both are 0 for a normal distribution.
    skewness: float
    excess_kurtosis: float
    # The p-value of the test of D'Agostino and Pearson (1973) that the values are independent draws
    # from a normal distribution.
    p_value: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Moments | None:
        """Return the shape of values; None for fewer than 20, or if all are equal."""
        n = len(values)
        shape = None if n < FEWEST_ROWS else skewness_and_kurtosis(values)
        if shape is None:
            return None
        skewness, kurtosis = shape
        statistic = _skewness_score(skewness, n) ** 2 + _kurtosis_score(kurtosis, n) ** 2
        # Chi-squared with two degrees of freedom.
        return cls(skewness, kurtosis - 3.0, math.exp(-statistic / 2.0))


def skewness_and_kurtosis(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return both (0 and 3 for a normal distribution); None if all values are equal."""
    centred = values - values.mean()
    largest = float(np.abs(centred).max())
    if not 0.0 < largest < math.inf:
        return None
    centred = centred / largest  # so that fourth powers neither overflow nor underflow
    second, third, fourth = (float((centred**power).mean()) for power in (2, 3, 4))
    return (third / second**1.5, fourth / second**2) if second > 0.0 else None


def _skewness_score(skewness: float, n: int) -> float:
    """Return the normal score of a skewness (D'Agostino 1970)."""
    y = skewness * math.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    beta = 3.0 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3)
    beta /= (n - 2.0) * (n + 5) * (n + 7) * (n + 9)
    w_squared = math.sqrt(2.0 * (beta - 1.0)) - 1.0
    return math.asinh(y / math.sqrt(2.0 / (w_squared - 1.0))) / math.sqrt(0.5 * math.log(w_squared))


def _kurtosis_score(kurtosis: float, n: int) -> float:
    """Return the normal score of a kurtosis (Anscombe and Glynn 1983)."""
    mean = 3.0 * (n - 1) / (n + 1)
    variance = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3.0) * (n + 5))
    x = (kurtosis - mean) / math.sqrt(variance)
    root_beta = 6.0 * (n**2 - 5 * n + 2) / ((n + 7) * (n + 9))
    root_beta *= math.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2.0) * (n - 3)))
    a = 6.0 + 8.0 / root_beta * (2.0 / root_beta + math.sqrt(1.0 + 4.0 / root_beta**2))
    below = 1.0 + x * math.sqrt(2.0 / (a - 4.0))
    # Far below the mean, the fraction is negative, and the cube root keeps its sign.
    cube_root = math.copysign(((1.0 - 2.0 / a) / max(abs(below), 1e-300)) ** (1.0 / 3.0), below)
    return (1.0 - 2.0 / (9.0 * a) - cube_root) / math.sqrt(2.0 / (9.0 * a))
