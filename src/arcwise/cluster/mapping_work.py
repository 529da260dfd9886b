"""A function of some things, such as data sets, as a worker applies it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcwise.cluster.host_files import HostFile, opened
from arcwise.cluster.work import Work


@dataclass(frozen=True, eq=False)
class MappingWork(Work):
    """Some things, and the file of the function."""

    function: HostFile
    things: tuple[Any, ...]

    def do(self) -> list[Any]:
        """Apply the function to each."""
        function = opened(self.function)
        return [function(thing) for thing in self.things]
