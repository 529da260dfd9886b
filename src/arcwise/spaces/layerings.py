"""`Layerings`: the variables in layers, each of which stands for all its partitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from arcwise import _core
from arcwise.model.modularity import Modularity
from arcwise.spaces.moves import refuse_bad_moves
from arcwise.spaces.space import Space, is_size
from arcwise.sums import ScoreSums
from arcwise.support.checks import MOST_INT, whole_number


@dataclass(frozen=True)
class Layerings(Space, name="layerings"):
    """Layerings: neighbouring parts of partitions merged while they have few enough variables.

    One state stands for all partitions that are merged to it, so there are fewer
    and their weights are smoother than those of partitions; a step costs about
    ``4**max_size`` products more. The states follow the modular posterior.

    Parameters
    ----------
    max_size
        The largest number of variables in a layer of several parts, up to 12. With
        1 layerings are partitions; with all variables there is one state, and
        every draw is independent. None for the largest from 4 to 8 by which the
        dynamic programming over all layers costs no more than going once through all families:
        ``4**max_size * n / max_size`` products against their number.
    moves
        How probable each kind of move is, in any unit: ``"relocate"`` of some
        variables of a layer into another or between two, ``"swap adjacent"`` and
        ``"swap"`` of two variables, ``"re-partition"``, which draws a partition and
        makes a move there, ``"reverse edge"``, which does the same with a DAG, and
        ``"stay"``. Kinds left out are not made. None for what mixes best by
        experience.
    partition_moves
        How many moves a ``"re-partition"`` makes before it comes back to a layering,
        at the posterior itself; at other temperatures it makes one.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, Layerings(4), steps=5_000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.1)
    True
    """

    modularity: ClassVar[Modularity] = "modular"

    max_size: int | None = None
    moves: Mapping[str, float] | None = None
    partition_moves: int = 10

    def __post_init__(self) -> None:
        """Refuse a size that is none, and moves that do not exist or cannot be."""
        if self.max_size is not None:
            whole_number(self.max_size, "max_size", at_least=1, at_most=MOST_INT)
        whole_number(self.partition_moves, "partition_moves", at_least=1, at_most=MOST_INT)
        refuse_bad_moves(self, self.moves)

    def on(self, sums: ScoreSums) -> Layerings:
        """Return the space with a largest size chosen, if none was given."""
        if self.max_size is not None:
            return self
        return replace(self, max_size=_core.space_numbers(self.name, sums.core)["max_size"])

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""
        numbers = {"partition_moves": self.partition_moves}
        if self.max_size is not None:
            numbers["max_size"] = self.max_size
        return self.build_named(sums, self.moves, numbers)

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """Return its word, which a size may follow."""
        return ("layerings[:MAX_SIZE]",)

    @classmethod
    def parse(cls, argument: str) -> Self | None:
        """Return the space for a largest size, or for none."""
        if not argument:
            return cls()
        return cls(int(argument)) if is_size(argument) else None
