"""Whether `arcwise learn --seconds S` keeps its promise: seconds asked and used, on many tables.

Each table is learnt by a process of its own with the defaults of the shell, and the time counts
from its start to its end. The promise is kept within 1.1 S + 2. Tables are those given as files,
and simulated ones: Gaussian and discrete of 20 to 1,000 variables, one in which all variables
depend on each other, a million rows, and 5,000 columns, which must be refused quickly.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from measuring import heading

import arcwise
from arcwise.networks import discrete_network, gaussian_network, random_dag

SIZES = (20, 50, 100, 200, 400, 1000)
ROWS = 1000
SHARE, SLACK = 1.1, 2.0
REFUSED = 2
SHELL = "import sys; from arcwise.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Used:
    """The seconds asked and used for one table, those of processors, and how the process ended."""

    table: str
    asked: float
    used: float
    processor: float
    status: int
    load: float
    words: str

    @property
    def ratio(self) -> float:
        """The seconds used, of those that the promise allows."""
        return self.used / (SHARE * self.asked + SLACK)


def simulated(folder: Path, sizes: list[int], everything: bool) -> Iterator[Path]:
    """Write the simulated tables one by one, and yield their paths."""
    for n in sizes:
        dag = random_dag(n, expected_degree=3.0, seed=n)
        for network, kind in (
            (gaussian_network(dag, seed=n), "gaussian"),
            (discrete_network(dag, levels=3, seed=n), "discrete"),
        ):
            yield _written(network.sample(ROWS, seed=n), folder / f"{kind}-{n}.csv")
    if not everything:
        return
    random = np.random.default_rng(1)
    common = random.normal(size=(ROWS, 3)) @ random.normal(size=(3, 441))
    dense = np.digitize(common + random.normal(size=common.shape), [-1.0, 1.0])
    yield _written(arcwise.read(dense, kinds="discrete"), folder / "dense-441.csv")
    yield _written(arcwise.read(random.normal(size=(200, 5000))), folder / "columns-5000.csv")
    million = discrete_network(random_dag(20, expected_degree=3.0, seed=1), levels=3, seed=1)
    yield _written(million.sample(1_000_000, seed=1), folder / "million-20.csv")


def _written(data: arcwise.Data, path: Path) -> Path:
    data.write_csv(path)
    return path


def _compiled() -> dict[str, str]:
    """Return the environment without what keeps Python from using compiled files of a package.

    Installed packages have them, and half of the start would go into compiling otherwise.
    """
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def timed(path: Path, seconds: float, options: list[str]) -> Used:
    """Learn a table in a process of its own."""
    command = [sys.executable, "-c", SHELL, "learn", str(path), "--seconds", f"{seconds:g}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    ended = subprocess.run(
        [*command, *options], capture_output=True, text=True, check=False, env=_compiled()
    )
    used = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told = [
        each
        for each in (ended.stdout + ended.stderr).splitlines()
        if each.startswith(("The modular", "arcwise: the table", "Growth was", "To save"))
    ]
    words = " ".join(told)[:110]
    load = os.getloadavg()[0]
    return Used(path.stem, seconds, used, processor, ended.returncode, load, words)


def main() -> None:
    """Print the table of seconds asked and used, and mark the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="tables to learn")
    parser.add_argument("--seconds", nargs="*", type=float, default=[5.0, 20.0])
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--large", action="store_true", help="a million rows and 5,000 columns too")
    arguments = parser.parse_args()
    heading("Seconds asked and used by arcwise learn, from the start of the process to its end")
    print(f"promised: {SHARE} S + {SLACK:g}\n")
    print("| table | asked | used | processors | allowed | load | |")
    print("|---|---:|---:|---:|---:|---:|---|")
    found: list[Used] = []
    with tempfile.TemporaryDirectory() as folder:
        tables = [(path, ["--constant", "keep"]) for path in arguments.files]
        made = simulated(Path(folder), arguments.sizes, arguments.large)
        for path, options in (*tables, *((path, []) for path in made)):
            for seconds in arguments.seconds:
                each = timed(path, seconds, options)
                found.append(each)
                late = " **late**" if each.ratio > 1.0 else ""
                status = "" if each.status in (0, REFUSED) else f" **status {each.status}**"
                print(
                    f"| {each.table} | {each.asked:g} | {each.used:.1f} | {each.processor:.1f} | "
                    f"{SHARE * each.asked + SLACK:.1f} | {each.load:.1f} | "
                    f"{each.words}{late}{status} |",
                    flush=True,
                )
    worst = max(found, key=lambda each: each.ratio)
    count = sum(each.ratio > 1.0 for each in found)
    print(
        f"\n{count} of {len(found)} late; the worst used {worst.ratio:.0%} of what is allowed: "
        f"{worst.table}, {worst.used:.1f} s of {worst.asked:g} asked"
    )


if __name__ == "__main__":
    main()
