"""Estimators with a target: y is one more column, predicted from the others of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_consistent_length, check_is_fitted

from arcwise.errors import DataError
from arcwise.estimators.base import StructureLearner
from arcwise.estimators.features import Feature, features_of
from arcwise.parameters.predict import predict
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions


class TargetLearner(StructureLearner):
    """What the classifier and the regressor have in common."""

    target_name_: str

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn that y is needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _features_to_learn(self, X: Any, y: Any) -> tuple[Feature, ...]:
        """Return the columns of X, which must have as many rows as y."""
        columns = features_of(self, X, reset=True, rows=2, missing=self._missing_allowed())
        if y is None:
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; give "
                "the values to predict"
            )
        check_consistent_length(columns[0].values, y)
        return columns

    def _learn_with(self, columns: Sequence[Feature], target: Feature) -> None:
        """Learn the posterior over the features and the target."""
        self.target_name_ = target.name
        self._learn([*columns, target])
        if target.name not in self.posterior_.variables:
            raise DataError(
                f"y has one value only in all rows; give rows with different values of "
                f"{target.name!r}"
            )

    def _predictions(self, X: Any) -> LevelPredictions | NumberPredictions:
        """Predict the target in new rows.

        Labels that no row learned from had are taken for missing, as there is no probability of
        them.
        """
        check_is_fitted(self)
        columns = features_of(self, X, reset=False, rows=1, missing=self._missing_allowed())
        assert self._data is not None
        learned = dict(zip(self._data.variables, self._data.columns, strict=True))
        rows: dict[str, Any] = {}
        for each in columns:
            column = learned.get(each.name)
            if column is not None and column.size and isinstance(each.values, list):
                levels = set(column.kind.levels)
                rows[each.name] = [label if label in levels else None for label in each.values]
            elif column is not None:
                rows[each.name] = each.values
        if not rows:  # no feature was learned from; predictions are then alike in all rows
            rows[self.target_name_] = [None] * len(columns[0].values)
        return predict(
            self.posterior_,
            rows,
            self.target_name_,
            model=self._parameters_from,
            seed=self.seed_,
        )


def named_target(y: Any, columns: Sequence[Feature]) -> str:
    """Return the name of the target: that of a series, unless a feature has it, or ``y``."""
    name = getattr(y, "name", None)
    taken = {each.name for each in columns}
    found = name if isinstance(name, str) and name else "y"
    while found in taken:
        found += "_"
    return found
