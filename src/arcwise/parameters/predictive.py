"""`log_predictive`: posterior predictive densities, averaged over DAGs and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.parameters.new_rows import observational_rows, read_new_rows
from arcwise.parameters.requirements import AnyModel, conditioned_on, inference
from arcwise.parameters.sampled import Dags, sampled_families
from arcwise.support.checks import true_or_false
from arcwise.support.names import positions

Array = NDArray[np.float64]

# Numbers held at one time: log densities of all families, and of some of the DAGs.
_PIECE = 1 << 22


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
        The model of the posterior; None for the one it has. DAGs, and posteriors read from a
        file, have none.
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
    """Return what densities on other scales have to be multiplied by, as logarithms, by row."""
    found = np.zeros(new.rows)
    for node, column in enumerate(new.columns):
        scale = data.preparation.scales.get(column.name)
        if scale is None or node in given or column.size:
            continue
        counted = observational_rows(node, new)
        found[counted] += scale.log_slope(scale.restored(column.stored[counted]))
    return found


def _without(terms: Sequence[Array], given: Sequence[int]) -> list[Array]:
    """Return the terms of all nodes with nothing for those that are conditioned on."""
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
