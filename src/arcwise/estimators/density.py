"""`ArcwiseEstimator`: the posterior over DAGs as an estimator of the density of rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from arcwise.estimators.base import StructureLearner
from arcwise.estimators.features import features_of
from arcwise.parameters.predictive import log_predictive


class ArcwiseEstimator(DensityMixin, StructureLearner):
    """The posterior over the DAGs of a table, as an estimator of scikit-learn.

    Its score is the mean log predictive density of rows, averaged over DAGs and parameters, so
    that `GridSearchCV` and `cross_val_score` compare local scores, priors and constraints by
    rows that were not learned from. `ArcwiseClassifier` and `ArcwiseRegressor` predict a target.

    Parameters
    ----------
    local_score, prior, max_indegree, constraints, candidates, algorithm, steps, seconds
        As `score` and so on of `arcwise.learn`, which chooses what is not given. `constraints`
        is an object with all of them, as a mapping
        ``{"tiers": [["x0"], ["x1", "x2"]], "forbidden_edges": [("x0", "x2")]}``.
    missing
        What to do with missing values: ``"error"``, or ``"drop"`` rows that have some.
        `ArcwiseEstimator` can also ``"impute"`` them, but then has no density of new rows; the
        other two also predict from rows in which values are missing with ``"drop"``.
    categorical_features
        ``"from_dtype"``: columns of text, categories and Booleans are discrete, all others
        continuous. Or the columns of numbers that are discrete, too: their names, their places,
        or a Boolean for each column.
    random_state
        A whole number, which is the seed of `learn`; or a NumPy `RandomState` or None, from which
        one is drawn.
    n_jobs
        The number of threads; None for one, -1 for all cores. It does not affect the result.

    Attributes
    ----------
    posterior_ : Posterior
        What `learn` returns, with its account, features, effects and report.
    edge_probabilities_ : numpy.ndarray
        The probability of each edge, as [source, target].
    variables_ : numpy.ndarray
        The names of its rows and columns. Columns of an array are called x0, x1 and so on, as
        elsewhere in scikit-learn. Columns with one value only are left out, with a warning;
        a categorical column with a second level is not such a one.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : numpy.ndarray
        Their names, if X was a data frame.

    Examples
    --------
    >>> import arcwise
    >>> from arcwise.estimators import ArcwiseEstimator
    >>> table = arcwise.simulate("asia", 500, seed=1).to_pandas()
    >>> learned = ArcwiseEstimator(max_indegree=2).fit(table)
    >>> learned.edge_probabilities_.shape
    (8, 8)
    >>> new = arcwise.simulate("asia", 500, seed=2).to_pandas()
    >>> round(learned.score(new), 1)
    -2.4
    """

    _MISSING: ClassVar[tuple[str, ...]] = ("error", "drop", "impute")

    def fit(self, X: Any, y: Any = None) -> ArcwiseEstimator:
        """Learn the posterior over the DAGs of the columns of X.

        Parameters
        ----------
        X
            Rows by columns: a data frame or an array.
        y
            Not used.
        """
        columns = features_of(self, X, reset=True, rows=2, missing=self._missing_allowed())
        self._learn(columns)
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return the log predictive density of each row, see `arcwise.log_predictive`."""
        check_is_fitted(self)
        columns = features_of(self, X, reset=False, rows=1, missing=self._missing_allowed())
        learned = set(self.posterior_.variables)
        rows = {each.name: each.values for each in columns if each.name in learned}
        return np.asarray(log_predictive(self.posterior_, rows, model=self._parameters_from))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log predictive density of the rows; larger is better."""
        return float(self.score_samples(X).mean())
