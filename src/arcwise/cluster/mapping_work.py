"""The application of a function to inputs, such as data sets, by a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcwise.cluster.host_files import HostFile, opened
from arcwise.cluster.work import Work


@dataclass(frozen=True, eq=False)
class MappingWork(Work):
    """Some inputs, and the file of the function."""

    function: HostFile
    things: tuple[Any, ...]

    def do(self) -> list[Any]:
        """Apply the function to each input."""
        function = opened(self.function)
        return [function(thing) for thing in self.things]
