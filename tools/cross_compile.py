"""Compiles the core and its tests for systems that are not at hand, to see that they compile.

By the clang of the package `ziglang`, which brings headers and standard libraries of them all:
musl, Linux on ARM, macOS, Windows. Nothing is linked or run; what is wrong is told by file and
line.

    python tools/cross_compile.py [--target TARGET ...] [--plain]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ["x86_64-linux-musl", "aarch64-linux-gnu", "aarch64-macos", "x86_64-windows-gnu"]
OPTIONS = [
    *("-std=c++20", "-fsyntax-only", "-fopenmp-simd", "-ffp-contract=off"),
    *("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"),
    *("-Icore", "-Icore/tests"),
]
AT_ONCE = 8  # files in one call, which starts slowly


def batches() -> Iterator[list[str]]:
    """Yield the sources of the core and of its tests, some at a time."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "core").rglob("*.cpp"))
    for first in range(0, len(files), AT_ONCE):
        yield files[first : first + AT_ONCE]


def compiled(target: str, more: list[str], files: list[str]) -> str:
    """Compile files for a system, and return what the compiler complains of."""
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", "c++", "-target", target, *OPTIONS, *more, *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else done.stderr or f"ended with {done.returncode}"


def main() -> None:
    """Compile for each system, and end with what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--target", action="append", choices=TARGETS, default=[])
    parser.add_argument("--plain", action="store_true", help="in plain C++ (ARCWISE_PLAIN)")
    options = parser.parse_args()
    more = ["-DARCWISE_PLAIN"] if options.plain else []
    failed = False
    for target in options.target or TARGETS:
        parts = list(batches())
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(partial(compiled, target, more), parts)
        said = [each for each in results if each]
        print(f"{target}: {sum(map(len, parts))} files, {'refused' if said else 'compiled'}")
        print("\n".join(said), end="")
        failed |= bool(said)
    sys.exit(failed)


if __name__ == "__main__":
    main()
