"""`LinearOrders`: all orders of the variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arcwise import _core
from arcwise.spaces.moves import as_move_weights, refuse_bad_moves
from arcwise.spaces.space import Space
from arcwise.sums import ScoreSums

_MOVES = ("swap", "adjacent", "relocate")


@dataclass(frozen=True)
class LinearOrders(Space):
    """Linear orders; a variable's parents come before it.

    Parameters
    ----------
    moves
        How probable each kind of move is, in any unit: ``"swap"`` of any two
        variables, ``"adjacent"`` swap, and ``"relocate"``, which takes a variable
        out and draws its new place from the law given the others. Kinds left out
        are not made. None for probabilities by which each kind takes the same
        time.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> space = LinearOrders(moves={"swap": 3, "relocate": 1})
    >>> arcwise.mcmc(model, space, steps=500, chains=2, seed=1).algorithm
    'mcmc'
    """

    moves: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        """Refuse moves that do not exist or cannot be."""
        refuse_bad_moves(self.moves, _MOVES, "linear orders")

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""
        balanced = _core.balanced_moves(len(sums.variables))
        return _core.linear_orders(sums.core, as_move_weights(self.moves, _MOVES, balanced))
