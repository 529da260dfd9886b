"""The mean of a continuous variable under an intervention, in each DAG of a mixed sample.

Given the configuration of the discrete variables, a conditional Gaussian network is linear: the
mean of the outcome follows from intercepts and coefficients along the DAG. Configurations are
summed over, weighted by their probability under the intervention. For a continuous source, what
is computed is the slope: no discrete variable depends on it, so that the mean of the outcome is
linear in it, with the average over configurations of the sums over paths as its slope.

Every term of these sums has one entry of each table and at most one coefficient or intercept of
each regression, which are independent a posteriori: as in `intervened`, posterior means of the
parameters give the posterior mean exactly. Where there are too many configurations, some are
drawn, and the error that this leaves in the mean is stated.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, option
from arcwise.networks._random import Purpose, generator
from arcwise.parameters.conditional_regressions import (
    ConditionalRegressions,
    DrawnRegressions,
    MixedPosterior,
    configuration_numbers,
)
from arcwise.parameters.elimination import Scope, aligned, eliminate, elimination_order
from arcwise.parameters.intervened import DrawnTables, Family, SubDag, batches, sub_dags
from arcwise.parameters.sampled import SampledFamilies

Array = NDArray[np.float64]

MOST_CELLS = 1 << 14
"""The largest number of configurations that are summed over; beyond, some are drawn."""

_PIECE = 1 << 20
_MAX_KEPT = 1 << 26
# Configurations drawn: for the mean over the parameters of a DAG, and for each draw of these.
_FOR_MEANS, _FOR_DRAWS = 8192, 256


@dataclass(frozen=True, eq=False)
class MeansUnderIntervention:
    """Means of a continuous outcome under intervention, or their slope, in each DAG.

    Parameters
    ----------
    means
        As [DAG, level of the source]; the second axis has the length 1 for a slope.
    variances
        Of the means, where configurations were drawn; 0 where they were summed over.
    draws
        By parameter draws, as [DAG and draw, level], all of the first DAG first.
    path
        Whether the DAG has a directed path from the source to the outcome.
    """

    means: Array
    variances: Array
    draws: NDArray[np.float32]
    path: NDArray[np.bool_]


def means_under_intervention(
    families: SampledFamilies,
    posterior: MixedPosterior,
    pair: tuple[int, int],
    draws: int,
    seed: int,
) -> MeansUnderIntervention:
    """Return the mean of the outcome at each level of a discrete source, or its slope.

    Parameters
    ----------
    families, posterior
        The DAGs, and the posterior of their parameters.
    pair
        The source and the outcome, which is continuous.
    draws, seed
        The number of parameter draws for each DAG, and their seed.
    """
    source, outcome = pair
    width = max(1, posterior.levels[source])
    if len(families) * draws * width > _MAX_KEPT:
        raise ArgumentError(
            option("draws"),
            f" is {draws} for each of {len(families)} DAGs; give at most "
            f"{_MAX_KEPT // (len(families) * width)}",
        )
    means, variances = np.zeros((len(families), width)), np.zeros((len(families), width))
    drawn = np.zeros((len(families) * draws, width), dtype=np.float32)
    path = np.zeros(len(families), dtype=np.bool_)
    random = _Streams(seed, len(posterior.levels))
    groups = sub_dags(families, outcome, {source})

    def parameters_of(family: Family) -> int:
        return _number_of_parameters(family, posterior)

    for batch in batches(groups, parameters_of, draws):
        drawn_of = _drawn_by_family(batch, posterior, random)
        for sub_dag, dags, rows in batch:
            network = _Network(posterior, sub_dag, source, outcome)
            path[dags] = network.has_path
            if not network.has_path and not posterior.is_discrete(source):
                continue
            parameters = {family: drawn_of[family].take(len(rows)) for family in sub_dag}
            found = network.computed(parameters, 1 + len(rows), random)
            means[dags], variances[dags] = found.values[0], found.variance
            drawn[rows] = found.values[1:]
    return MeansUnderIntervention(means, variances, drawn, path)


class _Streams:
    """Random numbers of tables, of regressions and of configurations, node by node."""

    def __init__(self, seed: int, n: int) -> None:
        self.tables = [generator(seed, Purpose.DRAWN_TABLES, v) for v in range(n)]
        self.regressions = [generator(seed, Purpose.DRAWN_REGRESSIONS, v) for v in range(n)]
        self.configurations = generator(seed, Purpose.DRAWN_CONFIGURATIONS)


class _DrawnRegressions:
    """The regressions of one family, drawn together and handed out to the DAGs in turn."""

    def __init__(
        self, posterior: ConditionalRegressions, count: int, random: np.random.Generator
    ) -> None:
        self._mean, self._drawn = posterior.mean(), posterior.drawn(count, random)
        self._used = 0

    def take(self, count: int) -> DrawnRegressions:
        """Return the mean regressions, and the next draws after them."""
        first, self._used = self._used, self._used + count
        own = slice(first, self._used)
        mean, drawn = self._mean, self._drawn
        return DrawnRegressions(
            np.concatenate([mean.intercepts, drawn.intercepts[own]]),
            np.concatenate([mean.coefficients, drawn.coefficients[own]]),
            np.concatenate([mean.deviations, drawn.deviations[own]]),
        )


def _number_of_parameters(family: Family, posterior: MixedPosterior) -> int:
    node, parents = family
    levels = [posterior.levels[u] for u in parents if posterior.is_discrete(u)]
    own = posterior.levels[node] or len(parents) - len(levels) + 2
    return math.prod(levels) * own


def _drawn_by_family(
    batch: list[SubDag], posterior: MixedPosterior, random: _Streams
) -> dict[Family, DrawnTables | _DrawnRegressions]:
    """Draw the parameters of each family for all DAGs at once: many DAGs share families."""
    counts: Counter[Family] = Counter()
    for sub_dag, _, rows in batch:
        for family in sub_dag:
            counts[family] += len(rows)
    found: dict[Family, DrawnTables | _DrawnRegressions] = {}
    for (node, parents), count in counts.items():
        if posterior.is_discrete(node):
            table = posterior.tables.dirichlet(node, parents)
            found[node, parents] = DrawnTables(table, count, random.tables[node])
        else:
            regressions = posterior.regressions(node, parents)
            stream = random.regressions[node]
            found[node, parents] = _DrawnRegressions(regressions, count, stream)
    return found


class _Found(NamedTuple):
    """Means or slopes, as [mean and draws, level of the source], and the variance of the first."""

    values: Array
    variance: Array


class _Network:
    """The part of a DAG above an outcome, with the edges into the source removed."""

    def __init__(
        self,
        posterior: MixedPosterior,
        sub_dag: tuple[Family, ...],
        source: int,
        outcome: int,
    ) -> None:
        self.levels = posterior.levels
        self.source, self.outcome = source, outcome
        self.from_level = posterior.is_discrete(source)
        in_order = _topological(sub_dag)
        self.tables = [family for family in in_order if posterior.is_discrete(family[0])]
        self.regressions = [
            posterior.regressions(*family)
            for family in in_order
            if not posterior.is_discrete(family[0])
        ]
        self.has_path = any(source in parents for _, parents in sub_dag)
        deciding = {u for regression in self.regressions for u in regression.discrete}
        first = (source,) if self.from_level and self.has_path else ()
        self.kept: Scope = (*first, *sorted(deciding - {source}))

    def computed(
        self,
        parameters: dict[Family, Array | DrawnRegressions],
        count: int,
        random: _Streams,
    ) -> _Found:
        """Return means or slopes, exactly or by configurations that are drawn."""
        scopes = [(*parents, node) for node, parents in self.tables]
        order, largest = elimination_order(scopes, self.levels, self.kept)
        cells = math.prod(self.levels[u] for u in self.kept)
        width = max(1, self.levels[self.source])
        if max(cells, largest) > MOST_CELLS:
            return self._sampled(parameters, count, random)
        values = np.empty((count, width))
        step = max(1, _PIECE // max(cells, largest))
        for first in range(0, count, step):
            piece = slice(first, first + step)
            tables = [
                (scope, _table(parameters, family)[piece])
                for scope, family in zip(scopes, self.tables, strict=True)
            ]
            weights = eliminate(tables, order, self.kept)
            means = self._along_the_dag(parameters, piece)
            total = (weights * means).sum(
                axis=tuple(range(2 if self._by_level() else 1, 1 + len(self.kept)))
            )
            values[piece] = total if self._by_level() else total[:, np.newaxis]
        return _Found(values, np.zeros(width))

    def _by_level(self) -> bool:
        return self.from_level and self.has_path

    def _along_the_dag(
        self, parameters: dict[Family, Array | DrawnRegressions], piece: slice
    ) -> Array:
        """Return the mean or slope of the outcome in each configuration, as [draw, *kept]."""
        one = np.ones((1,) * (1 + len(self.kept)))
        means: dict[int, Array] = {self.source: one}
        for regression in self.regressions:
            node, parents = regression.node, regression.continuous
            own = _regressions(parameters, regression)
            shape = (-1, *regression.sizes)

            def placed(
                table: Array, shape: tuple[int, ...] = shape, scope: Scope = regression.discrete
            ) -> Array:
                return aligned(table.reshape(shape), scope, self.kept)

            # Of a continuous source the slope is asked for, in which no intercept has a part.
            total = placed(own.intercepts[piece]) if self.from_level else 0.0 * one
            for place, parent in enumerate(parents):
                if parent in means:
                    total = total + placed(own.coefficients[piece, :, place]) * means[parent]
            means[node] = total
        return means[self.outcome]

    def _sampled(
        self,
        parameters: dict[Family, Array | DrawnRegressions],
        count: int,
        random: _Streams,
    ) -> _Found:
        """Return means or slopes by drawn configurations, for all levels with the same numbers."""
        width = max(1, self.levels[self.source])
        settings = range(width) if self._by_level() else (0,)
        values = np.empty((count, width))
        variance = np.zeros(width)
        step = max(1, _PIECE // (_FOR_DRAWS * (1 + len(self.tables) + len(self.regressions))))
        pieces = [(slice(0, 1), _FOR_MEANS)]
        pieces += [(slice(a, min(a + step, count)), _FOR_DRAWS) for a in range(1, count, step)]
        for piece, configurations in pieces:
            shape = (piece.stop - piece.start, configurations)
            uniform = {node: random.configurations.random(shape) for node, _ in self.tables}
            for level in settings:
                codes = self._drawn_codes(parameters, piece, uniform, level)
                each = self._at(parameters, piece, codes)
                values[piece, level] = each.mean(axis=1)
                if piece.start == 0:
                    variance[level] = each.var(axis=1)[0] / configurations
        if not self._by_level():
            values[:], variance[:] = values[:, :1], variance[0]
        return _Found(values, variance)

    def _drawn_codes(
        self,
        parameters: dict[Family, Array | DrawnRegressions],
        piece: slice,
        uniform: dict[int, Array],
        level: int,
    ) -> NDArray[np.int64]:
        """Draw configurations, as [draw, configuration, variable]."""
        shape = next(iter(uniform.values())).shape if uniform else (piece.stop - piece.start, 1)
        codes = np.zeros((*shape, len(self.levels)), dtype=np.int64)
        codes[:, :, self.source] = level
        every = np.arange(shape[0])[:, np.newaxis]
        for node, parents in self.tables:
            table = _table(parameters, (node, parents))[piece]
            sizes = tuple(self.levels[u] for u in parents)
            which = configuration_numbers(codes, parents, sizes)
            rows = table.reshape(shape[0], -1, self.levels[node])[every, which]
            reached = np.cumsum(rows, axis=-1)
            reached /= reached[..., -1:]
            codes[:, :, node] = (uniform[node][..., np.newaxis] >= reached[..., :-1]).sum(axis=-1)
        return codes

    def _at(
        self,
        parameters: dict[Family, Array | DrawnRegressions],
        piece: slice,
        codes: NDArray[np.int64],
    ) -> Array:
        """Return the mean or slope of the outcome in drawn configurations, as [draw, number]."""
        shape = codes.shape[:2]
        every = np.arange(shape[0])[:, np.newaxis]
        means: dict[int, Array] = {self.source: np.ones(shape)}
        for regression in self.regressions:
            own = _regressions(parameters, regression)
            which = regression.configurations(codes)
            total = own.intercepts[piece][every, which] if self.from_level else np.zeros(shape)
            for place, parent in enumerate(regression.continuous):
                if parent in means:
                    total = total + own.coefficients[piece][every, which, place] * means[parent]
            means[regression.node] = total
        return means[self.outcome]


def _table(parameters: dict[Family, Array | DrawnRegressions], family: Family) -> Array:
    found = parameters[family]
    assert isinstance(found, np.ndarray)
    return found


def _regressions(
    parameters: dict[Family, Array | DrawnRegressions], regression: ConditionalRegressions
) -> DrawnRegressions:
    parents = tuple(sorted((*regression.discrete, *regression.continuous)))
    found = parameters[regression.node, parents]
    assert isinstance(found, DrawnRegressions)
    return found


def _topological(sub_dag: tuple[Family, ...]) -> list[Family]:
    """Return families in an order in which parents come before children."""
    waiting, members = dict(sub_dag), {node for node, _ in sub_dag}
    order: list[Family] = []
    while waiting:
        ready = [node for node, parents in waiting.items() if not members.intersection(parents)]
        members.difference_update(ready)
        order += [(node, waiting.pop(node)) for node in ready]
    return order
