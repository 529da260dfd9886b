"""`CanonicalOrders`: orders of the variables that follow the modular posterior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.model.modularity import Modularity
from arcwise.spaces.moves import refuse_bad_moves
from arcwise.spaces.space import Space
from arcwise.sums import ScoreSums
from arcwise.support.names import as_list
from arcwise.support.words import shown


@dataclass(frozen=True)
class CanonicalOrders(Space, name="canonical"):
    """Canonical orders: each stands for the DAGs of which it is the first topological order.

    The variables are numbered, and the canonical order of a DAG takes the smallest number
    whose parents have all been taken. Every DAG has exactly one, so the states follow the
    modular posterior, and no DAG needs a weight. With `mc3` and the ladder ``"bridge"`` the
    chains are coupled to chains of linear orders, which mix better.

    Parameters
    ----------
    moves
        How probable each kind of move is, in any unit: ``"swap"`` of any two variables,
        ``"adjacent"`` swap, ``"relocate"``, which takes a variable out and draws its new place
        from the law given the others, and ``"renumber"``, which draws a DAG given the order,
        numbers the variables anew, and takes the DAG's canonical order. Kinds left out are not
        made. None for probabilities by which the first three kinds take about the same time,
        with few new numberings.
    numbering
        The variables by their numbers, which are then not drawn anew; the order of a random
        DAG is as good as any. None for numberings drawn at random, or for the variables as
        they come if `moves` leaves out ``"renumber"``.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, CanonicalOrders(), steps=50_000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.1)
    True
    """

    modularity: ClassVar[Modularity] = "modular"
    has_bridge: ClassVar[bool] = True

    moves: Mapping[str, float] | None = None
    numbering: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Refuse moves that do not exist or cannot be, and a numbering they would change."""
        refuse_bad_moves(self, self.moves)
        if self.numbering is None:
            return
        wanted = "a list of the names of all variables"
        names = as_list(self.numbering, "numbering", wanted)
        if not all(isinstance(name, str) for name in names):
            raise ArgumentError(f"numbering is {shown(names)}; give {wanted}")
        object.__setattr__(self, "numbering", tuple(names))
        if self.moves is not None and self.moves.get("renumber", 0) > 0:
            raise ArgumentError(
                "numbering was given and moves has 'renumber', which would change it; give only "
                "one of them"
            )

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model.

        Raises
        ------
        ArgumentError
            If the numbering does not name every variable once.
        """
        if self.numbering is None:
            return self.build_named(sums, self.moves)
        if sorted(self.numbering) != sorted(sums.variables):
            raise ArgumentError(
                f"numbering is {list(self.numbering)!r}; name each of the {len(sums.variables)} "
                "variables once"
            )
        numbers = [self.numbering.index(variable) for variable in sums.variables]
        return self.build_named(sums, self.moves, orders={"numbering": numbers})

    def advice(self, modularity: Modularity) -> list[str]:
        """Return what else to try: the bridge from linear orders."""
        return [*super().advice(modularity), "mc3 with the ladder bridge"]
