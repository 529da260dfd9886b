"""Where computations run: a `Device`, the processors of this machine or a graphics processor."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from enum import Enum

from arcwise import _core
from arcwise.errors import ArgumentError, option
from arcwise.support.checks import checked_threads
from arcwise.support.names import shown


@dataclass(frozen=True)
class Processors:
    """The processors of this machine.

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


@dataclass(frozen=True)
class Gpu:
    """A graphics processor, which `arcwise.gpu.opened` opens.

    Examples
    --------
    >>> str(Gpu()), str(Gpu(1))
    ('gpu', 'gpu:1')
    """

    number: int = 0  # its number among those of this machine
    # Whether processors are used where it is not worth it or cannot do it, as for ``"auto"``.
    where_worthwhile: bool = False

    def __str__(self) -> str:
        """Return the word that asks for it."""
        return "gpu" if self.number == 0 else f"gpu:{self.number}"


Device = Processors | Gpu
"""Whatever a computation can run on.

The rule is: the same seed gives the same bits, on any processor and any number of threads. It
has one exception, which is written here because there is nowhere else to find it: another kind
of device, such as a GPU, adds numbers in another order and rounds in its own way. Its results
agree with those of processors within a tolerance that is stated with them, not to the last bit.
"""


class Choice(Enum):
    """What is asked for where no device is named."""

    PROCESSORS = "processors"
    AUTO = "auto"


def as_device(value: object) -> Gpu | Choice:
    """Return what an argument asks for.

    Examples
    --------
    >>> as_device("gpu:1"), as_device(None)
    (Gpu(number=1, where_worthwhile=False), <Choice.PROCESSORS: 'processors'>)
    """
    if value is None:
        return Choice.PROCESSORS
    if isinstance(value, (Gpu, Choice)):
        return value
    if isinstance(value, str):
        word, colon, number = value.strip().lower().partition(":")
        if word == "auto" and not colon:
            return Choice.AUTO
        if word == "gpu" and (not colon or (number.isascii() and number.isdecimal())):
            return Gpu(int(number or 0) if len(number) < 4 else 9999)
    raise ArgumentError(
        option("device"),
        f" is {shown(value)}; give 'gpu', 'gpu:1' for the second one, or 'auto', or leave it out "
        "for the processors",
    )


def where_worthwhile(value: object) -> Gpu | Choice:
    """Return what a device that is asked for as a whole means for a part of the work.

    Examples
    --------
    >>> where_worthwhile("gpu:1")
    Gpu(number=1, where_worthwhile=True)
    """
    wanted = as_device(value)
    return replace(wanted, where_worthwhile=True) if isinstance(wanted, Gpu) else wanted
