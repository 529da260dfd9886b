"""Refuses cycles of includes in the C++ core, between its files or between its rooms.

A room is a folder, and a file belongs to the folder it lies in and to no other: `sums` and
`sums/walk` are two rooms. So a room may stand on its sub-rooms (`sums/node_sums.hpp` includes the
four ways to add up) or carry them (`spaces/space.hpp` is included by every space), never both.
"""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "core"
INCLUDE = re.compile(r'^#include "(arcwise/[^"]+)"', re.MULTILINE)

Graph = dict[str, set[str]]


def includes(core: Path) -> Graph:
    """Find the files that each file of the core includes, by paths below `core`."""
    graph: Graph = {}
    for path in sorted((core / "arcwise").rglob("*.[ch]pp")):
        graph[path.relative_to(core).as_posix()] = set(INCLUDE.findall(path.read_text()))
    return graph


def between_rooms(files: Graph) -> Graph:
    """Make the includes between files those between the folders they lie in."""
    rooms: Graph = {}
    for file, included in files.items():
        room = str(Path(file).parent)
        others = {str(Path(other).parent) for other in included} - {room}
        rooms.setdefault(room, set()).update(others)
    return rooms


def cycle(graph: Graph) -> list[str] | None:
    """Find some cycle, its first member repeated at its end; None if there is none."""
    done: set[str] = set()
    path: list[str] = []

    def visit(name: str) -> list[str] | None:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return None
        path.append(name)
        for other in sorted(graph.get(name, ())):
            if found := visit(other):
                return found
        path.pop()
        done.add(name)
        return None

    for name in sorted(graph):
        if found := visit(name):
            return found
    return None


def main() -> int:
    """Print what is wrong; return 1 if something is."""
    files = includes(CORE)
    rooms = between_rooms(files)
    status = 0
    if missing := sorted({one for all_ in files.values() for one in all_} - set(files)):
        print("Includes of files that are not there: " + ", ".join(missing))
        status = 1
    if found := cycle(files):
        print("These files include each other in a cycle: " + " -> ".join(found))
        status = 1
    if found := cycle(rooms):
        print("These rooms of the core include each other in a cycle: " + " -> ".join(found))
        for room, other in pairwise(found):
            for file, included in files.items():
                if str(Path(file).parent) == room:
                    for one in sorted(included):
                        if str(Path(one).parent) == other:
                            print(f"    {file} includes {one}")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
