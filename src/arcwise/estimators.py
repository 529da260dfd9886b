"""Estimators for scikit-learn: structures, classes and numbers by averaging over DAGs.

They follow the conventions of scikit-learn, so that they can be cloned, put into pipelines and
cross-validated. Only `import arcwise.estimators` imports scikit-learn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.raw import RawColumn, RawNumbers, warn
from arcwise.data.raw import columns as columns_text
from arcwise.data.sources import raw_columns
from arcwise.errors import ArgumentError, DataError
from arcwise.learning import learn
from arcwise.parameters.predict import log_predictive, predict
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.posterior import Posterior
from arcwise.support.names import quoted, shown
from arcwise.support.optional import optional

optional("sklearn", "arcwise.estimators", "'arcwise[sklearn]'")  # names what to install

from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin, RegressorMixin  # noqa: E402
from sklearn.utils import check_random_state  # noqa: E402
from sklearn.utils.multiclass import check_classification_targets  # noqa: E402
from sklearn.utils.validation import (  # noqa: E402
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

__all__ = ["ArcwiseClassifier", "ArcwiseEstimator", "ArcwiseRegressor"]
FROM_DTYPE = "from_dtype"
_OWN_NAMES = ("local_score", "categorical_features", "random_state", "n_jobs")
"""Parameters that have other names in `learn`, or do not exist there."""


class _Learned(BaseEstimator):
    """The attributes of fitted estimators."""

    posterior_: Posterior
    seed_: int
    _data: Data | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    variables_: NDArray[Any]
    edge_probabilities_: NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class StructureLearner(_Learned):
    """The common part of all estimators.

    The parameters are those of `arcwise.learn`, with the names of scikit-learn where it has one;
    `score` is a method of its estimators, so the local score is called `local_score`. They are
    checked by `fit`, as scikit-learn requires.
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
        """Return the tags of scikit-learn on accepted inputs."""
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
            transform="none",  # rows to predict may have values without a logarithm
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
        # An unpickled posterior has no model, but its data and the name of its score suffice. A
        # posterior averaged over completed tables has no model either, and no density.
        model = self.posterior_.model
        self._data = None if model is None else model.data
        self.variables_ = np.array(self.posterior_.variables, dtype=object)
        self.edge_probabilities_ = np.asarray(self.posterior_.edges)

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    @property
    def _parameters_from(self) -> Data | None:
        """The data that determine the parameters, if the posterior has no model."""
        return self._data if self.posterior_.model is None else None


def _threads(n_jobs: int | None) -> int | None:
    """Return the number of threads: as in scikit-learn, None is one, and -1 all cores."""
    if n_jobs is None:
        return 1
    return None if n_jobs == -1 else n_jobs


