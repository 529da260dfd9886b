"""`DegenerateGaussian`: a surrogate score of mixed tables, with edges in any direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcwise import _core
from arcwise.data import Data
from arcwise.data.indicators import IndicatorBlocks
from arcwise.errors import ArgumentError
from arcwise.laws import NormalWishart
from arcwise.scores.base import IndependenceTest, LocalScore
from arcwise.scores.bge import default_scale, scaled
from arcwise.scores.column_moments import column_moments
from arcwise.scores.discrete import intervention_mask, positive
from arcwise.support.words import shown


@dataclass(frozen=True)
class DegenerateGaussian(LocalScore, name="degenerate-gaussian"):
    """A surrogate score of mixed data, in which edges of every direction are possible.

    A discrete variable is replaced by a block of indicator columns, one for each level but the
    last, and all columns are scored as if they were jointly normal (Andrews, Ramsey and Cooper
    2019), here by the marginal likelihood of `BGe`. Indicators are not normal: the score is no
    probability of the discrete data, and its posterior probabilities are approximations.
    Interactions of discrete parents, and variances that differ between levels, are not seen; for
    these, and where continuous causes of discrete variables can be excluded, use
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
    columns nor on which level has no column of its own. Markov equivalent DAGs score the same.

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
        positive(self.alpha_mu, "alpha_mu")
        if self.alpha_w is not None:
            positive(self.alpha_w, "alpha_w")

    def independence_test(self, data: Data) -> IndependenceTest:
        """Return the test of the same model."""
        return "degenerate-gaussian"

    def visits_rows(self, data: Data) -> bool:
        """Return that it does not: products of columns are summed up once."""
        return False

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as the core computes it."""
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
        # Indicators are of all rows, so that a level that occurs only where it was set counts.
        indicators = np.flatnonzero(~np.isnan(blocks.shares))
        shares, owners = blocks.shares[indicators], blocks.owners[indicators]
        covariances = np.diag(shares) - np.outer(shares, shares)
        mean[indicators] = shares
        scale[np.ix_(indicators, indicators)] = factor * np.where(
            np.equal.outer(owners, owners), covariances, 0.0
        )
        return NormalWishart(strength, degrees, mean, scale)
