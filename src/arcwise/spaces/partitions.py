"""`Partitions`: the variables in parts, each with a parent in the part before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from arcwise.model.modularity import Modularity
from arcwise.spaces.moves import MovedSpace


@dataclass(frozen=True)
class Partitions(MovedSpace, name="partitions"):
    """Ordered partitions: sources first, every other variable right after its last parent.

    Every DAG belongs to exactly one partition, so the states follow the modular
    posterior, and no DAG needs a weight.

    Parameters
    ----------
    moves
        How probable each kind of move is, in any unit: ``"split or join"`` of
        parts, ``"swap adjacent"`` and ``"swap"`` of two variables, ``"relocate"``,
        which draws a variable's place from the law given the others, and
        ``"reverse edge"``, which draws a DAG, turns an edge and draws new parents for
        both its ends. Kinds left out are not made. None for what mixes best by experience.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, Partitions(), steps=20_000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.1)
    True
    """

    modularity: ClassVar[Modularity] = "modular"

    moves: Mapping[str, float] | None = None

    def advice(self, modularity: Modularity) -> list[str]:
        """Return nothing: there is no other space to try before this one."""
        return []
