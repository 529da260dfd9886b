"""`forecast`: the next slice of each series, with intervals, averaged over DAGs and parameters."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.slices import Slices
from arcwise.dynamics.lagged_edges import required_slices
from arcwise.errors import CapacityError, DataError, UnknownNameError, option
from arcwise.networks._random import Purpose, generator
from arcwise.parameters.completed_predictions import Tables, pooled_mixtures, pooled_prediction
from arcwise.parameters.completed_tables import table_inferences
from arcwise.parameters.dirichlet import MAX_CELLS
from arcwise.parameters.elimination import Scope, eliminate, elimination_order
from arcwise.parameters.frames import frame, html_table, stacked, text_table, write_columns
from arcwise.parameters.gaussian_inference import GaussianInference
from arcwise.parameters.gaussian_prediction import NormalMixtures
from arcwise.parameters.highest_density import checked_level
from arcwise.parameters.level_effects import levels_of
from arcwise.parameters.linear_effects import parameter_pieces, total_effects
from arcwise.parameters.partial_rows import PartialRows, read_partial_rows
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.parameters.requirements import AnyModel, inference
from arcwise.parameters.sampled import SampledFamilies, sampled_families
from arcwise.parameters.table_inference import TableInference
from arcwise.posterior import Posterior
from arcwise.series.latest import latest_slices
from arcwise.support.checks import further_seed, whole_number
from arcwise.support.words import quoted, shown

Array = NDArray[np.float64]

_DRAWS = 2_000


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

    def __init__(
        self,
        subjects: Sequence[object],
        predictions: Mapping[str, NumberPredictions | LevelPredictions],
    ) -> None:
        self.subjects = tuple(subjects)
        self._predictions = dict(predictions)

    def __getitem__(self, variable: str) -> NumberPredictions | LevelPredictions:
        """Return the predictions of one variable, a row for each subject."""
        if not isinstance(variable, str) or variable not in self._predictions:
            raise UnknownNameError(
                f"{shown(variable)} is not forecast; the variables are {quoted(self._predictions)}"
            )
        return self._predictions[variable]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the variables."""
        return iter(self._predictions)

    def __len__(self) -> int:
        """Return the number of variables."""
        return len(self._predictions)

    def __repr__(self) -> str:
        """Show the first rows of the table."""
        return text_table(self._columns())

    def _repr_html_(self) -> str:
        return html_table(self._columns(), "The next slice")

    def table(self) -> Any:
        """Return a data frame (polars).

        With a row for each subject and continuous variable, its mean, standard_deviation, low and
        high; and for each subject, discrete variable and level, the probability of the level.
        """
        return frame(self._columns())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write `table` to a .csv file."""
        columns = {
            name: ["" if value is None else value for value in values]
            for name, values in self._columns().items()
        }
        write_columns(columns, path)

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
        The model of the posterior, or its `Data`; None for the one it has.
    draws, seed
        For continuous and mixed data: the number of parameter draws for each DAG (None for as
        many as make 2,000 in all), and their seed.

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
    tables = _tables(posterior, model)
    found = tables[0][0]
    data = found.data
    subjects, columns = latest_slices(history, slices, time, subject)
    if columns:
        rows = read_partial_rows(columns, data, continuous_only=found.all_numbers)
        _refuse_unknown(rows, slices)
    else:  # neither lags nor static columns
        none = np.zeros((len(subjects), len(data.variables)))
        rows = PartialRows(none.astype(np.int64), none > 0, none > 0)
    each = -(-_DRAWS // sum(len(families) for _, families in tables))
    if draws is not None:
        each = whole_number(draws, option("draws"), at_least=1, at_most=10**6)
    predictions: Mapping[str, NumberPredictions | LevelPredictions]
    if isinstance(found, GaussianInference):
        predictions = _numbers(tables, slices, rows, inside, each, seed)
    elif isinstance(found, TableInference):
        predictions = _pooled_levels(tables, slices, rows)
    else:
        predictions = {
            of.variable: pooled_prediction(tables, rows, place, inside, each, seed)
            for place, of in enumerate(slices.places)
            if of.lag == 0
        }
    return Forecast(subjects, predictions)


def _tables(posterior: Posterior, model: AnyModel) -> Tables:
    """Return the inference from each table that the posterior is of, with its DAGs."""
    if posterior.completions is not None:
        return list(table_inferences(posterior, model, "forecast", _DRAWS))
    found = inference(posterior, model, "forecast")
    return [(found, sampled_families(posterior, found.data.variables))]


def _refuse_unknown(rows: PartialRows, slices: Slices) -> None:
    for place, of in enumerate(slices.places):
        if of.lag != 0 and not rows.known[:, place].all():
            raise DataError(
                f"the value of {of.name!r} is missing at the end of the history; give it, or leave "
                "such subjects out"
            )


def _numbers(
    tables: Tables, slices: Slices, rows: PartialRows, level: float, draws: int, seed: int
) -> dict[str, NumberPredictions]:
    every = [
        _mixtures(families, found, slices, rows, draws, further_seed(seed, number))
        for number, (found, families) in enumerate(tables)
        if isinstance(found, GaussianInference)
    ]
    whole, unknown = slice(None), np.full(len(rows), np.nan)
    result = {}
    for variable in slices.variables:
        mixture = pooled_mixtures([[(whole, each[variable])] for each in every], len(rows))
        result[variable] = NumberPredictions(
            variable,
            mixture.mean(),
            mixture.standard_deviation(),
            mixture.quantile((1 - level) / 2),
            mixture.quantile((1 + level) / 2),
            level,
            unknown,
            unknown,
            unknown,
            mixture.effective_components(),
        )
    return result


def _mixtures(
    families: SampledFamilies,
    found: GaussianInference,
    slices: Slices,
    rows: PartialRows,
    draws: int,
    seed: int,
) -> dict[str, NormalMixtures]:
    """Return the distribution of each variable, by draws of the parameters."""
    nodes = found.nodes
    present = np.array([place for place, of in enumerate(slices.places) if of.lag == 0])
    past = np.array([of.lag != 0 for of in slices.places])
    centres = np.stack([node.mean for node in nodes])
    strengths = np.array([node.strength for node in nodes])
    random = generator(seed, Purpose.DRAWN_INTERCEPTS)
    components = len(families) * draws
    means = np.empty((components, len(rows), len(present)))
    deviations = np.empty((components, len(present)))
    for piece in parameter_pieces(families, nodes, draws, seed):
        first = piece.dags.start * draws
        own = slice(first, first + len(piece.coefficients))
        parents = np.repeat(piece.parents, draws, axis=0)
        order = np.repeat(piece.order, draws, axis=0)
        normals = random.standard_normal(piece.deviations.shape)
        middle = np.diagonal(centres) + piece.deviations / np.sqrt(strengths) * normals
        of_parents = centres[np.arange(len(nodes))[:, np.newaxis], parents]
        intercepts = middle - (piece.coefficients * of_parents).sum(axis=-1)
        # What is past is known: it has its value and no noise.
        coefficients = np.where(past[:, np.newaxis], 0.0, piece.coefficients)
        through = total_effects(parents, coefficients, order)
        through[:, np.arange(len(nodes)), np.arange(len(nodes))] = 1.0
        through = through[:, present]
        noise = np.where(past, 0.0, piece.deviations)
        constant = np.where(past, rows.values[np.newaxis], intercepts[:, np.newaxis])
        means[own] = np.einsum("dts,drs->drt", through, constant)
        deviations[own] = np.sqrt(np.einsum("dts,ds->dt", np.square(through), np.square(noise)))
    weights = np.repeat(families.shares / draws, draws)[:, np.newaxis]
    return {
        variable: NormalMixtures(
            means[:, :, place],
            np.broadcast_to(deviations[:, [place]], means.shape[:2]),
            np.broadcast_to(weights, means.shape[:2]),
        )
        for place, variable in enumerate(slices.variables)
    }


def _pooled_levels(
    tables: Tables, slices: Slices, rows: PartialRows
) -> dict[str, LevelPredictions]:
    every = [
        _levels(families, found, slices, rows)
        for found, families in tables
        if isinstance(found, TableInference)
    ]
    return {
        name: first.with_probabilities(
            np.mean([each[name].probabilities for each in every], axis=0)
        )
        for name, first in every[0].items()
    }


def _levels(
    families: SampledFamilies, inferred: TableInference, slices: Slices, rows: PartialRows
) -> dict[str, LevelPredictions]:
    """Return exact probabilities given the DAGs: a slice has one cell of each table.

    Tables of different nodes are independent given the DAG, so that the mean of the product of
    such cells is the product of their means.
    """
    tables = inferred.tables
    means: dict[tuple[int, tuple[int, ...]], tuple[Scope, Array]] = {}

    def factor(node: int, parents: tuple[int, ...]) -> tuple[Scope, Array]:
        if (node, parents) not in means:
            table = tables.dirichlet(node, parents)
            table = table / table.sum(axis=-1, keepdims=True)
            known = [place for place, u in enumerate(parents) if slices.places[u].lag != 0]
            other = [place for place in range(len(parents) + 1) if place not in known]
            table = table.transpose(*known, *other)
            codes = tuple(rows.values[:, parents[place]] for place in known)
            scope = tuple((*parents, node)[place] for place in other)
            means[node, parents] = scope, table[codes] if known else table[np.newaxis]
        return means[node, parents]

    distinct, which = families.distinct()
    shares = np.bincount(which, families.shares, len(distinct))
    result = {}
    for target, of in enumerate(slices.places):
        if of.lag != 0:
            continue
        found = np.zeros((len(rows), tables.levels[target]))
        known: dict[tuple[tuple[int, tuple[int, ...]], ...], Array] = {}
        for places, share in zip(distinct.tolist(), shares.tolist(), strict=True):
            relevant = _ancestors(families, places, slices, target)
            if relevant not in known:
                factors = [factor(*family) for family in relevant]
                order, largest = elimination_order(
                    [s for s, _ in factors], tables.levels, (target,)
                )
                if largest > MAX_CELLS:
                    raise CapacityError(
                        f"the forecast of {of.variable!r} needs a table of {largest} cells in one "
                        f"of the DAGs, but at most {MAX_CELLS} are allowed; merge levels or lower ",
                        option("max_indegree"),
                    )
                known[relevant] = eliminate(factors, order, (target,))
            found += share * known[relevant]
        none = np.full(len(rows), -1)
        levels = levels_of(inferred.data, target)
        result[of.variable] = LevelPredictions(of.variable, levels, found, none)
    return result


def _ancestors(
    families: SampledFamilies, places: Sequence[int], slices: Slices, target: int
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the families of a target and its ancestors within the slice."""
    found: dict[int, tuple[int, ...]] = {}
    waiting = [target]
    while waiting:
        node = waiting.pop()
        if node not in found and slices.places[node].lag == 0:
            found[node] = families.parents[node][places[node]]
            waiting.extend(found[node])
    return tuple(sorted(found.items()))
