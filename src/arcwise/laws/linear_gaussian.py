"""Linear Gaussian regressions, with the posterior of `BGe`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.columns import Kind
from arcwise.data.profile import LawName
from arcwise.laws.law import FamilyPosteriors, Law
from arcwise.laws.normal_wishart import NormalWishart, node_posteriors
from arcwise.laws.regressions import ConfigurationMoments, RegressionPosterior

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearGaussian(Law):
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

    has_means: ClassVar[bool] = True
    kind: ClassVar[LawName] = "gaussian"
    all_numbers: ClassVar[bool] = True

    prior: NormalWishart | None

    @property
    def has_prior(self) -> bool:
        """Whether the regressions have a prior."""
        return self.prior is not None

    def allows(self, child: Kind, parent: Kind) -> bool:
        """Return True: whatever is a number."""
        return True

    def given(self, data: Data) -> LinearGaussianPosteriors:
        """Return the posterior of all regressions."""
        assert self.prior is not None
        return LinearGaussianPosteriors(self, data, self.prior)


class LinearGaussianPosteriors(FamilyPosteriors):
    """The normal-Wishart posteriors of all regressions: those of many families come together."""

    def __init__(self, law: Law, data: Data, prior: NormalWishart) -> None:
        super().__init__(law, data)
        self.prior = prior
        self.nodes = node_posteriors(data, prior)

    @property
    def origin(self) -> Array:
        """The posterior mean of each variable, from the rows that count for it."""
        return np.array([own.mean[own.node] for own in self.nodes])

    def family(self, node: int, parents: tuple[int, ...]) -> RegressionPosterior:
        """Compute the posterior of one family."""
        own = self.nodes[node]
        moments = ConfigurationMoments(
            tuple(range(len(self.levels))),
            np.array([own.strength]),
            np.array([own.degrees]),
            own.mean[np.newaxis],
            own.root[np.newaxis],
        )
        return RegressionPosterior.of(self, node, parents, moments)

    def log_predictives(
        self, node: int, parents: Sequence[tuple[int, ...]], new: Data, rows: NDArray[np.bool_]
    ) -> Array:
        """Return the log density of a node in some new rows by parent set, [parent set, row]."""
        values = new.continuous_values("the law")[rows]
        own = self.nodes[node]
        return _by_size(parents, lambda members: own.log_predictive(members, values))

    def joint_log_predictives(
        self, node: int, parents: Sequence[tuple[int, ...]], new: Data, after: FamilyPosteriors
    ) -> Array:
        """Return the joint log density of a node in all new rows by parent set."""
        assert isinstance(after, LinearGaussianPosteriors)
        return _by_size(parents, after.nodes[node].log_constants) - _by_size(
            parents, self.nodes[node].log_constants
        )


def _by_size(
    parents: Sequence[tuple[int, ...]], function: Callable[[list[tuple[int, ...]]], Array]
) -> Array:
    """Apply a function of parent sets of one size to all of them, size by size."""
    by_size: dict[int, list[int]] = {}
    for place, members in enumerate(parents):
        by_size.setdefault(len(members), []).append(place)
    found = {size: function([parents[i] for i in chosen]) for size, chosen in by_size.items()}
    result = np.empty((len(parents), *next(iter(found.values())).shape[1:]))
    for size, chosen in by_size.items():
        result[chosen] = found[size]
    return result
