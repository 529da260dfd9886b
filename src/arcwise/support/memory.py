"""How much memory is free for this process."""

from __future__ import annotations

import os
from pathlib import Path


def available_memory() -> int:
    """Return the bytes of memory this process may still take.

    That is what the machine has free, within the limits of the process's control group and of
    its own address space (``ulimit -v``), if there are any.
    """
    free = _free_on_machine()
    group = _number_in(Path("/sys/fs/cgroup/memory.max"))
    if group is not None:
        free = min(free, group - (_number_in(Path("/sys/fs/cgroup/memory.current")) or 0))
    return max(0, min(free, _left_of_address_space()))


def _free_on_machine() -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _number_in(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None  # not there, or "max": no limit


def _left_of_address_space() -> int:
    no_limit = 2**63
    try:
        import resource
    except ImportError:
        return no_limit
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return no_limit
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return limit
    return limit - pages * os.sysconf("SC_PAGE_SIZE")
