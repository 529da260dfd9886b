"""Systems that lack what POSIX has: the whole package is imported there, and `learn` runs."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arcwise.cluster import host_files
from arcwise.errors import EngineError
from arcwise.support import checks, files

# What Windows has not is taken away once the packages that arcwise stands on are there; what it has
# in its place is put there. Nothing of arcwise is imported before.
_WITHOUT_POSIX = """
import ctypes, os, signal, sys, time, types
import narwhals, numpy, polars, rich.console, typer.testing, jinja2, sqlite3, subprocess, tempfile

for module in ("fcntl", "grp", "pwd", "resource", "termios", "posix_spawn"):
    sys.modules[module] = None
for name in ("getuid", "geteuid", "getgid", "sysconf", "sched_getaffinity", "fork", "uname",
             "O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY", "getloadavg", "killpg", "chown", "statvfs"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "SIGUSR1", "SIGALRM", "SIGPIPE"):
    delattr(signal, name)
for name in ("clock_gettime", "CLOCK_BOOTTIME"):
    delattr(time, name)

def status(place):
    place._obj.available = 4 << 30
    return 1

ctypes.windll = types.SimpleNamespace(kernel32=types.SimpleNamespace(GlobalMemoryStatusEx=status))
sys.modules["msvcrt"] = types.SimpleNamespace(locking=lambda *_: None, LK_NBLCK=2)
honest = open

def opened(path, *arguments, **more):
    if str(path).startswith(("/proc", "/sys")):
        raise FileNotFoundError(path)
    return honest(path, *arguments, **more)

import builtins
builtins.open = opened
"""

_LEARN = """
import importlib, pkgutil
import arcwise
from arcwise.cli import main
from arcwise.support.checks import available_memory

for module in pkgutil.walk_packages(arcwise.__path__, "arcwise."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
assert available_memory() == 4 << 30, available_memory()
assert main(["simulate", "asia", "--rows", "300", "--seed", "1", "--out", "asia.csv"]) == 0
assert main(["learn", "asia.csv", "--max-indegree", "2", "--out", "learned"]) == 0
assert main(["sample", "asia.csv", "--steps", "300", "--run", "kept", "--out", "sampled"]) == 0
assert main(["status", "kept"]) == 0
"""


def run(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def test_learning_without_posix(tmp_path: Path) -> None:
    done = run(_WITHOUT_POSIX + _LEARN, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "learned" / "report.html").exists()


def test_output_that_the_code_page_lacks_is_escaped(tmp_path: Path) -> None:
    data = tmp_path / "table.csv"
    data.write_text("α,β\n" + "1,0\n0,1\n1,1\n" * 20, encoding="utf-8")
    script = "import sys; from arcwise.cli import main; sys.exit(main(['learn', 'table.csv']))"
    done = run(script, tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert r"\u03b1" in done.stdout


def test_free_memory_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [1]

    def status(place: Any) -> int:
        found = place._obj
        assert found.length == ctypes.sizeof(type(found)) == 64  # as Windows has it
        found.available = 7 << 30
        return answers[0]

    kernel = SimpleNamespace(GlobalMemoryStatusEx=status)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel), raising=False)
    assert checks._free_on_windows() == 7 << 30
    answers[0] = 0  # it would not say
    assert checks._free_on_windows() == checks._NO_LIMIT


def test_the_folder_of_workers_where_files_have_no_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARCWISE_CACHE", raising=False)
    monkeypatch.setattr(host_files, "_OWNERS_KNOWN", False)
    monkeypatch.setenv("USERNAME", "ada")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    assert host_files.cache_folder() == tmp_path / "arcwise-ada"


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (lambda file, seconds: False, "another process has been writing to"),
        (lambda file, seconds: _unsupported(), "does not support locks .No locks available."),
    ],
)
def test_workers_that_get_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Any, sentence: str
) -> None:
    monkeypatch.setenv("ARCWISE_CACHE", str(tmp_path))
    monkeypatch.setattr(host_files, "acquired_within", refusal)
    file = host_files.HostFile(host_files.PAYLOAD, "0" * 64, 1, None)
    with pytest.raises(EngineError, match=sentence):
        host_files.store(file, 0, b"x")


def _unsupported() -> bool:
    raise files.UnsupportedLock("No locks available")
