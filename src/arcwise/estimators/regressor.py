"""`ArcwiseRegressor`: predictive means of a number, averaged over DAGs and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, column_or_1d

from arcwise.estimators.features import Feature
from arcwise.estimators.target import TargetLearner, named_target
from arcwise.parameters.predictions import NumberPredictions


class ArcwiseRegressor(RegressorMixin, TargetLearner):
    """Numbers predicted by averaging over the DAGs of features and target.

    The target is a continuous variable of the network like any other: what is learned is the
    posterior over the DAGs of all columns, and its distribution given the rest of the row
    follows from it. Constraints call the target by the name of the series y, or ``y``.

    Parameters
    ----------
    local_score, prior, max_indegree, constraints, candidates, algorithm, steps, seconds, missing, \
categorical_features, random_state, n_jobs
        See `ArcwiseEstimator`. Labels of features that were in no row learned from are taken for
        missing.

    Attributes
    ----------
    target_name_ : str
        The name of the target among the `variables_`.
    posterior_, edge_probabilities_, variables_, n_features_in_, feature_names_in_
        See `ArcwiseEstimator`.

    Examples
    --------
    >>> import numpy as np
    >>> from arcwise.estimators import ArcwiseRegressor
    >>> random = np.random.default_rng(1)
    >>> X = random.normal(size=(200, 3))
    >>> y = 2 * X[:, 0] - X[:, 2] + random.normal(size=200)
    >>> learned = ArcwiseRegressor().fit(X, y)
    >>> mean, deviation = learned.predict([[1.0, 0.0, -1.0]], return_std=True)
    >>> round(float(mean[0])), round(float(deviation[0]))
    (3, 1)
    """

    def fit(self, X: Any, y: Any) -> ArcwiseRegressor:
        """Learn the posterior over the DAGs of the columns of X and the numbers y.

        Parameters
        ----------
        X
            Rows by columns: a data frame or an array.
        y
            The number of each row.
        """
        columns = self._features_to_learn(X, y)
        numbers = column_or_1d(y, warn=True)
        numbers = check_array(numbers, ensure_2d=False, dtype=np.float64, input_name="y")
        self._learn_with(columns, Feature(named_target(y, columns), numbers))
        return self

    def predict(
        self, X: Any, return_std: bool = False
    ) -> NDArray[np.float64] | tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the predictive mean of each row.

        Parameters
        ----------
        X
            Rows by columns, as in `fit`.
        return_std
            True for the standard deviations of the predictive distributions, too.
        """
        found = self._predictions(X)
        assert isinstance(found, NumberPredictions)
        return (found.mean, found.standard_deviations) if return_std else found.mean
