"""Annealing runs and chains on a cluster, used as those of the core are.

They take the calls that the core's `AnnealedRuns` and `Chains` take and answer the
same, so that the algorithms need not know where the work is done.
"""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.engines.cluster import Cluster
from arcwise.engines.host_files import HostFile
from arcwise.engines.sampling_work import (
    AnnealingWork,
    ChainMade,
    ChainReached,
    ChainWork,
    Command,
    RecordSettings,
    RunMade,
    SamplingJob,
    as_short_ladder,
)
from arcwise.engines.spreading import Spread
from arcwise.engines.work import Done, Work
from arcwise.spaces import Space

_LONGEST_PIECE = 5.0
Listener = Callable[[float], None] | None


class ClusterAnnealedRuns:
    """Annealing runs made by workers, as many as were asked for so far.

    Parameters
    ----------
    cluster, table, space
        Where they are made, on what score sums, in what space.
    open_ended
        Whether runs are asked for a few at a time until there are enough. Then they
        are made ahead of that, enough for all workers.
    core_space, inverse_temperatures, stretch, thinning, record, seed
        As the core's take them; the space of the core is not used.
    """

    def __init__(
        self,
        cluster: Cluster,
        table: HostFile,
        space: Space,
        open_ended: bool,
        core_space: _core.Space,
        inverse_temperatures: list[float],
        stretch: int,
        thinning: int,
        record: _core.RecordOptions,
        seed: int,
    ) -> None:
        self._cluster = cluster
        weakref.finalize(self, cluster.forget, table)
        ladder = as_short_ladder(inverse_temperatures)
        self._job = SamplingJob(table, space, ladder, RecordSettings.of(record), seed)
        self._stretch, self._thinning = stretch, thinning
        self._open_ended = open_ended
        self._made: dict[int, RunMade] = {}
        self._numbers: list[int] = []

    def __len__(self) -> int:
        """Return how many runs there are."""
        return len(self._numbers)

    @property
    def least_piece(self) -> int:
        """How many runs to ask for at once at least, so that no worker is idle for long."""
        return max(16, 4 * sum(self._cluster.slots().values()))

    def run(self, first: int, count: int, threads: int, progress: Listener) -> None:
        """Make runs by their numbers; if it is interrupted, the first ones that are done count."""
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
                self._numbers.append(number)

    def _make(self, first: int, count: int, progress: Listener) -> None:
        numbers = [n for n in range(first, first + count) if n not in self._made]
        start, total = numbers[0], len(numbers)  # what is missing is the end of the range

        def work(at: int, some: int) -> Work:
            return AnnealingWork(self._job, self._stretch, self._thinning, start + at, some)

        def collect(at: int, some: int, done: Done) -> None:
            self._made.update(zip(range(start + at, start + at + some), done.value, strict=True))

        Spread(self._cluster, total, work, collect, share=progress).run()

    def _runs(self) -> list[RunMade]:
        return [self._made[number] for number in self._numbers]

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log weight of every run."""
        return np.array([run.log_weight for run in self._runs()])

    def record(self, run: int) -> dict[str, Any]:
        """Return what was kept of a run."""
        return self._made[self._numbers[run]].record

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return how many moves of each kind were proposed and accepted."""
        runs = self._runs()
        return {
            name: (
                sum(run.moves[name][0] for run in runs),
                sum(run.moves[name][1] for run in runs),
            )
            for name in (runs[0].moves if runs else ())
        }


