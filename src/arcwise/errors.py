"""The errors and warnings arcwise raises, each with a class of its own.

Every message is one sentence: what was given, what is allowed, and what to do. The
command line prints that sentence and exits with status 2. Where a sentence names an
argument, the command line names the option instead: `Wording` holds both.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Wording:
    """A part of a message that is written differently in Python and in the shell."""

    python: str
    shell: str

    def __str__(self) -> str:
        return self.python


def option(name: str, value: str | None = None) -> Wording:
    """Name an argument that is an option of the same name in the shell.

    Examples
    --------
    >>> option("missing", "drop")
    Wording(python="missing='drop'", shell='--missing drop')
    >>> option("max_indegree")
    Wording(python='max_indegree', shell='--max-indegree')
    """
    flag = f"--{name.replace('_', '-')}"
    if value is None:
        return Wording(name, flag)
    return Wording(f"{name}={value!r}", f"{flag} {shlex.quote(value)}")


def worded(*parts: str | Wording) -> Wording:
    """Join parts of a sentence in both spellings."""
    return Wording(
        "".join(map(str, parts)),
        "".join(part.shell if isinstance(part, Wording) else str(part) for part in parts),
    )


# What was given may be of any length; a sentence about it begins and ends with what matters.
_LONGEST = 2_000


def readable(sentence: str) -> str:
    """Return a sentence without its middle if it is too long to read."""
    if len(sentence) <= _LONGEST:
        return sentence
    half = _LONGEST // 2
    return f"{sentence[:half]} [...] {sentence[-half:]}"


class Message:
    """A sentence whose parts, strings and `Wording`s, are the arguments of the constructor.

    Examples
    --------
    >>> error = ArgumentError(option("seed"), " is -3; give a whole number, 0 or more")
    >>> str(error)
    'seed is -3; give a whole number, 0 or more'
    >>> error.in_shell()
    '--seed is -3; give a whole number, 0 or more'
    """

    args: tuple[Any, ...]

    def __str__(self) -> str:
        return readable(worded(*self.args).python)

    def in_shell(self) -> str:
        """Return the sentence with options of the shell in place of Python arguments."""
        return readable(worded(*self.args).shell)


class ArcwiseError(Message, Exception):
    """Base class of every error arcwise raises deliberately."""


class ArgumentError(ArcwiseError, ValueError):
    """An argument has a value that is not allowed."""


class UnknownArgumentError(ArgumentError, TypeError):
    """A function was given an argument by a name it does not have."""


class UnknownNameError(ArgumentError, KeyError):
    """A result that holds others by name has none of that name."""

    __str__ = Message.__str__  # a KeyError would put the sentence in quotation marks


class DataError(ArcwiseError, ValueError):
    """The data table cannot be used as it is."""


class ConstraintError(ArcwiseError, ValueError):
    """Edge constraints contradict each other or leave a node without any parent set."""


class FileFormatError(ArcwiseError, ValueError):
    """A file is damaged, or not in the format that its name or header declares."""


class NumericalError(ArcwiseError, ArithmeticError):
    """A result would have no significant digits left."""


class CapacityError(ArcwiseError, MemoryError):
    """A computation needs more memory than is allowed or can be addressed."""


class TimeIsUpError(ArcwiseError, TimeoutError):
    """The seconds given were over before there was anything to return."""


class EngineError(ArcwiseError, RuntimeError):
    """A cluster cannot be reached, or its workers cannot run the tasks."""


class DeviceError(ArcwiseError, RuntimeError):
    """There is no graphics processor as asked for, or it cannot be used."""


class MissingDependencyError(ArcwiseError, ImportError):
    """An optional package is needed but not installed."""


class RunDirectoryError(ArcwiseError, OSError):
    """A run directory is in use, holds another run, or cannot be written to."""


class ArcwiseWarning(Message, UserWarning):
    """Base class of every warning arcwise issues."""


class DataWarning(ArcwiseWarning):
    """The data can be used, but something about them should be checked."""


class ConvergenceWarning(ArcwiseWarning):
    """The chains have not converged, or are too short to tell.

    Issued when R-hat is large or the effective sample size small. The probabilities
    may be off by more than their standard errors suggest: run longer, use more chains,
    or use `mc3`, which moves between separate modes more easily.
    """


class ChainsApartWarning(ConvergenceWarning):
    """The chains are stuck in different modes, and their estimates disagree.

    Issued when the probability of an edge differs widely between chains. The mean over
    such chains estimates nothing: use `mc3` with more temperatures, or a space with
    larger steps, until the chains agree.
    """


class RareChangeWarning(ConvergenceWarning):
    """An edge of intermediate probability was added or removed only a few times.

    Its standard error and effective sample size then cannot be estimated, whatever
    values are reported: run longer.
    """


class ExchangeWarning(ConvergenceWarning):
    """Adjacent temperatures hardly ever exchange states.

    The hot chains then do not help the cold one to mix, and the evidence is
    underestimated: use more temperatures, or let the ladder adapt.
    """


class WeightCollapseWarning(ArcwiseWarning):
    """A few samples carry nearly all of the importance weight.

    Issued when the effective sample size of the importance weights is a small fraction
    of the number of samples. Estimates then rest on those few: draw more samples, or use
    a space or target that needs no importance weights.
    """


class GrowthWarning(ArcwiseWarning):
    """The candidate parents could not grow as far as the data call for.

    Issued when a node would have more candidates than `max_size` allows. True parents
    may then be missing: raise `max_size` if memory permits.
    """


class InterruptedWarning(ArcwiseWarning):
    """A run was interrupted, and the result holds the draws made until then.

    Issued after Ctrl-C or SIGTERM. The result is valid, with fewer draws than
    requested; run again, or resume the run if it has a directory.
    """


class CutShortWarning(ArcwiseWarning):
    """A stage of the computation was cut short, and the next made do with what there was.

    Issued when the seconds given were not enough for all of it, or when it would have
    taken days. The result is valid but may be less good: give more seconds.
    """


class DamageWarning(ArcwiseWarning):
    """The ledger of a run was damaged, and the run resumes from before the damage.

    Issued when a run is resumed. The result is the same as without the damage; the
    steps since then are repeated.
    """
