"""What the kernel says of the memory that a process has mapped from a file."""

from __future__ import annotations

from pathlib import Path


def mapped_kibibytes(process: int, path: Path) -> dict[str, int]:
    """Return the sizes by kind, such as Rss and Private_Dirty, of mappings of this path or below.

    Parameters
    ----------
    process
        The number of the process.
    path
        A file or a folder.
    """
    kinds: dict[str, int] = {}
    ours = False
    for line in Path(f"/proc/{process}/smaps").read_text().splitlines():
        first, *rest = line.split()
        if not first.endswith(":"):
            ours = str(path) in line
        elif ours and rest[-1:] == ["kB"]:
            name = first.rstrip(":")
            kinds[name] = kinds.get(name, 0) + int(rest[0])
    return kinds
