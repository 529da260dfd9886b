"""The errors and warnings arcwise raises, each with a class of its own.

Every message is one sentence that names what came, what is allowed and what to
do; the command line prints exactly that sentence and exits with status 2.
"""


class ArcwiseError(Exception):
    """Base of every error arcwise raises on purpose."""


class ArgumentError(ArcwiseError, ValueError):
    """An argument has a value that is not allowed."""


class UnknownArgumentError(ArgumentError, TypeError):
    """A function was given an argument by a name it does not have."""


class DataError(ArcwiseError, ValueError):
    """The data table cannot be used as it is."""


class ConstraintError(ArcwiseError, ValueError):
    """Edge constraints contradict each other or leave a node no parent set."""


class FileFormatError(ArcwiseError, ValueError):
    """A file is damaged or not of the format its name or header promises."""


class NumericalError(ArcwiseError, ArithmeticError):
    """A result would have no correct digits."""


class CapacityError(ArcwiseError, MemoryError):
    """A job needs more memory than is allowed or can be addressed."""


class EngineError(ArcwiseError, RuntimeError):
    """A cluster cannot be reached, or its workers cannot do the work."""


class MissingDependencyError(ArcwiseError, ImportError):
    """An optional package is needed and not installed."""


class RunDirectoryError(ArcwiseError, OSError):
    """A run directory is in use, holds another run, or cannot be written to."""


class ArcwiseWarning(UserWarning):
    """Base of every warning arcwise issues."""


class DataWarning(ArcwiseWarning):
    """The data are usable, but something about them deserves a look."""


class ConvergenceWarning(ArcwiseWarning):
    """The chains of a sampler do not agree yet, or have moved too little to tell.

    Issued when R-hat is large or the effective sample size small. The probabilities
    may be wrong by more than their standard errors say: run longer, use more chains,
    or use `mc3`, which leaves separate modes more easily.
    """


class ChainsApartWarning(ConvergenceWarning):
    """Chains have settled at different DAGs, and their estimates contradict each other.

    Issued when the probability of an edge differs widely between chains. The mean over
    such chains is no estimate of anything: use `mc3` with more temperatures, or a space with
    larger steps, until the chains agree.
    """


class RareChangeWarning(ConvergenceWarning):
    """An edge of middling probability came or went only a few times.

    Its standard error and effective sample size then cannot be known, however small
    or large they look: run longer.
    """


class ExchangeWarning(ConvergenceWarning):
    """Neighbouring temperatures hardly exchange states.

    Hot chains then do not help the cold one, and the evidence is too low: give more
    levels, or let the ladder adapt.
    """


class WeightCollapseWarning(ArcwiseWarning):
    """A few samples carry nearly all of the weight.

    Issued when the effective sample size of importance weights is a small share of
    the samples. Estimates then rest on those few: draw more samples, or use a space
    or target that needs no such weights.
    """


class GrowthWarning(ArcwiseWarning):
    """Candidate parents could not grow as far as the data ask for.

    Issued when a node would have more candidates than `max_size` allows. Parents it
    has in truth may then be missing: raise `max_size` if there is the memory.
    """


class InterruptedWarning(ArcwiseWarning):
    """A run was stopped before its end, and the result holds what was there by then.

    Issued after Ctrl-C or SIGTERM. The result is valid, with fewer draws than asked
    for; run again for the rest, or resume the run if it has a directory.
    """


class DamageWarning(ArcwiseWarning):
    """The ledger of a run was damaged, and the run goes on from before the damage.

    Issued when a run is resumed. The result is the same as without the damage; the
    steps since then are made again.
    """
