"""Predictions of mixed data: sums over unknown levels, integrals over unknown numbers.

A discrete target is predicted exactly, with the parameters integrated out, wherever no continuous
variable with an unknown value has a descendant that is known or the target. All else goes by
draws of the parameters, as for Gaussian data: given these and a configuration of the discrete
variables, the continuous ones are jointly normal, and each draw and configuration is weighted by
the density of the known values. Configurations of unknown levels are gone through one by one; if
there are too many, each draw of the parameters takes one of them, drawn from the variables above.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.networks._random import Purpose, generator
from arcwise.parameters.conditional_regressions import MixedPosterior
from arcwise.parameters.discrete_prediction import DagBits, log_joint
from arcwise.parameters.gaussian_conditioning import integrated
from arcwise.parameters.gaussian_prediction import NormalMixtures
from arcwise.parameters.mixed_draws import MixedDraws
from arcwise.parameters.numbering import all_combinations
from arcwise.parameters.partial_rows import PartialRows
from arcwise.parameters.sampled import SampledFamilies

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

MOST_CONFIGURATIONS = 64
"""The largest number of configurations of unknown levels that are gone through one by one."""

# Numbers of the largest array, which has the coefficients of all draws in some rows.
_PIECE = 1 << 22


def level_logarithms(
    families: SampledFamilies,
    posterior: MixedPosterior,
    rows: PartialRows,
    target: int,
    draws: int,
    seed: int,
) -> Array:
    """Return log P(target = level, known values of the row), as [row, level].

    In each row up to a constant.

    Parameters
    ----------
    families, posterior
        The DAGs, and the posterior of their parameters.
    rows, target
        The rows, of which what they say of the target does not count, and the target.
    draws, seed
        The number of parameter draws for each DAG where some are needed, and their seed.
    """
    known = rows.without(target)
    hidden = _with_hidden_numbers(families, posterior, known, target)
    found = np.empty((len(rows), posterior.levels[target]))
    if not hidden.all():
        found[~hidden] = log_joint(families, posterior, known.take(~hidden), target)
    if hidden.any():
        places = np.flatnonzero(hidden)
        drawn = _Prediction(families, posterior, known.take(places), target, draws, seed)
        for chosen, conditioned in drawn.blocks():
            logs = conditioned.logs.reshape(len(drawn.draws.log_shares), *conditioned.shape)
            top = logs.max(axis=(0, 3), keepdims=True)
            top = np.where(np.isfinite(top), top, 0.0)
            with np.errstate(divide="ignore"):
                summed = np.log(np.exp(logs - top).sum(axis=(0, 3))) + top[0, :, :, 0]
            found[places[chosen]] = summed
    return found


def mixed_mixtures(
    families: SampledFamilies,
    posterior: MixedPosterior,
    rows: PartialRows,
    target: int,
    draws: int,
    seed: int,
) -> Iterator[tuple[NDArray[np.int64], NormalMixtures]]:
    """Yield the predictive mixtures of a continuous target, for some rows at a time.

    Parameters
    ----------
    families, posterior
        The DAGs, and the posterior of their parameters.
    rows, target
        The rows, of which what they say of the target does not count, and the target.
    draws, seed
        The number of parameter draws for each DAG, and their seed.
    """
    drawn = _Prediction(families, posterior, rows.without(target), target, draws, seed)
    for chosen, conditioned in drawn.blocks():
        count, (number, _, configurations) = drawn.draws.count, conditioned.shape

        def by_component(
            values: Array, shape: tuple[int, int, int] = (count, number, configurations)
        ) -> Array:
            return values.reshape(shape).transpose(0, 2, 1).reshape(-1, shape[1])

        logs = by_component(conditioned.logs)
        weights = np.exp(logs - logs.max(axis=0))
        means, deviations = by_component(conditioned.means), by_component(conditioned.deviations)
        yield chosen, NormalMixtures(means, deviations, weights / weights.sum(axis=0))


@dataclass(frozen=True, eq=False)
class _Conditioned:
    """Rows by every draw and configuration, as [draw, row and configuration].

    Parameters
    ----------
    shape
        The numbers of rows, of levels of a discrete target (1 of a continuous one) and of
        configurations of the other unknown levels.
    logs
        The log density of what is known, with the weight of the draw.
    means, deviations
        Those of a continuous target given what is known.
    """

    shape: tuple[int, int, int]
    logs: Array
    means: Array
    deviations: Array


@dataclass(frozen=True, eq=False)
class _Pattern:
    """What is known in some of the rows, and what matters of the rest.

    Parameters
    ----------
    rows
        The rows.
    levels
        The unknown discrete variables that matter, other than the target.
    numbers
        The unknown continuous variables that matter, as places, a continuous target last.
    known
        The known continuous variables, as places.
    counted
        The discrete variables whose probability counts.
    noises
        The continuous variables whose noise counts, as places.
    configurations
        Of the unknown levels.
    """

    rows: NDArray[np.int64]
    levels: tuple[int, ...]
    numbers: tuple[int, ...]
    known: tuple[int, ...]
    counted: tuple[int, ...]
    noises: tuple[int, ...]
    configurations: int


class _Prediction:
    """The rows, the target and the drawn parameters of one prediction."""

    def __init__(
        self,
        families: SampledFamilies,
        posterior: MixedPosterior,
        rows: PartialRows,
        target: int,
        draws: int,
        seed: int,
    ) -> None:
        self.draws = MixedDraws(families, posterior, draws, seed)
        self.rows, self.target = rows, target
        self.levels = posterior.levels
        self.continuous = posterior.continuous
        self.target_levels = max(1, posterior.levels[target])
        self._random = generator(seed, Purpose.DRAWN_CONFIGURATIONS)
        self._above = _ancestors_in_any(families)

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], _Conditioned]]:
        """Yield rows with the same number of configurations, and what follows for them."""
        grouped: dict[int, list[_Pattern]] = {}
        for pattern in self._patterns():
            grouped.setdefault(pattern.configurations, []).append(pattern)
        width = self.draws.count * max(1, len(self.continuous)) ** 2 * self.target_levels
        for configurations, patterns in sorted(grouped.items()):
            sampled = configurations > MOST_CONFIGURATIONS
            most = max(1, _PIECE // (width * (1 if sampled else configurations)))
            waiting: list[_Pattern] = []
            for pattern in patterns:
                for first in range(0, len(pattern.rows), most):
                    part = _part(pattern, pattern.rows[first : first + most])
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
        codes, unknown = self._expanded(patterns, sampled)
        by_draw = codes[np.newaxis]
        if sampled:
            by_draw = self.draws.sampled_codes(codes, unknown, self._random)
        logs = np.repeat(self.draws.log_shares[:, np.newaxis], len(codes), axis=1)
        counted = np.zeros((len(codes), len(self.levels)), dtype=np.bool_)
        means, deviations = np.zeros(logs.shape), np.zeros(logs.shape)
        each = self.target_levels * configurations
        coefficients, intercepts, spreads = self.draws.regressions(by_draw)
        first = 0
        for pattern in patterns:
            own = slice(first, first + len(pattern.rows) * each)
            first = own.stop
            counted[own, list(pattern.counted)] = True
            if sampled:
                counted[own, list(pattern.levels)] = False
            values = np.repeat(self.rows.values[pattern.rows], each, axis=0)
            found = _integrated(
                pattern,
                values[:, list(self.continuous)] - self.draws.origin[list(self.continuous)],
                coefficients[:, own],
                intercepts[:, own],
                spreads[:, own],
            )
            means[:, own], deviations[:, own] = found[0], found[1]
            logs[:, own] += found[2]
        for node in np.flatnonzero(counted.any(axis=0)).tolist():
            use = np.flatnonzero(counted[:, node])
            logs[:, use] += self.draws.log_probabilities(node, by_draw[:, use])
        if self.target_levels == 1:
            means += self.draws.origin[self.target]
        shape = len(chosen), self.target_levels, configurations
        return chosen, _Conditioned(shape, logs, means, deviations)

    def _expanded(self, patterns: list[_Pattern], sampled: bool) -> tuple[NDArray[np.int64], Mask]:
        """Return codes with every level of what is unknown, and which of them are to be drawn."""
        codes, unknown = [], []
        for pattern in patterns:
            own = self.rows.values[pattern.rows].astype(np.int64)
            own[:, list(self.continuous)] = 0
            varied = () if sampled else pattern.levels
            if self.target not in self.continuous:
                varied = (self.target, *varied)
            sizes = [self.levels[v] for v in varied]
            every = all_combinations(sizes)
            expanded = np.repeat(own, len(every), axis=0)
            expanded[:, list(varied)] = np.tile(every, (len(own), 1))
            mask = np.zeros(expanded.shape, dtype=np.bool_)
            if sampled:
                mask[:, list(pattern.levels)] = True
            codes.append(expanded)
            unknown.append(mask)
        return np.concatenate(codes), np.concatenate(unknown)


def _part(pattern: _Pattern, rows: NDArray[np.int64]) -> _Pattern:
    return _Pattern(
        rows,
        pattern.levels,
        pattern.numbers,
        pattern.known,
        pattern.counted,
        pattern.noises,
        pattern.configurations,
    )


def _integrated(
    pattern: _Pattern, values: Array, coefficients: Array, intercepts: Array, deviations: Array
) -> tuple[Array, Array, Array]:
    """Return mean and deviation of the last unknown number, and log densities, [draw, row]."""
    noises, known, unknown = (list(p) for p in (pattern.noises, pattern.known, pattern.numbers))
    spread = deviations[:, :, noises]
    above = coefficients[:, :, noises]
    own = np.eye(coefficients.shape[-1])[noises]
    rest = values[:, noises] * np.isin(noises, known) - intercepts[:, :, noises]
    rest -= np.einsum("drvp,rp->drv", above[..., known], values[:, known])
    slopes = (own[:, unknown] - above[..., unknown]) / spread[..., np.newaxis]
    found, deviation, logs = integrated(slopes, (rest / spread)[..., np.newaxis])
    return found[..., 0], deviation, logs[..., 0] - np.log(spread).sum(axis=-1)


def _ancestors_in_any(families: SampledFamilies) -> Mask:
    """Return which variable is above which, [above, below], along edges of any of the DAGs."""
    n = len(families.parents)
    above = np.eye(n, dtype=np.bool_)
    for node, parent_sets in enumerate(families.parents):
        for parents in parent_sets:
            above[list(parents), node] = True
    while True:
        further = (above.astype(np.int64) @ above.astype(np.int64)) > 0
        if (further == above).all():
            return above
        above = further


def _with_hidden_numbers(
    families: SampledFamilies, posterior: MixedPosterior, rows: PartialRows, target: int
) -> Mask:
    """Return which rows lack a continuous value that matters in one of the DAGs."""
    places, _ = families.distinct()
    ancestors = np.zeros((len(families.parents),) * 2, dtype=np.bool_)  # [above, below]
    for of_dag in DagBits(families, places).ancestors:
        for node, bits in enumerate(of_dag):
            for number in posterior.continuous:
                if bits >> number & 1:
                    ancestors[number, node] = True
    found = np.zeros(len(rows), dtype=np.bool_)
    for known, intervened, own in rows.patterns():
        seen = known.copy()
        seen[target] = True
        above = ancestors[:, seen & ~intervened].any(axis=1)
        found[own] = any(above[v] and not seen[v] for v in posterior.continuous)
    return found
