"""Priors on single edges: their weights, their probabilities, or the distance from a DAG."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, ConstraintError, FileFormatError, option
from arcwise.families.edges import Position, as_dag
from arcwise.families.families import Constraints
from arcwise.families.resolved import ResolvedConstraints
from arcwise.graphs.dag import Dag
from arcwise.priors.base import Prior, PriorTerms, as_prior
from arcwise.support.checks import real_number, real_numbers
from arcwise.support.edges import (
    edges_of_list,
    is_edge_list,
    is_frame,
    labelled_matrix,
    square_matrix,
)
from arcwise.support.files import read_rows, read_text
from arcwise.support.names import index_of, positions, refuse_other_names, shown


class EdgeWeights(Prior):
    """The weight of a DAG is the product of the weights of its edges.

    Parameters
    ----------
    weights
        The weights, all positive, in one of three forms: an n x n array indexed
        [parent, node] in the order of the variables; a frame with the parents as rows and
        the nodes as columns; or a mapping from pairs (parent, node). An edge that is not in
        the frame or the mapping has weight 1; a weight above 1 favours the edge, one below
        1 disfavours it. Diagonals are ignored. To exclude an edge, name it in
        forbidden_edges. A weight is a factor on odds and not a probability: 0.9 makes an edge
        less probable; to state probabilities, use `EdgeProbabilities`.

    Examples
    --------
    >>> prior = EdgeWeights({("smoke", "lung"): 4.0})
    >>> round(prior.log_weight(["smoke", "lung"], "lung", ["smoke"]), 6)  # log 4
    1.386294
    """

    def __init__(self, weights: Any) -> None:
        self._names, matrix = _read_edge_weights(weights, default=1.0)
        _refuse(~(np.isfinite(matrix) & (matrix > 0.0)), matrix, self._names)
        self._log_weights = np.log(matrix)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weight of each edge."""
        n = len(variables)
        if self._names is None:
            if len(self._log_weights) != n:
                raise ArgumentError(
                    f"the edge weights are for {len(self._log_weights)} variables and the model "
                    f"has {n}; give an array with one row and one column for each variable"
                )
            edge = self._log_weights
        else:
            index = positions(self._names, variables, "the edge weights")
            edge = np.zeros((n, n))
            edge[np.ix_(index, index)] = self._log_weights
        return PriorTerms(np.zeros(n), np.zeros((n, n)), edge)

    def __eq__(self, other: object) -> bool:
        """Compare the names and the weights."""
        if not isinstance(other, EdgeWeights):
            return NotImplemented
        return self._names == other._names and np.array_equal(self._log_weights, other._log_weights)

    def __hash__(self) -> int:
        """Hash what equality compares."""
        return hash((self._names, self._log_weights.tobytes()))

    def __repr__(self) -> str:
        """Show how many weights differ from 1."""
        return f"EdgeWeights({np.count_nonzero(self._log_weights)} weights other than 1)"


def _read_edge_weights(
    values: Any, default: float
) -> tuple[tuple[str, ...] | None, NDArray[np.float64]]:
    """Return the names, if any, and the values [parent, node], with `default` on the diagonal."""
    names: tuple[str, ...] | None = None
    if isinstance(values, Mapping):
        names, matrix = _read_mapping(values, default)
    elif is_frame(values):
        names, matrix = labelled_matrix(values, "the frame of edge weights")
    else:
        matrix = square_matrix(values, "the array of edge weights")
    np.fill_diagonal(matrix, default)
    return names, matrix


