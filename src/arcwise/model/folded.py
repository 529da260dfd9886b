"""`FoldedWeights`: the weights of a model over its ordinary variables, and the way back to all.

Parent-only variables have children only. Families with the same ordinary parents are added up
over their parent-only ones, so that spaces, moves and exact computation run over the ordinary
variables and do not know about the others; draws and probabilities are unfolded afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.graphs.dag import Dag
from arcwise.support.running import running

# As if of another run, so that unfolding has no random numbers in common with what it unfolds.
_OTHER_SEED = 0x0F_01DED_5EED


@dataclass(frozen=True, eq=False)
class FoldedWeights:
    """Log weights of families over the ordinary variables.

    Parameters
    ----------
    variables
        All variables.
    ordinary
        Those that are not parent-only, in the same order.
    weights
        The log weights over all variables.
    core
        The folded families; None if all variables are ordinary.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(["a", "b", "z"], lambda v, parents: 0.0, parent_only="z")
    >>> model.folded.ordinary, model.folded.table.values(0).round(6).tolist()  # log 2
    (('a', 'b'), [0.693147, 0.693147])
    """

    variables: tuple[str, ...]
    ordinary: tuple[str, ...]
    weights: _core.FamilyTable
    core: _core.FoldedFamilies | None

    @classmethod
    def of(
        cls, variables: tuple[str, ...], parent_only: Sequence[str], weights: _core.FamilyTable
    ) -> FoldedWeights:
        """Fold the weights of a model."""
        if not parent_only:
            return cls(variables, variables, weights, None)
        places = [place for place, name in enumerate(variables) if name in parent_only]
        ordinary = tuple(name for name in variables if name not in parent_only)
        with running(None, None, "") as run:
            core = _core.FoldedFamilies(weights, places, run.threads, run.progress)
        return cls(variables, ordinary, weights, core)

    @property
    def table(self) -> _core.FamilyTable:
        """The log weights of ordinary parent sets: sums over the parent-only parents."""
        return self.weights if self.core is None else self.core.sums

    @property
    def maxima(self) -> _core.FamilyTable:
        """The log weight of the heaviest family with each ordinary parent set."""
        return self.weights if self.core is None else self.core.maxima

    @property
    def families(self) -> int:
        """The number of ordinary parent sets of all variables."""
        return sum(self.table.count(node) for node in range(len(self.ordinary)))

    def probabilities(
        self, families: _core.FamilyTable, edges: NDArray[np.float64]
    ) -> tuple[_core.FamilyTable, NDArray[np.float64]]:
        """Return the probabilities of all families and edges from those of ordinary ones."""
        if self.core is None:
            return families, edges
        return self.core.probabilities(self.weights, families)

    def draws(self, parents: NDArray[Any], seed: int, first: int) -> NDArray[Any]:
        """Return DAGs over all variables, of which those over the ordinary ones were drawn.

        Parameters
        ----------
        parents
            [DAG, node], as bits, or [DAG, node, word].
        seed, first
            The seed of the draws, and the number of the first of them.
        """
        if self.core is None:
            return parents
        return self.core.draw(_packed(parents), seed ^ _OTHER_SEED, first)

    def best(self, dag: Dag) -> Dag:
        """Return a DAG of the ordinary variables with the best parent-only parents added."""
        if self.core is None:
            return dag
        place = {name: number for number, name in enumerate(self.ordinary)}
        rows = np.zeros((1, len(place), (len(place) + 63) // 64), dtype=np.uint64)
        for name, number in place.items():
            for parent in dag.parents(name):
                rows[0, number, place[parent] // 64] |= np.uint64(1 << (place[parent] % 64))
        (found,) = self.core.best(rows)
        bits = np.unpackbits(
            np.ascontiguousarray(found, dtype="<u8").view(np.uint8), axis=1, bitorder="little"
        )
        return Dag.from_matrix(self.variables, bits[:, : len(self.variables)].T.astype(np.bool_))

    def restricted(self, dag: Dag) -> Dag:
        """Return a DAG without its parent-only variables."""
        if self.core is None:
            return dag
        kept = set(self.ordinary)
        return Dag(self.ordinary, {v: kept.intersection(dag.parents(v)) for v in self.ordinary})


def _packed(parents: NDArray[Any]) -> NDArray[np.uint64]:
    whole = parents[:, :, np.newaxis] if parents.ndim == 2 else parents
    return np.ascontiguousarray(whole, dtype=np.uint64)
