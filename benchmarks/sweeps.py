"""Many runs: shared among processes, each appended to a file once it is known, and resumed."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np

Row = dict[str, Any]
Job = tuple[Any, ...]


@dataclass(frozen=True)
class Sweep:
    """How the runs of a case are made, and where their rows are kept.

    A file has a line of JSON for each job: the case, the job, and the rows it gave. A job is all
    that its rows depend on, so a file can have rows of several cases and settings.
    """

    case: str
    out: Annotated[Path | None, "file to append rows to; runs that it has are not repeated"] = None
    report: Annotated[Sequence[Path], "files of rows to report on, without running anything"] = ()
    processes: Annotated[int, "number of processes that share the runs"] = 1
    within: Annotated[float | None, "seconds after which to stop and report"] = None

    def rows(
        self,
        work: Callable[..., Row | list[Row]],
        jobs: Iterable[Job],
        *,
        cores_each: int = 0,
        fresh: bool = False,
    ) -> list[Row]:
        """Return the rows of all jobs, those found in files among them.

        Parameters
        ----------
        work
            A function of a module that takes a job as its arguments. If it raises an exception,
            this is printed, and the job is repeated when the sweep is resumed.
        cores_each
            The number of cores that each process is bound to; 0 for none in particular.
        fresh
            Whether every job has a process of its own, so that its memory can be measured.
        """
        asked = {_key(job): _plain(list(job)) for job in jobs}
        files = self.report or ([] if self.out is None else [self.out])
        found = {key: rows for path in files for key, rows in self._kept(path).items()}
        todo = [job for key, job in asked.items() if key not in found and not self.report]
        for number, (job, rows) in enumerate(self._made(work, todo, cores_each, fresh), 1):
            rows = _plain(rows if isinstance(rows, list) else [rows])
            found[_key(job)] = rows
            if self.out is not None:
                with self.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"case": self.case, "job": job, "rows": rows}) + "\n")
            print(f"{self.case}: {number} of {len(todo)} runs", file=sys.stderr)
        keys = [*asked, *(key for key in found if key not in asked and self.report)]
        result = [row for key in keys for row in found.get(key, [])]
        if not result:
            raise SystemExit(f"{self.case}: there are no rows to report on")
        return result

    def _kept(self, path: Path) -> dict[str, list[Row]]:
        """Return the rows of a file by job; the end of an interrupted line is removed."""
        if not path.exists():
            return {}
        text = path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text and path == self.out:
            path.write_text(whole, encoding="utf-8")
        lines = map(json.loads, whole.splitlines())
        return {_key(each["job"]): each["rows"] for each in lines if each["case"] == self.case}

    def _made(
        self, work: Callable[..., Any], jobs: Sequence[list[Any]], cores_each: int, fresh: bool
    ) -> Iterable[tuple[list[Any], Any]]:
        """Give each job with its rows, in the order in which they are done."""
        if not jobs:
            return
        began = time.monotonic()
        context = multiprocessing.get_context("spawn")
        slots = context.Queue()
        free = sorted(os.sched_getaffinity(0)) if cores_each else []
        if self.processes * cores_each > len(free):
            raise SystemExit(
                f"{len(free)} cores do not suffice for {self.processes} x {cores_each}"
            )
        for place in range(self.processes):
            slots.put(free[place * cores_each : (place + 1) * cores_each])
        pool = ProcessPoolExecutor(
            self.processes,
            context,
            partial(_begin, slots if cores_each else None),
            max_tasks_per_child=1 if fresh else None,
        )
        futures: dict[Future[Any], list[Any]] = {pool.submit(work, *job): job for job in jobs}
        try:
            left = None if self.within is None else self.within - (time.monotonic() - began)
            for future in as_completed(futures, left):
                error = future.exception()
                if isinstance(error, Exception) and not isinstance(error, BrokenProcessPool):
                    what = f"{type(error).__name__}: {error}"
                    print(f"{self.case} {futures[future]}: {what}", file=sys.stderr)
                else:
                    yield futures[future], future.result()
        except TimeoutError:
            print(f"{self.case}: stopped after {self.within:g} s", file=sys.stderr)
        finally:
            # Not by SIGTERM, after which a run would return what it has and the next one begin.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.kill()


def _begin(slots: Any) -> None:
    """Bind this process to its cores, and let it end when the one that started it was killed."""
    if slots is not None:
        cores = slots.get()
        os.sched_setaffinity(0, cores)
        slots.put(cores)  # a process that replaces this one takes them
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _key(job: Sequence[Any]) -> str:
    return json.dumps(list(job), default=_as_json)


def _plain(value: Any) -> Any:
    """Return a value as it is read back from a file, so that files and memory do not differ."""
    return json.loads(json.dumps(value, default=_as_json))


def _as_json(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def grouped(rows: Iterable[Row], *names: str) -> dict[Any, list[Row]]:
    """Return the rows by their values of one field, or of several as tuples; first come first."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        found.setdefault(key if len(names) > 1 else key[0], []).append(row)
    return found


def mean(rows: Iterable[Row], name: str) -> float:
    """Return the mean of a field over the rows that have it."""
    return float(np.nanmean([row[name] for row in rows if row[name] is not None]))
