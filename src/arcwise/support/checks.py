"""How much memory is free for this process."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArcwiseError, ArgumentError, CapacityError, Wording, option
from arcwise.support.names import byte_size, quoted, shown

_NO_LIMIT = 2**63


def available_memory() -> int:
    """Return the bytes of memory this process may still take.

    That is what the machine has free, within the limits of the process's control group and of
    its own address space (``ulimit -v``), if there are any.
    """
    free = _free_on_machine()
    group = _number_in(Path("/sys/fs/cgroup/memory.max"))
    if group is not None:
        free = min(free, group - (_number_in(Path("/sys/fs/cgroup/memory.current")) or 0))
    return max(0, min(free, _left_of_address_space()))


def _free_on_machine() -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    if not hasattr(os, "sysconf"):
        return _free_on_windows()
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows interface, in its order."""

    _fields_: ClassVar = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        ("total_page_file", ctypes.c_uint64),
        ("available_page_file", ctypes.c_uint64),
        ("total_virtual", ctypes.c_uint64),
        ("available_virtual", ctypes.c_uint64),
        ("available_extended", ctypes.c_uint64),
    ]


def _free_on_windows() -> int:
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    windows: Any = vars(ctypes)["windll"]
    if not windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return _NO_LIMIT
    return int(status.available)


