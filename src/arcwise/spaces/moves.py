"""How probable each kind of move of a space is, as users give it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.spaces.space import Space
from arcwise.sums import ScoreSums
from arcwise.support.checks import real_numbers
from arcwise.support.words import quoted, shown


def move_shares(space: type[Space], variables: int) -> dict[str, float]:
    """Return how often a space tries each kind of move by itself, in any unit.

    Parameters
    ----------
    space
        The class of the space.
    variables
        How many variables there are.

    Examples
    --------
    >>> from arcwise.spaces import Partitions
    >>> list(move_shares(Partitions, 8))
    ['split or join', 'swap adjacent', 'swap', 'relocate', 'reverse edge']
    """
    return dict(_core.space_moves(space.name, variables))


class MovedSpace(Space):
    """A space that takes nothing but how probable each kind of move is."""

    moves: Mapping[str, float] | None

    def __post_init__(self) -> None:
        """Refuse moves that do not exist or cannot be."""
        refuse_bad_moves(self, self.moves)

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""
        return self.build_named(sums, self.moves)


def refuse_bad_moves(space: Space, moves: Mapping[str, float] | None) -> None:
    """Refuse moves that a space does not have, and probabilities that are none."""
    if moves is None:
        return
    if not isinstance(moves, Mapping):
        raise ArgumentError(
            f"moves is {shown(moves)}; give a mapping from kinds of moves to numbers"
        )
    known = move_shares(type(space), 2)
    unknown = [name for name in moves if name not in known]
    if unknown:
        raise ArgumentError(
            f"moves names {quoted(unknown)}; {type(space).__name__} has {quoted(known)}"
        )
    shares = real_numbers(list(moves.values()), "moves")
    if shares.ndim != 1 or not ((shares >= 0) & (shares < np.inf)).all() or not shares.sum() > 0:
        raise ArgumentError(
            f"moves is {dict(moves)!r}; give numbers from 0 on, at least one above 0"
        )
