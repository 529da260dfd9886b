"""`BDeu`: Dirichlet priors that spread one equivalent sample size evenly over all cells."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise import _core
from arcwise.data import Data
from arcwise.laws import DirichletPrior, ProbabilityTables
from arcwise.scores.base import LocalScore
from arcwise.scores.discrete import discrete_score, positive


@dataclass(frozen=True)
class BDeu(LocalScore, name="bdeu"):
    """The Bayesian Dirichlet equivalent uniform score of discrete data.

    The parameters of a node with r levels, whose parents have q configurations, have
    independent Dirichlet priors with all r pseudo-counts equal to
    ``equivalent_sample_size / (q r)``. Declared levels count even if they do not occur in
    the data.

    Parameters
    ----------
    equivalent_sample_size
        The strength of the prior, as a number of rows.

    Examples
    --------
    >>> import arcwise
    >>> scores = arcwise.score({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}, BDeu())
    >>> round(scores.log_score("b", ["a"]), 6)
    -1.750937
    """

    equivalent_sample_size: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a sample size that is not positive."""
        positive(self.equivalent_sample_size, "equivalent_sample_size")

    def alternatives(self) -> tuple[LocalScore, ...]:
        """Return scores with equivalent sample sizes from 1 to 30."""
        return tuple(BDeu(size) for size in (1.0, 3.0, 10.0, 30.0))

    def law(self, data: Data) -> ProbabilityTables:
        """Return what the parameters of a family are, and their prior."""
        return ProbabilityTables(DirichletPrior(float(self.equivalent_sample_size)))

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as the core computes it."""
        uniform = _core.PseudoCounts.uniform
        return discrete_score(data, "BDeu", uniform, self.equivalent_sample_size)
