"""Weights of edges that give a prior the marginal probabilities that a user states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.constraints import ResolvedConstraints
from arcwise.errors import ConstraintError
from arcwise.priors.terms import PriorTerms

_MOST_SWEEPS = 1000
_CLOSE = 1e-11  # of log odds
_CLOSE_ENOUGH = 1e-6
_BEYOND = 500.0  # log weights that no statement needs that can hold


@dataclass(frozen=True)
class PairStatement:
    """What is stated of two nodes.

    Parameters
    ----------
    first, second
        The nodes.
    forward
        The probability of first -> second.
    backward
        That of second -> first; None if nothing is stated of it.
    either
        The probability of an edge in either direction, instead of both.
    """

    first: int
    second: int
    forward: float | None = None
    backward: float | None = None
    either: float | None = None


def log_weights_for(
    statements: Sequence[PairStatement],
    base: PriorTerms,
    constraints: ResolvedConstraints,
    variables: Sequence[str],
) -> NDArray[np.float64]:
    """Return the log weights [parent, node] of edges that make the statements true.

    Let each node draw its parents independently of the others, by the base prior within the
    constraints, and let q and r be the odds of u being a parent of v and of v being one of u.
    Given that not both are, the pair is u -> v, v -> u or unconnected in the ratio q : r : 1.
    The statement P(u -> v) = p asks for q = p (1 + r) / (1 - p); two statements about a pair for
    q = p / (1 - p - p') and r = p' / (1 - p - p'); one about either direction for
    q + r = p / (1 - p). A factor on an edge multiplies its odds, whatever the base prior; where
    that depends on numbers of parents, the factors of a node depend on one another, and each
    is found given the others until none changes.
    """
    n = len(variables)
    weights = np.zeros((n, n))
    odds = _Odds(base, constraints)
    largest = 0.0
    for _ in range(_MOST_SWEEPS):
        largest = 0.0
        for each in statements:
            u, v = each.first, each.second
            q, r = odds.log_odds(u, v, weights), odds.log_odds(v, u, weights)
            steps = _steps(each, q, r)
            for (parent, node), step in zip(((u, v), (v, u)), steps, strict=True):
                if step:
                    weights[parent, node] += step
                    odds.forget(node)
                    largest = max(largest, abs(step))
        if largest < _CLOSE:
            return weights
        if np.abs(weights).max() > _BEYOND:
            break
    if largest > _CLOSE_ENOUGH:
        worst = max(statements, key=lambda each: float(np.abs(weights[:, each.second]).max()))
        raise ConstraintError(
            f"edge_probabilities of edges to {variables[worst.second]!r} cannot all hold at once "
            "within the number of parents that max_indegree and the prior allow it; lower some of "
            "them, or raise max_indegree"
        )
    return weights


def _steps(each: PairStatement, q: float, r: float) -> tuple[float, float]:
    """Return what to add to the log weights of both directions, given their log odds."""
    if each.either is not None:
        step = float(np.log(each.either) - np.log1p(-each.either) - np.logaddexp(q, r))
        return step if np.isfinite(q) else 0.0, step if np.isfinite(r) else 0.0
    assert each.forward is not None
    if each.backward is None:
        rest = np.log1p(-each.forward)
        return float(np.log(each.forward) - rest + np.logaddexp(0.0, r) - q), 0.0
    rest = np.log1p(-(each.forward + each.backward))
    return float(np.log(each.forward) - rest - q), float(np.log(each.backward) - rest - r)


class _Odds:
    """The odds of each edge if every node drew its parents independently."""

    def __init__(self, base: PriorTerms, constraints: ResolvedConstraints) -> None:
        self.base = base
        self.free = constraints.allowed & ~constraints.required
        self.required = constraints.required.sum(axis=0)
        self.most = constraints.max_indegree
        self.known: dict[int, NDArray[np.float64]] = {}

    def forget(self, node: int) -> None:
        """Note that weights of edges to a node have changed."""
        self.known.pop(node, None)

    def log_odds(self, parent: int, node: int, weights: NDArray[np.float64]) -> float:
        """Return the log odds of an edge; minus infinity if it is not allowed."""
        if not self.free[parent, node]:
            return -np.inf
        if node not in self.known:
            self.known[node] = self._of_node(node, weights)
        return float(self.known[node][parent])

    def _of_node(self, node: int, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log odds of all free edges to a node.

        ``before[t][i]`` is the log weight of all sets of i of the first t parents, and
        ``after[t][i]`` that of all sets of the others beside i, with the term of their size.
        """
        parents = np.flatnonzero(self.free[:, node])
        edges = (self.base.edge + weights)[parents, node]
        least, most = int(self.required[node]), int(self.most[node])
        most = min(most, least + len(parents))
        sizes = self.base.size[node, least : most + 1]
        found = np.full(len(weights), -np.inf)
        if len(sizes) == len(parents) + 1 and (sizes == sizes[0]).all():
            found[parents] = edges  # sets of any size are as likely, and edges independent
            return found
        count = len(sizes)
        before = np.full((len(parents) + 1, count), -np.inf)
        before[0, 0] = 0.0
        after = np.full((len(parents) + 1, count + 1), -np.inf)
        after[-1, :count] = sizes
        for t, edge in enumerate(edges):
            before[t + 1] = before[t]
            before[t + 1, 1:] = np.logaddexp(before[t, 1:], before[t, :-1] + edge)
        for t in range(len(parents) - 1, -1, -1):
            after[t] = after[t + 1]
            after[t, :-1] = np.logaddexp(after[t + 1, :-1], after[t + 1, 1:] + edges[t])
        for t, parent in enumerate(parents):
            without = np.logaddexp.reduce(before[t] + after[t + 1, :-1])
            together = np.logaddexp.reduce(before[t] + after[t + 1, 1:]) + edges[t]
            found[parent] = together - without
        return found
