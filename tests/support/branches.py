"""Everything that may happen by chance in a function, with its probability, one run for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")


class Branches:
    """Stands for a source of random numbers, and takes one of the ways at each choice."""

    def __init__(self, ways: list[int]) -> None:
        self._ways = ways
        self._counts: list[int] = []
        self.probability = 1.0

    def integers(self, low: int, high: int | None = None) -> int:
        """Return a whole number, all as probable."""
        first, end = (0, low) if high is None else (low, high)
        return first + self._way(np.full(end - first, 1.0 / (end - first)))

    def choice(self, count: int, p: Any) -> int:
        """Return a number by its probability."""
        assert len(p) == count
        return self._way(np.asarray(p))

    def _way(self, shares: np.ndarray) -> int:
        place = len(self._counts)
        self._counts.append(len(shares))
        if place == len(self._ways):
            self._ways.append(0)
        self.probability *= float(shares[self._ways[place]])
        return self._ways[place]

    def next(self) -> list[int] | None:
        """Return the ways of the next run; None after the last."""
        ways = self._ways[: len(self._counts)]
        while ways and ways[-1] + 1 == self._counts[len(ways) - 1]:
            ways.pop()
        return None if not ways else [*ways[:-1], ways[-1] + 1]


def all_branches(run: Callable[[Any], Result]) -> Iterator[tuple[Result, float]]:
    """Yield what a function of a source of random numbers returns, with the probability."""
    ways: list[int] | None = []
    while ways is not None:
        branches = Branches(ways)
        result = run(branches)
        yield result, branches.probability
        ways = branches.next()
