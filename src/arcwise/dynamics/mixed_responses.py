"""Impulse responses of mixed networks, by simulated trajectories with the same random numbers.

A discrete variable is set to each of its levels; a continuous one is raised by one above what it
would have been. What is averaged is the expectation of the target given its parents, which varies
less than its own values do.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.slices import Slices
from arcwise.dynamics.level_responses import (
    one_step_later,
    refuse_missing_lags,
    relevant_nodes,
)
from arcwise.dynamics.linear_responses import Impulse
from arcwise.networks._random import Purpose, generator
from arcwise.parameters.conditional_regressions import (
    DrawnRegressions,
    MixedPosterior,
    configuration_numbers,
)
from arcwise.parameters.dirichlet import drawn_tables
from arcwise.parameters.sampled import SampledFamilies

Array = NDArray[np.float64]

_TRAJECTORIES = 500
# Draws whose trajectories are followed at one time.
_TOGETHER = 200


def mixed_responses(
    families: SampledFamilies,
    data: Data,
    posterior: MixedPosterior,
    slices: Slices,
    impulse: Impulse,
    target: str,
    draws: int,
    seed: int,
) -> Array:
    """Return drawn expectations of the target.

    Parameters
    ----------
    families, data, slices, impulse, target, draws, seed
        See `linear_responses`.
    posterior
        The posterior of tables and regressions.

    Returns
    -------
    numpy.ndarray
        As [DAG and draw, step, setting, value]. Settings are the levels of a discrete source, and
        as it is and raised by one of a continuous one; values are the probabilities of the levels
        of a discrete target, and the mean of a continuous one.
    """
    refuse_missing_lags(slices)
    source = slices.position(impulse.source, None if impulse.source in slices.static else 0)
    outcome = slices.position(target, 0)
    assert source is not None
    assert outcome is not None
    settings = posterior.levels[source] or 2
    found = np.empty(
        (len(families) * draws, impulse.steps + 1, settings, posterior.levels[outcome] or 1)
    )
    random = generator(seed, Purpose.DRAWN_TABLES)
    rows = _Rows(data, slices)
    distinct, which = families.distinct()
    for number, places in enumerate(distinct.tolist()):
        chosen = {node: families.parents[node][place] for node, place in enumerate(places)}
        nodes = relevant_nodes(chosen, slices, outcome, source)
        own = np.flatnonzero(which == number)
        every = (own[:, np.newaxis] * draws + np.arange(draws)).reshape(-1)
        for first in range(0, len(every), _TOGETHER):
            piece = every[first : first + _TOGETHER]
            moving = _Trajectories(
                posterior, slices, {v: chosen[v] for v in nodes}, len(piece), rows, random
            )
            for setting in range(settings):
                found[piece, :, setting] = moving.followed(source, setting, outcome, impulse)
    return found


class _Rows:
    """The rows of the data, with the values of a variable counted from one origin at all lags."""

    def __init__(self, data: Data, slices: Slices) -> None:
        self.codes = data.codes().astype(np.int64)
        values = data.values()
        means = values.mean(axis=0)
        self.origin = np.zeros(len(slices.places))
        for place, of in enumerate(slices.places):
            now = slices.position(of.variable, 0)
            self.origin[place] = means[place if now is None else now]
        self.values = values - self.origin
        weights = np.ones(data.rows) if data.weights is None else data.weights
        self.shares = weights / weights.sum()


class _Trajectories:
    """Trajectories of some draws of the parameters of one DAG, all from the same histories."""

    def __init__(
        self,
        posterior: MixedPosterior,
        slices: Slices,
        parents: Mapping[int, tuple[int, ...]],
        count: int,
        rows: _Rows,
        random: np.random.Generator,
    ) -> None:
        self.posterior, self.slices, self.parents, self.count = posterior, slices, parents, count
        chosen = random.choice(len(rows.codes), _TRAJECTORIES, p=rows.shares)
        self.codes, self.values = rows.codes[chosen].T, rows.values[chosen].T
        self.tables: dict[int, Array] = {}
        self.regressions: dict[int, DrawnRegressions] = {}
        for node, members in parents.items():
            if posterior.is_discrete(node):
                table = drawn_tables(posterior.tables.dirichlet(node, members), count, random)
                self.tables[node] = table.reshape(count, -1, posterior.levels[node])
            else:
                regressions = posterior.regressions(node, members)
                self.regressions[node] = regressions.drawn(count, random, rows.origin)
        self._noise_key = int(random.integers(2**63))
        self._later = [one_step_later(slices, column) for column in range(len(slices.places))]

    def followed(self, source: int, setting: int, outcome: int, impulse: Impulse) -> Array:
        """Return the expectation of the outcome, as [draw, step, value]."""
        random = np.random.default_rng(self._noise_key)  # the same for all settings
        shape = len(self.slices.places), self.count, _TRAJECTORIES
        codes = np.broadcast_to(self.codes[:, np.newaxis], shape).copy()
        values = np.broadcast_to(self.values[:, np.newaxis], shape).copy()
        discrete = self.posterior.is_discrete(source)
        if self.slices.places[source].lag is None:
            codes[source] = setting if discrete else codes[source]
            values[source] += 0.0 if discrete else float(setting)
        result = np.empty((self.count, impulse.steps + 1, self.posterior.levels[outcome] or 1))
        for step in range(impulse.steps + 1):
            for node, parents in self.parents.items():
                expected = self._step(node, parents, codes, values, random)
                if node == source and (step == 0 or impulse.hold):
                    if discrete:
                        codes[node] = setting
                        expected = np.zeros_like(expected)
                        expected[..., setting] = 1.0
                    else:
                        values[node] += float(setting)
                        expected = expected + float(setting)
                if node == outcome:
                    result[:, step] = expected.mean(axis=1)
            codes, values = codes[self._later], values[self._later]
        return result

    def _step(
        self,
        node: int,
        parents: tuple[int, ...],
        codes: NDArray[np.int64],
        values: Array,
        random: np.random.Generator,
    ) -> Array:
        """Draw the node in place, and return what is expected, as [draw, trajectory, value]."""
        above = tuple(u for u in parents if self.posterior.is_discrete(u))
        sizes = tuple(self.posterior.levels[u] for u in above)
        which = configuration_numbers(np.moveaxis(codes, 0, -1), above, sizes)
        every = np.arange(self.count)[:, np.newaxis]
        if node in self.tables:
            given = self.tables[node][every, which]
            uniform = random.random(which.shape)
            codes[node] = (uniform[..., np.newaxis] >= given.cumsum(axis=-1)[..., :-1]).sum(axis=-1)
            return given
        drawn = self.regressions[node]
        mean = drawn.intercepts[every, which].copy()
        for place, parent in enumerate(u for u in parents if u not in above):
            mean += drawn.coefficients[every, which, place] * values[parent]
        noise = random.standard_normal(which.shape)
        values[node] = mean + drawn.deviations[every, which] * noise
        return mean[..., np.newaxis]
