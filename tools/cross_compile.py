"""Compiles the core and its tests for systems that are not at hand, to see that they compile.

By the clang of the package `ziglang`, which brings headers and standard libraries of them all:
musl, Linux on ARM, macOS, Windows. Nothing is linked or run; what is wrong is told by file and
line.

    python tools/cross_compile.py [--target TARGET ...] [--plain] [--without-tests]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ["x86_64-linux-musl", "aarch64-linux-gnu", "aarch64-macos", "x86_64-windows-gnu"]
OPTIONS = [
    *("-std=c++20", "-O0", "-fopenmp-simd", "-ffp-contract=off"),
    *("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"),
    *("-Icore", "-Icore/tests"),
]


def compiled(target: str, more: list[str], folder: str, file: Path) -> str:
    """Compile a file for a system, and return what the compiler complains of."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "ziglang", "c++", "-target", target, *OPTIONS, *more),
            *("-c", file, "-o", Path(folder) / f"{'_'.join(file.parts)}.o"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else done.stderr or f"{file} ended with {done.returncode}\n"


def main() -> None:
    """Compile for each system, and end with what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--target", action="append", choices=TARGETS, default=[])
    parser.add_argument("--plain", action="store_true", help="in plain C++ (ARCWISE_PLAIN)")
    parser.add_argument("--without-tests", action="store_true", help="the core alone")
    options = parser.parse_args()
    more = ["-DARCWISE_PLAIN"] if options.plain else []
    below = ROOT / "core" / ("arcwise" if options.without_tests else "")
    files = sorted(path.relative_to(ROOT) for path in below.rglob("*.cpp"))
    failed = False
    for target in options.target or TARGETS:
        with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(filter(None, pool.map(partial(compiled, target, more, folder), files)))
        print(f"{target}: {len(files)} files, {f'{len(said)} refused' if said else 'compiled'}")
        print("".join(said), end="", flush=True)
        failed |= bool(said)
    sys.exit(failed)


if __name__ == "__main__":
    main()
