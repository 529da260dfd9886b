"""How much memory is free: on the machine, in a control group, below a limit of the process."""

from __future__ import annotations

import builtins
import io
import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from arcwise.support import checks
from arcwise.support.checks import available_memory
from arcwise.support.devices import Processors

_PAGE = os.sysconf("SC_PAGE_SIZE")
_FREE = 64 << 30


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the files of the system by their paths, for a test to write; others are not there."""
    found = {"/proc/meminfo": f"MemTotal: 1 kB\nMemAvailable: {_FREE // 1024} kB\n"}
    honest = builtins.open

    def text_of(path: Path, **more: Any) -> str:
        if str(path) not in found:
            raise FileNotFoundError(path)
        return found[str(path)]

    def opened(path: Any, *arguments: Any, **more: Any) -> Any:
        if path != "/proc/meminfo":
            return honest(path, *arguments, **more)
        if path not in found:
            raise FileNotFoundError(path)
        return io.StringIO(found[path])

    monkeypatch.setattr(Path, "read_text", text_of)
    monkeypatch.setattr(checks, "open", opened, raising=False)
    return found


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the limit of the address space, for a test to set."""
    found = [resource.RLIM_INFINITY]
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (found[0], found[0]))
    return found


def test_what_the_machine_has_free(files: dict[str, str], limit: list[int]) -> None:
    assert available_memory() == _FREE


def test_machines_that_do_not_say_have_all_of_it(files: dict[str, str], limit: list[int]) -> None:
    whole = _PAGE * os.sysconf("SC_PHYS_PAGES")
    files["/proc/meminfo"] = "MemTotal: 1 kB\n"
    assert available_memory() == whole
    del files["/proc/meminfo"]
    assert available_memory() == whole


def test_a_control_group_has_less(files: dict[str, str], limit: list[int]) -> None:
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    assert available_memory() == _FREE
    files["/sys/fs/cgroup/memory.max"] = f"{3 << 30}\n"
    assert available_memory() == 3 << 30
    files["/sys/fs/cgroup/memory.current"] = f"{1 << 30}\n"
    assert available_memory() == 2 << 30
    files["/sys/fs/cgroup/memory.current"] = f"{4 << 30}\n"
    assert available_memory() == 0


def test_a_limit_of_the_address_space(files: dict[str, str], limit: list[int]) -> None:
    limit[0] = 1 << 30
    files["/proc/self/statm"] = "1000 200 50\n"
    assert available_memory() == (1 << 30) - 1000 * _PAGE
    files["/proc/self/statm"] = "unreadable\n"
    assert available_memory() == 1 << 30
    del files["/proc/self/statm"]
    assert available_memory() == 1 << 30


def test_systems_without_limits_of_processes(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert available_memory() == _FREE


def test_cores_where_a_process_cannot_be_bound_to_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert Processors.available().threads == 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert Processors.available().threads == 1
