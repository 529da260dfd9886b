"""Discrete data as the core counts and scores them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.support.checks import real_number


def positive(value: Any, name: str) -> float:
    """Return the value as a float, or refuse it if it is not positive."""
    return real_number(value, name, lambda x: 0.0 < x < float("inf"), "a number greater than 0")


def intervention_mask(data: Data) -> NDArray[np.uint8] | None:
    """Return which variables were intervened on in which rows, as the core reads it, or None."""
    if data.intervened is None:
        return None
    return np.asfortranarray(data.intervened, dtype=np.uint8)


def discrete_score(
    data: Data,
    score: str,
    pseudo_counts: _core.PseudoCounts,
    equivalent_sample_size: float = 1.0,
    marginals: Sequence[Sequence[float]] = (),
    joint: tuple[NDArray[np.uint16], NDArray[np.float64]] | None = None,
) -> _core.FamilyScore:
    """Return a score of discrete data by contingency tables, as the core computes it."""
    return _core.discrete_score(
        data.discrete_codes(score),
        [int(count) for count in data.level_counts()],
        data.weights,
        intervention_mask(data),
        pseudo_counts,
        equivalent_sample_size,
        [list(distribution) for distribution in marginals],
        None if joint is None else np.asfortranarray(joint[0]),
        None if joint is None else np.ascontiguousarray(joint[1]),
    )
