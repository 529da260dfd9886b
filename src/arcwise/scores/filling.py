"""`FillingPlan`: units of a score that fills tables of families by itself, each a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.families import Families
from arcwise.scores.base import LocalScore
from arcwise.support.devices import Processors
from arcwise.support.running import Stage


@dataclass(frozen=True)
class FillingPlan:
    """What `_core.ScoringPlan` is to a score that the core computes, with the same methods."""

    filler: LocalScore
    data: Data
    families: Families

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.families.variables)

    @property
    def work(self) -> int:
        """The number of families."""
        return self.families.total

    def values(self, first: int, count: int) -> int:
        """Return the number of families of some nodes."""
        names = self.families.variables[first : first + count]
        return sum(self.families.count(name) for name in names)

    def score(
        self, first: int, count: int, threads: int, progress: Callable[[float], None] | None
    ) -> NDArray[np.float64]:
        """Return the scores of some nodes."""
        nodes = range(first, first + count)
        table = self.families.only(nodes).table()
        self.filler.fill(self.data, table, Stage(Processors(threads), progress))
        return np.concatenate([table.values(node) for node in nodes])

    def put(
        self, first: int, count: int, values: NDArray[np.float64], table: _core.FamilyTable
    ) -> None:
        """Set the values of some nodes in a table."""
        for node in range(first, first + count):
            own = table.values(node)
            own[:], values = values[: len(own)], values[len(own) :]

    def finish(self, table: _core.FamilyTable, threads: int) -> None:
        """Do nothing: a table is complete with its last node."""
