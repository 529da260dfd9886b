"""`cross_validate`: how well one variable is predicted in rows that were not learned from."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.reader import read_table
from arcwise.data.reading import LENIENT, Reading
from arcwise.errors import ArgumentError, option
from arcwise.learning.learn import learn
from arcwise.parameters.frames import figure, frame, html_table, stacked, text_table, write_columns
from arcwise.parameters.predict import predict
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.support.checks import whole_number
from arcwise.support.names import positions
from arcwise.support.weighted_sums import weighted_sum
from arcwise.support.words import plural, shown

# The stream of the folds: the same seed for chains and folds must not make them dependent.
_FOLDS = 0x666F6C64


class CrossValidation:
    """Predictions of each row by a posterior learned from the other folds.

    Returned by `cross_validate`.

    Parameters
    ----------
    target
        The variable that was predicted.
    folds
        The predictions of each fold.
    fold_of_row
        The fold of each row of the data.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 300, seed=1)
    >>> found = arcwise.cross_validate(data, "dysp", folds=3, max_indegree=2)
    >>> sorted(found.scores)
    ['Brier score', 'accuracy', 'log loss']
    """

    def __init__(
        self,
        target: str,
        folds: tuple[LevelPredictions | NumberPredictions, ...],
        fold_of_row: NDArray[np.int64],
    ) -> None:
        self.target = target
        self.folds = folds
        self.fold_of_row = fold_of_row

    @property
    def scores(self) -> dict[str, float]:
        """How good the predictions are: means over all rows, each predicted once."""
        return {name: mean for name, (mean, _) in self._summary().items()}

    @property
    def standard_errors(self) -> dict[str, float]:
        """The standard errors of the scores, from their spread over the folds.

        Folds share rows to learn from, so that these are somewhat too small.
        """
        return {name: error for name, (_, error) in self._summary().items()}

    def describe(self) -> str:
        """Return the scores with their standard errors, in words."""
        rows = plural(len(self.fold_of_row), "row")
        lines = [f"Cross-validation of {self.target}: {rows} in {len(self.folds)} folds"]
        for name, (mean, error) in self._summary().items():
            lines.append(f"{name} {figure(mean)} ± {figure(error)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Show the scores with their standard errors."""
        return self.describe()

    def _repr_html_(self) -> str:
        return html_table(self._columns(), self.describe())

    def table(self) -> Any:
        """Return a data frame (polars) with the scores of each fold."""
        return frame(self._columns())

    def preview(self) -> str:
        """Return the table as text."""
        return text_table(self._columns())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write `table` to a .csv file."""
        write_columns(self._columns(), path)

    def _columns(self) -> dict[str, list[Any]]:
        return stacked(
            [
                {"fold": place, "rows": len(fold)} | fold.scores
                for place, fold in enumerate(self.folds)
            ]
        )

    def _summary(self) -> dict[str, tuple[float, float]]:
        sizes = np.array([len(fold) for fold in self.folds], dtype=np.float64)
        shares = sizes / sizes.sum()
        found = {}
        for name in self.folds[0].scores:
            values = np.array([fold.scores[name] for fold in self.folds])
            # The squares of root mean squares are averaged.
            power = 2 if name == "RMSE" else 1
            mean = float(weighted_sum(shares, values**power)) ** (1 / power)
            error = float(values.std(ddof=1) / np.sqrt(len(values)))
            found[name] = mean, error
        return found


def cross_validate(
    data: Any,
    target: str,
    *,
    folds: int = 10,
    seed: int = 0,
    level: float = 0.95,
    progress: Any = None,
    **further: Any,
) -> CrossValidation:
    """Return how well one variable is predicted in rows that were not learned from.

    The rows are divided into folds at random, by the levels of a discrete target in equal
    shares. For each fold, `learn` learns from all other rows, and `predict` predicts the target
    in its rows from the rest of each row.

    Parameters
    ----------
    data
        Anything `arcwise.read` takes.
    target
        The variable to predict.
    folds
        The number of folds, from 2 to the number of rows.
    seed
        The seed of the folds, and of `learn` and `predict` in each; the same seed gives the
        same result.
    level
        The probability of the predictive intervals of a continuous target.
    progress
        As for `learn`, once for each fold.
    **further
        Further arguments of `learn`: score, prior, constraints, algorithm, and those of
        `arcwise.read`, such as `missing`.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 300, seed=1)
    >>> found = cross_validate(data, "dysp", folds=3, max_indegree=2)
    >>> found.scores["accuracy"] > 0.7
    True
    """
    for name in ("directory", "checkpoint_seconds"):
        if name in further:
            raise ArgumentError(f"{name} is for a single run; leave it out of cross_validate")
    own = {each.name for each in fields(Reading)} & further.keys()
    reading = Reading(**{name: further.pop(name) for name in own})
    if not isinstance(data, Data) and reading.transform is None:
        reading = replace(reading, transform=LENIENT["transform"])  # as `learn` does
    table = cast(Data, read_table(data, reading))
    (place,) = positions([target], table.variables, "target")
    count = whole_number(folds, option("folds"), at_least=2)
    if count > table.rows:
        raise ArgumentError(
            option("folds"), f" is {shown(folds)}; give at most {table.rows}, the number of rows"
        )
    _refuse_interventions(table, place)
    which = _folds(table, place, count, seed)
    found = []
    for fold in range(count):
        posterior = learn(
            table.take_rows(np.flatnonzero(which != fold)),
            seed=seed,
            progress=progress,
            **further,
        )
        rows = table.take_rows(np.flatnonzero(which == fold))
        found.append(predict(posterior, rows, target, level=level, seed=seed))
    return CrossValidation(target, tuple(found), which)


def _refuse_interventions(table: Data, target: int) -> None:
    if table.intervened is not None and table.intervened[:, target].any():
        raise ArgumentError(
            f"the target {table.variables[target]!r} was intervened on in some rows, so that "
            "nothing predicts it; leave these rows out"
        )


def _folds(table: Data, target: int, count: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row: rows in random order, sorted by level, are dealt out in turn."""
    checked = whole_number(seed, option("seed"), at_least=0)
    random = np.random.default_rng([_FOLDS, checked])
    order = random.permutation(table.rows)
    column = table.columns[target]
    if column.size:
        order = order[np.argsort(column.stored[order], kind="stable")]
    which = np.empty(table.rows, dtype=np.int64)
    which[order] = np.arange(table.rows) % count
    return which
