"""`Effects`: total causal effects between all pairs of continuous variables.

The total effect of x on y is the sum over directed paths of the products of their
coefficients, (I - B)^-1 - I. A path visits a node at most once, so the effect is linear
in the coefficients of each node, and those of different nodes are independent given the
DAG: its posterior mean is exactly the effect at the mean coefficients.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.laws import FamilyPosterior, FamilyPosteriors
from arcwise.laws.regressions import RegressionPosterior
from arcwise.parameters.effect import EffectEstimate
from arcwise.parameters.sampled import SampledFamilies
from arcwise.parameters.summaries import (
    LEVEL,
    Tabular,
    checked_probabilities,
    stacked,
    weighted_quantiles,
)
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.checks import refuse_beyond_memory
from arcwise.support.names import as_list, positions, shown
from arcwise.support.random import Purpose, generator

Array = NDArray[np.float64]

# The number of matrix entries held at one time.
_PIECE = 1 << 19

MAX_KEPT = 1 << 26
"""The largest number of single-precision values kept for quantiles, 256 MiB."""

_SHOWN = 3


@dataclass(frozen=True, eq=False)
class EffectPiece:
    """The effects, as [DAG, target, source], of some of the DAGs.

    `means` are conditional on the DAG; `draws` holds all draws of the first DAG, then those of the
    next.
    """

    dags: slice
    means: Array
    draws: Array


class NodeRegressions:
    """The regressions of one node on all of its sampled parent sets, padded to one width."""

    def __init__(self, posteriors: Sequence[FamilyPosterior], width: int) -> None:
        count = len(posteriors)
        self.parents = np.zeros((count, width), dtype=np.intp)
        self.means, self.roots = np.zeros((count, width)), np.zeros((count, width, width))
        self.shapes, self.residuals = np.empty(count), np.empty(count)
        self.sizes = np.empty(count, dtype=np.int64)
        for place, each in enumerate(posteriors):
            assert isinstance(each, RegressionPosterior)
            size = len(each.parents)
            self.sizes[place], self.parents[place, :size] = size, each.parents
            self.means[place, :size] = each.coefficients[0]
            self.roots[place, :size, :size] = each.inverse_roots[0]
            self.shapes[place], self.residuals[place] = each.degrees[0] / 2, each.residuals[0]

    def drawn(self, places: NDArray[np.int32], gammas: Array, normals: Array) -> Array:
        """Return coefficients of some parent sets, drawn by standard variates."""
        deviations = np.sqrt(0.5 * self.residuals[places] / gammas)
        spread = np.einsum("rji,rj->ri", self.roots[places], normals)
        return np.asarray(self.means[places] + deviations[:, np.newaxis] * spread)


def effect_pieces(
    families: SampledFamilies, posteriors: FamilyPosteriors, draws: int, seed: int
) -> Iterator[EffectPiece]:
    """Yield the effects of all DAGs, piece by piece.

    Each node has its own stream of random numbers, so that draws do not depend on how the
    DAGs are divided into pieces.
    """
    n, width = len(families.parents), families.most_parents()
    regressions = [
        NodeRegressions(posteriors.every(node, parents), width)
        for node, parents in enumerate(families.parents)
    ]
    gammas = [generator(seed, Purpose.DRAWN_PRECISIONS, node) for node in range(n)]
    normals = [generator(seed, Purpose.DRAWN_COEFFICIENTS, node) for node in range(n)]
    step = max(1, _PIECE // (n * n * (draws + 1)))
    for first in range(0, len(families), step):
        places = families.places[first : first + step]
        count = len(places)
        parents = np.empty((count, n, width), dtype=np.intp)
        means = np.empty((count, n, width))
        drawn = np.empty((count * draws, n, width))
        for node, of_node in enumerate(regressions):
            own = places[:, node]
            parents[:, node] = of_node.parents[own]
            means[:, node] = of_node.means[own]
            repeated = np.repeat(own, draws)
            gamma = gammas[node].standard_gamma(of_node.shapes[repeated])
            normal = normals[node].standard_normal((len(repeated), width))
            drawn[:, node] = of_node.drawn(repeated, gamma, normal)
        sizes = np.stack([r.sizes[places[:, v]] for v, r in enumerate(regressions)], axis=1)
        order = topological_orders(parents, sizes)
        yield EffectPiece(
            slice(first, first + count),
            total_effects(parents, means, order),
            total_effects(
                np.repeat(parents, draws, axis=0), drawn, np.repeat(order, draws, axis=0)
            ),
        )


def topological_orders(parents: NDArray[np.intp], sizes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return a topological order of each DAG."""
    count, n, width = parents.shape
    edges = np.zeros((count, n, n), dtype=np.int8)  # [DAG, source, target]
    for place in range(width):
        dag, node = np.nonzero(sizes > place)
        edges[dag, parents[dag, node, place], node] = 1
    waiting = sizes.astype(np.int64)
    every = np.arange(count)
    order = np.empty((count, n), dtype=np.intp)
    for position in range(n):
        chosen = np.argmax(waiting == 0, axis=1)
        order[:, position] = chosen
        waiting -= edges[every, chosen]
        waiting[every, chosen] = -1
    return order


