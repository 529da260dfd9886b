"""Annealing runs and chains on a cluster, with the interface of those in the core.

They accept the calls of the core's `AnnealedRuns` and `Chains` and return the same
results, so that the algorithms need not know where the work is done.
"""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from arcwise import _core
from arcwise.cluster.connection import Cluster
from arcwise.cluster.host_files import HostFile
from arcwise.cluster.sampling_work import (
    AnnealingWork,
    ChainReached,
    ChainWork,
    Command,
    SamplingJob,
)
from arcwise.cluster.spread import Spread
from arcwise.cluster.work import Done, Work
from arcwise.engines.sampling_jobs import AnnealingJob, ChainJob, Listener
from arcwise.records.chain_record import DRAW_ARRAYS

_LONGEST_PIECE = 5.0


class ClusterAnnealedRuns(_core.AnnealedRuns):
    """The annealing runs requested so far, made by workers and kept as if made here.

    If their number is not fixed in advance, runs are made ahead of requests, enough to
    keep all workers busy.

    Parameters
    ----------
    cluster, table
        The cluster, and the file of the score sums.
    job
        What the runs are made from.
    """

    def __init__(self, cluster: Cluster, table: HostFile, job: AnnealingJob) -> None:
        super().__init__(job.core_space, job.options, job.seed)
        self._cluster = cluster
        weakref.finalize(self, cluster.forget, table)
        self._job = SamplingJob.of(table, job)
        self._open_ended = job.open_ended
        self._made: dict[int, bytes] = {}

    def run(self, first: int, count: int, threads: int, progress: Any) -> None:
        """Make runs by index; if interrupted, those up to the first unfinished one are kept."""
        ahead = count
        if self._open_ended:
            slots = sum(self._cluster.slots().values())
            ahead = max(count, 4 * slots)
        wanted = range(first, first + count)
        try:
            if any(number not in self._made for number in wanted):
                self._make(first, ahead, progress)
        finally:
            for number in wanted:
                if number not in self._made:
                    break
                self.append_runs(self._made.pop(number))

    def _make(self, first: int, count: int, progress: Listener) -> None:
        numbers = [n for n in range(first, first + count) if n not in self._made]
        start, total = numbers[0], len(numbers)  # the missing runs are at the end of the range

        def work(at: int, some: int) -> Work:
            return AnnealingWork(self._job, start + at, some)

        def collect(at: int, some: int, done: Done) -> None:
            self._made.update(zip(range(start + at, start + at + some), done.value, strict=True))

        Spread(self._cluster, total, work, collect, share=progress).run()


class ClusterChains(_core.Chains):
    """Chains on workers, each with its own random streams.

    Parameters
    ----------
    cluster, table
        The cluster, and the file of the score sums.
    job
        What the chains are made from.
    """

    def __init__(self, cluster: Cluster, table: HostFile, job: ChainJob) -> None:
        super().__init__(job.core_space, job.options, job.seed, 0, job.count)
        self._cluster = cluster
        weakref.finalize(self, cluster.forget, table)
        self._job = SamplingJob.of(table, job)
        self._identity = uuid.uuid4().hex
        self._thinning: int | None = 1
        self._version = 0
        # In the core there are the chains after the last command, without their draws.
        self._draws: list[list[dict[str, Any]]] = [[] for _ in range(job.count)]
        self._workers: dict[int, str] = {}
        self._unknown: set[int] = set()

    def set_thinning(self, thinning: int) -> None:
        """Set the number of steps between draws."""
        self._thinning = thinning
        super().set_thinning(thinning)

    def start(self, burn_in: int, threads: int, progress: Any) -> None:
        """Start every chain from a random state and run its burn-in."""
        self._do("start", 0, None)
        if burn_in > 0:
            self.burn_in(burn_in, threads, progress)

    def burn_in(self, steps: int, threads: int, progress: Any) -> None:
        """Continue the chains without draws; counts of moves and exchanges begin anew."""
        self._do("burn in", steps, progress)

    def sample(self, draws: int, threads: int, progress: Any) -> None:
        """Continue the chains for this many draws."""
        self._do("sample", draws, progress)

    def _do(
        self, what: Literal["start", "burn in", "sample"], amount: int, progress: Listener
    ) -> None:
        command = Command(what, amount, self._thinning)
        arrived: set[int] = set()
        try:
            self._spread(command, range(len(self)), arrived, progress, as_it_is=False)
        except KeyboardInterrupt:
            # The other chains stop where they are.
            left = [chain for chain in range(len(self)) if chain not in arrived]
            self._spread(command, left, arrived, None, as_it_is=True)
            raise
        finally:
            self._version += 1
            self._thinning = None  # from now on part of the states of the chains

    def _spread(
        self,
        command: Command,
        chains: Sequence[int],
        arrived: set[int],
        progress: Listener,
        *,
        as_it_is: bool,
    ) -> None:
        shares = dict.fromkeys(chains, 0.0)

        def work(at: int, count: int) -> Work:
            chain = chains[at]
            state = self.save_chain(chain) if chain in self._unknown else None
            return ChainWork(
                self._job,
                self._identity,
                chain,
                self._version,
                command,
                _LONGEST_PIECE,
                state,
                as_it_is,
            )

        def collect(at: int, count: int, done: Done) -> bool:
            chain = chains[at]
            reached: ChainReached = done.value
            if reached.unknown:
                self._unknown.add(chain)
                return False
            self._unknown.discard(chain)
            self._workers[chain] = done.worker
            shares[chain] = reached.share
            if progress is not None:
                progress(sum(shares.values()) / len(shares))
            if reached.state is None:
                return False
            assert reached.draws is not None
            self.restore_chain(chain, reached.state)
            if len(reached.draws["log_weights"]):
                self._draws[chain].append(reached.draws)
            arrived.add(chain)
            return True

        def where(at: int) -> str | None:
            return self._workers.get(chains[at])

        Spread(self._cluster, len(chains), work, collect, where).run()

    def record(self, chain: int) -> dict[str, Any]:
        """Return the record of a chain."""
        record = super().record(chain)
        parts = self._draws[chain]
        if not parts:
            return record
        together = {name: np.concatenate([part[name] for part in parts]) for name in DRAW_ARRAYS}
        return record | together

    def take_draws(self, chain: int) -> dict[str, Any]:
        """Return the record of a chain and discard its draws here."""
        record = self.record(chain)
        self._draws[chain] = []
        return record

    def restore_state(self, state: bytes) -> None:
        """Continue from the state returned by `save_state` of such chains, here or in the core."""
        super().restore_state(state)
        self._identity = uuid.uuid4().hex
        self._version = 1
        self._thinning = None
        self._unknown = set(range(len(self)))
