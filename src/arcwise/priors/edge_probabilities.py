"""`EdgeProbabilities`: the prior that has stated probabilities of edges."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from arcwise.constraints import Constraints, ResolvedConstraints
from arcwise.constraints.edges import Position
from arcwise.errors import ArgumentError, ConstraintError, FileFormatError, option
from arcwise.priors.base import Prior
from arcwise.priors.coerce import as_prior
from arcwise.priors.edge_odds import PairStatement, log_weights_for
from arcwise.priors.terms import PriorTerms
from arcwise.support.checks import real_numbers
from arcwise.support.edges import edges_of_list, is_edge_list, is_frame, labelled_matrix
from arcwise.support.names import positions
from arcwise.support.text_files import read_rows, read_text
from arcwise.support.words import shown

EDGE_PROBABILITIES = option("edge_probabilities")

Node: TypeAlias = str | Position
"""A node by its name, or by its place in an array."""


@dataclass(frozen=True)
class Statement:
    """The probability of an edge, or of one in either direction if it is not directed."""

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
    """A prior under which the edges named have the probabilities stated.

    The other prior, `base`, says everything that is not stated. A statement P(u -> v) = p
    multiplies the weight of every DAG with the edge by such a factor that u -> v has the
    probability p among the three states of the pair, u -> v, v -> u and no edge, which keep
    their ratio under the base prior otherwise. With the uniform base prior the three have the
    ratio 1 : 1 : 1, and the factor is 2 p / (1 - p): 18 for 0.9, and 1 for 1/3, which states
    what that prior says anyway.

    That holds as far as nodes choose their parents independently, by the base prior and within
    the constraints (`max_indegree`, and edges forbidden or required). Acyclicity, which ties
    all nodes together, moves the probabilities, exactly none with two variables, less the
    sparser the base prior: with the uniform one, where half of all pairs are connected, a
    single edge stated as 0.9 has 0.894 among three variables and 0.890 among four. Statements
    that contradict it cannot hold together and come out lower: 0.9 for each edge around a
    cycle of three becomes 0.63. What comes of all statements together is in the edges of
    ``arcwise.exact(arcwise.Model(model.prior_weights()))``.

    Parameters
    ----------
    probabilities
        The probabilities, strictly between 0 and 1: a mapping from pairs (parent, node); a
        frame with the columns from, to (or source, target) and probability; a frame or an
        array [parent, node] in which NaN states nothing; or the path of a .csv file with the
        header ``from,to,probability``. A frozenset of two names as the key of a mapping, or
        ``--`` in a further column ``edge`` of a file, states the probability of an edge in
        either direction.
    base
        The prior on everything else; a name, a `Prior` or None for the uniform one. A function
        is taken for uniform when weights are found.
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
        statements = probabilities.statements if read else _read(probabilities)
        object.__setattr__(self, "statements", statements)
        object.__setattr__(self, "base", as_prior(base))
        object.__setattr__(self, "constraints", constraints)

    def under(self, constraints: Constraints) -> EdgeProbabilities:
        """Return the prior with the probabilities as stated within these constraints."""
        return EdgeProbabilities(self, self.base.under(constraints), constraints)

    def on(self, base: Prior) -> EdgeProbabilities:
        """Return the same statements beside another base prior."""
        return EdgeProbabilities(self, base, self.constraints)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the terms of the base prior, with those of the edges stated."""
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
            # Runs of different statements must not look the same.
            digest = hashlib.sha256(repr(self.statements).encode()).hexdigest()[:8]
            first.append(f"{len(self.statements) - _SHOWN} more, digest {digest}")
        return f"EdgeProbabilities({', '.join(first)}; base {self.base!r})"


def _read(value: Any) -> tuple[Statement, ...]:
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
    """Refuse statements about the same two nodes that cannot all be meant."""
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
    """Return what is stated of each pair of variables, or refuse what constraints settle."""
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
