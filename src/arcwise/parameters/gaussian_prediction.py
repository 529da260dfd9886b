"""The predictive distribution of a target given the known values of a row, for Gaussian data.

Given a DAG, coefficients and variances, all variables are jointly normal, x = T (c + noise) with
T = (I - B)^-1, and the target given known values K is normal again, with a mean linear in them.
Over the posterior of DAGs and parameters it is a mixture of such normals: parameters are drawn
from their posterior, and each draw is weighted by the density of the row's known values, since
p(y | K, data) is the ratio of the averages of p(y, K | draw) and p(K | draw).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.laws.normal_wishart import NodePosterior
from arcwise.parameters.gaussian_conditioning import integrated
from arcwise.parameters.linear_effects import ParameterPiece, parameter_pieces, total_effects
from arcwise.parameters.mixtures import Mixtures
from arcwise.parameters.partial_rows import PartialRows
from arcwise.parameters.sampled import SampledFamilies
from arcwise.support.random import Purpose, generator

Array = NDArray[np.float64]

# Numbers held at one time.
_PIECE = 1 << 22
_MOST_KEPT = 1 << 25
# Of a correlation matrix that rounding has made singular.
_JITTER = 1e-12


class DrawnNetworks:
    """Drawn parameters of all DAGs, kept for several targets and rows if they are not too many.

    Parameters
    ----------
    families, nodes
        The DAGs, and the posteriors of their regressions.
    draws, seed
        The number of parameter draws for each DAG, and their seed.
    """

    def __init__(
        self, families: SampledFamilies, nodes: Sequence[NodePosterior], draws: int, seed: int
    ) -> None:
        self._families, self._nodes, self._draws, self._seed = families, nodes, draws, seed
        self.count = len(families) * draws
        with np.errstate(divide="ignore"):
            self.log_shares = np.repeat(np.log(families.shares / draws), draws)
        self._kept: list[tuple[slice, _Networks]] | None = None

    def pieces(self) -> Iterable[tuple[slice, _Networks]]:
        """Return the networks, and which of the draws they are."""
        if self._kept is None and self.count * len(self._nodes) ** 2 <= _PIECE:
            self._kept = list(self._made())
        return self._made() if self._kept is None else self._kept

    def _made(self) -> Iterator[tuple[slice, _Networks]]:
        centres = np.stack([node.mean for node in self._nodes])  # each node has its own
        strengths = np.array([node.strength for node in self._nodes])
        random = generator(self._seed, Purpose.DRAWN_INTERCEPTS)
        for piece in parameter_pieces(self._families, self._nodes, self._draws, self._seed):
            first = piece.dags.start * self._draws
            own = slice(first, first + len(piece.coefficients))
            yield own, _Networks(piece, self._draws, centres, strengths, random)


def gaussian_mixtures(
    drawn: DrawnNetworks, rows: PartialRows, target: int
) -> Iterator[tuple[slice, Mixtures]]:
    """Yield the predictive mixtures of some rows at a time.

    Parameters
    ----------
    drawn
        The drawn parameters of all DAGs.
    rows
        The rows; what they say of the target does not count.
    target
        The variable to predict.
    """
    step = max(1, _MOST_KEPT // drawn.count)
    known = rows.without(target)
    for first in range(0, len(rows), step):
        piece = slice(first, first + step)
        yield piece, _mixtures(drawn, known.take(piece), target)


def _mixtures(drawn: DrawnNetworks, rows: PartialRows, target: int) -> Mixtures:
    shape = drawn.count, len(rows)
    means, variances, logs = np.empty(shape), np.empty(shape), np.empty(shape)
    patterns = list(rows.patterns())
    for own, network in drawn.pieces():
        for known, intervened, chosen in patterns:
            found = network.conditioned(known, intervened, target, rows.values[chosen])
            means[own, chosen], variances[own, chosen], logs[own, chosen] = found
    logs += drawn.log_shares[:, np.newaxis]
    logs -= logs.max(axis=0)
    weights = np.exp(logs, out=logs)
    return Mixtures(means, np.sqrt(variances), weights / weights.sum(axis=0))


class _Networks:
    """Linear networks with drawn parameters, whose target is conditioned on known values.

    If most values are known, the others are integrated out by least squares; otherwise the
    target is conditioned on the known ones by their covariances.
    """

    def __init__(
        self,
        piece: ParameterPiece,
        draws: int,
        centres: Array,
        strengths: Array,
        random: np.random.Generator,
    ) -> None:
        self.coefficients, self.deviations = piece.coefficients, piece.deviations
        self.parents = np.repeat(piece.parents, draws, axis=0)
        self.order = np.repeat(piece.order, draws, axis=0)
        count, n = self.deviations.shape
        # The mean of a node at the posterior means of its parents, and from it the intercept.
        normals = random.standard_normal((count, n))
        away = self.deviations / np.sqrt(strengths) * normals
        of_parents = centres[np.arange(n)[:, np.newaxis], self.parents]
        self.origin = np.diagonal(centres)
        self.intercepts = self.origin + away - (self.coefficients * of_parents).sum(axis=-1)
        # The same with values counted from the origin, and the noise as a function of all values,
        # both divided by the deviations of the noise.
        near = of_parents - self.origin[self.parents]
        self.shifts = (away - (self.coefficients * near).sum(axis=-1)) / self.deviations
        self.noise = np.repeat(np.eye(n)[np.newaxis], count, axis=0)
        every, nodes = np.arange(count)[:, np.newaxis], np.arange(n)
        for place in range(self.parents.shape[2]):
            self.noise[every, nodes, self.parents[:, :, place]] -= self.coefficients[:, :, place]
        self.noise /= self.deviations[:, :, np.newaxis]
        self._paths: tuple[bytes, Array] | None = None

    def conditioned(
        self,
        known: NDArray[np.bool_],
        intervened: NDArray[np.bool_],
        target: int,
        values: Array,
    ) -> tuple[Array, Array, Array]:
        """Return mean and variance of the target given known values, and their log density.

        Parameters
        ----------
        known, intervened
            Which values are known, and which were set, in all of the rows.
        target
            The target.
        values
            The rows, as [row, variable].

        Returns
        -------
        tuple of numpy.ndarray
            Each as [draw, row].
        """
        given = np.flatnonzero(known)
        if len(known) - len(given) <= len(given):
            return self._by_least_squares(known, intervened, target, values)
        paths, constant, deviations = self._total_effects(intervened)
        return _conditioned(
            np.einsum("dts,ds->dt", paths, constant),
            paths * deviations[:, np.newaxis],
            given,
            target,
            values[:, given],
        )

    def _by_least_squares(
        self,
        known: NDArray[np.bool_],
        intervened: NDArray[np.bool_],
        target: int,
        values: Array,
    ) -> tuple[Array, Array, Array]:
        unknown = [v for v in np.flatnonzero(~known).tolist() if v != target] + [target]
        counted = slice(None) if not intervened.any() else np.flatnonzero(~intervened)
        noise, shifts = self.noise[:, counted], self.shifts[:, counted]
        away = np.where(known, values - self.origin, 0.0)
        means = np.empty((len(noise), len(values)))
        logs = np.empty(means.shape)
        slopes = noise[:, :, unknown]
        step = max(1, _PIECE // noise[..., 0].size)
        spread = np.log(self.deviations[:, counted]).sum(axis=1)[:, np.newaxis]
        for first in range(0, len(values), step):
            own = slice(first, first + step)
            rest = noise @ away[own].T - shifts[:, :, np.newaxis]
            found, deviation, density = integrated(slopes, rest)
            means[:, own], logs[:, own] = found, density - spread
        means += self.origin[target]
        variances = np.square(deviation)[:, np.newaxis]
        return means, np.broadcast_to(variances, means.shape), logs

    def _total_effects(self, intervened: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
        """Return the effects along all paths, intercepts and deviations under interventions."""
        coefficients, deviations, constant = self.coefficients, self.deviations, self.intercepts
        if intervened.any():
            coefficients = np.where(intervened[:, np.newaxis], 0.0, coefficients)
            deviations = np.where(intervened, 1.0, deviations)
            constant = np.where(intervened, 0.0, constant)
        key = intervened.tobytes()
        if self._paths is None or self._paths[0] != key:
            paths = total_effects(self.parents, coefficients, self.order)
            every = np.arange(len(intervened))
            paths[:, every, every] = 1.0
            self._paths = key, paths
        return self._paths[1], constant, deviations


def _conditioned(
    centre: Array, root: Array, known: NDArray[np.int64], target: int, values: Array
) -> tuple[Array, Array, Array]:
    """Return mean and variance of the target given known values, and their log density.

    Parameters
    ----------
    centre
        The means, as [draw, variable].
    root
        A root of each covariance matrix, R with R R' = covariance, as [draw, variable, noise].
    known
        The known variables.
    target
        The target.
    values
        The known values, as [row, known variable].

    Returns
    -------
    tuple of numpy.ndarray
        Each as [draw, row].
    """
    of_known, of_target = root[:, known], root[:, target]
    scale = np.sqrt(np.square(of_known).sum(axis=-1))
    of_known = of_known / scale[:, :, np.newaxis]
    correlations = of_known @ of_known.transpose(0, 2, 1)
    try:
        triangles = np.linalg.cholesky(correlations)
    except np.linalg.LinAlgError:
        triangles = np.linalg.cholesky(correlations + _JITTER * np.eye(len(known)))
    inverses = np.asarray(np.linalg.inv(triangles))
    covered = np.einsum("dij,dj->di", inverses, np.einsum("dks,ds->dk", of_known, of_target))
    variance = np.square(of_target).sum(axis=-1) - np.square(covered).sum(axis=-1)
    # Rounding: the target always has noise of its own.
    variance = np.maximum(variance, np.finfo(np.float64).eps * np.square(of_target).sum(axis=-1))
    half_log = np.log(np.einsum("dii->di", triangles)).sum(axis=-1) + np.log(scale).sum(axis=-1)
    draws, rows = len(centre), len(values)
    means, logs = np.empty((draws, rows)), np.empty((draws, rows))
    step = max(1, _PIECE // max(1, len(known) * rows))
    for first in range(0, draws, step):
        own = slice(first, first + step)
        away = (values.T - centre[own][:, known, np.newaxis]) / scale[own][:, :, np.newaxis]
        standard = inverses[own] @ away
        means[own] = centre[own, target, np.newaxis]
        means[own] += np.einsum("dk,dkr->dr", covered[own], standard)
        logs[own] = -0.5 * np.square(standard).sum(axis=1) - half_log[own, np.newaxis]
    return means, np.broadcast_to(variance[:, np.newaxis], means.shape), logs
