"""`predict`: the distribution of one variable given the rest of each row, whatever is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise.data import Data
from arcwise.errors import ArgumentError, DataError
from arcwise.parameters.completed_predictions import pooled_prediction
from arcwise.parameters.completed_tables import tables_of
from arcwise.parameters.highest_density import checked_level
from arcwise.parameters.inference import Asked
from arcwise.parameters.partial_rows import PartialRows, read_partial_rows
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.parameters.requirements import AnyModel
from arcwise.parameters.sampled import Dags, draws_for_each
from arcwise.support.names import positions

# Draws in all, of few DAGs several each, and the most that fit into memory.
_DRAWS = 2_000
MOST_DRAWS = 1 << 22


def predict(
    posterior: Dags,
    table: Any,
    target: str,
    *,
    level: float = 0.95,
    model: AnyModel = None,
    draws: int | None = None,
    seed: int = 0,
) -> LevelPredictions | NumberPredictions:
    """Return the distribution of one variable given the rest of each row.

    The posterior predictive distribution P(target | what the row has of the other variables):
    averaged over DAGs, by their weights, and over the posterior of the parameters. Any values
    may be missing, and any columns; they are summed or integrated over. For discrete data this
    is exact given the DAGs. For continuous data, parameters are drawn for each DAG, and given
    these the target is normal with known mean and variance. For mixed data a discrete target is
    predicted exactly where no missing number matters, and all else by such draws. If the
    table has the target, the predictions do not use it but are judged by it. A posterior over
    completed tables predicts by the mixture of what each of them does, with at most 2,000 DAGs.

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    table
        Anything `arcwise.read` accepts, with some of the variables of the model's data; a
        single row is enough. Columns the model does not know are left out with a warning.
        Where the model's data were cut into intervals, numbers are put into the same ones. In
        rows of a `Data` in which a variable was intervened on, its value says nothing about its
        parents.
    target
        The variable to predict.
    level
        The probability of the predictive intervals of a continuous target.
    model
        The model of the posterior; None for the one it has. DAGs, and posteriors read from a
        file, have none; for the latter, the `Data` are enough.
    draws, seed
        For continuous data: the number of parameter draws for each DAG (None for as many as
        make 2,000 draws in all), and their seed.

    Returns
    -------
    LevelPredictions or NumberPredictions
        For a discrete target probabilities, and log loss, Brier score and accuracy; for a
        continuous one means and intervals, and RMSE, log density and coverage.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 1000, seed=1)
    >>> posterior = arcwise.learn(data, seed=1, progress=None)
    >>> found = predict(posterior, arcwise.simulate("asia", 1000, seed=2), "dysp")
    >>> round(found.accuracy, 1)
    0.8
    """
    tables = list(tables_of(posterior, model, "predict", _DRAWS))
    found = tables[0][0]
    data = found.data
    (place,) = positions([target], data.variables, "target")
    inside = checked_level(level)
    if target in getattr(posterior, "parent_only", ()):
        raise ArgumentError(
            f"target is {target!r}, which is parent-only: the model is conditional on it and does "
            "not predict it; name a variable that may have parents"
        )
    dags = sum(len(own) for _, own in tables)
    each = draws_for_each(draws, dags, _DRAWS, MOST_DRAWS // dags)
    rows = read_partial_rows(table, data, continuous_only=found.law.all_numbers)
    _refuse_interventions(rows, place, data)
    return pooled_prediction(tables, Asked(rows, place, each, seed), inside)


def _refuse_interventions(rows: PartialRows, target: int, data: Data) -> None:
    if rows.intervened[:, target].any():
        raise DataError(
            f"the target {data.variables[target]!r} was intervened on in some rows, so that "
            "nothing predicts it; leave these rows out"
        )
    unknown = np.flatnonzero((rows.intervened & ~rows.known).any(axis=0))
    if len(unknown):
        raise DataError(
            f"{data.variables[unknown[0]]!r} was intervened on in a row in which its value is "
            "missing; give the value"
        )