def _number_in(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None  # not there, or "max": no limit


def _left_of_address_space() -> int:
    try:
        import resource
    except ImportError:
        return _NO_LIMIT
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return _NO_LIMIT
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return limit
    return limit - pages * os.sysconf("SC_PAGE_SIZE")


# --- Checks ---------------------------------------------------------------------------------------

# Checks of arguments: their types, and what a machine can hold and count.


Kind = TypeVar("Kind")

# The core counts in 64 bits, some of it with a sign, and adds a few to what it is given.
_MOST = 2**62
# Some small counts are of 32 bits in the core.
MOST_INT = 2**31 - 1
# More threads than any machine has cores; beyond, the system refuses to start them.
_MOST_THREADS = 4096


def whole_number(
    value: Any,
    name: str | Wording,
    *,
    at_least: int,
    at_most: int = _MOST,
    error: type[ArcwiseError] = ArgumentError,
) -> int:
    """Return the value as an int, or refuse it."""
    # To NumPy, a length of time is a whole number, too.
    no_count = isinstance(value, bool | np.bool_ | np.timedelta64)
    wrong = no_count or not isinstance(value, Integral)
    if wrong or int(value) < at_least:
        raise error(name, f" is {shown(value)}; give a whole number, {at_least} or more")
    if int(value) > at_most:
        raise error(name, f" is {shown(value)}; give a whole number up to {at_most:,}")
    return int(value)


_SEED = option("seed")


def checked_seed(value: Any, name: str | Wording = _SEED) -> int:
    """Return a seed of random numbers, which has 64 bits, or refuse it."""
    return whole_number(value, name, at_least=0, at_most=2**64 - 1)


def further_seed(seed: Any, number: int) -> int:
    """Return the seed of one of several parts that draw independently; the first has the seed.

    Examples
    --------
    >>> further_seed(2**64 - 1, 3)
    2
    """
    return (checked_seed(seed) + number) % 2**64


def checked_threads(value: Any) -> int:
    """Return a number of threads, or refuse it."""
    return whole_number(value, option("threads"), at_least=1, at_most=_MOST_THREADS)


def real_number(
    value: Any,
    name: str | Wording,
    allowed: Callable[[float], bool],
    wanted: str,
    error: type[ArcwiseError] = ArgumentError,
) -> float:
    """Return the value as a float, or refuse it.

    Examples
    --------
    >>> real_number(3, "seconds", lambda x: x > 0, "a positive number")
    3.0
    """
    number = float("nan")
    if not isinstance(value, bool | np.bool_) and isinstance(value, Real):
        try:
            number = float(value)
        except OverflowError:  # a whole number of more than 308 digits
            number = float("-inf") if value < 0 else float("inf")
    if np.isnan(number) or not allowed(number):
        raise error(name, f" is {shown(value)}; give {wanted}")
    return number


def positive_number(value: Any, name: str | Wording) -> float:
    """Return the value as a positive finite float, or refuse it."""
    return real_number(value, name, lambda x: 0.0 < x < float("inf"), "a positive number")


def open_fraction(value: Any, name: str | Wording) -> float:
    """Return the value as a number between 0 and 1, neither of them included, or refuse it."""
    return real_number(value, name, lambda x: 0.0 < x < 1.0, "a number between 0 and 1")


def checked_probability(value: Any, name: str | Wording) -> float:
    """Return the value as a probability, or refuse it."""
    return real_number(value, name, lambda x: 0.0 <= x <= 1.0, "a probability from 0 to 1")


def true_or_false(value: Any, name: str | Wording) -> bool:
    """Return the value as a bool, or refuse what is none."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(name, f" is {shown(value)}; give True or False")
    return bool(value)


def one_of(choices: Any) -> Callable[[Any, str | Wording], Any]:
    """Return a check for one of some words, given as a `Literal` or as they are.

    Examples
    --------
    >>> from typing import Literal
    >>> one_of(Literal["sum", "best"])("sum", "by")
    'sum'
    """
    words = get_args(choices) or tuple(choices)

    def check(value: Any, name: str | Wording) -> Any:
        if isinstance(value, str) and value in words:
            return value
        raise ArgumentError(name, f" is {shown(value)}; give one of {quoted(words)}")

    return check


def instance(value: Any, kind: type[Kind], name: str | Wording, wanted: str) -> Kind:
    """Return the value if it is of a type, or refuse it.

    Examples
    --------
    >>> instance("a", str, "name", "a string")
    'a'
    """
    if not isinstance(value, kind):
        raise ArgumentError(name, f" is {shown(value)}; give {wanted}")
    return value


def is_hashable(value: object) -> bool:
    """Return whether a value can be looked up: a tuple that holds a list, say, cannot.

    Examples
    --------
    >>> is_hashable((1, "a")), is_hashable((1, ["a"]))
    (True, False)
    """
    try:
        hash(value)
    except (TypeError, ValueError):  # NumPy's lengths of time without a unit raise the latter
        return False
    return True


def as_array(value: Any, name: str | Wording, wanted: str) -> NDArray[Any]:
    """Return the value as an array of any type, or refuse lists of different lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ArgumentError(name, f" is {shown(value)}; give {wanted}") from None


def real_numbers(value: Any, name: str | Wording) -> NDArray[np.float64]:
    """Return the value as an array of floats, or refuse what is no array of numbers."""
    try:
        given = np.asarray(value)
        if given.dtype.kind in "biuf" or (given.dtype.kind == "O" and _all_real(given.flat)):
            return given.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ArgumentError(name, " holds values that are not numbers; give an array of numbers")


def _all_real(values: Iterable[Any]) -> bool:
    return all(isinstance(value, Real) for value in values)


def refuse_beyond_memory(count: int, name: str | Wording, bytes_each: int, more: int = 0) -> None:
    """Refuse a count of things that need more memory than there is, before any of it is taken."""
    needed = count * bytes_each + more
    free = available_memory()
    if needed > free:
        raise CapacityError(
            name,
            f" is {shown(count)}, which would take about {byte_size(needed)} of memory, and "
            f"{byte_size(free)} {'is' if free < 2 else 'are'} free; give a lower number",
        )


def file_path(value: object, name: str) -> Path:
    """Return the path of a file, or refuse what is none.

    Examples
    --------
    >>> file_path(3, "file")
    Traceback (most recent call last):
    ...
    arcwise.errors.ArgumentError: file is 3; give the path of a file
    """
    path = _path(value)
    if path is None:
        raise ArgumentError(f"{name} is {shown(value)}; give the path of a file")
    if not path.name:
        raise ArgumentError(f"'{path}' is a folder; give the name of a file in it")
    return path


def folder_path(value: object, name: str) -> Path:
    """Return the path of a folder, or refuse what is none.

    Examples
    --------
    >>> folder_path(None, "directory")
    Traceback (most recent call last):
    ...
    arcwise.errors.ArgumentError: directory is None; give the path of a folder
    """
    path = _path(value)
    if path is None:
        raise ArgumentError(f"{name} is {shown(value)}; give the path of a folder")
    return path


def _path(value: object) -> Path | None:
    """Return a path that the system can look for; None for anything else."""
    if isinstance(value, str | os.PathLike):
        with contextlib.suppress(TypeError, ValueError):
            path = Path(value)
            if b"\0" not in os.fsencode(path):
                return path
    return None
