"""What arcwise is compared with: plain NumPy and Python, and other packages that are installed.

`tests/reference` has the definitions, cell by cell and set by set, for correctness; what is here is
what a user would write for speed. Where a definition is as fast as that, it is used itself.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, multigammaln

import arcwise
from arcwise import Dag, _core
from arcwise.data import Data

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from reference.linear_extensions import count_linear_extensions
from reference.subset_recursion import dense_weights

Matrix = NDArray[np.bool_]
FamilyScore = Callable[[int, Sequence[int]], float]

# --- Scores ---------------------------------------------------------------------------------------


class PlainBDeu:
    """BDeu with an equivalent sample size of 1, counting every family from its rows."""

    def __init__(self, data: Data) -> None:
        self.codes = data.discrete_codes("BDeu").astype(np.int64)
        self.levels = data.level_counts()

    def __call__(self, node: int, parents: Sequence[int]) -> float:
        configuration = np.zeros(len(self.codes), dtype=np.int64)
        for parent in parents:
            configuration = configuration * self.levels[parent] + self.codes[:, parent]
        own = int(self.levels[node])
        configurations = math.prod(int(self.levels[parent]) for parent in parents)
        cell = configuration * own + self.codes[:, node]
        counts = np.bincount(cell, minlength=configurations * own).reshape(configurations, own)
        row, each = 1.0 / configurations, 1.0 / (configurations * own)
        return float(
            np.sum(gammaln(each + counts) - gammaln(each))
            - np.sum(gammaln(row + counts.sum(axis=1)) - gammaln(row))
        )


class PlainBGe:
    """BGe with the prior mean 0 and the prior scale 1/2, two determinants for every family."""

    def __init__(self, data: Data) -> None:
        values = data.continuous_values("BGe")
        self.rows, self.n = values.shape
        self.alpha_w = self.n + 2
        self.scale = (self.alpha_w - self.n - 1) / 2.0
        mean = values.mean(axis=0)
        centred = values - mean
        self.matrix = (
            self.scale * np.eye(self.n)
            + centred.T @ centred
            + self.rows / (self.rows + 1.0) * np.outer(mean, mean)
        )

    def of_set(self, members: Sequence[int]) -> float:
        size = len(members)
        if size == 0:
            return 0.0
        freedom = self.alpha_w - self.n + size
        _, log_determinant = np.linalg.slogdet(self.matrix[np.ix_(members, members)])
        return float(
            -0.5 * size * math.log(self.rows + 1.0)
            - 0.5 * size * self.rows * math.log(math.pi)
            + multigammaln(0.5 * (self.rows + freedom), size)
            - multigammaln(0.5 * freedom, size)
            + 0.5 * freedom * size * math.log(self.scale)
            - 0.5 * (self.rows + freedom) * log_determinant
        )

    def __call__(self, node: int, parents: Sequence[int]) -> float:
        return self.of_set([*parents, node]) - self.of_set(parents)


def _frame(data: Data) -> Any:
    """Return the codes as a pandas frame of categories, unobserved levels included."""
    import pandas as pd

    codes = data.discrete_codes("BDeu")
    levels = data.level_counts()
    return pd.DataFrame(
        {
            name: pd.Categorical(codes[:, node], categories=range(int(levels[node])))
            for node, name in enumerate(data.variables)
        }
    )


def pgmpy_bdeu(data: Data) -> FamilyScore | None:
    """Return pgmpy's BDeu of one family."""
    try:
        from pgmpy.structure_score import BDeu
    except ImportError:
        return None
    frame = _frame(data)
    names = {name: list(frame[name].cat.categories) for name in data.variables}
    score = BDeu(frame, equivalent_sample_size=1, state_names=names)
    variables = data.variables
    # The method behind its cache: every family is scored anew.
    return lambda node, parents: float(
        score._local_score(variables[node], tuple(variables[parent] for parent in parents))
    )