class ArcwiseEstimator(DensityMixin, StructureLearner):
    """The posterior over the DAGs of a table, as an estimator of scikit-learn.

    Its score is the mean log predictive density of rows, averaged over DAGs and parameters, so
    that `GridSearchCV` and `cross_val_score` compare local scores, priors and constraints on
    held-out rows. `ArcwiseClassifier` and `ArcwiseRegressor` predict a target.

    Parameters
    ----------
    local_score, prior, max_indegree, constraints, candidates, algorithm, steps, seconds
        As `score` and so on of `arcwise.learn`, which has defaults for those not given.
        `constraints` is an object with all of them, or a mapping such as
        ``{"tiers": [["x0"], ["x1", "x2"]], "forbidden_edges": [("x0", "x2")]}``.
    missing
        What to do with missing values: ``"error"``, or ``"drop"`` their rows. `ArcwiseEstimator`
        can also ``"impute"`` them, but then has no density of new rows; with ``"drop"``, the other
        two estimators also predict rows with missing values.
    categorical_features
        ``"from_dtype"``: columns of text, categories and Booleans are discrete, all others
        continuous. Or the columns of numbers that are discrete as well: their names, their
        positions, or a Boolean for each column.
    random_state
        A whole number, which is the seed of `learn`; or a NumPy `RandomState` or None, from which
        a seed is drawn.
    n_jobs
        The number of threads; None for one, -1 for all cores. It does not affect the result.

    Attributes
    ----------
    posterior_ : Posterior
        The result of `learn`, with its account, features, effects and report.
    edge_probabilities_ : numpy.ndarray
        The probability of each edge, as [source, target].
    variables_ : numpy.ndarray
        The names of its rows and columns. Columns of an array are called x0, x1 and so on, as
        elsewhere in scikit-learn. Columns with a single value are left out with a warning, unless
        they are categorical with a second level.
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


class TargetLearner(StructureLearner):
    """The common part of classifier and regressor: y is a column predicted from the others."""

    target_name_: str

    def __sklearn_tags__(self) -> Any:
        """Return the tags of scikit-learn, by which y is required."""
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
        """Predict the target in new rows, with labels of no training row as missing values."""
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
        if not rows:  # without features, predictions are the same in all rows
            rows[self.target_name_] = [None] * len(columns[0].values)
        return predict(
            self.posterior_, rows, self.target_name_, model=self._parameters_from, seed=self.seed_
        )


def named_target(y: Any, columns: Sequence[Feature]) -> str:
    """Return the name of the target, that of a series or ``y``, made distinct from features."""
    name = getattr(y, "name", None)
    taken = {each.name for each in columns}
    found = name if isinstance(name, str) and name else "y"
    while found in taken:
        found += "_"
    return found


class ArcwiseClassifier(ClassifierMixin, TargetLearner):
    """Classes predicted by averaging over the DAGs of features and target.

    The target is a discrete variable of the network like any other: the posterior over the DAGs of
    all columns is learned, and P(class | the rest of the row) follows from it. In constraints, the
    target has the name of the series y, or ``y``.

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
        # Classes may be of any sortable type, so their numbers are used as labels.
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


class ArcwiseRegressor(RegressorMixin, TargetLearner):
    """Numbers predicted by averaging over the DAGs of features and target.

    The target is a continuous variable of the network like any other: the posterior over the DAGs
    of all columns is learned, and the distribution of the target given the rest of the row follows
    from it. In constraints, the target has the name of the series y, or ``y``.

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
            Whether to return the standard deviations of the predictive distributions as well.
        """
        found = self._predictions(X)
        assert isinstance(found, NumberPredictions)
        return (found.mean, found.standard_deviations) if return_std else found.mean


@dataclass(frozen=True)
class Feature:
    """One column of X."""

    name: str
    values: NDArray[np.float64] | list[Any]  # numbers, NaN if missing; or labels, None if missing
    levels: tuple[object, ...] | None = None  # declared by the column's type
    ordered: bool = False  # whether the order of the levels is meaningful

    @property
    def kind(self) -> str:
        """Its kind, as for `arcwise.read`."""
        if not isinstance(self.values, list):
            return "continuous"
        return "ordinal" if self.ordered else "discrete"

    @property
    def constant(self) -> bool:
        """Whether it has a single value, and no other level is declared."""
        values = self.values
        if isinstance(values, list):
            return len({each for each in values if each is not None} | {*(self.levels or ())}) < 2
        present = values[~np.isnan(values)]
        return len(present) == 0 or bool((present == present[0]).all())

    @property
    def missing(self) -> NDArray[np.bool_]:
        """The mask of missing values."""
        if isinstance(self.values, list):
            return np.array([value is None for value in self.values], dtype=np.bool_)
        return np.isnan(self.values)


