"""`ArcwiseClassifier`: probabilities of classes, averaged over DAGs and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

from arcwise.errors import DataError
from arcwise.estimators.features import Feature
from arcwise.estimators.target import TargetLearner, named_target
from arcwise.parameters.predictions import LevelPredictions


class ArcwiseClassifier(ClassifierMixin, TargetLearner):
    """Classes predicted by averaging over the DAGs of features and target.

    The target is a discrete variable of the network like any other: what is learned is the
    posterior over the DAGs of all columns, and P(class | the rest of the row) follows from it.
    Constraints call the target by the name of the series y, or ``y``.

    Parameters
    ----------
    local_score, prior, max_indegree, constraints, candidates, algorithm, steps, seconds, missing, \
categorical_features, random_state, n_jobs
        See `ArcwiseEstimator`. Labels of features that were in no row learned from are taken for
        missing.

    Attributes
    ----------
    classes_ : numpy.ndarray
        The classes, in the order of the columns of `predict_proba`.
    target_name_ : str
        The name of the target among the `variables_`.
    posterior_, edge_probabilities_, variables_, n_features_in_, feature_names_in_
        See `ArcwiseEstimator`.

    Examples
    --------
    >>> import arcwise
    >>> from arcwise.estimators import ArcwiseClassifier
    >>> table = arcwise.simulate("asia", 500, seed=1).to_pandas()
    >>> learned = ArcwiseClassifier(max_indegree=2).fit(table.drop(columns="dysp"), table["dysp"])
    >>> new = arcwise.simulate("asia", 500, seed=2).to_pandas()
    >>> learned.predict_proba(new.drop(columns="dysp")).shape
    (500, 2)
    >>> learned.score(new.drop(columns="dysp"), new["dysp"]) > 0.8
    True
    """

    classes_: NDArray[Any]

    def fit(self, X: Any, y: Any) -> ArcwiseClassifier:
        """Learn the posterior over the DAGs of the columns of X and the classes y.

        Parameters
        ----------
        X
            Rows by columns: a data frame or an array.
        y
            The class of each row.
        """
        columns = self._features_to_learn(X, y)
        classes = column_or_1d(y, warn=True)
        classes = check_array(classes, ensure_2d=False, dtype=None, input_name="y")
        check_classification_targets(classes)
        self.classes_, codes = np.unique(classes, return_inverse=True)
        if len(self.classes_) < 2:
            (only,) = self.classes_.tolist()
            raise DataError(f"y has one class only, {only!r}; give rows of two classes or more")
        # Classes may be anything that can be sorted; their numbers are labels for all of them.
        levels = tuple(range(len(self.classes_)))
        self._learn_with(columns, Feature(named_target(y, columns), codes.tolist(), levels))
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, as [row, class]."""
        found = self._predictions(X)
        assert isinstance(found, LevelPredictions)
        return found.probabilities

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the log of the probability of each class, as [row, class]."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        found: NDArray[Any] = self.classes_[best]
        return found
