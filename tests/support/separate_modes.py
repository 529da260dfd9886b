"""A posterior of two modes that chains hardly ever pass between."""

from __future__ import annotations

from arcwise import Model
from support.exact_models import names


def two_modes(height: float, tilt: float) -> Model:
    """Return a model whose variables form a chain, from x0 to x5 or from x5 to x0.

    What lies between weighs e^height less; the second way weighs e^(5 tilt) more.
    """

    def score(node: str, parents: tuple[str, ...]) -> float:
        place = int(node[1:])
        if parents == (f"x{place - 1}",):
            return height
        if parents == (f"x{place + 1}",):
            return height + tilt
        return 0.0 if not parents and place in (0, 5) else -height

    return Model(list(names(6)), score)


def two_directions(nodes: int, barrier: float) -> Model:
    """Return a model whose variables have the two before them as parents, or the two after.

    What lies between weighs e^barrier less at least, and no move of few variables leads across.
    """

    def score(node: str, parents: tuple[str, ...]) -> float:
        place, given = int(node[1:]), {int(parent[1:]) for parent in parents}
        if not given:
            return -barrier if place in (0, nodes - 1) else -2 * barrier
        before, after = ({place + way, place + 2 * way} & {*range(nodes)} for way in (-1, 1))
        return 0.0 if given in (before, after) else -2 * barrier

    return Model(list(names(nodes)), score, max_indegree=2)
