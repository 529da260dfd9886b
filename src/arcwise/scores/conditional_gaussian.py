"""`ConditionalGaussian`: the Bayesian score of tables with discrete and continuous columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from arcwise import _core
from arcwise.data import Data, DiscreteColumn
from arcwise.errors import ArgumentError
from arcwise.scores.base import LocalScore
from arcwise.scores.bdeu import BDeu
from arcwise.scores.bge import BGe, default_scale, scaled
from arcwise.scores.column_moments import column_moments
from arcwise.scores.discrete import positive
from arcwise.scores.parametrization import (
    ConditionalLinearGaussian,
    DirichletPrior,
    Parametrization,
    RegressionPrior,
)
from arcwise.support.running import Run
from arcwise.support.words import shown


@dataclass(frozen=True)
class ConditionalGaussian(LocalScore, name="conditional-gaussian"):
    """The Bayesian score of mixed data: discrete and continuous columns in one table.

    A discrete variable has discrete parents only and is scored as by `BDeu`. A continuous
    variable has, for each configuration of its discrete parents, a linear regression of its own
    on its continuous parents, with its own mean and variance (Boettcher 2001). The rows that
    the prior stands for are shared out between the configurations.

    Parameters
    ----------
    equivalent_sample_size
        The strength of the prior of discrete variables, as a number of rows; see `BDeu`.
    alpha_mu
        The strength of the prior mean of continuous variables, as a number of rows; see `BGe`.
    alpha_w
        The degrees of freedom of their variances, greater than n + 1 for n continuous
        variables; None for n + 2.

    Notes
    -----
    It is a marginal likelihood. With q configurations of the discrete parents, the prior within
    each is the normal-Wishart prior of `BGe` with ``alpha_mu / q``, scale matrix ``T / q`` and
    ``(alpha_w - n + 1) / q + l - 1`` degrees of freedom for l variables, where T and the prior
    mean come from the variances and means of the columns. The score therefore depends neither
    on the units of continuous columns nor on where their zero is, and Markov equivalent DAGs
    without an edge from a continuous to a discrete variable score the same. It is equal to
    `BDeu` if all columns are discrete, and to `BGe` if all are continuous.

    Ordinal columns are taken as discrete ones whose levels have no order.

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

    def __post_init__(self) -> None:
        """Refuse values that are wrong for any data."""
        positive(self.equivalent_sample_size, "equivalent_sample_size")
        positive(self.alpha_mu, "alpha_mu")
        if self.alpha_w is not None:
            positive(self.alpha_w, "alpha_w")

    def alternatives(self) -> tuple[LocalScore, ...]:
        """Return scores with equivalent sample sizes from 1 to 30."""
        return tuple(replace(self, equivalent_sample_size=size) for size in (1.0, 3.0, 10.0, 30.0))

    def impossible_edges(self, data: Data) -> NDArray[np.bool_] | None:
        """Return the edges from continuous to discrete variables; None if there are none."""
        discrete = _discrete(data)
        edges: NDArray[np.bool_] = np.logical_and.outer(~discrete, discrete)
        return edges if edges.any() else None

    def impossibility(self) -> str:
        """Return in a clause why edges are impossible."""
        return "a discrete variable cannot have a continuous parent under ConditionalGaussian"

    def parametrization(self, data: Data) -> Parametrization:
        """Return what the parameters of a family are, and their prior."""
        discrete = _discrete(data)
        if discrete.all():
            return BDeu(self.equivalent_sample_size).parametrization(data)
        if not discrete.any():
            return BGe(self.alpha_mu, self.alpha_w).parametrization(data)
        tables = DirichletPrior(float(self.equivalent_sample_size))
        return ConditionalLinearGaussian(tables, self.regression_prior(data))

    def fill(self, data: Data, table: _core.FamilyTable, run: Run) -> None:
        """Set every value of the table to the score of its family."""
        discrete = _discrete(data)
        if discrete.all():
            BDeu(self.equivalent_sample_size).fill(data, table, run)
        elif not discrete.any():
            BGe(self.alpha_mu, self.alpha_w).fill(data, table, run)
        else:
            self._fill_mixed(data, table, run)

    def regression_prior(self, data: Data) -> RegressionPrior:
        """Return the prior of continuous variables without discrete parents."""
        discrete = _discrete(data)
        values = _numbers(data)
        n = int((~discrete).sum())
        if self.alpha_w is not None and self.alpha_w <= n + 1:
            raise ArgumentError(
                f"alpha_w is {shown(self.alpha_w)}; for {n} continuous variables give a number "
                f"above {n + 1}"
            )
        degrees = float(n + 2 if self.alpha_w is None else self.alpha_w)
        mean, variances = column_moments(values, data.weights, data.intervened)
        scale = scaled(default_scale(self.alpha_mu, degrees, n), variances, data.variables)
        mean[discrete], scale[discrete] = 0.0, 1.0
        return RegressionPrior(float(self.alpha_mu), degrees - n + 1, mean, scale)

    def _fill_mixed(self, data: Data, table: _core.FamilyTable, run: Run) -> None:
        prior = self.regression_prior(data)
        discrete = _discrete(data)
        values = _numbers(data) - prior.mean
        levels = data.level_counts()
        weights = np.ones(data.rows) if data.weights is None else data.weights

        def of_set(members: list[int], rows: NDArray[np.bool_]) -> float:
            """Return M of a set: the log marginal likelihood of its variables."""
            among = [v for v in members if discrete[v]]
            others = [v for v in members if not discrete[v]]
            possible = float(np.prod(levels[among], dtype=np.float64))
            own, size = prior.shared(possible), len(others)
            pseudo = self.equivalent_sample_size / possible
            cells = np.zeros(data.rows, dtype=np.int64)
            for v in among:
                cells = cells * levels[v] + values[:, v].astype(np.int64)
            total = 0.0
            for cell in np.unique(cells[rows]):
                here = rows & (cells == cell)
                count = float(weights[here].sum())
                total += gammaln(pseudo + count) - gammaln(pseudo)
                if not others:
                    continue
                x = values[np.ix_(here, others)]
                sums = weights[here] @ x
                scatter = (x * weights[here, np.newaxis]).T @ x
                scatter += np.diag(own.scale[others])
                scatter -= np.outer(sums, sums) / (count + own.alpha_mu)
                before = 0.5 * (own.degrees + np.arange(size))
                total += 0.5 * size * np.log(own.alpha_mu / (count + own.alpha_mu))
                total -= 0.5 * size * count * np.log(np.pi)
                total += float((gammaln(before + 0.5 * count) - gammaln(before)).sum())
                total += before[-1] * np.log(own.scale[others]).sum()
                total -= (before[-1] + 0.5 * count) * np.linalg.slogdet(scatter)[1]
            return float(total)

        for node in range(len(data.variables)):
            rows = np.ones(data.rows, dtype=np.bool_)
            if data.intervened is not None:
                rows = ~data.intervened[:, node]
            flat, offsets = table.parent_sets(node)
            bounds = offsets.astype(np.int64)
            out = table.values(node)
            for family in range(len(out)):
                parents = flat[bounds[family] : bounds[family + 1]].tolist()
                out[family] = of_set([*parents, node], rows) - of_set(parents, rows)


def _discrete(data: Data) -> NDArray[np.bool_]:
    return np.array([isinstance(column, DiscreteColumn) for column in data.columns])


def _numbers(data: Data) -> NDArray[np.float64]:
    """Return the values of continuous columns and the codes of discrete ones."""
    table = np.empty((data.rows, len(data.columns)))
    for place, column in enumerate(data.columns):
        table[:, place] = column.codes if isinstance(column, DiscreteColumn) else column.values
    return table
