"""`log_predictive` and `predict`: posterior predictive densities and distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.errors import ArgumentError, DataError
from arcwise.parameters.completed import pooled_prediction, tables_of
from arcwise.parameters.inference import Asked
from arcwise.parameters.new_rows import (
    PartialRows,
    observational_rows,
    read_new_rows,
    read_partial_rows,
)
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.parameters.requirements import AnyModel, conditioned_on, inference
from arcwise.parameters.sampled import Dags, draws_for_each, sampled_families
from arcwise.parameters.summaries import checked_level
from arcwise.support.checks import true_or_false
from arcwise.support.names import positions

Array = NDArray[np.float64]

# The number of log densities, of families or of DAGs, held at one time.
_PIECE = 1 << 22

# The default number of draws in total, and the most that fit into memory.
_DRAWS = 2_000
MOST_DRAWS = 1 << 22


@overload
def log_predictive(
    posterior: Dags, new_data: Any, *, model: AnyModel = None, joint: Literal[False] = False
) -> Array: ...


@overload
def log_predictive(
    posterior: Dags, new_data: Any, *, model: AnyModel = None, joint: Literal[True]
) -> float: ...


def log_predictive(
    posterior: Dags, new_data: Any, *, model: AnyModel = None, joint: bool = False
) -> Array | float:
    """Return the posterior predictive log density of new rows.

    The parameters of a DAG are integrated out under the prior of the score, and DAGs are
    averaged by their weights: for each row, the log of the sum over DAGs G of
    weight(G) p(row | G, data). It is conditional on the values of parent-only variables.

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    new_data
        Anything `arcwise.read` accepts, with the variables of the model's data in any
        order; a single row is enough. In rows of a `Data` in which a variable was
        intervened on, the variable's own term is left out.
    model
        The model of the posterior; None for its own. DAGs, and posteriors read from a file, have
        none.
    joint
        True for the joint density of all new rows, which is not the product over rows,
        since they share the parameters. Row weights of a `Data` are used only here.

    Returns
    -------
    numpy.ndarray or float
        Natural logarithms, one for each row; with `joint`, a single number.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> dags = arcwise.algorithms.ExactSampler(model).dags(100, seed=1)
    >>> np.exp(log_predictive(dags, {"a": [0, 0], "b": [0, 1]}, model=model)).round(3)
    array([0.488, 0.012])
    """
    true_or_false(joint, "joint")
    found = inference(posterior, model, "log_predictive")
    families = sampled_families(posterior, found.data.variables)
    new = read_new_rows(new_data, found.data, continuous_only=found.law.all_numbers)
    places, which = families.distinct()
    shares = np.bincount(which, weights=families.shares, minlength=len(places))
    with np.errstate(divide="ignore"):
        log_shares = np.log(shares)
    given = positions(conditioned_on(posterior, model), found.data.variables, "parent_only")
    slopes = _log_slopes(found.data, new, given)
    if joint:
        terms = _without(found.joint_log_densities(families, new), given)
        weights = np.ones(new.rows) if new.weights is None else new.weights
        averaged = _averaged([term[:, np.newaxis] for term in terms], places, log_shares)
        return float(averaged[0] + weights @ slopes)
    result = np.empty(new.rows)
    width = max(1, _PIECE // sum(map(len, families.parents)))
    for first in range(0, new.rows, width):
        piece = new.take_rows(np.arange(first, min(first + width, new.rows)))
        densities = _without(found.log_densities(families, piece), given)
        result[first : first + width] = _averaged(densities, places, log_shares)
    return result + slopes


def _log_slopes(data: Data, new: Data, given: Sequence[int]) -> Array:
    """Return the log Jacobian of transformed columns, by row."""
    found = np.zeros(new.rows)
    for node, column in enumerate(new.columns):
        scale = data.preparation.scales.get(column.name)
        if scale is None or node in given or column.size:
            continue
        counted = observational_rows(node, new)
        found[counted] += scale.log_slope(scale.restored(column.stored[counted]))
    return found


def _without(terms: Sequence[Array], given: Sequence[int]) -> list[Array]:
    """Return the terms of all nodes, set to 0 for the nodes conditioned on."""
    return [np.zeros_like(term) if node in given else term for node, term in enumerate(terms)]


def _averaged(terms: Sequence[Array], places: NDArray[np.int32], log_shares: Array) -> Array:
    """Return the log of the weighted average over DAGs of exp(sum of their terms).

    `terms` holds an array [parent set, row] for each node, `places` the parent set of
    each DAG and node.
    """
    rows = terms[0].shape[1]
    top, total = np.full(rows, -np.inf), np.zeros(rows)
    width = max(1, _PIECE // rows)
    for first in range(0, len(places), width):
        piece = places[first : first + width]
        log_densities = np.repeat(log_shares[first : first + width, np.newaxis], rows, axis=1)
        for node, of_node in enumerate(terms):
            log_densities += of_node[piece[:, node]]
        higher = np.maximum(top, log_densities.max(axis=0))
        reference = np.where(np.isfinite(higher), higher, 0.0)
        total = total * np.exp(top - reference) + np.exp(log_densities - reference).sum(axis=0)
        top = higher
    with np.errstate(divide="ignore"):
        averaged: Array = np.where(np.isfinite(top), top, 0.0) + np.log(total)
    return averaged


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

    The posterior predictive distribution P(target | known values of the other variables):
    averaged over DAGs, by their weights, and over the posterior of the parameters. Any values
    may be missing, and any columns; they are summed or integrated over. For discrete data this
    is exact given the DAGs. For continuous data, parameters are drawn for each DAG, and given
    these the target is normal with known mean and variance. For mixed data a discrete target is
    predicted exactly where no missing number is relevant, and everything else by such draws. If the
    table has the target, the predictions do not use it but are judged by it. A posterior over
    completed tables predicts by the mixture of the tables' predictions, with at most 2,000 DAGs.

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    table
        Anything `arcwise.read` accepts, with some of the variables of the model's data; a
        single row is enough. Columns the model does not know are left out with a warning.
        Numbers are binned into the same intervals if the model's data were discretized. In
        rows of a `Data` in which a variable was intervened on, its value says nothing about its
        parents.
    target
        The variable to predict.
    level
        The probability of the predictive intervals of a continuous target.
    model
        The model of the posterior; None for its own. DAGs, and posteriors read from a file, have
        none; for the latter, the `Data` are enough.
    draws, seed
        For continuous data: the number of parameter draws for each DAG (None for 2,000 draws in
        total), and their seed.

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