def total_effects(parents: NDArray[np.intp], coefficients: Array, order: NDArray[np.intp]) -> Array:
    """Return the total effects, as [DAG, target, source]; exactly 0 where there is no path."""
    count, n, _ = parents.shape
    every = np.arange(count)
    effects = np.zeros((count, n, n))
    for position in range(n):
        node = order[:, position]
        above = effects[every[:, np.newaxis], parents[every, node]]
        effects[every, node] = np.einsum("dp,dps->ds", coefficients[every, node], above)
        effects[every, node, node] = 1.0
    effects[:, np.arange(n), np.arange(n)] = 0.0
    return effects


class EffectDraws(NamedTuple):
    """Posterior draws of one effect and their weights, which sum to 1."""

    values: NDArray[np.float32]
    weights: Array


@dataclass(frozen=True, eq=False, repr=False)
class Effects(Tabular):
    """The posterior of the total causal effect of each variable on each other.

    The effect of x on y is the change in the mean of y under an intervention that raises
    x by one unit; it is exactly 0 in a DAG without a directed path from x to y. Returned
    by `effects`.

    Parameters
    ----------
    variables
        The names, in the order of every matrix.
    mean
        The posterior means, as [source, target].
    standard_deviations
        The posterior standard deviations.
    probabilities
        The probability of a directed path from source to target, that is, of a nonzero
        effect.
    families
        The families of the DAGs, with their weights and chains.
    kept
        The pairs whose draws are kept, as positions.
    drawn, means
        The draws, and the means given each DAG, of the kept pairs, as [pair, DAG].
    labels
        The names of transformed variables on the scale of the model, such as logarithms.

    Examples
    --------
    >>> import arcwise
    >>> dag = arcwise.Dag(["x", "y"], {"y": ["x"]})
    >>> data = arcwise.networks.GaussianNetwork(dag, [[0, 2], [0, 0]]).sample(1000, seed=1)
    >>> effects = arcwise.effects(dag, model=arcwise.Model(data), draws=100)
    >>> effects
    <Effects: 2 variables, 1 DAG, 100 draws each; largest: x -> y 1.95>
    >>> effects.quantiles("x", "y", [0.025, 0.975]).round(1)
    array([1.9, 2. ])
    """

    variables: tuple[str, ...]
    mean: Array
    standard_deviations: Array
    probabilities: Array
    families: SampledFamilies
    kept: Sequence[tuple[int, int]]
    drawn: NDArray[np.float32]
    means: NDArray[np.float32]
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs (source, target) whose draws are kept."""
        return tuple((self.variables[u], self.variables[v]) for u, v in self.kept)

    @cached_property
    def _row(self) -> dict[tuple[int, int], int]:
        return {pair: row for row, pair in enumerate(self.kept)}

    @property
    def draws(self) -> int:
        """The number of parameter draws for each DAG."""
        return int(self.drawn.shape[1]) // len(self.families)

    def __repr__(self) -> str:
        """Show the counts and the largest mean effects."""
        order = np.argsort(-np.abs(self.mean), axis=None, kind="stable")[:_SHOWN]
        largest = [
            f"{self._label(self.variables[u])} -> {self._label(self.variables[v])} "
            f"{self.mean[u, v]:.3g}"
            for u, v in (divmod(int(place), len(self.variables)) for place in order)
            if self.mean[u, v] != 0
        ]
        count = len(self.families)
        return (
            f"<Effects: {len(self.variables)} variables, {count} DAG{'s' * (count != 1)}, "
            f"{self.draws} draw{'s' * (self.draws != 1)} each; "
            f"largest: {', '.join(largest) or 'none'}>"
        )

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """Return the mean effect of a pair (source, target)."""
        u, v = positions(pair, self.variables, "the effect")
        return float(self.mean[u, v])

    def between(self, source: str, target: str) -> EffectDraws:
        """Return the draws of one effect and their weights.

        All draws of the first DAG come first, then those of the next.
        """
        weights = np.repeat(self.families.shares / self.draws, self.draws)
        return EffectDraws(self.drawn[self._kept_row(source, target)], weights)

    def quantiles(
        self, source: str, target: str, probabilities: float | Sequence[float] = (0.025, 0.5, 0.975)
    ) -> Array:
        """Return posterior quantiles of one effect."""
        values, weights = self.between(source, target)
        return weighted_quantiles(values, weights, checked_probabilities(probabilities))

    @cached_property
    def standard_errors(self) -> Array:
        """The Monte Carlo standard error of each mean, as [source, target].

        It reflects the sampling of DAGs only, with their weights and the autocorrelation
        within chains: given a DAG, the mean over parameters is exact. NaN for pairs whose
        draws are not kept.
        """
        result = np.full(self.mean.shape, np.nan)
        np.fill_diagonal(result, 0.0)
        if self.kept:
            sources, targets = np.array(self.kept).T
            families = self.families
            result[sources, targets] = weighted_standard_error(
                self.means.T, families.shares, families.chains
            )
        return result

    def estimate(self, source: str, target: str) -> EffectEstimate:
        """Return the posterior of one effect, whose draws must be kept."""
        values, weights = self.between(source, target)
        u, v = positions([source, target], self.variables, "the effect")
        kept = (values != 0) & (weights > 0)
        weights = weights[kept]
        return EffectEstimate(
            float(self.mean[u, v]),
            float(self.standard_errors[u, v]),
            float(self.probabilities[u, v]),
            values[kept].astype(np.float64),
            weights / weights.sum() if len(weights) else weights,
        )

    def table(self, level: float = LEVEL) -> Any:
        """Return a data frame (polars) with a row for each kept pair, the largest means first.

        Its columns are those of `LinearEffect.table`.

        Parameters
        ----------
        level
            The probability of the highest-density intervals, given that there is an effect.
        """
        return super().table(level)

    def _columns(self, level: float) -> dict[str, list[Any]]:
        rows = [
            {"source": self._label(source), "target": self._label(target)}
            | self.estimate(source, target).row(level)
            for source, target in self.pairs
        ]
        return stacked(sorted(rows, key=lambda row: -abs(row["mean"])))

    def _label(self, name: str) -> str:
        return self.labels.get(name, name)

    def _kept_row(self, source: str, target: str) -> int:
        u, v = positions([source, target], self.variables, "the effect")
        if (u, v) not in self._row:
            reason = (
                f"{source!r} has no effect on itself; give two different variables"
                if u == v
                else f"the draws of the effect of {source!r} on {target!r} were not kept; give "
                "effects the argument pairs=[(source, target), ...]"
            )
            raise ArgumentError(reason)
        return self._row[u, v]


def effect_matrix(
    families: SampledFamilies,
    posteriors: FamilyPosteriors,
    each: int,
    seed: int,
    pairs: Iterable[tuple[str, str]] | None,
) -> Effects:
    """Return the posterior of the effects of all pairs.

    For each DAG, coefficients and variances are drawn from their posterior under the
    normal-Wishart prior, and total effects are computed from them. Means are
    exact given a DAG; standard deviations and intervals are estimated from the draws.
    """
    variables = posteriors.variables
    # The coefficients and effects of all draws of one DAG are in memory together.
    refuse_beyond_memory(each, "draws", 3 * 8 * len(variables) ** 2)
    n, count = len(variables), len(families)
    kept = _kept_pairs(pairs, variables, count * (each + 1))
    sources = np.array([u for u, _ in kept], dtype=np.intp)
    targets = np.array([v for _, v in kept], dtype=np.intp)
    kept_draws = np.empty((len(kept), count * each), dtype=np.float32)
    kept_means = np.empty((len(kept), count), dtype=np.float32)
    mean, probability = np.zeros((n, n)), np.zeros((n, n))
    centre, squares, weight = np.zeros((n, n)), np.zeros((n, n)), 0.0
    for piece in effect_pieces(families, posteriors, each, seed):
        shares = families.shares[piece.dags]
        per_draw = np.repeat(shares / each, each)
        first = piece.dags.start * each
        kept_means[:, piece.dags] = piece.means[:, targets, sources].T
        kept_draws[:, first : first + len(per_draw)] = piece.draws[:, targets, sources].T
        mean += _weighted_sum(shares, piece.means)
        probability += _weighted_sum(shares, (piece.draws[::each] != 0).astype(np.float64))
        # Means and squared deviations are merged piece by piece: raw sums of squares would
        # cancel for an effect that hardly varies.
        own = float(shares.sum())
        if own > 0:
            of_piece = _weighted_sum(per_draw, piece.draws) / own
            deviations = piece.draws - of_piece.T
            step = of_piece - centre
            total = weight + own
            squares += _weighted_sum(per_draw, np.square(deviations, out=deviations))
            squares += step**2 * (weight * own / total)
            centre += step * (own / total)
            weight = total
    return Effects(
        variables,
        mean,
        np.sqrt(squares),
        np.minimum(probability, 1.0),
        families,
        kept,
        kept_draws,
        kept_means,
    )


def _weighted_sum(weights: Array, matrices: Array) -> Array:
    """Return the sum of weighted matrices [target, source] as [source, target]."""
    total: Array = (weights @ matrices.reshape(len(matrices), -1)).reshape(matrices.shape[1:])
    return total.T


def _kept_pairs(
    pairs: Iterable[tuple[str, str]] | None, variables: Sequence[str], numbers: int
) -> list[tuple[int, int]]:
    """Return the positions of the pairs to keep, each with `numbers` values."""
    n = len(variables)
    if pairs is None:
        if n * (n - 1) * numbers > MAX_KEPT:
            return []
        return [(u, v) for u in range(n) for v in range(n) if u != v]
    found: dict[tuple[int, int], None] = {}
    for pair in as_list(pairs, "pairs", "pairs (source, target) of names"):
        names = [] if isinstance(pair, str) else _names(pair)
        if (
            len(names) != 2
            or not all(isinstance(name, str) for name in names)
            or (names[0] == names[1])
        ):
            raise ArgumentError(
                f"pairs holds {shown(pair)}; give pairs (source, target) of two different names"
            )
        u, v = positions(names, variables, "pairs")
        found[u, v] = None
    if len(found) * numbers > MAX_KEPT:
        raise ArgumentError(
            f"pairs has {len(found)} pairs with {numbers} numbers each; give at most "
            f"{MAX_KEPT // numbers} pairs, or fewer draws"
        )
    return list(found)


def _names(pair: Any) -> list[Any]:
    try:
        return list(pair)
    except TypeError:  # zero-dimensional arrays look like collections
        return []
