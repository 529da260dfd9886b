"""`side_by_side`: what several chains do next, on threads of this process.

The core draws cells and moves edges without the interpreter's lock, so that chains run at the same
time. Each has random numbers of its own, and results do not depend on the number of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar

from arcwise.support.devices import Processors

Item = TypeVar("Item")
Result = TypeVar("Result")
Halted: TypeAlias = Callable[[], bool]
"""Whether the work is to end early, as nobody waits for what it makes."""


def side_by_side(
    work: Callable[[Item, Halted], Result], items: Sequence[Item], threads: int | None
) -> list[Result]:
    """Return what the work makes of each item, in their order.

    If it fails for one of them, no other is begun, those begun are told and waited for, and the
    failure is raised; so it is with Ctrl-C, which comes to this thread alone.

    Parameters
    ----------
    work
        Of an item, and of whether to end early; calls share nothing that they change.
    items
        The items.
    threads
        The number of threads; None for all cores available to this process.
    """
    count = min(len(items), Processors.available(threads).threads)
    if count <= 1:
        return [work(item, lambda: False) for item in items]
    halted = threading.Event()
    with ThreadPoolExecutor(count, thread_name_prefix="arcwise-chain") as pool:
        begun = [pool.submit(work, item, halted.is_set) for item in items]
        try:
            return [each.result() for each in begun]
        except BaseException:
            halted.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def threads_each(count: int, threads: int | None) -> int:
    """Return how many threads each of some chains has, if they run side by side."""
    return max(1, Processors.available(threads).threads // max(1, count))