def pygobnilp_bdeu_of_set(data: Data) -> Callable[[Sequence[int]], float] | None:
    """Return pygobnilp's BDeu of one set; it, too, takes the difference of two for a family."""
    try:
        from pygobnilp.scoring import BDeu, DiscreteData
    except ImportError:
        return None
    score = BDeu(DiscreteData(_frame(data)), alpha=1.0)
    variables = data.variables
    return lambda members: float(
        score.bdeu_score_component(tuple(variables[member] for member in members))[0]
    )


# --- Exact posteriors -----------------------------------------------------------------------------


def dense(table: _core.FamilyTable) -> list[NDArray[np.float64]]:
    """Return the log weights of each node by the bits of its parents."""
    return [dense_weights(table, node).astype(np.float64) for node in range(len(table))]


def _sums(weights: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the log sums over subsets of each node's log weights."""
    result = []
    for dense in weights:
        table = dense.copy()
        for bit in range(len(weights)):
            halves = table.reshape(-1, 2, 1 << bit)
            with np.errstate(invalid="ignore"):
                halves[:, 1] = np.logaddexp(halves[:, 0], halves[:, 1])
        result.append(table)
    return result


def plain_order_modular_log_weight(weights: Sequence[np.ndarray]) -> float:
    """F(Y) = sum over v in Y of alpha_v(Y - v) F(Y - v), set by set."""
    sums = _sums(weights)
    n = len(weights)
    forward = np.full(1 << n, -np.inf)
    forward[0] = 0.0
    for chosen in range(1, 1 << n):
        terms = [
            sums[v][chosen ^ 1 << v] + forward[chosen ^ 1 << v] for v in range(n) if chosen >> v & 1
        ]
        forward[chosen] = np.logaddexp.reduce(terms)
    return float(forward[-1])


def plain_modular_log_weight(weights: Sequence[np.ndarray]) -> float:
    """Sum over the sinks T of S, signs alternating; scaled by the best weight of each node."""
    n = len(weights)
    offsets = [float(dense.max()) for dense in weights]
    sums = [np.exp(table - top) for table, top in zip(_sums(weights), offsets, strict=True)]
    on = np.zeros(1 << n)
    on[0] = 1.0
    for chosen in range(1, 1 << n):
        sinks = chosen
        while sinks:
            rest = chosen ^ sinks
            product = on[rest]
            for v in range(n):
                if sinks >> v & 1:
                    product *= sums[v][rest]
            on[chosen] += product if bin(sinks).count("1") % 2 else -product
            sinks = (sinks - 1) & chosen
    return float(np.log(on[-1]) + sum(offsets))


def plain_linear_extensions(dag: Dag) -> int:
    """Count without what the reference remembers of earlier DAGs, so that every call is timed."""
    return count_linear_extensions.__wrapped__(dag.parent_indices)


# --- Chains over orders ---------------------------------------------------------------------------


class PlainOrders:
    """Swaps two nodes and sums the families of those that it moves, each by a pass over all."""

    def __init__(self, model: arcwise.Model, seed: int) -> None:
        self.n = len(model.variables)
        self.random = np.random.default_rng(seed)
        self.masks: list[NDArray[np.uint64]] = []
        self.weights: list[NDArray[np.float64]] = []
        table = model.weights.table
        for node in range(self.n):
            flat, offsets = table.parent_sets(node)
            bits = np.uint64(1) << flat.astype(np.uint64)
            starts = offsets[:-1].astype(np.int64)
            masks = np.zeros(len(starts), dtype=np.uint64)
            nonempty = np.diff(offsets.astype(np.int64)) > 0
            if len(bits):
                masks[nonempty] = np.bitwise_or.reduceat(bits, starts[nonempty])
            self.masks.append(masks)
            self.weights.append(np.asarray(table.values(node)))
        self.order = self.random.permutation(self.n)
        self.log_weights = np.array([self._log_sum(v, self.order) for v in range(self.n)])

    def _log_sum(self, node: int, order: NDArray[np.int64]) -> float:
        place = int(np.flatnonzero(order == node)[0])
        allowed = np.bitwise_or.reduce(
            np.uint64(1) << order[:place].astype(np.uint64), initial=np.uint64(0)
        )
        within = self.weights[node][(self.masks[node] & ~allowed) == 0]
        top = within.max()
        return float(top + np.log(np.exp(within - top).sum()))

    def steps(self, count: int) -> None:
        for _ in range(count):
            first, last = np.sort(self.random.choice(self.n, 2, replace=False))
            proposed = self.order.copy()
            proposed[[first, last]] = proposed[[last, first]]
            changed = proposed[first : last + 1]
            sums = np.array([self._log_sum(int(node), proposed) for node in changed])
            if np.log(self.random.random()) < sums.sum() - self.log_weights[changed].sum():
                self.order = proposed
                self.log_weights[changed] = sums


# --- The PC algorithm -----------------------------------------------------------------------------


def pc_cpdag(data: Data, alpha: float) -> arcwise.graphs.Cpdag:
    """Return the CPDAG that the PC algorithm finds.

    The skeleton is that of `arcwise.candidates(data, "pc")`. A common neighbour of two nodes that
    are not adjacent is a collider if it is in fewer than half of the sets of neighbours that
    separate them (Colombo and Maathuis 2014, "Order-independent constraint-based causal structure
    learning"), which does not depend on the order of the variables. An edge that v-structures
    direct both ways stays undirected; then Meek's rules are applied.
    """
    joined = arcwise.candidates(data, "pc", alpha=alpha, threads=1).matrix()
    correlation = np.atleast_2d(np.corrcoef(data.continuous_values("fisher-z"), rowvar=False))
    graph = joined.copy()
    arrows = _arrows(joined, correlation, data.rows, alpha)
    for source, target in arrows:
        if (target, source) not in arrows:
            graph[target, source] = False
    while (edge := _compelled(graph)) is not None:
        graph[edge[1], edge[0]] = False
    return arcwise.graphs.Cpdag.from_matrix(data.variables, graph)


def _arrows(
    joined: Matrix, correlation: NDArray[np.float64], rows: int, alpha: float
) -> set[tuple[int, int]]:
    arrows: set[tuple[int, int]] = set()
    for first, last in np.argwhere(np.triu(~joined, 1)).tolist():
        between = np.flatnonzero(joined[first] & joined[last]).tolist()
        if not between:
            continue
        sets = {
            chosen
            for end in (first, last)
            for chosen in _subsets(np.flatnonzero(joined[end]).tolist())
        }
        separating = [
            chosen for chosen in sets if _p_value(correlation, rows, first, last, chosen) > alpha
        ]
        for middle in between:
            share = sum(middle in chosen for chosen in separating)
            if separating and 2 * share < len(separating):
                arrows |= {(first, middle), (last, middle)}
    return arrows


def _subsets(nodes: list[int]) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(nodes, size) for size in range(len(nodes) + 1))


