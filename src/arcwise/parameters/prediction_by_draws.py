"""Predictions by draws of the parameters: sums over unknown levels, integrals over unknown numbers.

The average over draws of p(y, K), for the known values K of a row, is normalised over y. In linear
models the continuous variables are jointly normal given a draw and a configuration of the discrete
variables, and unknown ones are integrated out. Configurations of unknown levels are enumerated; if
there are too many, each draw of the parameters is combined with one configuration, drawn from its
conditionals from parents to children. Under other laws each draw is combined with one completion of
the row, drawn in the same way and weighted by the density of the known values.

The density of a row in a linear model is the product over nodes of the density of the noise,
e_v = x_v - c_v - b_v' x_P, with standard deviation s_v. Given the known values, the scaled noise is
A u + r, linear in the m unknown values u, so that integrating them out is a least-squares problem
of size m. It is small when most values are known, and needs no covariance matrix of the known ones.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, option
from arcwise.laws import FamilyPosteriors, Parameters, RegressionParameters, TableParameters
from arcwise.laws.law import looked_up
from arcwise.parameters.new_rows import PartialRows
from arcwise.parameters.predictions import Mixtures
from arcwise.parameters.sampled import SampledFamilies, in_order
from arcwise.support.arrays import all_combinations
from arcwise.support.random import Purpose, generator

Array = NDArray[np.float64]

Mask = NDArray[np.bool_]

Columns = NDArray[Any]
"""Values of all variables, as [variable, draw, row], or with a second axis of length 1."""

# Added to the diagonal of a Gram matrix of unit columns that rounding has made singular.
_JITTER = 1e-12

# The largest number of drawn parameters.
_MOST_NUMBERS = 1 << 27

MOST_CONFIGURATIONS = 64
"""The largest number of configurations of unknown levels that are enumerated."""

# The size of the largest array, which holds the coefficients of all draws in some rows.
_PIECE = 1 << 22

# Coefficients of the draws that are integrated over at once: memory for more of them would be
# new each time, and getting it takes longer than the arithmetic.
_AT_ONCE = 1 << 16


def integrated(slopes: Array, rest: Array) -> tuple[Array, Array, Array]:
    """Return mean and deviation of the last unknown value, and the log of the integral over all.

    The integral of exp(-|A u + r|^2 / 2) over u, up to a power of 2 pi.
    """
    squares = np.square(rest).sum(axis=-2)
    if slopes.shape[-1] == 0:
        return np.zeros(squares.shape), np.zeros(squares.shape[:-1]), -0.5 * squares
    # Arithmetic is in place: allocating memory for many draws takes longer than the arithmetic.
    unit = np.square(slopes)
    norms = np.sqrt(unit.sum(axis=-2))
    np.divide(slopes, norms[..., np.newaxis, :], out=unit)
    covered = np.swapaxes(unit, -1, -2) @ rest
    if slopes.shape[-1] == 1:
        squares = squares - np.square(covered[..., 0, :])
        found = -covered[..., 0, :] / norms
        return found, 1 / norms[..., 0], -0.5 * squares - np.log(norms)
    gram = np.swapaxes(unit, -1, -2) @ unit
    try:
        triangles = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        triangles = np.linalg.cholesky(gram + _JITTER * np.eye(gram.shape[-1]))
    solved = np.asarray(np.linalg.solve(triangles, covered))
    squares = squares - np.square(solved).sum(axis=-2)
    diagonal = np.einsum("...ii->...i", triangles) * norms
    last = diagonal[..., -1]
    found = -solved[..., -1, :] / last[..., np.newaxis]
    logs = -0.5 * squares - np.log(diagonal).sum(axis=-1)[..., np.newaxis]
    return found, 1 / last, logs


class DrawnFamilies:
    """Draws of the parameters of some nodes in all DAGs; the draws of one DAG are adjacent."""

    def __init__(
        self,
        families: SampledFamilies,
        posteriors: FamilyPosteriors,
        nodes: Collection[int],
        draws: int,
        seed: int,
    ) -> None:
        self.count, self.families = len(families) * draws, families
        self.levels, self.continuous = posteriors.levels, posteriors.continuous
        self.origin = posteriors.origin
        with np.errstate(divide="ignore"):
            self.log_shares = np.repeat(np.log(families.shares / draws), draws)
        self._each = draws
        self._drawn: list[list[tuple[NDArray[np.int64], Parameters]]] = []
        numbers = 0
        for node, parent_sets in enumerate(families.parents):
            self._drawn.append([])
            if node not in nodes:
                continue
            purpose = Purpose.DRAWN_REGRESSIONS
            if posteriors.is_discrete(node):
                purpose = Purpose.DRAWN_TABLES
            random = generator(seed, purpose, node)
            of_draw = np.repeat(families.places[:, node], draws)
            for number, posterior in enumerate(posteriors.every(node, parent_sets)):
                own = np.flatnonzero(of_draw == number)
                numbers += len(own) * posterior.numbers
                if numbers > _MOST_NUMBERS:
                    raise ArgumentError(
                        option("draws"),
                        f" is {draws} for each of {len(families)} DAGs, whose parameters are too "
                        "many; give fewer draws, or fewer DAGs",
                    )
                self._drawn[-1].append((own, posterior.drawn(len(own), random)))

    @cached_property
    def linear(self) -> bool:
        """Whether all nodes have tables or linear regressions."""
        return all(
            isinstance(parameters, TableParameters | RegressionParameters)
            for of_node in self._drawn
            for _, parameters in of_node
        )

    def log_densities(self, node: int, columns: Columns) -> Array:
        """Return the log density of a node by each draw, as [draw, row]."""
        found = np.empty((self.count, columns.shape[2]))
        for own, parameters in self._drawn[node]:
            values = columns if columns.shape[1] == 1 else columns[:, own]
            found[own] = parameters.log_density(values)
        return found

    def regressions(
        self, columns: Columns, draws: slice, nodes: Sequence[int]
    ) -> tuple[Array, Array, Array]:
        """Return coefficients, intercepts and deviations of nodes by some of the draws.

        Their axes are [draw, row, node, parent] and [draw, row, node]. Nodes and parents are places
        among the continuous variables, whose values are relative to the origin. Without discrete
        variables all rows have the same regressions, and the row axis has length 1.
        """
        place = {v: number for number, v in enumerate(self.continuous)}
        shape = draws.stop - draws.start, columns.shape[2] if any(self.levels) else 1, len(nodes)
        coefficients = np.zeros((*shape, len(place)))
        intercepts, deviations = np.empty(shape), np.empty(shape)
        for at, node in enumerate(nodes):
            for every, each in self._drawn[self.continuous[node]]:
                assert isinstance(each, RegressionParameters)
                inside = slice(*every.searchsorted((draws.start, draws.stop)).tolist())
                own = every[inside] - draws.start
                tables = each.intercepts[inside], each.deviations[inside], each.coefficients[inside]
                if each.discrete:
                    values = columns if columns.shape[1] == 1 else columns[:, every[inside]]
                    which = each.configurations(values, shape[1])
                    tables = (
                        looked_up(tables[0], which),
                        looked_up(tables[1], which),
                        looked_up(tables[2], which),
                    )
                # Without discrete parents there is one configuration, shared by all rows.
                intercepts[own, :, at], deviations[own, :, at], above = tables
                parents = [place[parent] for parent in each.continuous]
                coefficients[own[:, np.newaxis], :, at, parents] = above.transpose(0, 2, 1)
        return coefficients, intercepts, deviations

    @cached_property
    def shared_regressions(self) -> tuple[list[int], tuple[Array, Array, Array]]:
        """The drawn nodes and their regressions by all draws, where no variable is discrete."""
        nodes = [node for node, of_node in enumerate(self._drawn) if of_node]
        columns = np.zeros((len(self._drawn), 1, 1))  # on which regressions do not depend
        return nodes, self.regressions(columns, slice(0, self.count), nodes)

    def completed(
        self, columns: Columns, unknown: NDArray[np.bool_], random: np.random.Generator
    ) -> Columns:
        """Draw unknown values given those of their parents, by each draw."""
        found = np.repeat(columns, self.count, axis=1)
        nodes = np.flatnonzero(unknown.any(axis=0)).tolist()
        for dag, places in enumerate(self.families.places.tolist()):
            own = np.arange(dag * self._each, (dag + 1) * self._each)
            parents = {node: self.families.parents[node][places[node]] for node in nodes}
            for node in in_order(parents):
                of_family, parameters = self._drawn[node][places[node]]
                rows = np.flatnonzero(unknown[:, node])
                at = parameters.take(np.searchsorted(of_family, own))
                here = found[:, own][:, :, rows]
                found[node, own[:, np.newaxis], rows] = at.sample(here, len(rows), random)
        return found


def level_logarithms(drawn: DrawnFamilies, rows: PartialRows, target: int, seed: int) -> Array:
    """Return log P(target = level, known values of the row), as [row, level], up to a constant."""
    prediction = _Prediction(drawn, rows, target, seed)
    found = np.empty((len(rows), drawn.levels[target]))
    for chosen, conditioned in prediction.blocks():
        logs = conditioned.logs.reshape(drawn.count, *conditioned.shape)
        top = logs.max(axis=(0, 3), keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore"):
            found[chosen] = np.log(np.exp(logs - top).sum(axis=(0, 3))) + top[0, :, :, 0]
    return found


def mixtures(
    drawn: DrawnFamilies, rows: PartialRows, target: int, seed: int
) -> Iterator[tuple[NDArray[np.int64], Mixtures]]:
    """Yield the predictive mixtures of a continuous target, for some rows at a time."""
    prediction = _Prediction(drawn, rows.without(target), target, seed)
    for chosen, conditioned in prediction.blocks():
        count, (number, _, configurations) = drawn.count, conditioned.shape

        def by_component(
            values: Array, shape: tuple[int, int, int] = (count, number, configurations)
        ) -> Array:
            return values.reshape(shape).transpose(0, 2, 1).reshape(-1, shape[1])

        logs = by_component(conditioned.logs)
        top = logs.max(axis=0)
        weights = logs - top
        np.exp(weights, out=weights)
        total = weights.sum(axis=0)
        weights /= total
        means, deviations = by_component(conditioned.means), by_component(conditioned.deviations)
        densities = None
        if not drawn.linear:
            with_truth = prediction.log_densities_with(chosen, rows.values[chosen, target])
            densities = with_truth - np.log(total) - top
        yield chosen, Mixtures(means, deviations, weights, densities)


@dataclass(frozen=True, eq=False)
class _Conditioned:
    """Results for every draw, row and configuration, as [draw, row and configuration]."""

    # The numbers of rows, of levels of the target (1 if it is continuous), and of configurations
    # of the other unknown levels.
    shape: tuple[int, int, int]
    logs: Array  # the log density of the known values, plus the log weight of the draw
    # The moments of a continuous target given the known values.
    means: Array
    deviations: Array


@dataclass(frozen=True, eq=False)
class _Pattern:
    """Rows with the same known variables, and the unknown ones relevant to the target."""

    rows: NDArray[np.int64]
    levels: tuple[int, ...]  # the relevant unknown discrete variables, without the target
    # The places of the relevant unknown continuous variables, a continuous target last.
    numbers: tuple[int, ...]
    known: tuple[int, ...]  # the places of the known continuous variables
    counted: tuple[int, ...]  # the discrete variables whose probability is a factor
    noises: tuple[int, ...]  # the places of the continuous variables whose density is a factor
    configurations: int  # the number of configurations of the unknown levels


class _Prediction:
    """The rows, the target and the drawn parameters of one prediction."""

    def __init__(self, drawn: DrawnFamilies, rows: PartialRows, target: int, seed: int) -> None:
        self.draws, self.linear = drawn, drawn.linear
        self.rows, self.target = rows, target
        self.levels, self.continuous = drawn.levels, drawn.continuous
        self.target_levels = max(1, self.levels[target])
        self._random = generator(seed, Purpose.DRAWN_CONFIGURATIONS)
        self._above = drawn.families.ancestors_in_any

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], _Conditioned]]:
        """Yield blocks of rows with the same number of configurations, and their results."""
        grouped: dict[int, list[_Pattern]] = {}
        for pattern in self._patterns():
            grouped.setdefault(pattern.configurations, []).append(pattern)
        width = self.draws.count * self.target_levels
        if any(self.levels):  # otherwise all rows have the same regressions
            width *= max(1, len(self.continuous)) ** 2
        for configurations, patterns in sorted(grouped.items()):
            sampled = configurations > MOST_CONFIGURATIONS or not self.linear
            most = max(1, _PIECE // (width * (1 if sampled else configurations)))
            waiting: list[_Pattern] = []
            for pattern in patterns:
                for first in range(0, len(pattern.rows), most):
                    part = replace(pattern, rows=pattern.rows[first : first + most])
                    if waiting and sum(len(p.rows) for p in waiting) + len(part.rows) > most:
                        yield self._block(waiting, 1 if sampled else configurations, sampled)
                        waiting = []
                    waiting.append(part)
            if waiting:
                yield self._block(waiting, 1 if sampled else configurations, sampled)

    def _patterns(self) -> Iterator[_Pattern]:
        place = {v: number for number, v in enumerate(self.continuous)}
        for known, intervened, rows in self.rows.patterns():
            seen = known.copy()
            seen[self.target] = True
            relevant = seen | self._above[:, seen & ~intervened].any(axis=1)
            free = relevant & ~intervened
            unknown = np.flatnonzero(relevant & ~seen).tolist()
            numbers = [place[v] for v in unknown if v in place]
            if self.target in place:
                numbers.append(place[self.target])
            levels = tuple(v for v in unknown if v not in place)
            yield _Pattern(
                rows,
                levels,
                tuple(numbers),
                tuple(place[v] for v in self.continuous if known[v]),
                tuple(v for v in np.flatnonzero(free).tolist() if v not in place),
                tuple(place[v] for v in self.continuous if free[v]),
                math.prod(self.levels[v] for v in levels),
            )

    def _block(
        self, patterns: list[_Pattern], configurations: int, sampled: bool
    ) -> tuple[NDArray[np.int64], _Conditioned]:
        chosen = np.concatenate([pattern.rows for pattern in patterns])
        columns, unknown = self._expanded(patterns, sampled)
        if sampled:
            columns = self.draws.completed(columns, unknown, self._random)
        logs = np.repeat(self.draws.log_shares[:, np.newaxis], columns.shape[2], axis=1)
        means, deviations = np.zeros(logs.shape), np.zeros(logs.shape)
        if self.linear:
            self._add_numbers(patterns, columns, (means, deviations, logs))
        elif self.target in self.continuous:
            means = columns[self.target]
        self._add_densities(patterns, columns, unknown, logs)
        shape = len(chosen), self.target_levels, configurations
        return chosen, _Conditioned(shape, logs, means, deviations)

    def _add_numbers(
        self, patterns: list[_Pattern], columns: Array, found: tuple[Array, Array, Array]
    ) -> None:
        """Integrate out the unknown numbers; set means and deviations, and add to the logs."""
        means, deviations, logs = found
        continuous = list(self.continuous)
        # Known numbers are the same for all draws, even if levels were drawn.
        away = columns[continuous, 0].T - self.draws.origin[continuous]
        rows, n = columns.shape[2], len(continuous)
        shared = not any(self.levels)
        step = min(self.draws.count, max(1, _PIECE // max(1, n * n * (1 if shared else rows))))
        most = max(1, _PIECE // (n * step)) if shared else rows
        # Regressions that fit into memory together are assembled once for all targets.
        together = shared and step == self.draws.count
        if together:
            step = max(1, _AT_ONCE // max(1, n * n))
            nodes, assembled = self.draws.shared_regressions
        else:
            nodes = sorted({place for pattern in patterns for place in pattern.noises})
        for first in range(0, self.draws.count, step):
            draws = slice(first, min(first + step, self.draws.count))
            if together:
                regressions = assembled[0][draws], assembled[1][draws], assembled[2][draws]
            else:
                regressions = self.draws.regressions(columns, draws, nodes)
            for pattern, every in self._parts(patterns, rows):
                for start in range(every.start, every.stop, most):
                    own = slice(start, min(start + most, every.stop))
                    by_row = [each if shared else each[:, own] for each in regressions]
                    each = _integrated(pattern, away[own], nodes, *by_row)
                    means[draws, own], deviations[draws, own] = each[0], each[1]
                    logs[draws, own] += each[2]
        if self.target_levels == 1:
            means += self.draws.origin[self.target]

    def _add_densities(
        self, patterns: list[_Pattern], columns: Array, unknown: Mask, logs: Array
    ) -> None:
        """Add the log densities of the values that were not drawn."""
        counted = np.zeros(unknown.shape, dtype=np.bool_)
        for pattern, own in self._parts(patterns, len(counted)):
            counted[own, list(pattern.counted)] = True
            if not self.linear:
                counted[own, [self.continuous[place] for place in pattern.noises]] = True
        counted &= ~unknown
        for node in np.flatnonzero(counted.any(axis=0)).tolist():
            use = np.flatnonzero(counted[:, node])
            logs[:, use] += self.draws.log_densities(node, columns[:, :, use])

    @staticmethod
    def _parts(patterns: list[_Pattern], rows: int) -> Iterator[tuple[_Pattern, slice]]:
        """Yield each pattern with its rows of the expanded table."""
        each = rows // sum(len(pattern.rows) for pattern in patterns)
        first = 0
        for pattern in patterns:
            own = slice(first, first + len(pattern.rows) * each)
            first = own.stop
            yield pattern, own

    def log_densities_with(self, chosen: NDArray[np.int64], truth: Array) -> Array:
        """Return the log of the sum over draws of the joint density of target and known values."""
        found = np.empty(len(chosen))
        place = {row: number for number, row in enumerate(chosen.tolist())}
        for pattern in self._patterns():
            own = np.array([row for row in pattern.rows.tolist() if row in place], dtype=np.int64)
            if not len(own):
                continue
            columns, unknown = self._expanded([replace(pattern, rows=own)], True)
            at = [place[row] for row in own.tolist()]
            columns[self.target], unknown[:, self.target] = truth[at], False
            columns = self.draws.completed(columns, unknown, self._random)
            logs = np.repeat(self.draws.log_shares[:, np.newaxis], len(own), axis=1)
            self._add_densities([replace(pattern, rows=own)], columns, unknown, logs)
            found[at] = np.logaddexp.reduce(logs, axis=0)
        return found

    def _expanded(self, patterns: list[_Pattern], sampled: bool) -> tuple[Array, Mask]:
        """Return rows expanded by all configurations, and which of their values must be drawn."""
        values, unknown = [], []
        for pattern in patterns:
            own = self.rows.values[pattern.rows].astype(np.float64)
            varied = () if sampled else pattern.levels
            if self.target not in self.continuous:
                varied = (self.target, *varied)
            every = all_combinations([self.levels[v] for v in varied])
            expanded = np.repeat(own, len(every), axis=0)
            expanded[:, list(varied)] = np.tile(every, (len(own), 1))
            mask = np.zeros(expanded.shape, dtype=np.bool_)
            if sampled:
                mask[:, list(pattern.levels)] = True
            if not self.linear:
                mask[:, [self.continuous[place] for place in pattern.numbers]] = True
            values.append(expanded)
            unknown.append(mask)
        return np.concatenate(values).T[:, np.newaxis], np.concatenate(unknown)


def _integrated(
    pattern: _Pattern,
    values: Array,
    nodes: Sequence[int],
    coefficients: Array,
    intercepts: Array,
    deviations: Array,
) -> tuple[Array, Array, Array]:
    """Return mean and deviation of the last unknown number, and log densities, [draw, row]."""
    n, known = coefficients.shape[-1], list(pattern.known)
    noises = np.array([nodes.index(place) for place in pattern.noises], dtype=np.intp)
    spread = deviations[:, :, noises, np.newaxis]
    flat = coefficients.reshape(*coefficients.shape[:2], -1)

    def noise(by: Sequence[int]) -> Array:
        """Return the coefficients of some values in the scaled noise."""
        found: Array = flat.take(noises[:, np.newaxis] * n + np.array(by, dtype=np.intp), axis=-1)
        np.subtract(np.eye(n)[np.ix_(pattern.noises, by)], found, out=found)
        found /= spread
        return found

    # Rows with the same coefficients are computed in one product.
    shared = coefficients.shape[1] == 1
    by_row = values.T[np.newaxis] if shared else values[:, :, np.newaxis]
    rest = noise(known) @ by_row[:, known]
    rest -= intercepts[:, :, noises, np.newaxis] / spread
    found, deviation, logs = integrated(noise(pattern.numbers), rest)
    logs -= np.log(spread).sum(axis=-2)
    shape = len(coefficients), len(values)
    spreads = np.broadcast_to(deviation[..., np.newaxis], found.shape)
    return found.reshape(shape), spreads.reshape(shape), logs.reshape(shape)


def hidden_numbers(
    families: SampledFamilies, posteriors: FamilyPosteriors, rows: PartialRows, target: int
) -> Mask:
    """Return which rows lack a continuous value that is relevant in one of the DAGs."""
    found = np.zeros(len(rows), dtype=np.bool_)
    if not posteriors.continuous:
        return found
    ancestors = np.zeros((len(families.parents),) * 2, dtype=np.bool_)  # [above, below]
    for of_dag in families.bits.ancestors:
        for node, bits in enumerate(of_dag):
            for number in posteriors.continuous:
                if bits >> number & 1:
                    ancestors[number, node] = True
    for known, intervened, own in rows.patterns():
        seen = known.copy()
        seen[target] = True
        above = np.asarray(ancestors[:, seen & ~intervened].any(axis=1))
        found[own] = any(above[v] and not seen[v] for v in posteriors.continuous)
    return found
