"""Which chains over orders a space asks for, and what a device needs to know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arcwise.errors import ArgumentError, option
from arcwise.records.tempering import Path, PathPoint
from arcwise.spaces import CanonicalOrders, Space

Point = tuple[float, float]
"""An inverse temperature, and a place on the bridge: 0 for linear orders, 1 for canonical ones."""

POSTERIOR: Point = (1.0, 1.0)
ORDER_POSTERIOR: Point = (1.0, 0.0)


@dataclass(frozen=True)
class SampledOrders:
    """What chains over linear or canonical orders do.

    Parameters
    ----------
    canonical
        Whether they follow the modular posterior.
    neighbours
        The share of swaps of neighbours; None for the usual one.
    numbers
        The number of each node, if the space gives it.
    steps_of_relocation
        The steps between relocations; None if there are none.
    steps_of_numbering
        The steps between new numberings; None if there are none.
    codes_with_numbers
        Whether codes of states have their numbers after the orders.
    """

    canonical: bool = True
    neighbours: float | None = None
    numbers: tuple[int, ...] | None = None
    steps_of_relocation: int | None = None
    steps_of_numbering: int | None = None
    codes_with_numbers: bool = False

    @classmethod
    def of(
        cls, space: Space, variables: Sequence[str], *, renumbers: bool = False
    ) -> SampledOrders:
        """Return what a space of orders asks for, or refuse what a device does not do.

        Parameters
        ----------
        space
            The space.
        variables
            The variables of the model.
        renumbers
            Whether new numberings are made, as by chains at the posterior alone.
        """
        canonical = isinstance(space, CanonicalOrders)
        moves: Mapping[str, float] | None = getattr(space, "moves", None)
        near = neighbour_share(moves)
        if moves is not None and moves.get("renumber") and not renumbers:
            raise ArgumentError(
                option("device", "gpu"),
                " numbers orders anew in mcmc alone, and the space asks for the move 'renumber'; "
                "leave either out",
            )
        if moves is None:
            n = len(variables)  # shares of moves are those of the core
            usual = {"adjacent": 0.5, "swap": 1 / (n / 3 + 2)}
            moves = usual | {"relocate": 1 / (3 * n), "renumber": 1 / (20 * n)} if canonical else {}
        swaps = float(moves.get("adjacent", 0.0)) + float(moves.get("swap", 0.0))

        def steps_between(move: str) -> int | None:
            share = float(moves.get(move, 0.0))
            return max(1, round(swaps / share)) if share > 0.0 else None

        numbering = getattr(space, "numbering", None)
        renumber = steps_between("renumber") if numbering is None else None
        return cls(
            canonical,
            near,
            None if numbering is None else tuple(numbering.index(name) for name in variables),
            steps_between("relocate"),
            renumber if renumbers else None,
            renumber is not None,
        )

    @property
    def posterior(self) -> Point:
        """Where the posterior is."""
        return POSTERIOR if self.canonical else ORDER_POSTERIOR

    def points(self, path: Path) -> list[Point]:
        """Return the points of a path; linear orders are at the beginning of the bridge."""
        return [self._point(point) for point in path]

    def _point(self, point: PathPoint) -> Point:
        inverse, bridge = point if isinstance(point, tuple) else (point, 1.0)
        return float(inverse), float(bridge) if self.canonical else 0.0


def neighbour_share(moves: Mapping[str, float] | None) -> float | None:
    """Return the share of swaps of neighbours among the moves asked for; None for the usual."""
    if moves is None:
        return None
    near, far = float(moves.get("adjacent", 0.0)), float(moves.get("swap", 0.0))
    if near + far == 0.0:
        raise ArgumentError(
            option("device", "gpu"),
            " makes swaps, and the space asks for other moves alone; leave either out",
        )
    return near / (near + far)
