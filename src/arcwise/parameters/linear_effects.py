"""Linear models of DAGs: total effects along paths, at mean and at drawn coefficients.

The total effect of x on y is the sum over directed paths of the products of their
coefficients, (I - B)^-1 - I. A path visits a node at most once, so the effect is linear
in the coefficients of each node, and those of different nodes are independent given the
DAG: its posterior mean is exactly the effect at the mean coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.laws import FamilyPosterior, FamilyPosteriors
from arcwise.laws.regressions import RegressionPosterior
from arcwise.parameters.sampled import SampledFamilies
from arcwise.support.random import Purpose, generator

Array = NDArray[np.float64]

# Numbers in the effect matrices held at one time.
_PIECE = 1 << 19


@dataclass(frozen=True, eq=False)
class EffectPiece:
    """The effects, as [DAG, target, source], of some of the DAGs.

    `means` are conditional on the DAG; `draws` holds all draws of the first DAG, then of
    the next.
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
        """Return coefficients from standard variates, by place."""
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
    """Return a topological order of each DAG.

    Parameters
    ----------
    parents
        As [DAG, node, place], of which the first `sizes` places count.
    sizes
        The number of parents, as [DAG, node].
    """
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
    """Return the total effects, as [DAG, target, source]; exactly 0 where there is no path.

    Parameters
    ----------
    parents, coefficients
        As [DAG, node, place]; unused places have the coefficient 0.
    order
        A topological order of each DAG.
    """
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
