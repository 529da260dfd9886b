"""`Growing`: the candidate parents of the moment while they grow, and the model on them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.algorithms.memory import available_memory
from arcwise.candidates.family_weigher import FamilyWeigher
from arcwise.errors import CapacityError
from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.support.running import Run
from arcwise.support.words import byte_size

Matrix = NDArray[np.bool_]

# In the last search every node has as many candidates as make no more than so many families.
_FAMILIES_AT_LAST = 2**21

# A family is held with its score, its weight and its place in the rows.
_BYTES_PER_FAMILY = 24


@dataclass(frozen=True)
class GrowthRound:
    """What one round of growth found.

    Parameters
    ----------
    candidates, largest
        The candidates of all nodes together and of the node with most.
    families
        The families they and one more parent make.
    log_weight
        The log weight of the best DAG found within those; None if growth follows the
        posterior.
    wanted
        How many parents that were no candidates were wanted.
    """

    candidates: int
    largest: int
    families: int
    log_weight: float | None
    wanted: int


def growth_memory(variables: int, max_size: int) -> int:
    """Return the bytes a node takes that has grown to the largest number of candidates.

    Examples
    --------
    >>> growth_memory(100, 14) // 2**20
    32
    """
    inside = min(max_size, variables - 1)
    return (variables - inside) * (1 << inside) * _BYTES_PER_FAMILY


class Growing:
    """The candidates of the moment, the model on them, and the way there."""

    def __init__(
        self, start: Model, plus_one: bool, max_size: int, memory_limit: int | None, threads: int
    ) -> None:
        families = start.families
        assert families is not None
        self.start, self.max_size, self.threads = start, max_size, threads
        self.memory_limit = memory_limit
        self.variables = start.variables
        n = len(self.variables)
        self.plus_one = plus_one
        resolved = start.constraints.resolve(self.variables)
        self.required: Matrix = resolved.required
        self.allowed: Matrix = resolved.allowed & ~resolved.required
        self.matrix: Matrix = np.zeros((n, n), dtype=np.bool_)
        for node, parents in enumerate(families.candidates):
            self.matrix[list(parents), node] = True
        self.first: Matrix = self.matrix.copy()
        self.rounds: list[GrowthRound] = []
        self.weights: dict[Dag, float] = {}  # of the DAGs found
        self.full: set[str] = set()
        self.weigher = FamilyWeigher.of(replace(start.question, candidates=None, plus_one=False))
        self.alone = weights_alone(self.weigher, threads)
        self.model = start
        self.keep(np.zeros_like(self.matrix))

    def keep(self, *wanted: Matrix) -> None:
        """Let the candidates be the wanted ones and those of the beginning, as far as allowed.

        Where there is not room for all, those wanted first are kept first, and
        among those of the beginning the ones that are worth most as the only parent.
        """
        matrix = np.logical_or.reduce([self.first, *wanted]) & self.allowed
        for node in np.flatnonzero(matrix.sum(axis=0) > self.max_size):
            if (wanted[0] & self.allowed)[:, node].sum() > self.max_size:
                self.full.add(self.variables[node])
            parents = np.flatnonzero(matrix[:, node])
            turns = [~each[parents, node] for each in reversed(wanted)]
            ranked = parents[np.lexsort((-self.alone[parents, node], *turns))]
            matrix[ranked[self.max_size :], node] = False
        self.matrix = matrix

    @property
    def size_at_last(self) -> int:
        """How many candidates all nodes may have in the last search."""
        n, size = len(self.variables), 1
        while size < n - 1 and n * (n - size - 1) * 2 ** (size + 1) <= _FAMILIES_AT_LAST:
            size += 1
        return size

    def fill(self, size: int) -> None:
        """Give every node so many candidates, by what others are worth as the only parent."""
        for node in np.flatnonzero(self.matrix.sum(axis=0) < min(size, self.max_size)):
            others = np.flatnonzero(self.allowed[:, node] & ~self.matrix[:, node])
            room = min(size, self.max_size) - int(self.matrix[:, node].sum())
            ranked = others[np.argsort(-self.alone[others, node], kind="stable")]
            self.matrix[ranked[:room], node] = True

    def build(self) -> Model:
        """Return the model on the candidates and, among not too many variables, one more parent."""
        inside = self.matrix.sum(axis=0)
        outside = self.allowed.sum(axis=0) - inside if self.plus_one else 0
        families = int(((1 + outside) * 2.0**inside).sum())
        limit = available_memory() if self.memory_limit is None else self.memory_limit
        if families * _BYTES_PER_FAMILY > limit:
            raise CapacityError(
                f"candidates of up to {inside.max()} parents make {families:.3g} families, which "
                f"need {byte_size(families * _BYTES_PER_FAMILY)}, and the limit is "
                f"{byte_size(limit)}; lower max_size or give fewer candidates to begin with"
            )
        self.model = self.start.with_candidates(
            self.matrix.astype(np.int64), plus_one=self.plus_one, threads=self.threads
        )
        return self.model

    def note(self, wanted: Matrix, log_weight: float | None) -> int:
        """Note a round; return how many parents it wants that are no candidates."""
        new = int((wanted & self.allowed & ~self.matrix).sum())
        self.rounds.append(
            GrowthRound(
                int(self.matrix.sum()),
                int(self.matrix.sum(axis=0).max()),
                len(self.model.scores),
                log_weight,
                new,
            )
        )
        return new


def weights_alone(weigher: FamilyWeigher, threads: int) -> NDArray[np.float64]:
    """Return the log weights of families with one parent besides the required ones."""
    n = len(weigher.variables)
    free = [weigher.free(node) for node in range(n)]
    must = [weigher.must(node) for node in range(n)]
    table = _core.PlusOneTable([[] for _ in range(n)], must, free, [0] * n)
    weigher.weigh(table, Run(threads))
    weights = np.full((n, n), -np.inf)
    for node in range(n):
        weights[free[node], node] = table.values(node)
    return weights
