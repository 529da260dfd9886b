"""Dask clusters of this machine for tests: within this process, or of real processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster

_SCHEDULER = """
import asyncio, sys
from distributed import Scheduler

async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()

asyncio.run(main())
"""

_WORKER = """
import asyncio, sys
from distributed import Worker

async def main():
    address, folder = sys.argv[1:]
    async with Worker(address, nthreads=1, local_directory=folder, dashboard=False) as worker:
        print(worker.address, flush=True)
        await worker.finished()

asyncio.run(main())
"""


@contextmanager
def within_this_process(workers: int = 2, **more: Any) -> Iterator[Client]:
    """Give a client of workers that are threads of this process, with options of its cluster."""
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=False,
            dashboard_address=":0",
            **more,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


class Process:
    """A scheduler or a worker in a process of its own, known by its address."""

    def __init__(self, script: str, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", script, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | environment,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address

    def kill(self) -> None:
        """End it as a failing machine would, without a word to anybody."""
        self.process.send_signal(signal.SIGKILL)

    def end(self) -> None:
        """See it off whatever state it is in."""
        self.process.kill()
        self.process.communicate(timeout=600)


class ProcessCluster:
    """A scheduler and workers as processes, each worker with a cache of its own if wanted."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.environment = environment
        self.scheduler = Process(_SCHEDULER, **environment)
        self.workers: list[Process] = []

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return self.scheduler.address

    def add_worker(self, prologue: str = "", **environment: str) -> Process:
        """Start another worker, in a process that runs the prologue first."""
        local = self.folder / f"worker-{len(self.workers)}"
        worker = Process(
            prologue + _WORKER, self.address, str(local), **self.environment | environment
        )
        self.workers.append(worker)
        return worker

    def end(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            process.end()


@contextmanager
def of_processes(folder: Path, workers: int = 2, **environment: str) -> Iterator[ProcessCluster]:
    """Give a cluster of real processes, with additions to their environment."""
    cluster = ProcessCluster(folder, **environment)
    try:
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.end()


def wait_for_file(path: str) -> None:
    """Wait until there is a file: a task that takes as long as a test wants."""
    wait_until(Path(path).exists)


@contextmanager
def closed_port() -> Iterator[int]:
    """Give a port of this machine on which nothing listens, or can listen meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


def wait_until(condition: Any, seconds: float = 600.0) -> None:
    """Wait for something to become true, which it must; the limit is for tests that hang."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)
