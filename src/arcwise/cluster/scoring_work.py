"""The work of scoring some sets or some nodes on a worker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.cluster.host_files import HostFile, opened
from arcwise.cluster.work import Work
from arcwise.scores.job import FamilyScoring
from arcwise.support.devices import Processors
from arcwise.support.running import Run


@dataclass(frozen=True)
class SetsWork(Work):
    """The scores of some variable sets, of which family scores are differences."""

    payload: HostFile
    largest_set: int
    first: int
    count: int

    def do(self) -> NDArray[np.float64]:
        """Return the scores."""
        payload: FamilyScoring = opened(self.payload)
        nodes = len(payload.families.variables)
        block = _core.SetBlock(nodes, self.largest_set, self.first, self.first + self.count)
        payload.fill(block, Run(Processors(1)))
        return block.values()


@dataclass(frozen=True)
class NodesWork(Work):
    """The scores of the families of some nodes."""

    payload: HostFile
    nodes: tuple[int, ...]

    def do(self) -> list[NDArray[np.float64]]:
        """Return the scores."""
        payload: FamilyScoring = opened(self.payload)
        table = _core.LoneTable(payload.families.only(self.nodes).table())
        payload.fill(table, Run(Processors(1)))
        return [np.array(table.values(node)) for node in self.nodes]
