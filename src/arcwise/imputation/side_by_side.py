"""`side_by_side`: what several chains do next, on threads of this process.

The core draws cells and moves edges without the interpreter's lock, so that chains run at the same
time. Each has random numbers of its own, and results do not depend on the number of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TypeAlias, TypeVar

from arcwise.support.devices import Processors
from arcwise.support.running import halted_by
from arcwise.support.signals import sigterm_interrupts

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
