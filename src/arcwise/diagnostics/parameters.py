"""`family_sizes`: how many free parameters the likely parent sets of each variable have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data.profile import DataProfile
from arcwise.posterior import DagSample, Posterior
from arcwise.posterior.matrices import unpacked
from arcwise.scores import FamilyScores

_MOST_DAGS = 1000
_MOST_FAMILIES = 2_000_000
_GAUSSIAN = 2.0  # a mean and a variance, besides a coefficient for each parent
_LARGEST_LOG = 600.0


def family_sizes(posterior: Posterior, profile: DataProfile) -> NDArray[np.float64] | None:
    """Return the posterior median of the number of free parameters of each variable's family.

    With r levels and parents that have q configurations it is q (r - 1); of a Gaussian variable
    the number of parents plus 2, and in mixed data q times the number of continuous parents
    plus 2. None if it is not known what the parameters are.

    Families are those of sampled DAGs; without any, of exact probabilities of parent sets; and
    otherwise of the parents that are more probable than not.
    """
    if profile.parametrization is None:
        return None
    levels = np.array(profile.levels, dtype=np.float64)
    # Whole numbers count as continuous where the score takes them so.
    discrete = (levels > 0) & (profile.parametrization != "gaussian")
    sizes = _Sizes(np.log(np.where(discrete, levels, 1.0)), (~discrete).astype(np.float64))
    families = posterior.family_probabilities
    if posterior.dags is not None:
        return _of_dags(posterior.dags, sizes, levels)
    if families is not None and len(families) <= _MOST_FAMILIES:
        return _of_families(families, sizes, levels)
    likely = (posterior.edges > 0.5).astype(np.float64).T
    return np.concatenate(
        [sizes.of(node, levels[node], likely[[node]]) for node in range(len(levels))]
    )


@dataclass(frozen=True, eq=False)
class _Sizes:
    """What each parent adds to a family: the log of its levels, or a coefficient."""

    logs: NDArray[np.float64]
    numbers: NDArray[np.float64]

    def of(self, node: int, levels: float, members: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the number of parameters of a node with each set of parents, as 0 and 1."""
        return self.from_sums(node, levels, members @ self.logs, members @ self.numbers)

    def from_sums(
        self, node: int, levels: float, logs: NDArray[np.float64], numbers: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return it from the sums over the parents of what they add."""
        own = numbers + _GAUSSIAN if self.numbers[node] else max(levels - 1.0, 1.0)
        found: NDArray[np.float64] = np.exp(np.minimum(logs, _LARGEST_LOG)) * own
        return found


def _of_dags(dags: DagSample, sizes: _Sizes, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    few, n = dags.thinned(_MOST_DAGS), len(dags.variables)
    return np.array(
        [
            _median(
                sizes.of(node, levels[node], unpacked(few.parents[:, node], n).astype(np.float64)),
                few.shares,
            )
            for node in range(n)
        ]
    )


def _of_families(
    families: FamilyScores, sizes: _Sizes, levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    result = []
    for node in range(len(families.variables)):
        flat, offsets = families.table.parent_sets(node)
        members, ends = np.asarray(flat, dtype=np.int64), np.asarray(offsets, dtype=np.int64)
        logs, numbers = (
            np.diff(np.concatenate([[0.0], np.cumsum(each[members])])[ends])
            for each in (sizes.logs, sizes.numbers)
        )
        found = sizes.from_sums(node, levels[node], logs, np.rint(numbers).astype(np.float64))
        result.append(_median(found, np.asarray(families.table.values(node))))
    return np.array(result)


def _median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(values, kind="stable")
    summed = np.cumsum(weights[order])
    return float(values[order[int(np.searchsorted(summed, summed[-1] / 2.0))]])
