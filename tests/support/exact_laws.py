"""Targets at any temperature, kernels of steps, and how far one is from being the other's.

No chance is involved: the core goes through all random choices and adds up their
probabilities.
"""

from __future__ import annotations

import math

import numpy as np

from arcwise import _core, _core_testing
from reference.spaces import State

PENALTY_SCALE = 5.0  # of the path from the uniform distribution to the posterior


Point = float | tuple[float, float]
"""An inverse temperature, or one with a place on the bridge."""


def target_of(space: _core.Space, states: list[State], point: Point) -> np.ndarray:
    """Return the probability of each state at an inverse temperature, or a place of the bridge."""
    inverse, bridge = point if isinstance(point, tuple) else (point, 1.0)
    (law,) = targets_of(
        [_core_testing.log_weight(space, list(state), bridge) for state in states], inverse
    )
    return law


def targets_of(weights: list[tuple[float, int]], *inverses: float) -> list[np.ndarray]:
    """Return the probability of each state at inverse temperatures, from what the core weighs it.

    Parameters
    ----------
    weights
        The log weight of each state, and how many of its nodes are impossible.
    inverses
        The inverse temperatures.
    """
    values, impossible = (np.array(column, dtype=float) for column in zip(*weights, strict=True))
    laws = []
    for inverse in inverses:
        penalty = math.inf if inverse == 1.0 else PENALTY_SCALE * inverse / (1.0 - inverse)
        penalties = np.zeros(len(weights))
        penalties[impossible > 0] = penalty * impossible[impossible > 0]
        logs = inverse * values - penalties
        densities = np.exp(logs - logs.max())
        laws.append(densities / densities.sum())
    return laws


def kernel_of(
    space: _core.Space, states: list[State], point: Point, alive: np.ndarray
) -> np.ndarray:
    """Return the probabilities of going from each state that is alive to each."""
    kernel = np.eye(len(states))
    kernel[alive] = _core_testing.step_kernel(
        space, [states[i] for i in np.flatnonzero(alive)], states, point
    )
    return kernel


def imbalance(modularity: np.ndarray, kernel: np.ndarray) -> float:
    """Return by what share flows there and back differ at most; 0 if the kernel is reversible."""
    flow = modularity[:, np.newaxis] * kernel
    back = np.ascontiguousarray(flow.T)
    larger = np.maximum(flow, back)
    seen = larger > 1e-250
    return float((np.abs(flow - back)[seen] / larger[seen]).max())
