"""Impulse responses of linear models: what raising a variable by one does k steps later.

With x(t) = B x(t) + sum over lags l of A_l x(t-l) + noise, an intervention that raises one
variable at step 0 by one changes the expected slices by r_0 = (I - B)^-1 e and, from then on,

    r_k = (I - B)^-1 (sum over lags l <= k of A_l r_(k-l)).

As the slice is acyclic, an intervention and a shock of the noise by one do the same. If the
variable is held, its own equation is left out at all steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data.slices import Slices
from arcwise.parameters.drawn_families import DrawnFamilies
from arcwise.parameters.sampled import SampledFamilies

Array = NDArray[np.float64]

# Numbers in the coefficients held at one time.
_PIECE = 1 << 19


@dataclass(frozen=True, eq=False)
class Impulse:
    """What is done: a variable is set or raised at step 0.

    Parameters
    ----------
    source, target
        The variable, which changes in time or is static, and the one whose response is asked for.
    steps
        The number of steps after which the response is asked for.
    hold
        Whether it is held so at all steps; a static variable always is.
    """

    source: str
    target: str
    steps: int
    hold: bool

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
    columns = np.zeros((len(slices.places), 1, 1))  # on which regressions do not depend
    step = max(1, _PIECE // len(columns) ** 2)
    for first in range(0, drawn.count, step):
        own = slice(first, min(first + step, drawn.count))
        coefficients, _, _ = drawn.regressions(columns, own)
        responses[own] = propagated(coefficients[:, 0, present], slices, impulse)[:, :, place]
    return responses


def paths(families: SampledFamilies, slices: Slices, impulse: Impulse) -> NDArray[np.bool_]:
    """Return whether each DAG has a directed path from what is set, as [DAG, step]."""
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
    """Return the response of all variables, as [draw, step, variable].

    Parameters
    ----------
    coefficients
        As [draw, target, column].
    slices, impulse
        Which column is of which time, and what is done.
    saturated
        Whether responses end at 1, so that edges of 1 tell where there is a path.
    """
    variables = slices.variables
    n = len(variables)
    within = _at_lag(coefficients, slices, 0)
    lagged = {lag: _at_lag(coefficients, slices, lag) for lag in slices.lags}
    steady = np.zeros((len(coefficients), n))
    static = impulse.source in slices.static
    start = np.zeros((len(coefficients), n))
    # What is set does not follow its parents; before step 0 nothing has changed.
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
