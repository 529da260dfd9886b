"""Fuzzes arcwise for as long as one likes: ``python tests/fuzz/run.py --seconds 600``.

Each target runs in processes of its own, so that a crash or a hang is a failure like any other:
it is counted, and the next case goes on. Every failure is printed with the arguments that repeat
it, ``--target NAME --seed S --case I``. At the end comes a table of all targets: how many inputs
there were, how they ended, and how long that took. A case hangs if it has used ten seconds of
processor time, or none for minutes: a machine that is busy with something else is no failure.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fuzz import targets
from fuzz.harness import TARGETS, Ending, Progress, opened, run_case, work

HANG_SECONDS = 10.0
# Of a case that does not use its processor: on a busy machine others may have it for long.
_IDLE_SECONDS = 300.0
_SET_UP_SECONDS = 300.0
_STRIDE = 1 << 40  # between the cases of two processes of one target
_ANY_NUMBER = 1 << 39


@dataclass
class Outcome:
    """What came of a target."""

    answered: int = 0
    refused: int = 0
    cut_off: int = 0
    seconds: float = 0.0
    processor: float = 0.0  # seconds of processor time, set-up included
    failures: list[tuple[int, str]] = field(default_factory=list)  # case, what is wrong

    @property
    def inputs(self) -> int:
        """The number of cases, however they ended."""
        return self.answered + self.refused + self.cut_off + len(self.failures)

    def add(self, more: Outcome) -> None:
        """Count what came of other cases, too."""
        self.answered += more.answered
        self.refused += more.refused
        self.cut_off += more.cut_off
        self.seconds += more.seconds
        self.processor += more.processor
        self.failures += more.failures

    def figures(self) -> dict[str, float]:
        """Return the figures by their names."""
        return {
            "inputs": self.inputs,
            "answered": self.answered,
            "refused": self.refused,
            "cut off": self.cut_off,
            "failures": len(self.failures),
            "seconds": self.seconds,
            "processor seconds": self.processor,
            "inputs per second": self.inputs / self.processor if self.processor else 0.0,
        }


class Worker:
    """A process that goes through the cases of one target, started again after a crash."""

    def __init__(
        self, target: str, seed: int, first: int, cases: int, seconds: float, folder: Path
    ) -> None:
        self.target = target
        self.outcome = Outcome()
        self._seed = seed
        self._next = first
        self._end = first + cases
        self._began = time.monotonic()
        self._seconds = seconds
        self._report = folder / f"{target}-{first}.failures"
        self._progress = folder / f"{target}-{first}.progress"
        self._start()

    def _start(self) -> None:
        self._progress.write_bytes(bytes(Progress.SIZE))
        self._report.write_text("")
        left = self._seconds - (time.monotonic() - self._began)
        self._words = self._report.with_suffix(".said")
        with open(self._words, "wb") as said:
            self._process = self._started_process(left, said)
        self._started = time.monotonic()

    def _started_process(self, left: float, said: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [
                *(sys.executable, str(Path(__file__).resolve()), "--work", self.target),
                *(str(self._seed), str(self._next), str(self._end - self._next), str(left)),
                *(str(self._report), str(self._progress)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=os.environ | _FRUGAL,
        )

    def look(self) -> bool:
        """Say whether it is still at work, and kill it if a case hangs."""
        status = self._process.poll()
        at = Progress.read(self._progress)
        if status is None:
            waiting = time.monotonic() - (at.began or self._started)
            busy = self._processor_time() - at.processor > HANG_SECONDS
            hangs = at.began > 0.0 and waiting > (HANG_SECONDS if busy else _IDLE_SECONDS)
            if hangs or (not at.began and waiting > _SET_UP_SECONDS):
                self.stop()
                self._settle(at, f"no answer within {HANG_SECONDS:.0f} s")
                return self._again(at.case + 1)
            return True
        if status == 0:
            self._settle(at)
            return False
        if not at.began:
            raise SystemExit(f"{self.target} cannot be set up:\n{self._said()}")
        words = signal.Signals(-status).name if status < 0 else f"status {status}"
        crash = self._report.with_suffix(".crash")
        details = crash.read_text(errors="replace") if crash.exists() else ""
        self._settle(at, f"{words}\n{details}{self._said()}")
        return self._again(at.case + 1)

    def _processor_time(self) -> float:
        """Return the processor time the process has used, all its threads together."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()

    def _said(self) -> str:
        return self._words.read_text(errors="replace")[-8000:]

    def _settle(self, at: Progress, problem: str | None = None) -> None:
        """Count the cases of the process that has ended, the last of them with a problem."""
        self.outcome.answered += at.answered
        self.outcome.refused += at.refused
        self.outcome.cut_off += at.cut_off
        self.outcome.seconds = time.monotonic() - self._began
        self.outcome.processor += at.processor
        for line in self._report.read_text(encoding="utf-8").splitlines():
            _, _, number, words = json.loads(line)
            self.outcome.failures.append((number, words))
        if problem is not None:
            self.outcome.failures.append((at.case, problem))

    def _again(self, first: int) -> bool:
        self._next = first
        if first >= self._end or time.monotonic() - self._began > self._seconds:
            return False
        self._start()
        return True


