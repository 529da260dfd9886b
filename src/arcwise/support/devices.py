"""Where computations run: a `Device`, today the processors of this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass

from arcwise import _core
from arcwise.support.checks import checked_threads


@dataclass(frozen=True)
class Processors:
    """The processors of this machine.

    Parameters
    ----------
    threads
        The number of threads.

    Examples
    --------
    >>> Processors(4).threads
    4
    """

    threads: int

    @classmethod
    def available(cls, threads: int | None = None) -> Processors:
        """Return as many threads as asked for; None for all cores this process may use."""
        if threads is not None:
            return cls(checked_threads(threads))
        if hasattr(os, "sched_getaffinity"):
            return cls(len(os.sched_getaffinity(0)))
        return cls(os.cpu_count() or 1)

    @property
    def core(self) -> _core.Processors:
        """The same for the core."""
        return _core.Processors(self.threads)


Device = Processors
"""Whatever a computation can run on.

The rule is: the same seed gives the same bits, on any processor and any number of threads. It
has one exception, which is written here because there is nowhere else to find it: another kind
of device, such as a GPU, adds numbers in another order and rounds in its own way. Its results
agree with those of processors within a tolerance that is stated with them, not to the last bit.
"""
