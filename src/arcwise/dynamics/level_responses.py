"""Impulse responses of discrete networks: distributions k steps after a variable was set.

Given a DAG and its tables, the joint distribution of the last slices is carried on from step to
step, exactly if it is small enough, and otherwise by simulated trajectories. It begins with the
histories that the rows of the data have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.slices import Slices
from arcwise.dynamics.linear_responses import Impulse
from arcwise.errors import ArgumentError
from arcwise.networks._random import Purpose, generator
from arcwise.parameters.dirichlet import Tables, drawn_tables
from arcwise.parameters.elimination import eliminate, elimination_order
from arcwise.parameters.sampled import SampledFamilies

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

MOST_CELLS = 1 << 12
"""Of the joint distribution that is carried on exactly."""

_TRAJECTORIES = 1000


@dataclass(frozen=True, eq=False)
class Transition:
    """The part of a transition network that bears on a target, with drawn tables.

    Parameters
    ----------
    nodes
        The columns of the present slice that matter, in topological order.
    parents
        The parents of each, as columns.
    tables
        P(node | parents) as [draw, parents..., node].
    """

    nodes: tuple[int, ...]
    parents: Mapping[int, tuple[int, ...]]
    tables: Mapping[int, Array]


def level_responses(
    families: SampledFamilies,
    data: Data,
    tables: Tables,
    slices: Slices,
    impulse: Impulse,
    target: str,
    draws: int,
    seed: int,
) -> Array:
    """Return drawn distributions of the target.

    Parameters
    ----------
    families, data, slices, impulse, target, draws, seed
        See `linear_responses`.
    tables
        The posterior of the tables of probabilities.

    Returns
    -------
    numpy.ndarray
        P(target at a step | do(source at step 0 = level)), as [DAG and draw, step, level of
        the source, level of the target].
    """
    refuse_missing_lags(slices)
    codes = data.codes().astype(np.int64)
    weights = np.ones(data.rows) if data.weights is None else data.weights
    moving = Movement(slices, tables.levels, codes, weights / weights.sum())
    source = slices.position(impulse.source, None if impulse.source in slices.static else 0)
    outcome = slices.position(target, 0)
    assert source is not None
    assert outcome is not None
    shape = impulse.steps + 1, tables.levels[source], tables.levels[outcome]
    found = np.empty((len(families) * draws, *shape))
    random = generator(seed, Purpose.DRAWN_TABLES)
    distinct, which = families.distinct()
    for number, places in enumerate(distinct.tolist()):
        chosen = {node: families.parents[node][place] for node, place in enumerate(places)}
        own = np.flatnonzero(which == number)
        nodes = relevant_nodes(chosen, slices, outcome, source)
        drawn = {
            node: drawn_tables(tables.dirichlet(node, chosen[node]), len(own) * draws, random)
            for node in nodes
        }
        transition = Transition(nodes, {node: chosen[node] for node in nodes}, drawn)
        rows = (own[:, np.newaxis] * draws + np.arange(draws)).reshape(-1)
        found[rows] = moving.response(transition, source, outcome, impulse, random)
    return found


def refuse_missing_lags(slices: Slices) -> None:
    """Refuse lags with a gap, of which the slices between are not known to begin with."""
    lags = slices.lags
    if lags != tuple(range(1, len(lags) + 1)):
        raise ArgumentError(
            "impulse responses of discrete variables need every lag from 1 to the largest, as the "
            "slices in between are carried on; learn from time_series with lags="
            f"{max(lags, default=1)}"
        )


def one_step_later(slices: Slices, column: int) -> int:
    """Return the column whose value stands in this one a step later; itself in the present."""
    of = slices.places[column]
    if not of.lag:
        return column
    position = slices.position(of.variable, of.lag - 1)
    assert position is not None
    return position


def relevant_nodes(
    parents: Mapping[int, tuple[int, ...]], slices: Slices, outcome: int, source: int
) -> tuple[int, ...]:
    """Return the present columns that have to be carried on, in topological order."""
    wanted: set[int] = set()
    waiting = [outcome, *([source] if slices.places[source].lag == 0 else [])]
    while waiting:
        node = waiting.pop()
        if node in wanted:
            continue
        wanted.add(node)
        for parent in parents[node]:
            now = slices.position(slices.places[parent].variable, 0)
            if now is not None:
                waiting.append(now)
    order: list[int] = []
    left = sorted(wanted)
    while left:
        free = next(v for v in left if not any(u in left for u in parents[v]))
        order.append(free)
        left.remove(free)
    return tuple(order)


@dataclass(frozen=True, eq=False)
class Movement:
    """How a discrete network moves on from the histories in the data.

    Parameters
    ----------
    slices
        Which column is of which time.
    levels
        The number of levels of each column.
    codes, shares
        The rows of the data, and their weights, which sum to 1.
    """

    slices: Slices
    levels: Sequence[int]
    codes: Codes
    shares: Array

    def response(
        self,
        transition: Transition,
        source: int,
        outcome: int,
        impulse: Impulse,
        random: np.random.Generator,
    ) -> Array:
        """Return the distribution of the outcome, as [draw, step, level of source, level]."""
        kept = self._kept(transition, source)
        cells = math.prod(self.levels[column] for column in (*kept, *transition.nodes))
        draws = len(next(iter(transition.tables.values())))
        found = np.empty((draws, impulse.steps + 1, self.levels[source], self.levels[outcome]))
        rows = random.choice(len(self.codes), _TRAJECTORIES, p=self.shares)
        uniforms = random.random((impulse.steps + 1, len(transition.nodes), _TRAJECTORIES))
        for level in range(self.levels[source]):
            if cells <= MOST_CELLS:
                each = self._exact(transition, source, level, outcome, impulse, kept)
            else:
                each = self._simulated(transition, source, level, outcome, impulse, rows, uniforms)
            found[:, :, level] = each
        return found

    def _kept(self, transition: Transition, source: int) -> tuple[int, ...]:
        """Return the lagged and static columns whose joint distribution is carried on."""
        variables = {self.slices.places[node].variable for node in transition.nodes}
        static = {u for of in transition.parents.values() for u in of}
        static = {u for u in static if self.slices.places[u].lag is None} | {source}
        return tuple(
            column
            for column, of in enumerate(self.slices.places)
            if (of.lag and of.variable in variables) or (of.lag is None and column in static)
        )

    def _exact(
        self,
        transition: Transition,
        source: int,
        level: int,
        outcome: int,
        impulse: Impulse,
        kept: tuple[int, ...],
    ) -> Array:
        places, levels = self.slices.places, self.levels
        static = places[source].lag is None
        shape = tuple(levels[column] for column in kept)
        cells = np.ravel_multi_index(tuple(self.codes[:, list(kept)].T), shape) if kept else 0
        counted = np.bincount(
            np.broadcast_to(cells, len(self.codes)), self.shares, math.prod(shape)
        )
        joint: Array = counted.astype(np.float64).reshape(1, *shape)
        if static:
            joint = _set_axis(joint, 1 + kept.index(source), level)
        # After a step, the present slice takes the place of lag 1, and each lag of the next.
        before = tuple(one_step_later(self.slices, column) for column in kept)
        draws = len(next(iter(transition.tables.values())))
        result = np.empty((draws, impulse.steps + 1, levels[outcome]))
        for step in range(impulse.steps + 1):
            factors: list[tuple[tuple[int, ...], Array]] = [(kept, joint)]
            for node in transition.nodes:
                if node == source and (step == 0 or impulse.hold):
                    fixed = np.zeros((1, levels[node]))
                    fixed[0, level] = 1.0
                    factors.append(((node,), fixed))
                else:
                    factors.append(((*transition.parents[node], node), transition.tables[node]))
            scopes = [scope for scope, _ in factors]
            order, _ = elimination_order(scopes, levels, (outcome,))
            result[:, step] = eliminate(factors, order, (outcome,))
            if step < impulse.steps:
                order, _ = elimination_order(scopes, levels, before)
                joint = eliminate(factors, order, before)
        return result

    def _simulated(
        self,
        transition: Transition,
        source: int,
        level: int,
        outcome: int,
        impulse: Impulse,
        rows: NDArray[np.int64],
        uniforms: Array,
    ) -> Array:
        """Return the distribution over trajectories, with the same random numbers for all levels.

        The outcome is averaged given its parents, which varies less than its own values do.
        """
        draws = len(next(iter(transition.tables.values())))
        result = np.empty((draws, impulse.steps + 1, self.levels[outcome]))
        static = self.slices.places[source].lag is None
        for draw in range(draws):
            state = self.codes[rows].T.copy()  # [column, trajectory]
            if static:
                state[source] = level
            for step in range(impulse.steps + 1):
                for place, node in enumerate(transition.nodes):
                    if node == source and (step == 0 or impulse.hold):
                        state[node] = level
                        given = np.zeros((state.shape[1], self.levels[node]))
                        given[:, level] = 1.0
                    else:
                        table = transition.tables[node][draw]
                        given = table[tuple(state[u] for u in transition.parents[node])]
                        given = np.broadcast_to(given, (state.shape[1], self.levels[node]))
                        edges = given.cumsum(axis=1)[:, :-1]
                        state[node] = (uniforms[step, place][:, np.newaxis] > edges).sum(axis=1)
                    if node == outcome:
                        result[draw, step] = given.mean(axis=0)
                state = state[[one_step_later(self.slices, column) for column in range(len(state))]]
        return result


def _set_axis(joint: Array, axis: int, level: int) -> Array:
    """Return the joint distribution with one variable set, whatever it was."""
    total = joint.sum(axis=axis)
    found = np.zeros_like(joint)
    index = [slice(None)] * joint.ndim
    index[axis] = level  # type: ignore[call-overload]
    found[tuple(index)] = total
    return found
