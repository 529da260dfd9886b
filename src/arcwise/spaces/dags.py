"""`Dags`: the DAGs themselves, one edge or one family at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from arcwise.model.modularity import Modularity
from arcwise.spaces.moves import MovedSpace


@dataclass(frozen=True)
class Dags(MovedSpace, name="dags"):
    """DAGs: structure MCMC, the sampler others are compared with.

    A state is one DAG, so the states follow the modular posterior, and no DAG
    needs a weight.

    Parameters
    ----------
    moves
        How probable each kind of move is, in any unit: ``"add or delete"`` and
        ``"reverse"`` change one edge, every neighbour of the kind being as
        probable as any other; ``"reverse path"`` turns round a path (often of one
        edge) where that keeps the conditional independences; ``"redraw parents"``
        draws the parents of a variable from their law given all other edges;
        ``"reverse and redraw"`` reverses an edge and draws new parents for both its
        ends; ``"window"`` draws the parents of three to six variables that are near
        each other from their joint law given all other edges. Where chains start from
        orders, a short pilot of four chains first finds the uncertain edges that change
        too seldom, and windows are opened around these more often; if some hardly change
        at all and score sums are tabulated, windows have up to eight variables, and large
        ones are as frequent as small ones; ``"class jump"`` goes to any DAG of the same
        equivalence class, all equally probable, and is made only if asked for, as no
        clear gain by it was measured; ``"Markov blanket"``, which draws new parents for a
        variable and then new ones besides it for each of its children, likewise is made
        only if asked for. Kinds left out are not made, but at all temperatures but the
        posterior's half of the moves change one edge, and none opens a window. None for
        what mixes best by experience.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, Dags(), steps=20_000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.1)
    True
    """

    modularity: ClassVar[Modularity] = "modular"
    states_are_dags: ClassVar[bool] = True

    moves: Mapping[str, float] | None = None

    @property
    def adapts_moves(self) -> bool:
        """Whether chains can adapt the shares of its kinds of moves: if none are given."""
        return self.moves is None
