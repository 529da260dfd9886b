"""`ScoringUnits`: a scoring job in parts that can be scored anywhere and put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.support.running import Stage

if TYPE_CHECKING:
    from arcwise.scores.job import FamilyScoring

Values = NDArray[np.float64]


@dataclass(frozen=True)
class ScoringPart:
    """Some nodes, or some pieces of all sets, whose scores are computed together.

    Parameters
    ----------
    largest_set, first, count
        The size of the largest sets, and which pieces of them.
    nodes
        The nodes; then there are no sets.
    """

    largest_set: int = 0
    first: int = 0
    count: int = 0
    nodes: tuple[int, ...] = ()

    def score(self, job: FamilyScoring, run: Stage) -> Values:
        """Return the values: those of families node by node, or of sets."""
        if self.nodes:
            table = _core.LoneTable(job.families.only(self.nodes).table())
            job.fill(table, run)
            return np.concatenate([table.values(node) for node in self.nodes])
        nodes = len(job.families.variables)
        block = _core.SetBlock(nodes, self.largest_set, self.first, self.first + self.count)
        job.fill(block, run)
        return np.array(block.values())


class ScoringUnits:
    """What can be scored by itself: some nodes, and sets of variables that the others share.

    Parameters
    ----------
    job
        The families, their score and the data.
    """

    def __init__(self, job: FamilyScoring) -> None:
        self._job = job
        families = job.families
        self.table = families.table()
        self._nodes = list(range(len(families.variables)))
        self._plan: _core.ScoringPlan | None = None
        self._ranks: list[int] = [0]
        if job.score.by_sets:
            intervened = np.zeros(len(self._nodes), dtype=np.uint8)
            first = np.zeros(len(self._nodes), dtype=np.uint8)
            if isinstance(job.data, Data):
                first[job.score.pushed_first(job.data)] = 1
                if job.data.intervened is not None:
                    intervened[:] = job.data.intervened.any(axis=0)
            plan = _core.ScoringPlan(self.table, intervened, first)
            self._nodes = sorted(plan.alone)
            # Families with an outside parent are scored node by node in any case.
            self._nodes += [node for node in plan.sharing if families.outside[node]]
            if plan.largest_set > 0:
                self._plan = plan
                self._ranks = list(_core.set_pieces(len(families.variables), plan.largest_set))
        self._sets: Values = np.empty(0)

    @property
    def largest_set(self) -> int:
        """The size of the largest sets that are scored, 0 if there are none."""
        return 0 if self._plan is None else self._plan.largest_set

    def __len__(self) -> int:
        """Return the number of units: nodes first, then pieces of the sets."""
        return len(self._nodes) + len(self._ranks) - 1

    def together(self, first: int, count: int) -> int:
        """Return how many units, at most so many, can be scored by one call."""
        end = len(self._nodes) if first < len(self._nodes) else len(self)
        return min(count, end - first)

    def values_of(self, first: int, count: int) -> int:
        """Return the number of values of some units."""
        if first < len(self._nodes):
            return sum(self.table.count(node) for node in self._nodes[first : first + count])
        first -= len(self._nodes)
        return self._ranks[first + count] - self._ranks[first]

    def part(self, first: int, count: int) -> ScoringPart:
        """Return some units as what is scored together, here or elsewhere."""
        if first < len(self._nodes):
            return ScoringPart(nodes=tuple(self._nodes[first : first + count]))
        return ScoringPart(self.largest_set, first - len(self._nodes), count)

    def put(self, first: int, count: int, values: Values) -> None:
        """Take the values of some units, scored now or before."""
        if first >= len(self._nodes):
            first -= len(self._nodes)
            if not len(self._sets):
                self._sets = np.empty(self._ranks[-1])
            self._sets[self._ranks[first] : self._ranks[first + count]] = values
            return
        begin = 0
        for node in self._nodes[first : first + count]:
            end = begin + self.table.count(node)
            self.table.values(node)[:] = values[begin:end]
            begin = end

    def finish(self, threads: int) -> _core.FamilyTable:
        """Return the table, once all units are there."""
        if self._plan is not None:
            self._plan.take_differences(self._sets, self.table, threads, None)
        return self.table
