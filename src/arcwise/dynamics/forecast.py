"""`forecast`: the next slice of each series, with intervals, averaged over DAGs and parameters."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arcwise.data.table import Slices
from arcwise.dynamics.lagged_edges import required_slices
from arcwise.errors import DataError, UnknownNameError
from arcwise.parameters.completed import pooled_prediction, tables_of
from arcwise.parameters.inference import Asked
from arcwise.parameters.new_rows import PartialRows, read_partial_rows
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.parameters.requirements import AnyModel
from arcwise.parameters.sampled import draws_for_each
from arcwise.parameters.summaries import (
    checked_level,
    frame,
    html_table,
    stacked,
    text_table,
    write_columns,
)
from arcwise.posterior import Posterior
from arcwise.series.reading import latest_slices
from arcwise.support.names import quoted, shown

_DRAWS, _MOST_DRAWS = 2_000, 10**6


@dataclass(frozen=True, eq=False, repr=False)
class Forecast(Mapping[str, NumberPredictions | LevelPredictions]):
    """The next slice of each subject, by variable; see `forecast`.

    Parameters
    ----------
    subjects
        The subjects, one for each row of a prediction; None for the only one.
    predictions
        The predictive distribution of each variable.

    Examples
    --------
    >>> import arcwise
    >>> table = {"x": [0, 0, 1, 1] * 20}
    >>> posterior = arcwise.learn(arcwise.time_series(table, lags=2), progress=None)
    >>> print(arcwise.forecast(posterior, table))
    variable  level  probability
    x             0        0.994
    x             1      0.00649
    """

    subjects: tuple[object, ...]
    predictions: Mapping[str, NumberPredictions | LevelPredictions]

    def __getitem__(self, variable: str) -> NumberPredictions | LevelPredictions:
        """Return the predictions of one variable, a row for each subject."""
        if not isinstance(variable, str) or variable not in self.predictions:
            raise UnknownNameError(
                f"{shown(variable)} is not forecast; the variables are {quoted(self.predictions)}"
            )
        return self.predictions[variable]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the variables."""
        return iter(self.predictions)

    def __len__(self) -> int:
        """Return the number of variables."""
        return len(self.predictions)

    def __repr__(self) -> str:
        """Show the first rows of the table."""
        return text_table(self._columns())

    def _repr_html_(self) -> str:
        return html_table(self._columns(), "The next slice")

    def table(self) -> Any:
        """Return a data frame (polars).

        It has a row for each subject and continuous variable, with its mean, standard_deviation,
        low and high; and for each subject, discrete variable and level, with its probability.
        """
        return frame(self._columns())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write `table` to a .csv file."""
        write_columns(self._columns(), path)

    def _columns(self) -> dict[str, list[Any]]:
        rows: list[dict[str, Any]] = []
        alone = self.subjects == (None,)
        for place, subject in enumerate(self.subjects):
            who = {} if alone else {"subject": subject}
            for name, found in self.items():
                about = who | {"variable": name}
                if isinstance(found, NumberPredictions):
                    rows.append(
                        about
                        | {
                            "mean": float(found.mean[place]),
                            "standard_deviation": float(found.standard_deviations[place]),
                            "low": float(found.low[place]),
                            "high": float(found.high[place]),
                        }
                    )
                else:
                    rows += [
                        about | {"level": level, "probability": float(probability)}
                        for level, probability in zip(
                            found.levels, found.probabilities[place], strict=True
                        )
                    ]
        return stacked(rows)


def forecast(
    posterior: Posterior,
    history: Any,
    *,
    time: str | None = None,
    subject: str | None = None,
    level: float = 0.95,
    model: AnyModel = None,
    draws: int | None = None,
    seed: int = 0,
) -> Forecast:
    """Forecast the next slice of each series: one step after the last row of each subject.

    The predictive distribution is averaged over DAGs and, given each, over the posterior of its
    parameters.

    Parameters
    ----------
    posterior
        The posterior of a time series, with sampled DAGs.
    history
        Rows in time, as `time_series` takes them, with as many rows at the end of each subject
        as there are lags.
    time, subject
        The columns of times and subjects; None for none.
    level
        The probability of the intervals of continuous variables.
    model
        The model of the posterior, or its `Data`; None for the posterior's own model.
    draws, seed
        For continuous and mixed data: the number of parameter draws for each DAG (None for 2,000
        in total), and their seed.

    Examples
    --------
    >>> import arcwise
    >>> table = {"x": [0, 0, 1, 1] * 20}
    >>> posterior = arcwise.learn(arcwise.time_series(table, lags=2), progress=None)
    >>> arcwise.forecast(posterior, table)["x"].probabilities.round(2)
    array([[0.99, 0.01]])
    """
    slices = required_slices(posterior, "forecast")
    inside = checked_level(level)
    tables = list(tables_of(posterior, model, "forecast", _DRAWS))
    found = tables[0][0]
    data = found.data
    subjects, columns = latest_slices(history, slices, time, subject)
    if columns:
        rows = read_partial_rows(columns, data, continuous_only=found.law.all_numbers)
        _refuse_unknown(rows, slices)
    else:  # neither lags nor static columns
        none = np.zeros((len(subjects), len(data.variables)))
        rows = PartialRows(none.astype(np.int64), none > 0, none > 0)
    dags = sum(len(families) for _, families in tables)
    each = draws_for_each(draws, dags, _DRAWS, _MOST_DRAWS)
    # Past values are conditioned on, as if set by intervention: their densities are not factors.
    past = np.array([of.lag != 0 for of in slices.places])
    rows = replace(rows, intervened=np.broadcast_to(past, rows.known.shape))
    predictions = {
        of.variable: pooled_prediction(tables, Asked(rows, place, each, seed), inside)
        for place, of in enumerate(slices.places)
        if of.lag == 0
    }
    return Forecast(tuple(subjects), predictions)


def _refuse_unknown(rows: PartialRows, slices: Slices) -> None:
    for place, of in enumerate(slices.places):
        if of.lag != 0 and not rows.known[:, place].all():
            raise DataError(
                f"the value of {of.name!r} is missing at the end of the history; give it, or leave "
                "such subjects out"
            )
