"""How much memory an exact run needs, and how much there is."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise import _core
from arcwise.errors import CapacityError
from arcwise.model import Model, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.support.devices import Processors
from arcwise.support.memory import available_memory
from arcwise.support.words import byte_size, rounded


@dataclass(frozen=True)
class ExactCost:
    """What an exact run takes.

    Parameters
    ----------
    memory
        Bytes held at once, besides the model itself.
    operations
        Sums and products, the unit of the run's progress; for orders of magnitude.
    """

    memory: int
    operations: int

    def __str__(self) -> str:
        """Say it in words."""
        return f"{byte_size(self.memory)} of memory, {rounded(self.operations)} operations"


def exact_cost(
    model: Model, modularity: Modularity = "modular", *, threads: int | None = None
) -> ExactCost:
    """Return the memory and the work `exact` takes for this model.

    Parameters
    ----------
    model, modularity, threads
        As for `exact`.

    Examples
    --------
    >>> model = Model(["a", "b", "c"], lambda node, parents: -float(len(parents)))
    >>> print(exact_cost(model, "order-modular", threads=1))
    1 KiB of memory, 140 operations
    """
    count = Processors.available(threads).threads
    memory, _, operations = _of_model(checked_model(model), as_modularity(modularity), count)
    return ExactCost(memory, operations)


def memory_needed(model: Model, modularity: Modularity, threads: int, *, paths: bool) -> int:
    """Return the bytes an exact computation holds at most, with or without that of paths."""
    without, with_paths, _ = _of_model(model, modularity, threads)
    if not paths:
        return without
    if not model.parent_only:
        return with_paths
    # Beside all tables, the computation for one of the parent-only variables is held.
    further = _core.exact_cost(
        len(model.ordinary) + 1, len(model.weights), modularity == "order-modular", threads
    )
    return with_paths + further[1]


def _of_model(model: Model, modularity: Modularity, threads: int) -> tuple[int, int, int]:
    return _core.exact_cost(
        len(model.ordinary), model.folded.families, modularity == "order-modular", threads
    )


def refuse_too_large(memory: int, limit: int | None) -> None:
    """Refuse a run that needs more than the limit, or than what is free."""
    allowed = available_memory() if limit is None else limit
    if memory > allowed:
        raise CapacityError(
            f"the exact run needs {byte_size(memory)} and the limit is {byte_size(allowed)}; "
            "raise memory_limit, or use a sampler"
        )
