"""Standard errors of weighted means over annealed particles, where few of them carry the weight."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arcwise.algorithms.estimates import _edges_of_particles

_PARTICLES = 400


def particles(values: np.ndarray) -> list[Any]:
    """Return records of one state each, with an edge in some of them."""
    return [
        SimpleNamespace(edge_sums=np.array([[0.0, value], [0.0, 0.0]]), states=1)
        for value in values
    ]


def test_equal_weights() -> None:
    values = np.random.default_rng(1).random(50)
    edges, errors, of_pairs = _edges_of_particles(particles(values), np.zeros(50))
    assert edges[0, 1] == pytest.approx(values.mean())
    plain = values.std(ddof=1) / np.sqrt(50)
    assert errors[0, 1] == pytest.approx(plain / (1.0 - 1.0 / 50.0))
    assert of_pairs[0, 1] == of_pairs[1, 0] == pytest.approx(errors[0, 1])


def test_few_heavy_particles_that_have_the_same_edge() -> None:
    """Of 200 means, more than three errors off happens once in twenty times at the most.

    By the delta method alone it does in 27 cases: where the heavy particles all have the edge, the
    mean follows them, and the light ones that lack it hardly count.
    """
    draw = np.random.default_rng(2)
    far = 0
    for _ in range(200):
        values = (draw.random(_PARTICLES) < 0.9).astype(float)
        edges, errors, _ = _edges_of_particles(
            particles(values), 2.0 * draw.normal(size=_PARTICLES)
        )
        far += abs(edges[0, 1] - 0.9) > 3.0 * errors[0, 1]
    assert far <= 10
