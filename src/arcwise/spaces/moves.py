"""How probable each kind of move of a space is, as users give it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arcwise.errors import ArgumentError
from arcwise.support.words import quoted


def refuse_bad_moves(moves: Mapping[str, float] | None, names: Sequence[str], space: str) -> None:
    """Refuse moves that a space does not have, and probabilities that are none."""
    if moves is None:
        return
    unknown = [name for name in moves if name not in names]
    if unknown:
        raise ArgumentError(f"moves names {quoted(unknown)}; {space} have {quoted(names)}")
    finite = all(0 <= probability < float("inf") for probability in moves.values())
    if not finite or not sum(moves.values()) > 0:
        raise ArgumentError(
            f"moves is {dict(moves)!r}; give numbers from 0 on, at least one above 0"
        )


def as_move_weights(
    moves: Mapping[str, float] | None, names: Sequence[str], usual: list[float]
) -> list[float]:
    """Return a number for each kind, those of the space itself if none are given."""
    if moves is None:
        return usual
    return [float(moves.get(name, 0.0)) for name in names]