def _p_value(
    correlation: NDArray[np.float64], rows: int, first: int, last: int, given: tuple[int, ...]
) -> float:
    """Return the p-value of Fisher's z of a partial correlation."""
    freedom = rows - len(given) - 3
    if freedom < 1:
        return 1.0
    chosen = [first, last, *given]
    inverse = np.linalg.inv(correlation[np.ix_(chosen, chosen)])
    partial = -inverse[0, 1] / math.sqrt(inverse[0, 0] * inverse[1, 1])
    bounded = min(max(partial, -1 + 1e-15), 1 - 1e-15)
    return math.erfc(math.sqrt(freedom / 2) * abs(math.atanh(bounded)))


def _compelled(graph: Matrix) -> tuple[int, int] | None:
    """Return an undirected edge that one of Meek's first three rules directs, or None."""
    directed, undirected, apart = graph & ~graph.T, graph & graph.T, ~(graph | graph.T)
    # Else there would be a new v-structure, or a cycle.
    ways = undirected & ((directed.T @ apart) | (directed @ directed))
    if ways.any():
        source, target = np.argwhere(ways)[0].tolist()
        return source, target
    for source, target in np.argwhere(undirected).tolist():
        middle = np.flatnonzero(undirected[source] & directed[:, target])
        if np.triu(apart[np.ix_(middle, middle)], 1).any():
            return source, target
    return None