def features_of(
    estimator: Any, X: Any, *, reset: bool, rows: int, missing: bool
) -> tuple[Feature, ...]:
    """Return the columns of X after the checks that scikit-learn requires."""
    if nw.dependencies.is_into_dataframe(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        found = _of_frame(X, estimator)
        _refuse_few(X.shape, rows)
    else:
        array = validate_data(
            estimator, X, reset=reset, dtype=None, ensure_min_samples=rows, ensure_all_finite=False
        )
        chosen = _chosen(estimator.categorical_features, _names(array.shape[1]))
        found = tuple(
            _of_values(name, array[:, place], name in chosen)
            for place, name in enumerate(_names(array.shape[1]))
        )
    for feature in found:
        _refuse_unusable(feature, missing, type(estimator).__name__)
    return found


def _names(count: int) -> list[str]:
    return [f"x{place}" for place in range(count)]


def _refuse_few(shape: tuple[int, int], rows: int) -> None:
    # For the same message as for arrays, zeros of this shape take the place of the frame.
    if shape[1] == 0 or shape[0] < rows:
        check_array(np.zeros(shape), ensure_min_samples=rows)


def _of_frame(X: Any, estimator: Any) -> tuple[Feature, ...]:
    columns = raw_columns(X, None)
    chosen = _chosen(estimator.categorical_features, [each.name for each in columns])
    return tuple(_of_column(each, each.name in chosen) for each in columns)


def _of_column(column: RawColumn, categorical: bool) -> Feature:
    if isinstance(column, RawNumbers):
        numbers = column.values.astype(np.float64)
        numbers[column.missing] = np.nan
        return _of_values(column.name, numbers, categorical)
    labels: list[Any] = [*column.levels, None]  # the code of a missing value is -1
    values = [labels[code] for code in column.codes.tolist()]
    return Feature(column.name, values, column.levels if column.declared else None, column.ordered)


def _of_values(name: str, values: NDArray[Any], categorical: bool) -> Feature:
    if values.dtype.kind in "fiu" and not categorical:
        return Feature(name, values.astype(np.float64))
    listed = values.tolist()
    labels = values.dtype.kind in "USb" or any(isinstance(each, str | bool) for each in listed)
    if labels or categorical:
        return Feature(name, [None if _is_missing(each) else _label(each) for each in listed])
    # float() refuses a cell that is not a number, as elsewhere in scikit-learn.
    return Feature(
        name, np.array([np.nan if _is_missing(each) else float(each) for each in listed])
    )


def _is_missing(value: Any) -> bool:
    # The missing value of pandas is neither None nor a number, and cannot be compared.
    gone = value is None or type(value).__name__ == "NAType"
    return gone or (isinstance(value, float) and math.isnan(value))


def _label(value: Any) -> Any:
    """Return a label in plain Python, in which 1.0 and 1 are the same."""
    plain = value.item() if isinstance(value, np.generic) else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain


def _chosen(categorical: Any, names: Sequence[str]) -> set[str]:
    """Return the names of the columns that are declared as categorical."""
    if categorical is None or (isinstance(categorical, str) and categorical == FROM_DTYPE):
        return set()
    wrong = ArgumentError(
        f"categorical_features is {shown(categorical)}; give 'from_dtype', the names or places of "
        "columns, or a Boolean for each column"
    )
    given = np.asarray(categorical)
    if given.ndim != 1 or isinstance(categorical, str):
        raise wrong
    if given.dtype.kind == "b":
        if len(given) != len(names):
            raise wrong
        return {name for name, flag in zip(names, given, strict=True) if flag}
    pick: Callable[[Any], str | None] = (
        (lambda place: names[place] if 0 <= place < len(names) else None)
        if given.dtype.kind in "iu"
        else (lambda name: name if name in names else None)
    )
    found = [pick(each) for each in given.tolist()]
    if None in found:
        raise wrong
    return {name for name in found if name is not None}


def _refuse_unusable(feature: Feature, missing: bool, estimator: str) -> None:
    values = feature.values
    if not isinstance(values, list) and np.isinf(values).any():
        raise DataError(
            f"Input X contains infinity in column {feature.name!r}; give finite numbers"
        )
    if not missing and feature.missing.any():
        raise DataError(
            f"Input X contains NaN: values are missing in column {feature.name!r}; "
            f"give them, or use {estimator}(missing='drop')"
        )