class ClusterChains:
    """Chains that live on workers, each with random streams of its own.

    Parameters
    ----------
    cluster, table, space
        Where they run, on what score sums, in what space.
    core_space, inverse_temperatures, exchanges_per_step, adapt, thinning, record, seed, first, \
count
        As the core's take them; the space of the core is not used.
    """

    def __init__(
        self,
        cluster: Cluster,
        table: HostFile,
        space: Space,
        core_space: _core.Space,
        inverse_temperatures: list[float],
        exchanges_per_step: int,
        adapt: bool,
        thinning: int,
        record: _core.RecordOptions,
        seed: int,
        first: int,
        count: int,
    ) -> None:
        self._cluster = cluster
        weakref.finalize(self, cluster.forget, table)
        ladder = as_short_ladder(inverse_temperatures)
        self._job = SamplingJob(table, space, ladder, RecordSettings.of(record), seed)
        self._identity = uuid.uuid4().hex
        self._tempering = (exchanges_per_step, adapt)
        self._first, self._count = first, count
        self._commands: list[Command] = [("thinning", thinning)]
        self._workers: dict[int, str] = {}
        self._log_weights: dict[int, NDArray[np.float64]] = {}
        self._moves: dict[int, dict[str, tuple[int, int]]] = {}
        self._made: dict[int, ChainMade] = {}
        self._interrupted = False

    def __len__(self) -> int:
        """Return how many chains there are."""
        return self._count

    def set_thinning(self, thinning: int) -> None:
        """Set the steps between two kept states."""
        self._commands.append(("thinning", thinning))

    def start(self, burn_in: int, threads: int, progress: Listener) -> None:
        """Start every chain from a random state and let it burn in."""
        self._advance(("start", burn_in), progress)

    def burn_in(self, steps: int, threads: int, progress: Listener) -> None:
        """Go on without keeping anything."""
        self._advance(("burn in", steps), progress)

    def sample(self, draws: int, threads: int, progress: Listener) -> None:
        """Go on and keep so many states."""
        self._advance(("sample", draws), progress)

    def _advance(self, command: Command, progress: Listener) -> None:
        self._commands.append(command)
        self._made.clear()
        try:
            self._spread(progress, give=False)
        except KeyboardInterrupt:
            # What there is now is asked for afterwards, chain by chain.
            self._interrupted = True
            self._log_weights.clear()
            self._moves.clear()
            raise

    def _spread(self, progress: Listener, *, give: bool) -> None:
        commands = tuple(self._commands)
        shares = [0.0] * self._count

        def work(chain: int, count: int) -> Work:
            return ChainWork(
                self._job,
                self._identity,
                *self._tempering,
                self._first + chain,
                commands,
                _LONGEST_PIECE,
                give,
                self._interrupted,
            )

        def collect(chain: int, count: int, done: Done) -> bool:
            reached: ChainReached = done.value
            self._workers[chain] = done.worker
            shares[chain] = reached.share
            if progress is not None:
                progress(sum(shares) / len(shares))
            if not reached.finished:
                return False
            assert reached.log_weights is not None
            assert reached.moves is not None
            self._log_weights[chain], self._moves[chain] = reached.log_weights, reached.moves
            if reached.made is not None:
                self._made[chain] = reached.made
            return True

        Spread(self._cluster, self._count, work, collect, most=1, where=self._workers.get).run()

    def _all(self, chain: int) -> ChainMade:
        if chain not in self._made:
            self._spread(None, give=True)
        return self._made[chain]

    def record(self, chain: int) -> Mapping[str, Any]:
        """Return what was kept of a chain; nothing but its log weights is fetched unasked."""
        return _LazyRecord(self._log_weights.get(chain), lambda: self._all(chain).record)

    def moves(self, chain: int) -> dict[str, tuple[int, int]]:
        """Return how many moves of each kind were proposed and accepted."""
        return self._moves[chain] if chain in self._moves else self._all(chain).moves

    def inverse_temperatures(self, chain: int) -> list[float]:
        """Return the inverse temperatures, which may have been adapted."""
        return self._all(chain).inverse_temperatures

    def exchanges(self, chain: int) -> tuple[list[int], list[int]]:
        """Return how many exchanges were proposed and accepted, by pair of temperatures."""
        return self._all(chain).exchanges

    def ratios(self, chain: int) -> list[Any]:
        """Return by pair of temperatures the log sums of batches, the count and the batch size."""
        return self._all(chain).ratios


class _LazyRecord(Mapping[str, Any]):
    """What was kept of a chain, fetched from its worker once more than the trace is wanted."""

    def __init__(
        self, log_weights: NDArray[np.float64] | None, fetch: Callable[[], dict[str, Any]]
    ) -> None:
        self._log_weights = log_weights
        self._fetch = fetch

    def __getitem__(self, name: str) -> Any:
        if name == "log_weights" and self._log_weights is not None:
            return self._log_weights
        return self._fetch()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fetch())

    def __len__(self) -> int:
        return len(self._fetch())
