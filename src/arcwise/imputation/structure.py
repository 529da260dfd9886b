"""`side_by_side`: what several chains do next, on threads of this process.

The core draws cells and moves edges without the interpreter's lock, so that chains run at the same
time. Each has random numbers of its own, and results do not depend on the number of threads.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import ClassVar, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.algorithms.chains import sums_for
from arcwise.algorithms.exact_computation import Computing, ExactComputation
from arcwise.algorithms.reverse_annealing import dag_code
from arcwise.features.edges import packed_set
from arcwise.model import Model, Question
from arcwise.model.model import Modularity
from arcwise.posterior import DagSample
from arcwise.records.settings import filled
from arcwise.spaces import Dags
from arcwise.support.devices import Processors
from arcwise.support.running import (
    NEVER,
    Deadline,
    LocalRun,
    halted_by,
    running,
    sigterm_interrupts,
)

# Seconds between looks of the thread that waits; on some systems no signal comes in between.
_LOOK = 0.1

Item = TypeVar("Item")
Result = TypeVar("Result")
Halted: TypeAlias = Callable[[], bool]
"""Whether the work is to end early, as nobody waits for what it makes."""


def _never() -> bool:
    return False


def side_by_side(
    work: Callable[[Item, Halted], Result], items: Sequence[Item], threads: int | None
) -> list[Result]:
    """Return what the work makes of each item, in their order.

    If it fails for one of them, no other is begun, those begun are told, their computations end as
    by Ctrl-C, and the failure is raised; so it is with Ctrl-C and SIGTERM, which come to the main
    thread alone.
    """
    count = min(len(items), Processors.available(threads).threads)
    if count <= 1:
        return list(map(work, items, repeat(_never)))
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait  # with much else

    halted = threading.Event()

    def watched(item: Item) -> Result:
        with halted_by(halted.is_set):
            return work(item, halted.is_set)

    with (
        sigterm_interrupts(),
        ThreadPoolExecutor(count, thread_name_prefix="arcwise-chain") as pool,
    ):
        try:
            begun = [pool.submit(watched, item) for item in items]
            while wait(begun, _LOOK, FIRST_EXCEPTION).not_done:
                for each in begun:
                    if each.done():
                        each.result()
            return [each.result() for each in begun]
        except BaseException:
            # In this order, as a thread that ends early would begin the next item.
            pool.shutdown(wait=False, cancel_futures=True)
            halted.set()
            raise


def split_threads(count: int, threads: int | None, *, one_by_one: bool) -> tuple[int, int]:
    """Return on how many threads some chains run side by side, and how many each of them has."""
    every = Processors.available(threads).threads
    if one_by_one:
        return 1, every
    return every, max(1, every // max(1, count))


# --- Structure ------------------------------------------------------------------------------------

# The structure of a completed table: DAGs drawn given it, and the probabilities of its edges.


Array = NDArray[np.float64]

_FEWEST_FIRST_STEPS = 1000
# Variables up to which exact computations of several chains run at once: beyond, each keeps all
# threads busy, and needs memory that was counted for one.
_MOST_SIDE_BY_SIDE = 16

Packed: TypeAlias = NDArray[np.uint64]
"""A DAG as packed parent sets, as [node, word]."""


class TableStructure(NamedTuple):
    """What is learned from one completed table."""

    edges: Array  # the probabilities of edges, as [source, target]
    paths: Array | None  # those of directed paths, if known
    dags: DagSample  # DAGs drawn from the posterior given the table


class StructureStep(ABC):
    """Draws DAGs given a completed table."""

    share: ClassVar[float]
    """Of sweeps whose moves change DAGs together with cells, those that draw one given the table.

    Scoring all families takes as long as many such moves.
    """

    @abstractmethod
    def on(self, threads: int) -> StructureStep:
        """Return the same on so many threads."""

    def one_by_one(self, question: Question) -> bool:
        """Return whether chains had better not run side by side: each needs threads and memory."""
        return False

    @abstractmethod
    def first(self, model: Model, seed: int) -> Packed:
        """Return a DAG to begin from."""

    @abstractmethod
    def next(self, model: Model, dag: Packed, seed: int) -> Packed:
        """Return the next DAG of a chain that is at one now and whose law is the posterior."""

    @abstractmethod
    def look(self, model: Model, dag: Packed, count: int, seed: int) -> TableStructure:
        """Return what is learned from the table; the last of its DAGs continues the chain."""


@dataclass(frozen=True)
class ExactStructure(StructureStep):
    """Independent draws from the exact posterior."""

    share: ClassVar[float] = 0.5

    modularity: Modularity = "modular"  # which posterior, see `exact`
    threads: int | None = None
    deadline: Deadline = NEVER  # by when to end
    # Whether to compute the probabilities of directed paths, which costs the more the more
    # parent-only variables there are.
    with_paths: bool = True

    def on(self, threads: int) -> ExactStructure:
        """Return the same on so many threads."""
        return replace(self, threads=threads)

    def one_by_one(self, question: Question) -> bool:
        """Return whether a computation is so large that several at once would be too much."""
        return len(question.ordinary) > _MOST_SIDE_BY_SIDE

    def first(self, model: Model, seed: int) -> Packed:
        """Return a draw."""
        dag: Packed = self._computation(model).dags(1, seed=seed).parents[0]
        return dag

    def next(self, model: Model, dag: Packed, seed: int) -> Packed:
        """Return a draw, which does not depend on where the chain is."""
        return self.first(model, seed)

    def look(self, model: Model, dag: Packed, count: int, seed: int) -> TableStructure:
        """Return exact probabilities, and independent draws."""
        computation = self._computation(model)
        edges = computation.posterior().edges
        paths = None
        if self.modularity == "modular" and self.with_paths:
            paths = computation.paths()
            np.fill_diagonal(paths, 0.0)
        return TableStructure(edges, paths, computation.dags(count, seed=seed))

    def _computation(self, model: Model) -> ExactComputation:
        run = LocalRun(threads=self.threads, seconds=self.deadline)
        return ExactComputation(model, Computing(self.modularity), run)


@dataclass(frozen=True)
class ChainStructure(StructureStep):
    """A chain over DAGs, which goes on from where it is."""

    share: ClassVar[float] = 0.2

    steps: int  # the steps between two completions of a table
    longer: int  # the steps on a table that is kept
    threads: int | None = None
    deadline: Deadline = NEVER  # by when to end

    def on(self, threads: int) -> ChainStructure:
        """Return the same on so many threads."""
        return replace(self, threads=threads)

    def first(self, model: Model, seed: int) -> Packed:
        """Return a DAG some way from the one that has the required edges alone."""
        n = len(model.variables)
        required = ((),) * n if model.families is None else model.families.required
        steps = max(_FEWEST_FIRST_STEPS, self.steps)
        dag: Packed = self._sampled(model, packed(required), 1, steps, seed).dags.parents[-1]
        return dag

    def next(self, model: Model, dag: Packed, seed: int) -> Packed:
        """Return the DAG after some steps."""
        after: Packed = self._sampled(model, dag, 1, self.steps, seed).dags.parents[-1]
        return after

    def look(self, model: Model, dag: Packed, count: int, seed: int) -> TableStructure:
        """Return means over the steps, and the DAGs on the way."""
        return self._sampled(model, dag, count, max(count, self.longer), seed)

    def _sampled(
        self, model: Model, dag: Packed, count: int, steps: int, seed: int
    ) -> TableStructure:
        """Return the means over steps and so many DAGs, evenly spaced, the last at the end."""
        spacing = max(1, steps // count)
        # A path of one temperature, the posterior's, leaves of annealing a plain chain.
        space = Dags().build(sums_for(model, None, self.threads))
        options = filled(
            _core.AnnealingOptions(),
            path=[1.0],
            stretch=spacing * count,
            thinning=spacing,
            record=filled(_core.RecordOptions(), dags_per_state=1, edges=True),
            starts=[dag_code(_ordinary(model, dag))],
        )
        runs = _core.AnnealedRuns(space, options, seed)
        with running(self.threads, None, "", self.deadline) as run:
            runs.run(0, 1, run.threads, run.progress)
        found = runs.record(0)
        # The state that it begins from is kept as well, but was counted before.
        drawn = DagSample(model.variables, found["parents"][1:])
        edges = found["edge_sums"] / len(found["parents"])
        return TableStructure(np.clip(edges, 0.0, 1.0), None, drawn)


def packed(parents: Sequence[tuple[int, ...]]) -> Packed:
    """Return parent sets as bits, 64 to a word."""
    words = (len(parents) + 63) // 64
    return np.stack([packed_set(members, words) for members in parents])


def _ordinary(model: Model, dag: Packed) -> Packed:
    """Return a DAG without parent-only variables, which have no place in a state."""
    if not model.parent_only:
        return dag
    whole = DagSample(model.variables, dag[np.newaxis])[0]
    return packed(model.folded.restricted(whole).parent_indices)
