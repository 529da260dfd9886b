"""How much memory is free for this process."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, ClassVar

_NO_LIMIT = 2**63


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
    if not hasattr(os, "sysconf"):
        return _free_on_windows()
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows interface, in its order."""

    _fields_: ClassVar = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        ("total_page_file", ctypes.c_uint64),
        ("available_page_file", ctypes.c_uint64),
        ("total_virtual", ctypes.c_uint64),
        ("available_virtual", ctypes.c_uint64),
        ("available_extended", ctypes.c_uint64),
    ]


def _free_on_windows() -> int:
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    windows: Any = vars(ctypes)["windll"]
    if not windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return _NO_LIMIT
    return int(status.available)


def _number_in(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None  # not there, or "max": no limit


def _left_of_address_space() -> int:
    try:
        import resource
    except ImportError:
        return _NO_LIMIT
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return _NO_LIMIT
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return limit
    return limit - pages * os.sysconf("SC_PAGE_SIZE")