def _read_mapping(
    values: Mapping[Any, Any], default: float
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    for pair in values:
        if not (
            isinstance(pair, tuple)
            and len(pair) == 2
            and all(isinstance(name, str) for name in pair)
            and pair[0] != pair[1]
        ):
            raise ArgumentError(
                f"the edge weights have the key {shown(pair)}; give pairs (parent, node) "
                "of two different names"
            )
    names = tuple(sorted({name for pair in values for name in pair}))
    matrix = np.full((len(names),) * 2, default)
    index = index_of(names)
    for pair, value in values.items():
        try:
            matrix[index[pair[0]], index[pair[1]]] = value
        except (TypeError, ValueError):
            raise ArgumentError(
                f"the edge {pair[0]!r} -> {pair[1]!r} has the weight {value!r}; give a number"
            ) from None
    return names, matrix


def _refuse(
    wrong: NDArray[np.bool_], matrix: NDArray[np.float64], names: tuple[str, ...] | None
) -> None:
    for parent, node in np.argwhere(wrong):
        where = f"{names[parent]!r} -> {names[node]!r}" if names else f"[{parent}, {node}]"
        raise ArgumentError(
            f"weights is {matrix[parent, node]:g} at {where}; give finite numbers above 0, and use "
            "forbidden_edges to exclude an edge, or edge_probabilities to state probabilities"
        )


@dataclass(frozen=True, init=False)
class DistanceToDag(Prior):
    """The weight of a DAG is delta to the power of its distance from a reference DAG.

    The distance is the number of directed edges in exactly one of the two (Heckerman,
    Geiger and Chickering 1995), so a reversed edge counts twice.

    Parameters
    ----------
    dag
        The reference, over the variables of the data in any order; a `Dag`, a networkx
        DiGraph or a frame of its adjacency matrix.
    delta
        In (0, 1]; 1 is the uniform prior.

    Examples
    --------
    >>> prior = DistanceToDag(Dag(["a", "b", "c"], {"c": ["a"]}), delta=0.5)
    >>> round(prior.log_weight(["a", "b", "c"], "c", ["b"]), 6)  # 2 log 0.5
    -1.386294
    """

    dag: Dag
    delta: float

    def __init__(self, dag: Any, delta: float) -> None:
        wanted = (
            "a number above 0 and at most 1, where smaller values favour DAGs closer to the "
            "reference"
        )
        share = real_number(delta, "delta", lambda x: 0.0 < x <= 1.0, wanted)
        reference = as_dag(dag, None, "dag")
        object.__setattr__(self, "dag", reference)
        object.__setattr__(self, "delta", share)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights.

        With the reference parents R of a node, |P xor R| is |R| plus, for each
        u in P, -1 if u is in R and +1 if not.
        """
        n = len(variables)
        refuse_other_names(self.dag.variables, variables, "the reference DAG")
        index = positions(self.dag.variables, variables, "the reference DAG")
        reference = np.zeros((n, n), dtype=np.bool_)
        reference[np.ix_(index, index)] = self.dag.matrix()
        log_delta = math.log(self.delta)
        return PriorTerms(
            log_delta * reference.sum(axis=0),
            np.zeros((n, n)),
            np.where(reference, -log_delta, log_delta),
        )


_MOST_SWEEPS = 1000
_CLOSE = 1e-11  # a difference of log odds
_CLOSE_ENOUGH = 1e-6
_BEYOND = 500.0  # a log weight that only contradictory statements exceed


@dataclass(frozen=True)
class PairStatement:
    """The stated probabilities of edges between two nodes, None for those not stated."""

    first: int
    second: int
    forward: float | None = None  # the probability of first -> second
    backward: float | None = None  # that of second -> first
    either: float | None = None  # that of an edge in either direction, instead of both


def log_weights_for(
    statements: Sequence[PairStatement],
    base: PriorTerms,
    constraints: ResolvedConstraints,
    variables: Sequence[str],
) -> NDArray[np.float64]:
    """Return the log weights [parent, node] of edges that make the statements true.

    Let each node draw its parents independently of the others, from the base prior within the
    constraints, and let q and r be the odds that u is a parent of v and that v is a parent of u.
    Given that not both are, the pair is u -> v, v -> u or unconnected in the ratio q : r : 1.
    The statement P(u -> v) = p requires q = p (1 + r) / (1 - p); two statements about a pair
    require q = p / (1 - p - p') and r = p' / (1 - p - p'); one about either direction requires
    q + r = p / (1 - p). A factor on an edge multiplies its odds, whatever the base prior. If that
    depends on numbers of parents, the factors of a node depend on each other, and each is
    computed given the others until convergence.
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
    """Return the changes of the log weights of both directions, given their log odds."""
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
        """Discard the odds of edges to a node, whose weights have changed."""
        self.known.pop(node, None)

    def log_odds(self, parent: int, node: int, weights: NDArray[np.float64]) -> float:
        """Return the log odds of an edge; minus infinity if it is not allowed."""
        if not self.free[parent, node]:
            return -np.inf
        if node not in self.known:
            self.known[node] = self._of_node(node, weights)
        return float(self.known[node][parent])

    def _of_node(self, node: int, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log odds of all free edges to a node."""
        # before[t][i] is the log weight of all sets of i of the first t parents; after[t][i] is
        # that of all sets of the other parents beside i, with the term of the total size.
        parents = np.flatnonzero(self.free[:, node])
        edges = (self.base.edge + weights)[parents, node]
        least, most = int(self.required[node]), int(self.most[node])
        most = min(most, least + len(parents))
        sizes = self.base.size[node, least : most + 1]
        found = np.full(len(weights), -np.inf)
        if len(sizes) == len(parents) + 1 and (sizes == sizes[0]).all():
            found[parents] = edges  # the size does not matter, so edges are independent
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


EDGE_PROBABILITIES = option("edge_probabilities")

Node: TypeAlias = str | Position
"""A node by its name, or by its place in an array."""


@dataclass(frozen=True)
class Statement:
    """The probability of an edge, or of an adjacency if it is not directed."""

    source: Node
    target: Node
    probability: float
    directed: bool = True

    @property
    def words(self) -> str:
        """The edge, for messages."""
        source, target = (
            repr(end) if isinstance(end, str) else f"number {end.index}"
            for end in (self.source, self.target)
        )
        return f"{source} {'->' if self.directed else '--'} {target}"

    @property
    def pair(self) -> frozenset[Node]:
        """The two nodes."""
        return frozenset((self.source, self.target))


_SHOWN = 6
_FORMAT = "a .csv with the header from,to,probability and one edge per row"
_SIGNS = {"->": True, "--": False}


@dataclass(frozen=True, init=False, repr=False)
class EdgeProbabilities(Prior):
    """A prior under which specified edges have specified probabilities.

    The other prior, `base`, applies to everything else. A statement P(u -> v) = p
    multiplies the weight of every DAG with the edge by a factor under which u -> v has the
    probability p among the three states of the pair, u -> v, v -> u and no edge; the other two
    keep their ratio under the base prior. With the uniform base prior the three states have the
    ratio 1 : 1 : 1, and the factor is 2 p / (1 - p): 18 for p = 0.9, and 1 for p = 1/3, the
    probability under the uniform prior.

    The probabilities would be exact if nodes chose their parents independently, from the base
    prior and within the constraints (`max_indegree`, and edges forbidden or required).
    Acyclicity couples all nodes and changes the probabilities: not at all with two variables,
    and the less the sparser the base prior. With the uniform one, where half of all pairs are
    connected, a single edge stated as 0.9 has 0.894 among three variables and 0.890 among four.
    Statements that contradict acyclicity cannot all hold and result in lower probabilities: 0.9
    for each edge around a cycle of three becomes 0.63. The resulting probabilities of edges are
    those of ``arcwise.exact(arcwise.Model(model.prior_weights()))``.

    Parameters
    ----------
    probabilities
        The probabilities, strictly between 0 and 1: a mapping from pairs (parent, node); a
        frame with the columns from, to (or source, target) and probability; a frame or an
        array [parent, node] in which NaN means no statement; or the path of a .csv file with the
        header ``from,to,probability``. A frozenset of two names as the key of a mapping, or
        ``--`` in a further column ``edge`` of a file, states the probability of an edge in
        either direction.
    base
        The prior on everything else; a name, a `Prior` or None for the uniform one. A function
        is treated as uniform when the factors are computed.
    constraints
        The constraints within which the probabilities hold; a `Model` sets them.

    Examples
    --------
    >>> prior = EdgeProbabilities({("smoke", "lung"): 0.9})
    >>> round(prior.log_weight(["smoke", "lung"], "lung", ["smoke"]), 6)  # log 18
    2.890372
    """

    statements: tuple[Statement, ...]
    base: Prior
    constraints: Constraints | None

    def __init__(
        self, probabilities: Any, base: Any = None, constraints: Constraints | None = None
    ) -> None:
        read = isinstance(probabilities, EdgeProbabilities)
        statements = probabilities.statements if read else _read_edge_probabilities(probabilities)
        object.__setattr__(self, "statements", statements)
        object.__setattr__(self, "base", as_prior(base))
        object.__setattr__(self, "constraints", constraints)

    def under(self, constraints: Constraints) -> EdgeProbabilities:
        """Return the prior with the probabilities as stated within these constraints."""
        return EdgeProbabilities(self, self.base.under(constraints), constraints)

    def on(self, base: Prior) -> EdgeProbabilities:
        """Return the same statements with another base prior."""
        return EdgeProbabilities(self, base, self.constraints)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the terms of the base prior plus those of the specified edges."""
        base = self.base.terms(variables)
        resolved = (self.constraints or Constraints()).resolve(variables)
        pairs = _pairs(self.statements, resolved, variables)
        n = len(variables)
        plain = replace(base, functions=())
        weights = log_weights_for(pairs, plain, resolved, variables)
        return base + PriorTerms(np.zeros(n), np.zeros((n, n)), weights)

    def __repr__(self) -> str:
        """Show the first statements and the base prior."""
        first = [f"{each.words}: {each.probability:g}" for each in self.statements[:_SHOWN]]
        if len(self.statements) > _SHOWN:
            # The digest distinguishes priors that agree in the statements shown.
            digest = hashlib.sha256(repr(self.statements).encode()).hexdigest()[:8]
            first.append(f"{len(self.statements) - _SHOWN} more, digest {digest}")
        return f"EdgeProbabilities({', '.join(first)}; base {self.base!r})"


def _read_edge_probabilities(value: Any) -> tuple[Statement, ...]:
    if isinstance(value, str | os.PathLike):
        given = _from_file(Path(value))
    elif isinstance(value, Mapping):
        given = [_of_key(key, probability) for key, probability in value.items()]
    elif is_edge_list(value):
        given = _from_list(value)
    else:
        given = _from_matrix(value)
    by_pair: dict[frozenset[Node], list[Statement]] = {}
    for each in given:
        by_pair.setdefault(each.pair, []).append(each)
    for among in by_pair.values():
        _refuse_contradiction(among)
    return tuple(sorted(given, key=lambda each: each.words))


def _refuse_contradiction(among: Sequence[Statement]) -> None:
    """Refuse contradictory or repeated statements about the same two nodes."""
    opposite = len(among) == 2 and among[0].source == among[1].target
    if len(among) > 1 and not (opposite and all(each.directed for each in among)):
        raise ArgumentError(
            EDGE_PROBABILITIES,
            f" states {among[0].words} twice; give one probability for each direction, or one for "
            "either",
        )
    if opposite and not among[0].probability + among[1].probability < 1.0:
        raise ArgumentError(
            EDGE_PROBABILITIES,
            f" is {among[0].probability:g} for {among[0].words} and {among[1].probability:g} for "
            "the opposite direction; give two that add up to less than 1, as no DAG has both",
        )


def _of_key(key: Any, probability: Any) -> Statement:
    if isinstance(key, set | frozenset) and len(key) == 2:
        first, second = sorted(key, key=str)
        return _checked(first, second, probability, directed=False)
    if isinstance(key, tuple) and len(key) == 2:
        return _checked(key[0], key[1], probability)
    raise ArgumentError(
        EDGE_PROBABILITIES,
        f" has the key {shown(key)}; give pairs (parent, node) of two names, or a frozenset of "
        "them for an edge in either direction",
    )


def _checked(source: Any, target: Any, probability: Any, *, directed: bool = True) -> Statement:
    if not all(isinstance(end, str | Position) for end in (source, target)) or source == target:
        raise ArgumentError(
            EDGE_PROBABILITIES,
            f" states an edge from {shown(source)} to {shown(target)}; give two different names",
        )
    try:
        number = float(probability)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    found = Statement(source, target, number, directed)
    if isinstance(probability, bool | np.bool_) or not 0.0 < number < 1.0:
        raise ArgumentError(
            EDGE_PROBABILITIES,
            f" is {shown(probability)} for {found.words}; give numbers between 0 and 1, and use ",
            option("forbidden_edges"),
            " and ",
            option("required_edges"),
            " for 0 and 1",
        )
    return found


def _from_list(frame: Any) -> list[Statement]:
    if "probability" not in list(frame.columns):
        raise ArgumentError(
            EDGE_PROBABILITIES,
            " is a table of edges without the column 'probability'; give it, or use "
            "required_edges for edges that are certain",
        )
    numbers = frame["probability"].to_list()
    pairs = edges_of_list(frame)
    return [_checked(source, target, p) for (source, target), p in zip(pairs, numbers, strict=True)]


def _from_matrix(value: Any) -> list[Statement]:
    names: Sequence[Node]
    if is_frame(value):
        names, matrix = labelled_matrix(value, EDGE_PROBABILITIES)
    else:
        try:
            matrix = real_numbers(value, EDGE_PROBABILITIES)
        except ArgumentError:
            matrix = np.empty(0)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ArgumentError(
                EDGE_PROBABILITIES,
                f" is {shown(value)}; give a mapping from pairs (parent, node) to probabilities, "
                "a table of them, or the path of one",
            )
        names = [Position(place, len(matrix)) for place in range(len(matrix))]
    return [
        _checked(names[u], names[v], float(matrix[u, v]))
        for u, v in np.argwhere(~np.isnan(matrix))
        if u != v
    ]


def _from_file(path: Path) -> list[Statement]:
    rows = read_rows(read_text(path, _FORMAT), path, _FORMAT)
    header = [name.strip().lower() for name in rows[0]]
    ends = [pair for pair in (["from", "to"], ["source", "target"]) if header[:2] == pair]
    if not ends or header[2:3] != ["probability"]:
        raise FileFormatError(f"'{path}' has the header {shown(','.join(rows[0]))}; give {_FORMAT}")
    sign = header.index("edge") if "edge" in header else None
    found = []
    for number, row in enumerate(rows[1:], 2):
        try:
            source, target, probability = row[0], row[1], float(row[2])
            directed = True if sign is None else _SIGNS[row[sign].strip()]
        except (IndexError, ValueError, KeyError):
            raise FileFormatError(
                f"row {number} of '{path}' is {shown(','.join(row))}; give {_FORMAT}, and -> or -- "
                "if it has a column edge"
            ) from None
        found.append(_checked(source, target, probability, directed=directed))
    return found


def _pairs(
    statements: Sequence[Statement], constraints: ResolvedConstraints, variables: Sequence[str]
) -> list[PairStatement]:
    """Return the statements by pair of variables, or refuse those that constraints decide."""
    free = constraints.allowed & ~constraints.required
    pairs: dict[tuple[int, int], PairStatement] = {}
    for each in statements:
        u, v = place(each.source, variables), place(each.target, variables)
        open_ways = free[u, v] if each.directed else free[u, v] or free[v, u]
        if not open_ways or constraints.required[u, v] or constraints.required[v, u]:
            raise ConstraintError(
                EDGE_PROBABILITIES,
                f" is {each.probability:g} for {each.words}, which the constraints decide; leave "
                "it out, or lift the constraint that requires or forbids the edge",
            )
        if not each.directed:
            pairs[u, v] = PairStatement(u, v, either=each.probability)
        elif (v, u) in pairs:
            pairs[v, u] = replace(pairs[v, u], backward=each.probability)
        else:
            pairs[u, v] = PairStatement(u, v, forward=each.probability)
    return list(pairs.values())


def place(node: Node, variables: Sequence[str]) -> int:
    """Return the position of a node among the variables."""
    if isinstance(node, str):
        (index,) = positions([node], variables, EDGE_PROBABILITIES)
        return index
    if node.of != len(variables):
        raise ArgumentError(
            EDGE_PROBABILITIES,
            f" is an array for {node.of} variables and the model has {len(variables)}; give one "
            "row and one column for each variable",
        )
    return node.index
