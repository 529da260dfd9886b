"""The forward recursion keeps its digits however far the weights are apart.

Its innermost step works on plain numbers in two scales and on logarithms; the
spreads below reach all three, and the borders between them.
"""

from __future__ import annotations

import numpy as np
import pytest

import arcwise
from arcwise import _core_testing
from reference.subset_recursion import forward_recursion


@pytest.mark.parametrize("spread", [1, 100, 300, 500, 700, 800, 1500, 4000])
@pytest.mark.parametrize("variables", [4, 6])
def test_agrees_with_logarithms(spread: int, variables: int) -> None:
    random = np.random.default_rng([spread, variables])
    names = [f"x{i}" for i in range(variables)]
    for _ in range(6):

        def weight(node: str, parents: tuple[str, ...]) -> float:
            return float(random.normal() * spread - 2 * spread * (random.random() < 0.3))

        table = arcwise.Model(names, weight).weights.table
        heaviest = [table.values(node).max() for node in range(variables)]
        relative_to = [
            sum(heaviest[v] for v in range(variables) if chosen >> v & 1)
            for chosen in range(1 << variables)
        ]
        found = _core_testing.forward_recursion(table) + relative_to
        np.testing.assert_allclose(found, forward_recursion(table).astype(float), atol=1e-9)
