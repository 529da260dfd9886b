"""What all estimators have in common: their parameters, and learning from named columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from arcwise.data import Data
from arcwise.data.messages import columns as columns_text
from arcwise.data.messages import warn
from arcwise.errors import ArgumentError
from arcwise.estimators.features import FROM_DTYPE, Feature
from arcwise.learning import learn
from arcwise.posterior import Posterior
from arcwise.support.words import quoted, shown

_LARGEST_SEED = 2**31 - 1
_OWN_NAMES = ("local_score", "categorical_features", "random_state", "n_jobs")
"""Parameters that `learn` has by other names, or not at all."""


class _Learned(BaseEstimator):
    """What estimators have once they are fitted."""

    posterior_: Posterior
    seed_: int
    _data: Data | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    variables_: NDArray[Any]
    edge_probabilities_: NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class StructureLearner(_Learned):
    """What estimators have in common.

    The parameters are those of `arcwise.learn`, under the names that scikit-learn has for them
    where it has one; `score` is a method of its estimators, so that the local score is
    `local_score`. They are checked by `fit`, as scikit-learn asks.
    """

    _MISSING: ClassVar[tuple[str, ...]] = ("error", "drop")

    local_score: Any = None
    prior: Any = None
    max_indegree: int | None = None
    constraints: Any = None
    candidates: Any = None
    algorithm: Literal["exact", "mcmc", "mc3", "ais", "smc"] | None = None
    steps: int | None = None
    seconds: float | None = None
    missing: str = "error"
    categorical_features: Any = FROM_DTYPE
    random_state: Any = 0
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn what is accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _missing_allowed(self) -> bool:
        if self.missing not in self._MISSING:
            raise ArgumentError(
                f"missing is {shown(self.missing)}; give one of {quoted(self._MISSING)}"
            )
        return self.missing != "error"

    def _learn(self, columns: Sequence[Feature]) -> None:
        """Learn the posterior over the columns that are not constant, and keep it."""
        constant = [each.name for each in columns if each.constant]
        if constant:
            warn(f"left out {columns_text(constant)}, constant in all rows to learn from")
            columns = [each for each in columns if not each.constant]
        kinds = {each.name: each.kind for each in columns}
        levels = {each.name: each.levels for each in columns if each.levels}
        self.seed_ = self._seed()
        self.posterior_ = learn(
            {each.name: each.values for each in columns},
            kinds=kinds,
            levels=levels or None,
            constant="drop",
            identifiers="keep",
            transform="none",  # rows to predict may have values that a logarithm does not take
            score=self.local_score,
            seed=self.seed_,
            threads=_threads(self.n_jobs),
            progress=None,
            **{
                name: value
                for name, value in self.get_params(deep=False).items()
                if name not in _OWN_NAMES
            },
        )
        # An unpickled posterior has no model; its data and the name of its score make up for it.
        # One that is averaged over completed tables has none either, and no density.
        model = self.posterior_.model
        self._data = None if model is None else model.data
        self.variables_ = np.array(self.posterior_.variables, dtype=object)
        self.edge_probabilities_ = np.asarray(self.posterior_.edges)

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(_LARGEST_SEED))

    @property
    def _parameters_from(self) -> Data | None:
        """What the posterior's parameters follow from: its own model, or without one the data."""
        return self._data if self.posterior_.model is None else None


def _threads(n_jobs: int | None) -> int | None:
    """Return the number of threads: as in scikit-learn, None is one, and -1 all cores."""
    if n_jobs is None:
        return 1
    return None if n_jobs == -1 else n_jobs
