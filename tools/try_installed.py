"""Tries an installed arcwise: its commands from simulation to report, and figures that are known.

Run by the Python whose environment has it, from any folder; needs nothing but the plain install.
Wheels are tried so on every platform (`make wheels`, and cibuildwheel's test command).
"""

from __future__ import annotations

import csv
import json
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from pathlib import Path

# README's first example, whose figures are exact; tests/package/test_release.py holds them.
KNOWN = {("smoke", "lung"): 0.586269, ("bronc", "dysp"): 0.999471, ("tub", "asia"): 0.076709}
TOLERANCE = 1e-6


def run(*words: str, folder: Path) -> str:
    """Run arcwise in a folder and return what it prints; whatever goes wrong ends everything."""
    program = shutil.which("arcwise", path=sysconfig.get_path("scripts"))
    if program is None:
        sys.exit("the environment of this Python has no program `arcwise`; install a wheel first")
    done = subprocess.run(
        [program, *words],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=600,
    )
    if done.returncode != 0:
        sys.exit(f"arcwise {' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def probabilities(folder: Path) -> dict[tuple[str, str], float]:
    """Return the probability of each edge that a folder of results has."""
    with open(folder / "edges.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["source"], row["target"]): float(row["forward"]) for row in rows}


def main() -> None:
    """Simulate, learn, write the page, sample in a run directory; compare with what is known."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run("simulate", "asia", "--rows", "2000", "--seed", "1", "--out", "asia.csv", folder=folder)
        learned = run(
            *("learn", "asia.csv", "--max-indegree", "3", "--seed", "1", "--out", "learned"),
            folder=folder,
        )
        found = probabilities(folder / "learned")
        for edge, expected in KNOWN.items():
            if abs(found[edge] - expected) > TOLERANCE:
                sys.exit(f"{' -> '.join(edge)} has probability {found[edge]}, not {expected}")
        page = (folder / "learned" / "report.html").read_text(encoding="utf-8")
        if not page.startswith("<!doctype html>") or "smoke" not in page:
            sys.exit("learned/report.html is not the page of a report")
        run(
            *("sample", "asia.csv", "--space", "buckets:4", "--steps", "2000", "--seed", "1"),
            *("--run", "kept", "--out", "sampled"),
            folder=folder,
        )
        status = json.loads(run("status", "kept", "--json", folder=folder))
        if status["state"] != "finished":
            sys.exit(f"the kept run has the state {status['state']!r}, not 'finished'")
        print(
            f"arcwise {version('arcwise')} in Python {platform.python_version()} on "
            f"{platform.platform()}: " + " ".join(learned.splitlines()[1].split())
        )


if __name__ == "__main__":
    main()
