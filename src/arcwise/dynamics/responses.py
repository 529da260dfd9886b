"""Impulse responses: the expectation of a target k steps after a variable was set or raised.

Linear models have a closed form. With x(t) = B x(t) + sum over lags l of A_l x(t-l) + noise, an
intervention that raises one variable at step 0 by one changes the expected slices by
r_0 = (I - B)^-1 e and, from then on,

    r_k = (I - B)^-1 (sum over lags l <= k of A_l r_(k-l)).

Because the slice is acyclic, an intervention and a shock of the noise by one have the same effect.
If the variable is held, its own equation is left out at all steps.

Other models are propagated from step to step, given a DAG and its parameters, starting from the
histories in the rows of the data. If all variables are discrete and few, their joint distribution
is propagated exactly. Otherwise trajectories are simulated, with common random numbers for all
settings of the source, and the expectations of the target given its parents are averaged, which
vary less than its values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.table import Slices
from arcwise.errors import ArgumentError
from arcwise.laws import FamilyPosteriors, Parameters, TableParameters
from arcwise.laws.regressions import LinearGaussianPosteriors
from arcwise.parameters.level_prediction import eliminate, elimination_order
from arcwise.parameters.prediction_by_draws import DrawnFamilies
from arcwise.parameters.sampled import SampledFamilies, in_order
from arcwise.support.random import Purpose, generator

Array = NDArray[np.float64]

# The number of coefficients held at one time.
_PIECE = 1 << 19

MOST_CELLS = 1 << 12
"""The most cells of a joint distribution that is propagated exactly."""

# The number of trajectories for each draw, and of draws simulated at one time.
_TRAJECTORIES = 500
_TOGETHER = 200


@dataclass(frozen=True, eq=False)
class Impulse:
    """An intervention that sets or raises the source at step 0, and the responding target."""

    source: str  # changes in time or is static
    target: str
    steps: int  # the last step of the response
    hold: bool  # whether the source is held at all steps; a static variable always is

    def columns(self, slices: Slices) -> tuple[int, int]:
        """Return the columns of the source and of the target."""
        source = slices.position(self.source, None if self.source in slices.static else 0)
        target = slices.position(self.target, 0)
        assert source is not None
        assert target is not None
        return source, target


def linear_responses(drawn: DrawnFamilies, slices: Slices, impulse: Impulse) -> Array:
    """Return drawn responses, as [DAG and draw, step]."""
    place, present = slices.variables.index(impulse.target), _present(slices)
    responses = np.empty((drawn.count, impulse.steps + 1))
    columns = np.zeros((len(slices.places), 1, 1))  # the regressions do not depend on values
    step = max(1, _PIECE // len(columns) ** 2)
    for first in range(0, drawn.count, step):
        own = slice(first, min(first + step, drawn.count))
        coefficients, _, _ = drawn.regressions(columns, own, present)
        responses[own] = propagated(coefficients[:, 0], slices, impulse)[:, :, place]
    return responses


def paths(families: SampledFamilies, slices: Slices, impulse: Impulse) -> NDArray[np.bool_]:
    """Return whether each DAG has a directed path from the source, as [DAG, step]."""
    distinct, which = families.distinct()
    columns = _present(slices)
    edges = np.zeros((len(distinct), len(columns), len(slices.places)))
    for row, node in enumerate(columns):
        members = np.zeros((len(families.parents[node]), len(slices.places)))
        for place, parents in enumerate(families.parents[node]):
            members[place, list(parents)] = 1.0
        edges[:, row] = members[distinct[:, node]]
    found = propagated(edges, slices, impulse, saturated=True)
    return np.asarray(found[which, :, slices.variables.index(impulse.target)] > 0)


def _present(slices: Slices) -> list[int]:
    return [place for place, of in enumerate(slices.places) if of.lag == 0]


def propagated(
    coefficients: Array, slices: Slices, impulse: Impulse, *, saturated: bool = False
) -> Array:
    """Return the response of all variables, as [draw, step, variable]."""
    variables = slices.variables
    n = len(variables)
    within = _at_lag(coefficients, slices, 0)
    lagged = {lag: _at_lag(coefficients, slices, lag) for lag in slices.lags}
    steady = np.zeros((len(coefficients), n))
    static = impulse.source in slices.static
    start = np.zeros((len(coefficients), n))
    # The source does not respond to its parents; nothing has changed before step 0.
    if static:
        position = slices.position(impulse.source, None)
        assert position is not None
        steady = coefficients[:, :, position]
    else:
        start[:, variables.index(impulse.source)] = 1.0
        if impulse.hold:
            steady = start
            for matrix in (within, *lagged.values()):
                matrix[:, variables.index(impulse.source)] = 0.0
    found = np.empty((len(coefficients), impulse.steps + 1, n))
    for step in range(impulse.steps + 1):
        push = steady.copy() if static or impulse.hold or step else start
        for lag, matrix in lagged.items():
            if lag <= step:
                push = push + np.einsum("dts,ds->dt", matrix, found[:, step - lag])
        found[:, step] = _through_slice(within, push, 1.0 if saturated else np.inf)
        if step == 0 and not static:
            found[:, 0, variables.index(impulse.source)] = 1.0
    return found


def _at_lag(coefficients: Array, slices: Slices, lag: int) -> Array:
    matrix = np.zeros((len(coefficients), coefficients.shape[1], coefficients.shape[1]))
    for place, variable in enumerate(slices.variables):
        column = slices.position(variable, lag)
        if column is not None:
            matrix[:, :, place] = coefficients[:, :, column]
    return matrix


def _through_slice(within: Array, push: Array, most: float) -> Array:
    """Return (I - B)^-1 push by repeated substitution, which leaves zeros exactly zero."""
    response = np.minimum(push, most)
    for _ in range(push.shape[1] - 1):
        following = np.minimum(push + np.einsum("dts,ds->dt", within, response), most)
        if np.array_equal(following, response):
            break
        response = following
    return response


@dataclass(frozen=True, eq=False)
class Transition:
    """The part of a transition network that is relevant to a target, with drawn parameters."""

    # The parents of each relevant column of the present slice, in topological order.
    parents: Mapping[int, tuple[int, ...]]
    parameters: Mapping[int, Parameters]

    @property
    def draws(self) -> int:
        """The number of draws of the parameters."""
        return next(iter(self.parameters.values())).count

    def take(self, draws: slice) -> Transition:
        """Return some of the draws."""
        return Transition(
            self.parents, {node: each.take(draws) for node, each in self.parameters.items()}
        )


def responses(
    families: SampledFamilies,
    posteriors: FamilyPosteriors,
    slices: Slices,
    impulse: Impulse,
    draws: int,
    seed: int,
) -> Array:
    """Return drawn expectations of the target."""
    if isinstance(posteriors, LinearGaussianPosteriors):
        drawn = DrawnFamilies(families, posteriors, _present(slices), draws, seed)
        raised = linear_responses(drawn, slices, impulse)
        return np.stack([np.zeros(raised.shape), raised], axis=-1)[..., np.newaxis]
    _refuse_missing_lags(slices)
    data, (source, outcome) = posteriors.data, impulse.columns(slices)
    weights = np.ones(data.rows) if data.weights is None else data.weights
    columns = posteriors.columns(data)
    moving = Movement(slices, posteriors.levels, columns, weights / weights.sum())
    shape = posteriors.levels[source] or 2, posteriors.levels[outcome] or 1
    found = np.empty((len(families) * draws, impulse.steps + 1, *shape))
    random = generator(seed, Purpose.DRAWN_TABLES)
    distinct, which = families.distinct()
    for number, places in enumerate(distinct.tolist()):
        chosen = {node: families.parents[node][place] for node, place in enumerate(places)}
        own = np.flatnonzero(which == number)
        nodes = _relevant_nodes(chosen, slices, outcome, source)
        transition = Transition(
            {node: chosen[node] for node in nodes},
            {
                node: posteriors.of(node, chosen[node]).drawn(len(own) * draws, random)
                for node in nodes
            },
        )
        rows = (own[:, np.newaxis] * draws + np.arange(draws)).reshape(-1)
        found[rows] = moving.response(transition, source, outcome, impulse, random)
    return found


def _refuse_missing_lags(slices: Slices) -> None:
    """Refuse lags with a gap, as the initial values of the slices in the gap are unknown."""
    lags = slices.lags
    if lags != tuple(range(1, len(lags) + 1)):
        raise ArgumentError(
            "impulse responses of discrete variables need every lag from 1 to the largest, as the "
            "slices in between are carried on; learn from time_series with lags="
            f"{max(lags, default=1)}"
        )


def one_step_later(slices: Slices, column: int) -> int:
    """Return the column whose value moves to this one a step later; the present column itself."""
    of = slices.places[column]
    if not of.lag:
        return column
    position = slices.position(of.variable, of.lag - 1)
    assert position is not None
    return position


def _relevant_nodes(
    parents: Mapping[int, tuple[int, ...]], slices: Slices, outcome: int, source: int
) -> tuple[int, ...]:
    """Return the present columns that must be propagated, in topological order."""
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
    return tuple(in_order({node: parents[node] for node in wanted}))


@dataclass(frozen=True, eq=False)
class Movement:
    """The propagation of a transition network from the histories in the data."""

    slices: Slices
    levels: Sequence[int]  # the number of levels of each column; 0 if it is continuous
    # The columns of the data, and the weights of their rows, which sum to 1.
    columns: Sequence[NDArray[Any]]
    shares: Array

    def response(
        self,
        transition: Transition,
        source: int,
        outcome: int,
        impulse: Impulse,
        random: np.random.Generator,
    ) -> Array:
        """Return the expectations of the outcome, as [draw, step, setting of source, value]."""
        draws, settings = transition.draws, self.levels[source] or 2
        found = np.empty((draws, impulse.steps + 1, settings, self.levels[outcome] or 1))
        tables = {
            node: each.table
            for node, each in transition.parameters.items()
            if isinstance(each, TableParameters)
        }
        kept = self._kept(transition, source)
        cells = math.prod(self.levels[column] for column in (*kept, *transition.parents))
        if len(tables) == len(transition.parameters) and cells <= MOST_CELLS:
            for level in range(settings):
                exact = self._exact(transition, tables, (source, level), outcome, impulse, kept)
                found[:, :, level] = exact
            return found
        rows = random.choice(len(self.shares), _TRAJECTORIES, p=self.shares)
        for first in range(0, draws, _TOGETHER):
            piece = slice(first, first + _TOGETHER)
            some, key = transition.take(piece), int(random.integers(2**63))
            for setting in range(settings):
                noise = np.random.default_rng(key)  # the same for all settings
                each = self._simulated(some, (source, setting), outcome, impulse, rows, noise)
                found[piece, :, setting] = each
        return found

    def _kept(self, transition: Transition, source: int) -> tuple[int, ...]:
        """Return the lagged and static columns whose joint distribution is propagated."""
        variables = {self.slices.places[node].variable for node in transition.parents}
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
        tables: Mapping[int, Array],
        setting: tuple[int, int],
        outcome: int,
        impulse: Impulse,
        kept: tuple[int, ...],
    ) -> Array:
        (source, level), places, levels = setting, self.slices.places, self.levels
        shape = tuple(levels[column] for column in kept)
        codes = tuple(self.columns[column] for column in kept)
        cells = np.ravel_multi_index(codes, shape) if kept else np.zeros(len(self.shares), np.int64)
        counted = np.bincount(cells, self.shares, math.prod(shape))
        joint: Array = counted.astype(np.float64).reshape(1, *shape)
        if places[source].lag is None:
            joint = _set_axis(joint, 1 + kept.index(source), level)
        # After a step, the present slice becomes lag 1, and each lag becomes the next.
        before = tuple(one_step_later(self.slices, column) for column in kept)
        result = np.empty((transition.draws, impulse.steps + 1, levels[outcome]))
        for step in range(impulse.steps + 1):
            factors: list[tuple[tuple[int, ...], Array]] = [(kept, joint)]
            for node, parents in transition.parents.items():
                if node == source and (step == 0 or impulse.hold):
                    fixed = np.zeros((1, levels[node]))
                    fixed[0, level] = 1.0
                    factors.append(((node,), fixed))
                else:
                    factors.append(((*parents, node), tables[node]))
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
        setting: tuple[int, int],
        outcome: int,
        impulse: Impulse,
        rows: NDArray[np.int64],
        random: np.random.Generator,
    ) -> Array:
        """Return the expectations, averaged over trajectories, as [draw, step, value]."""
        source, value = setting
        later = [one_step_later(self.slices, column) for column in range(len(self.columns))]
        state = [column[rows] for column in self.columns]

        def done(values: NDArray[Any]) -> NDArray[Any]:
            return np.full(len(rows), value) if self.levels[source] else values + value

        if self.slices.places[source].lag is None:
            state[source] = done(state[source])
        result = np.empty((transition.draws, impulse.steps + 1, self.levels[outcome] or 1))
        for step in range(impulse.steps + 1):
            for node in transition.parents:
                own, acted = transition.parameters[node], node == source
                acted = acted and (step == 0 or impulse.hold)
                if node == outcome:
                    expected = own.expected(state, len(rows)).mean(axis=1)
                    if acted and self.levels[node]:
                        expected = np.eye(self.levels[node])[[value]]
                    result[:, step] = (
                        expected + value if acted and not self.levels[node] else expected
                    )
                state[node] = own.sample(state, len(rows), random)
                if acted:
                    state[node] = done(state[node])
            state = [state[column] for column in later]
        return result


def _set_axis(joint: Array, axis: int, level: int) -> Array:
    """Return the joint distribution with one variable set to a level."""
    total = joint.sum(axis=axis)
    found = np.zeros_like(joint)
    index = [slice(None)] * joint.ndim
    index[axis] = level  # type: ignore[call-overload]
    found[tuple(index)] = total
    return found
