"""The expectation of an outcome under interventions, in each DAG of a sample.

Given a DAG and its parameters, variables intervened on are fixed and the others follow their laws.
For tables and linear regressions the expectation of the outcome has a closed form. The
probabilities of a discrete outcome are a sum over all other variables of products of probabilities,
computed by variable elimination. The mean of a continuous outcome follows from intercepts and
coefficients along the DAG, in each configuration of the discrete variables that regressions depend
on. The effect of a continuous source is a slope, which is the same at all values because no table
depends on the source.

Every term of these sums contains one entry of each table and at most one coefficient or intercept
of each regression, which are independent a posteriori: the sum at the posterior means of the
parameters is exactly the posterior mean. Other laws, and sums over too many configurations, are
simulated from parents to children, with common random numbers for all values of the source.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.raw import as_level, level_type
from arcwise.errors import ArgumentError, CapacityError, option
from arcwise.laws import Family, FamilyPosteriors, Parameters, RegressionParameters, TableParameters
from arcwise.laws.tables import MAX_CELLS
from arcwise.parameters.effect import EffectEstimate, LevelEffects, LinearEffect, MeanEffects
from arcwise.parameters.level_prediction import Scope, aligned, eliminate, elimination_order
from arcwise.parameters.sampled import SampledFamilies, in_order
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.names import quoted, shown
from arcwise.support.random import Purpose, generator

Array = NDArray[np.float64]
AnyEffect: TypeAlias = LinearEffect | LevelEffects | MeanEffects

MOST_CELLS = 1 << 14
"""The largest number of configurations that means are summed over; beyond, they are simulated."""

# The most numbers in one elimination, in the parameters held at one time, and in a result's draws.
_PIECE = 1 << 21
_MOST_DRAWN = 1 << 24
_MAX_KEPT = 1 << 26
# The numbers of simulated rows for the mean parameters of a DAG and for each draw of them.
_FOR_MEANS, _FOR_DRAWS = 8192, 256


class Setting(NamedTuple):
    """An intervention and its outcome."""

    outcome: int
    # A variable set to each of its levels in turn. A continuous one is raised by one: a continuous
    # outcome then has the change in its mean, a discrete one its probabilities before and after.
    source: int | None = None
    fixed: Mapping[int, int] = {}  # the levels of other variables intervened on


@dataclass(frozen=True, eq=False)
class Intervened:
    """The expectation of an outcome under interventions, in each DAG."""

    # Averaged over the parameters, as [DAG, setting, value]: one setting for each value of the
    # source; the values are probabilities of levels, or the mean of a continuous outcome.
    means: Array
    # The squared Monte Carlo errors of the means; 0 if they are exact.
    variances: Array
    # Parameter draws, as [DAG and draw, setting, value]; the draws of one DAG are adjacent.
    draws: NDArray[np.float32]
    path: NDArray[np.bool_]  # whether the DAG has a directed path from the source to the outcome


def intervened(
    families: SampledFamilies, posteriors: FamilyPosteriors, setting: Setting, draws: int, seed: int
) -> Intervened:
    """Return the expectation of the outcome in each DAG."""
    outcome, source, fixed = setting
    shape = _shape(posteriors, setting)
    if len(families) * draws * math.prod(shape) > _MAX_KEPT:
        raise ArgumentError(
            option("draws"),
            f" is {draws} for each of {len(families)} DAGs; give at most "
            f"{_MAX_KEPT // (len(families) * math.prod(shape))}",
        )
    means, variances = np.zeros((len(families), *shape)), np.zeros((len(families), *shape))
    drawn = np.zeros((len(families) * draws, *shape), dtype=np.float32)
    path = np.zeros(len(families), dtype=np.bool_)
    random = [
        generator(seed, Purpose.DRAWN_TABLES if levels else Purpose.DRAWN_REGRESSIONS, node)
        for node, levels in enumerate(posteriors.levels)
    ]
    simulating = generator(seed, Purpose.DRAWN_CONFIGURATIONS)
    groups = sub_dags(families, outcome, {*fixed} if source is None else {*fixed, source})
    for batch in _batches(groups, posteriors, draws):
        drawn_of = _drawn_by_family(batch, posteriors, random)
        for sub_dag, dags, rows in batch:
            network = _Network(posteriors, sub_dag, setting, shape)
            path[dags] = network.has_path
            if network.asks_for_nothing:
                continue
            parameters = {family: drawn_of[family].take(len(rows)) for family in sub_dag}
            found, variance = network.expected(parameters, simulating)
            drawn[rows] = found[len(found) - len(rows) :]
            if len(found) > len(rows):
                means[dags] = found[0]
            else:
                means[dags], variance = found.mean(axis=0), found.var(axis=0) / len(rows)
            # These DAGs share one error, so it does not average out over them.
            shares = families.shares[dags]
            if variance.any() and shares.any():
                variances[dags] = variance * (shares.sum() ** 2 / np.square(shares).sum())
    return Intervened(means, variances, drawn, path)


def _shape(posteriors: FamilyPosteriors, setting: Setting) -> tuple[int, int]:
    """Return the numbers of settings and of values."""
    levels = posteriors.levels
    values = levels[setting.outcome] or 1
    if setting.source is None:
        return 1, values
    return levels[setting.source] or (2 if levels[setting.outcome] else 1), values


class _SubDag(NamedTuple):
    """Families relevant to an outcome, the DAGs with exactly these, and their draws."""

    families: tuple[Family, ...]
    dags: NDArray[np.int64]
    rows: NDArray[np.int64]


def _batches(
    groups: list[tuple[tuple[Family, ...], NDArray[np.int64]]],
    posteriors: FamilyPosteriors,
    draws: int,
) -> Iterator[list[_SubDag]]:
    """Divide groups of DAGs, and their draws, so that the parameters of a batch fit into memory."""
    batch: list[_SubDag] = []
    numbers = 0
    for sub_dag, dags in groups:
        rows = (dags[:, np.newaxis] * draws + np.arange(draws)).reshape(-1)
        cells = sum(posteriors.of(*family).numbers for family in sub_dag)
        step = max(1, _MOST_DRAWN // cells)
        for first in range(0, max(1, len(rows)), step):
            piece = rows[first : first + step]
            if batch and numbers + cells * len(piece) > _MOST_DRAWN:
                yield batch
                batch, numbers = [], 0
            batch.append(_SubDag(sub_dag, dags, piece))
            numbers += cells * (1 + len(piece))
    if batch:
        yield batch


class _Drawn:
    """The parameters of one family, drawn together and handed out to the DAGs in turn."""

    def __init__(self, mean: Parameters | None, drawn: Parameters) -> None:
        self._mean, self._drawn, self._used = mean, drawn, 0

    def take(self, count: int) -> Parameters:
        """Return the mean parameters, if they exist, followed by the next draws."""
        first, self._used = self._used, self._used + count
        own = slice(first, self._used)
        if self._mean is None:
            return self._drawn.take(own)
        return self._mean.followed_by(self._drawn, own)


def _drawn_by_family(
    batch: list[_SubDag], posteriors: FamilyPosteriors, random: list[np.random.Generator]
) -> dict[Family, _Drawn]:
    """Draw the parameters of each family once for all DAGs that have it."""
    counts: Counter[Family] = Counter()
    for sub_dag, _, rows in batch:
        for family in sub_dag:
            counts[family] += len(rows)
    found = {}
    for family, count in counts.items():
        posterior = posteriors.of(*family)
        mean = posterior.mean() if posteriors.law.has_means else None
        found[family] = _Drawn(mean, posterior.drawn(count, random[family[0]]))
    return found


def sub_dags(
    families: SampledFamilies, outcome: int, removed: set[int]
) -> list[tuple[tuple[Family, ...], NDArray[np.int64]]]:
    """Return the families relevant to the outcome, and the DAGs that have exactly these.

    Relevant are the families of the outcome and its ancestors after removal of the edges into
    variables intervened on. Their order depends only on the DAGs and on these variables.
    """
    distinct, which = families.distinct()
    number: dict[tuple[Family, ...], int] = {}
    of_distinct = np.empty(len(distinct), dtype=np.int64)
    for row, places in enumerate(distinct.tolist()):
        found: dict[int, tuple[int, ...]] = {}
        waiting = [outcome]
        while waiting:
            node = waiting.pop()
            if node not in found and node not in removed:
                found[node] = families.parents[node][places[node]]
                waiting.extend(found[node])
        of_distinct[row] = number.setdefault(tuple(sorted(found.items())), len(number))
    of_dag = of_distinct[which]
    grouped = np.argsort(of_dag, kind="stable")
    ends = np.cumsum(np.bincount(of_dag, minlength=len(number)))
    return list(zip(number, np.split(grouped, ends[:-1]), strict=True))


class _Network:
    """The part of a DAG above an outcome, with the edges into the source removed."""

    def __init__(
        self,
        posteriors: FamilyPosteriors,
        sub_dag: tuple[Family, ...],
        setting: Setting,
        shape: tuple[int, int],
    ) -> None:
        self.posteriors, self.shape = posteriors, shape
        self.outcome, self.source, self.fixed = setting
        self.sub_dag = sub_dag
        self.has_path = any(self.source in parents for _, parents in sub_dag)

    @property
    def asks_for_nothing(self) -> bool:
        """Whether the slope is 0, as the outcome does not depend on the source."""
        return self.source is not None and self.shape == (1, 1) and not self.has_path

    def expected(
        self, parameters: dict[Family, Parameters], random: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return the expectations [draw, setting, value], and the variances of the first draw."""
        tables = {f: each for f, each in parameters.items() if isinstance(each, TableParameters)}
        rest = [each for each in parameters.values() if isinstance(each, RegressionParameters)]
        if len(tables) + len(rest) == len(parameters):
            found = self._closed(tables, rest)
            if found is not None:
                return found, np.zeros(self.shape)
        return self._simulated(parameters, random)

    def _closed(
        self, tables: dict[Family, TableParameters], regressions: list[RegressionParameters]
    ) -> Array | None:
        """Return the expectations by elimination; None if there are too many configurations."""
        by_level = self.has_path and self._from_level
        levels, first = self.posteriors.levels, (self.source,) if by_level else ()
        deciding = {u for each in regressions for u in each.discrete} - {self.source}
        of_level = levels[self.outcome] > 0
        if of_level:
            deciding = {self.outcome}
        kept: Scope = (*first, *sorted(deciding))
        scopes = [_scope(family, self.fixed) for family in tables]
        order, largest = elimination_order(scopes, levels, kept)
        largest = max(largest, math.prod(levels[u] for u in kept))
        if largest > (MAX_CELLS if of_level else MOST_CELLS):
            if not of_level:
                return None
            raise CapacityError(
                f"P({self.posteriors.variables[self.outcome]} | do(...)) needs a table of {largest}"
                f" cells in one of the DAGs, but at most {MAX_CELLS} are allowed; merge levels or "
                "lower ",
                option("max_indegree"),
            )
        along: list[RegressionParameters] = []
        if regressions:
            by_node = {each.node: each for each in regressions}
            along = [by_node[node] for node in in_order(dict(self.sub_dag)) if node in by_node]
        count = next(iter([*tables.values(), *regressions])).count
        found = np.empty((count, *self.shape))
        step = max(1, _PIECE // largest)
        for start in range(0, count, step):
            piece = slice(start, start + step)
            factors = [
                (scope, _at(each.table[piece], family, self.fixed))
                for scope, (family, each) in zip(scopes, tables.items(), strict=True)
            ]
            weights = eliminate(factors, order, kept)
            if of_level:
                # Without a path from the source, its axis has length 1.
                found[piece] = weights if by_level else weights[:, np.newaxis]
                continue
            total = weights * self._along_the_dag(along, piece, kept)
            total = total.sum(axis=tuple(range(1 + by_level, 1 + len(kept))))
            found[piece] = total.reshape(len(total), -1, 1)
        return found

    @property
    def _from_level(self) -> bool:
        return self.source is not None and self.posteriors.is_discrete(self.source)

    def _along_the_dag(
        self, regressions: list[RegressionParameters], piece: slice, kept: Scope
    ) -> Array:
        """Return the mean or slope of the outcome in each configuration, as [draw, *kept]."""
        one = np.ones((1,) * (1 + len(kept)))
        # The slope with respect to a continuous source contains no intercept.
        slope = self.source is not None and not self._from_level
        means: dict[int, Array] = {} if self.source is None else {self.source: one}
        for each in regressions:

            def placed(table: Array, own: RegressionParameters = each) -> Array:
                return aligned(table.reshape(-1, *own.sizes), own.discrete, kept)

            total = 0.0 * one if slope else placed(each.absolute_intercepts[piece])
            for place, parent in enumerate(each.continuous):
                if parent in means:
                    total = total + placed(each.coefficients[piece, :, place]) * means[parent]
            means[each.node] = total
        return means[self.outcome]

    def _simulated(
        self, parameters: dict[Family, Parameters], random: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return the expectations by simulation, with common random numbers for all settings."""
        parents = dict(self.sub_dag)
        along = [(node, parameters[node, parents[node]]) for node in in_order(parents)]
        count, variance = along[0][1].count, np.zeros(self.shape)
        found = np.empty((count, *self.shape))
        step = max(1, _PIECE // (_FOR_DRAWS * (1 + len(along))))
        with_mean = self.posteriors.law.has_means
        pieces = [(slice(0, 1), _FOR_MEANS)] if with_mean else []
        pieces += [
            (slice(a, min(a + step, count)), _FOR_DRAWS) for a in range(with_mean, count, step)
        ]
        slope = self.source is not None and self.shape[0] == 1
        for piece, rows in pieces:
            some = [(node, each.take(piece)) for node, each in along]
            key = int(random.integers(2**63))
            settings = range(2 if slope else self.shape[0] if self.has_path else 1)
            each = np.stack([self._rows(some, value, rows, key) for value in settings], axis=2)
            if slope:
                each = each[:, :, [1]] - each[:, :, [0]]
            found[piece] = each.mean(axis=1)
            if piece.start == 0 and with_mean:
                variance[:] = each.var(axis=1)[0] / rows
        return found, variance

    def _rows(
        self, parameters: list[tuple[int, Parameters]], value: int, rows: int, key: int
    ) -> Array:
        """Return the expectation of the outcome in simulated rows, as [draw, row, value]."""
        random = np.random.default_rng(key)
        columns: dict[int, NDArray[Any]] = {
            node: np.full(rows, level) for node, level in self.fixed.items()
        }
        if self.source is not None:
            columns[self.source] = np.full(rows, value)
            if not self._from_level:
                observed = self.posteriors.columns(self.posteriors.data)[self.source]
                columns[self.source] = random.choice(observed, rows) + value
        for node, own in parameters:
            if node == self.outcome:
                return own.expected(columns, rows)
            columns[node] = own.sample(columns, rows, random)
        raise AssertionError


def _scope(family: Family, fixed: Mapping[int, int]) -> Scope:
    node, parents = family
    return tuple(member for member in (*parents, node) if member not in fixed)


def _at(table: Array, family: Family, fixed: Mapping[int, int]) -> Array:
    """Return the slice of a table [draw, parents..., node] at the levels intervened on."""
    node, parents = family
    return table[(slice(None), *(fixed.get(member, slice(None)) for member in (*parents, node)))]


@dataclass(frozen=True)
class Pair:
    """The source and the target of an effect."""

    source: str
    target: str
    # Their levels; empty for continuous variables.
    source_levels: tuple[object, ...]
    target_levels: tuple[object, ...]
    reference: Any = None  # the level of the source to compare the others with; None for the first

    @classmethod
    def of(cls, data: Data, levels: list[int], pair: tuple[int, int], reference: Any) -> Pair:
        """Return a pair of variables of a table; variables without levels are continuous."""
        source, target = (data.variables[node] for node in pair)
        known = [data.columns[v].kind.levels if levels[v] else () for v in pair]
        return cls(source, target, known[0], known[1], reference)


def pair_effect(families: SampledFamilies, pair: Pair, found: Intervened) -> AnyEffect:
    """Return the effect, its differences taken DAG by DAG and draw by draw.

    Between continuous variables it is per unit. Otherwise it is the expectation of the target in
    each setting of the source, and its differences: the probabilities of its levels, or its mean.
    The settings of a continuous source of a discrete target are its own values, and these plus one.
    """
    source, target, settings = pair.source, pair.target, pair.source_levels
    if not settings:
        refuse_reference(pair.reference)
        settings = ("as it is", "raised by one")
    means, draws, variances, path = found.means, found.draws, found.variances, found.path
    if not pair.source_levels and not pair.target_levels:
        (estimate,) = estimates(families, means[:, 0], draws[:, 0], path, variances[:, 0])
        return LinearEffect(source, target, estimate)
    base = reference_place(pair.reference, settings, source)
    # Without a path the effect is exactly 0, not a rounding or simulation error.
    differences = np.where(path[:, np.newaxis, np.newaxis], means - means[:, [base]], 0.0)
    drawn = draws - draws[:, [base]]
    # The errors of the two means are taken as independent.
    noise = variances + variances[:, [base]]
    places, everywhere = range(len(settings)), np.ones(len(families), dtype=np.bool_)
    at = [
        estimates(families, means[:, a], draws[:, a], everywhere, variances[:, a]) for a in places
    ]
    compared = [
        None
        if a == base
        else estimates(families, differences[:, a], drawn[:, a], path, noise[:, a])
        for a in places
    ]
    reference, probability = settings[base], float(np.minimum(families.shares @ path, 1.0))
    kind = LevelEffects if pair.target_levels else MeanEffects
    levels = settings, pair.target_levels
    return kind(source, target, *levels, reference, probability, at, compared)


def estimates(
    families: SampledFamilies,
    means: NDArray[np.float64],
    draws: NDArray[np.float32],
    path: NDArray[np.bool_],
    variances: NDArray[np.float64] | None = None,
) -> list[EffectEstimate]:
    """Return an estimate for each level of the target."""
    errors = weighted_standard_error(means, families.shares, families.chains)
    if variances is not None and variances.any():
        errors = np.sqrt(np.square(np.nan_to_num(errors)) + np.square(families.shares) @ variances)
    single = len(families) == 1 and (variances is None or not variances.any())
    probability = float(np.minimum(families.shares @ path, 1.0))
    each = len(draws) // len(families)
    weights = np.repeat(np.where(path, families.shares, 0.0), each)
    kept = weights > 0
    weights = weights[kept] / max(weights.sum(), np.finfo(np.float64).tiny)
    averages = families.shares @ means
    return [
        EffectEstimate(
            float(averages[level]) if probability > 0 else 0.0,
            math.nan if single else float(errors[level]),
            probability,
            draws[kept, level].astype(np.float64),
            weights,
        )
        for level in range(means.shape[1])
    ]


def refuse_reference(reference: Any) -> None:
    """Refuse a reference level if the source has no levels."""
    if reference is not None:
        raise ArgumentError(
            option("reference"),
            " is for a discrete source, but the effect is per unit; leave it out",
        )


def reference_place(level: Any, levels: tuple[object, ...], name: str) -> int:
    """Return the place of the reference level; None means the first."""
    if level is None:
        return 0
    known = [(level_type(each), each) for each in levels]
    wanted = as_level(level)
    if (level_type(wanted), wanted) not in known:
        raise ArgumentError(
            option("reference"), f" is {shown(level)}; the levels of {name!r} are {quoted(levels)}"
        )
    return known.index((level_type(wanted), wanted))