# Each process has a core of its own at most.
_FRUGAL = {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}


def fuzz(
    names: Sequence[str], *, seed: int, processes: int, cases: int | None, seconds: float
) -> dict[str, Outcome]:
    """Fuzz targets, so many processes at a time; return what came of each.

    Parameters
    ----------
    names
        The targets.
    seed
        The seed of all cases.
    processes
        How many are at work at once.
    cases
        The number of cases of each target; None for as many as there is time for.
    seconds
        The time for all of it; ignored if the number of cases is given.
    """
    outcomes = {name: Outcome() for name in names}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jobs = _jobs(names, processes, cases, seconds)
        running: list[Worker] = []
        try:
            while jobs or running:
                while jobs and len(running) < processes:
                    target, first, count, time_left = jobs.pop(0)
                    running.append(Worker(target, seed, first, count, time_left, folder))
                time.sleep(0.05)
                for worker in [worker for worker in running if not worker.look()]:
                    running.remove(worker)
                    outcomes[worker.target].add(worker.outcome)
        finally:
            for worker in running:
                worker.stop()
    return outcomes


def _jobs(
    names: Sequence[str], processes: int, cases: int | None, seconds: float
) -> list[tuple[str, int, int, float]]:
    """Return target, first case, number of cases and seconds of each process to start."""
    if cases is not None:
        return [(name, 0, cases, float("inf")) for name in names]
    # Everything gets a turn in each round, in proportion to its share of the time.
    total = sum(TARGETS[name].share for name in names)
    each = processes * seconds / total
    jobs = []
    for name in names:
        wanted = TARGETS[name].share * each
        parts = max(1, min(processes, round(wanted / max(30.0, seconds / 4))))
        jobs += [(name, part * _STRIDE, _ANY_NUMBER, wanted / parts) for part in range(parts)]
    return sorted(jobs, key=lambda job: -job[3])


def table(outcomes: dict[str, Outcome]) -> str:
    """Return the outcomes as a table."""
    total = Outcome()
    for outcome in outcomes.values():
        total.add(outcome)
    rows = [("target", *total.figures())]
    for name, outcome in (*outcomes.items(), ("all", total)):
        rows.append((name, *(f"{figure:,.0f}" for figure in outcome.figures().values())))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def as_json(outcomes: dict[str, Outcome], seed: int) -> str:
    """Return the outcomes with all failures as JSON."""
    tree = {
        name: outcome.figures()
        | {"failed cases": [{"case": case, "problem": words} for case, words in outcome.failures]}
        for name, outcome in outcomes.items()
    }
    return json.dumps({"seed": seed, "targets": tree}, indent=1)


def described(outcomes: dict[str, Outcome], seed: int, most: int = 5) -> str:
    """Return the failures of each target, the first few in full, and how to repeat them."""
    lines = []
    for name, outcome in outcomes.items():
        for case, problem in outcome.failures[:most]:
            lines.append(f"--target {name} --seed {seed} --case {case}\n{problem}")
        if len(outcome.failures) > most:
            cases = [case for case, _ in outcome.failures[most:]]
            lines.append(f"and {len(cases)} more failures of {name}, cases {cases[:50]}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the fuzzers; return 1 if one found something."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["--work"]:
        name, seed, first, cases, seconds, report, progress = words[1:]
        work(name, int(seed), int(first), int(cases), float(seconds), Path(report), Path(progress))
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", action="append", choices=list(TARGETS), help="only this one")
    parser.add_argument("--readers", action="store_true", help="only what reads files")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all of it (default: 60)")
    parser.add_argument("--cases", type=int, help="of each target, in place of a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--case", type=int, help="only this case, in this process")
    parser.add_argument("--json", type=Path, help="write the table to this file, too")
    given = parser.parse_args(words)
    names = given.target or (list(targets.READERS) if given.readers else list(TARGETS))
    if given.case is not None:
        with opened(names[0]) as target:
            ending, problem = run_case(target, given.seed, given.case)
        print(problem or ending.value)
        return int(ending is Ending.FAILED)
    outcomes = fuzz(
        names,
        seed=given.seed,
        processes=given.processes,
        cases=given.cases,
        seconds=given.seconds,
    )
    for package in targets.OPTIONAL:
        if find_spec(package) is None:
            print(f"{package} is not installed: what needs it is refused, which counts as such")
    print(described(outcomes, given.seed))
    print(table(outcomes))
    if given.json is not None:
        given.json.write_text(as_json(outcomes, given.seed), encoding="utf-8")
    return int(any(outcome.failures for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
