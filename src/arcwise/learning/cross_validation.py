"""`cross_validate`: how well one variable is predicted in held-out rows."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.reader import LENIENT, Reading, read_table
from arcwise.errors import ArgumentError, option
from arcwise.families.families import SYNONYMS, ConstraintArguments
from arcwise.learning.learn import learn
from arcwise.learning.request import Request
from arcwise.parameters.predict import predict
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.parameters.summaries import (
    figure,
    frame,
    html_table,
    stacked,
    text_table,
    write_columns,
)
from arcwise.support.arrays import weighted_sum
from arcwise.support.checks import whole_number
from arcwise.support.names import plural, positions
from arcwise.support.running import Run
from arcwise.support.settings import Settings, keywords_of, setting

# The stream of the folds, so that folds and chains with the same seed are independent.
_FOLDS = 0x666F6C64


@dataclass(frozen=True, eq=False, repr=False)
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

    target: str
    folds: tuple[LevelPredictions | NumberPredictions, ...]
    fold_of_row: NDArray[np.int64]

    @property
    def scores(self) -> dict[str, float]:
        """The mean scores of the predictions over all rows, each predicted once."""
        return {name: mean for name, (mean, _) in self._summary().items()}

    @property
    def standard_errors(self) -> dict[str, float]:
        """The standard errors of the scores, from their spread over the folds.

        They are somewhat too small, as the training rows of different folds overlap.
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


@dataclass(frozen=True, kw_only=True)
class Validation(Settings):
    """The target and the folds of a cross-validation."""

    data: Any = field(kw_only=False)
    target: str = field(kw_only=False)
    folds: int = setting(
        10,
        "The number of folds, from 2 to the number of rows.",
        check=partial(whole_number, at_least=2),
    )
    level: float = setting(
        0.95, "The probability of the predictive intervals of a continuous target."
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(Run, Request, Reading, ConstraintArguments, Validation):
    """The arguments of `cross_validate`."""


@keywords_of(
    _Arguments, other_words=SYNONYMS, described_by=(Run, Request, Reading, ConstraintArguments)
)
def cross_validate(
    validation: Validation,
    request: Request,
    reading: Reading,
    constraints: ConstraintArguments,
    run: Run,
) -> CrossValidation:
    """Return how well one variable is predicted in held-out rows.

    The rows are divided into folds at random, stratified by the levels of a discrete target. For
    each fold, `learn` learns from all other rows, and `predict` predicts the target in the rows of
    the fold from the rest of each row.

    Besides the arguments described here, it takes those of `learn` (score, prior, constraints,
    algorithm) and those of `arcwise.read`, such as `missing`.

    Parameters
    ----------
    data
        Anything `arcwise.read` takes.
    target
        The variable to predict.
    seed
        The seed of the folds, and of `learn` and `predict` in each; the same seed gives the
        same result.
    seconds
        The time for all folds together.
    progress
        As for `learn`, once for each fold.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 300, seed=1)
    >>> found = cross_validate(data, "dysp", folds=3, max_indegree=2)
    >>> found.scores["accuracy"] > 0.7
    True
    """
    for name in ("directory", "checkpoint_seconds"):
        if name in run.specified:
            raise ArgumentError(f"{name} is for a single run; leave it out of cross_validate")
    data, target, count = validation.data, validation.target, validation.folds
    if not isinstance(data, Data) and reading.transform is None:
        reading = replace(reading, transform=LENIENT["transform"])  # as `learn` does
    table = cast(Data, read_table(data, reading))
    (place,) = positions([target], table.variables, "target")
    if count > table.rows:
        raise ArgumentError(
            option("folds"), f" is {count}; give at most {table.rows}, the number of rows"
        )
    _refuse_interventions(table, place)
    which = _folds(table, place, count, run.seed)
    found = []
    for fold in range(count):
        rest = table.take_rows(np.flatnonzero(which != fold))
        own = run.within(1.0 / (count - fold))
        options = request.specified | constraints.specified | own.specified
        posterior = learn(rest, **options | {"progress": own.progress})
        rows = table.take_rows(np.flatnonzero(which == fold))
        found.append(predict(posterior, rows, target, level=validation.level, seed=run.seed))
    return CrossValidation(target, tuple(found), which)


def _refuse_interventions(table: Data, target: int) -> None:
    if table.intervened is not None and table.intervened[:, target].any():
        raise ArgumentError(
            f"the target {table.variables[target]!r} was intervened on in some rows, so that "
            "nothing predicts it; leave these rows out"
        )


def _folds(table: Data, target: int, count: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row: rows, shuffled and sorted by level, are assigned in turn."""
    random = np.random.default_rng([_FOLDS, seed])
    order = random.permutation(table.rows)
    column = table.columns[target]
    if column.size:
        order = order[np.argsort(column.stored[order], kind="stable")]
    which = np.empty(table.rows, dtype=np.int64)
    which[order] = np.arange(table.rows) % count
    return which
