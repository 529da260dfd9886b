"""`FamilySizes`: how many free parameters the likely parent sets of each variable have."""

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


@dataclass(frozen=True, eq=False)
class FamilySizes:
    """The posterior median of the number of free parameters of each variable's family.

    Parameters
    ----------
    parameters
        One number for each variable. With r levels and parents that have q configurations it is
        q (r - 1); of a Gaussian variable the number of parents plus 2.
    """

    parameters: NDArray[np.float64]

    @classmethod
    def of(cls, posterior: Posterior, profile: DataProfile) -> FamilySizes | None:
        """Return the sizes, or None if it is not known what the parameters are.

        They are those of sampled DAGs; without any, of exact probabilities of parent sets; and
        otherwise of the parents that are more probable than not.
        """
        if profile.parametrization is None:
            return None
        gaussian = profile.parametrization == "gaussian"
        levels = np.array(profile.levels, dtype=np.float64)
        # The logarithm of a family's size is a sum over its parents, and so is its number.
        each = np.ones(len(levels)) if gaussian else np.log(levels)
        families = posterior.family_probabilities
        if posterior.dags is not None:
            sums = _of_dags(posterior.dags, each)
        elif families is not None and len(families) <= _MOST_FAMILIES:
            sums = _of_families(families, each)
        else:
            sums = (posterior.edges > 0.5).astype(np.float64).T @ each
        if gaussian:
            return cls(sums + _GAUSSIAN)
        return cls(np.exp(np.minimum(sums, _LARGEST_LOG)) * np.maximum(levels - 1.0, 1.0))


def _of_dags(dags: DagSample, each: NDArray[np.float64]) -> NDArray[np.float64]:
    few, n = dags.thinned(_MOST_DAGS), len(dags.variables)
    return np.array(
        [_median(unpacked(few.parents[:, node], n) @ each, few.shares) for node in range(n)]
    )


def _of_families(families: FamilyScores, each: NDArray[np.float64]) -> NDArray[np.float64]:
    result = []
    for node in range(len(families.variables)):
        flat, offsets = families.table.parent_sets(node)
        sums = np.concatenate([[0.0], np.cumsum(each[np.asarray(flat, dtype=np.int64)])])
        ends = np.asarray(offsets, dtype=np.int64)
        probabilities = np.asarray(families.table.values(node))
        result.append(_median(sums[ends[1:]] - sums[ends[:-1]], probabilities))
    return np.array(result)


def _median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(values, kind="stable")
    summed = np.cumsum(weights[order])
    return float(values[order[int(np.searchsorted(summed, summed[-1] / 2.0))]])
