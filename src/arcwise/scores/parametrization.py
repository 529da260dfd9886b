"""What the parameters of a score's families are, and their prior, if the score has one.

All that needs parameters (effects, prediction, draws of them) is chosen by these types, so that
a score of one's own has it, too, if its `parametrization` returns one of them with its prior.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data.profile import ParametrizationKind


@dataclass(frozen=True, eq=False)
class DirichletPrior:
    """Pseudo-counts of all tables: marginals of one distribution of imaginary rows.

    Parameters
    ----------
    equivalent_sample_size
        The number of imaginary rows.
    marginals
        The distribution of each variable, where these are independent; None for uniform ones.
    joint
        Rows of codes and their probabilities, where the variables are not independent.

    Examples
    --------
    >>> DirichletPrior(10.0).marginals is None
    True
    """

    equivalent_sample_size: float
    marginals: Sequence[Sequence[float]] | None = None
    joint: tuple[NDArray[np.uint16], NDArray[np.float64]] | None = None


@dataclass(frozen=True, eq=False)
class NormalWishart:
    """A normal-Wishart prior of given variables: mean and precision of normal rows.

    Parameters
    ----------
    alpha_mu
        The strength of the mean, as a number of rows.
    alpha_w
        The degrees of freedom of the precision.
    mean, scale
        The prior mean, and the matrix T of the precision.

    Examples
    --------
    >>> NormalWishart(1.0, 4.0, np.zeros(2), np.eye(2)).alpha_w
    4.0
    """

    alpha_mu: float
    alpha_w: float
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RegressionPrior:
    """The prior of the continuous variables within one configuration of discrete parents.

    It is normal-Wishart: for any l of the variables, the mean given the precision W is normal
    with precision ``alpha_mu W``, and W is Wishart with ``degrees + l - 1`` degrees of freedom
    and the diagonal scale matrix of their entries of `scale`.

    Parameters
    ----------
    alpha_mu
        The strength of the prior mean, as a number of rows.
    degrees
        The degrees of freedom of the variance of a single variable, as a number of rows.
    mean, scale
        For each variable of the table; 0 and 1 for discrete ones.

    Examples
    --------
    >>> RegressionPrior(1.0, 3.0, np.zeros(2), np.ones(2)).shared(2).degrees
    1.5
    """

    alpha_mu: float
    degrees: float
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]

    def shared(self, configurations: float) -> RegressionPrior:
        """Return the prior within each of so many configurations, which share the rows of this."""
        return replace(
            self,
            alpha_mu=self.alpha_mu / configurations,
            degrees=self.degrees / configurations,
            scale=self.scale / configurations,
        )


class Parametrization(ABC):
    """What the parameters of a family are; each kind is a subclass."""

    kind: ClassVar[ParametrizationKind]

    @property
    @abstractmethod
    def has_prior(self) -> bool:
        """Whether the score has a prior on the parameters, so that they have a posterior."""


@dataclass(frozen=True, eq=False)
class ProbabilityTables(Parametrization):
    """A table of probabilities for each family of discrete variables.

    Parameters
    ----------
    prior
        The prior of the tables; None for a score without one.

    Examples
    --------
    >>> ProbabilityTables(DirichletPrior(1.0)).has_prior
    True
    """

    kind: ClassVar[ParametrizationKind] = "discrete"

    prior: DirichletPrior | None

    @property
    def has_prior(self) -> bool:
        """Whether the tables have a prior."""
        return self.prior is not None


@dataclass(frozen=True, eq=False)
class LinearGaussian(Parametrization):
    """A linear regression with normal noise for each family of continuous variables.

    Parameters
    ----------
    prior
        The prior of mean and precision of all variables, from which those of the regressions
        follow; None for a score without one.

    Examples
    --------
    >>> LinearGaussian(None).has_prior
    False
    """

    kind: ClassVar[ParametrizationKind] = "gaussian"

    prior: NormalWishart | None

    @property
    def has_prior(self) -> bool:
        """Whether the regressions have a prior."""
        return self.prior is not None


@dataclass(frozen=True, eq=False)
class ConditionalLinearGaussian(Parametrization):
    """Tables for discrete variables, regressions by configuration for continuous ones.

    A continuous variable has a linear regression on its continuous parents for each
    configuration of its discrete parents; a discrete one has discrete parents only.

    Parameters
    ----------
    tables
        The prior of the tables.
    regressions
        The prior of the continuous variables, which configurations share.

    Examples
    --------
    >>> regressions = RegressionPrior(1.0, 3.0, np.zeros(2), np.ones(2))
    >>> ConditionalLinearGaussian(DirichletPrior(1.0), regressions).has_prior
    True
    """

    kind: ClassVar[ParametrizationKind] = "conditional-gaussian"

    tables: DirichletPrior
    regressions: RegressionPrior

    @property
    def has_prior(self) -> bool:
        """Whether tables and regressions have a prior, as they do."""
        return True
