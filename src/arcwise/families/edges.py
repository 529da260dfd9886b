"""Edges in any accepted form, as a canonical list, a matrix or a DAG; knowledge of other programs.

Other programs are pgmpy and causal-learn, by their objects, and Tetrad, by its files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, ConstraintError, FileFormatError, Wording
from arcwise.graphs.dag import Dag
from arcwise.graphs.foreign import edges_of_general_graph, is_general_graph
from arcwise.support.edges import (
    edges_of_graph,
    edges_of_list,
    edges_of_matrix,
    is_edge_list,
    is_frame,
    is_graph,
    is_matrix,
    labelled_matrix,
)
from arcwise.support.files import read_text
from arcwise.support.names import listing, positions, shown


@dataclass(frozen=True)
class Position:
    """A variable given by its position, as in a matrix without names."""

    index: int
    of: int  # the number of variables


Endpoint: TypeAlias = str | re.Pattern[str] | Position
"""A name, a pattern for every name that it matches from the start, or a position."""

Edge: TypeAlias = tuple[Endpoint, Endpoint]

_ENDPOINT_TYPES = (str, re.Pattern, Position)


def read_edges(
    value: Any, source: str | Wording, *, diagonal_is_meant: bool = False
) -> tuple[Edge, ...]:
    """Return the distinct edges in a fixed order, so that equal lists compare equal."""
    if value is None:
        return ()
    matrix: NDArray[np.bool_] | None = None
    names: Sequence[Endpoint] = ()
    listed = is_edge_list(value)
    if is_frame(value) and not listed:
        names, values = labelled_matrix(value, source, ConstraintError)
        matrix = edges_of_matrix(values, source, ConstraintError)
    elif is_matrix(value):
        matrix = edges_of_matrix(value, source, ConstraintError)
        names = [Position(index, len(matrix)) for index in range(len(matrix))]
    if matrix is not None:
        if not diagonal_is_meant:
            np.fill_diagonal(matrix, False)
        pairs: Iterable[Any] = [(names[i], names[j]) for i, j in np.argwhere(matrix)]
    elif isinstance(value, Dag):
        pairs = value.edges
    elif listed:
        pairs = edges_of_list(value)
    elif is_graph(value):
        pairs = edges_of_graph(value, source, ConstraintError)
    elif is_general_graph(value):
        pairs = directed_edges(value, source)
    else:
        pairs = _iterated(value, source)
    edges = {_checked(pair, source) for pair in _listed(pairs, source)}
    return tuple(sorted(edges, key=lambda edge: (_sort_key(edge[0]), _sort_key(edge[1]))))


def edge_matrix(
    edges: Sequence[Edge], variables: Sequence[str], source: str | Wording
) -> NDArray[np.bool_]:
    """Return the edges as a matrix [source, target] over the variables."""
    n = len(variables)
    names = dict.fromkeys(end for edge in edges for end in edge if isinstance(end, str))
    index = dict(zip(names, positions(names, variables, source, ConstraintError), strict=True))

    def places(end: Endpoint) -> list[int]:
        if isinstance(end, str):
            return [index[end]]
        if isinstance(end, Position):
            if end.of != n:
                raise ConstraintError(
                    source,
                    f" is a matrix for {end.of} variables and there are {n}; "
                    "give one row and one column for each variable",
                )
            return [end.index]
        matches = [place for place, name in enumerate(variables) if end.match(name)]
        if not matches:
            raise ConstraintError(
                source,
                f" holds the pattern {end.pattern!r}, which matches none of the "
                f"variables {listing(map(repr, variables))}; correct it or leave it out",
            )
        return matches

    matrix = np.zeros((n, n), dtype=np.bool_)
    for start, end in edges:
        for i, j in product(places(start), places(end)):
            # Only patterns can match the same variable twice, and they do not mean a self-loop.
            if i != j:
                matrix[i, j] = True
    return matrix


def directed_edges(graph: Any, source: str | Wording) -> list[tuple[str, str]]:
    """Return the edges of a GeneralGraph of causal-learn, all of which must be directed."""
    pairs = []
    for first, second, directed in edges_of_general_graph(graph):
        if not directed:
            raise ConstraintError(
                source,
                f" has an edge between {first!r} and {second!r} that is not directed; "
                "give directed edges only",
            )
        pairs.append((first, second))
    return pairs


def _listed(pairs: Iterable[Any], source: str | Wording) -> list[Any]:
    try:
        return list(pairs)
    except TypeError:  # arrays without dimensions look like collections
        raise ConstraintError(
            source, f" is {shown(pairs)}; give pairs (source, target) of names"
        ) from None


def _iterated(value: Any, source: str | Wording) -> Iterable[Any]:
    if isinstance(value, str) and "->" in value:
        return _of_text(value, source)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ConstraintError(
            source,
            f" is {shown(value)}; give pairs (source, target) of names, a directed graph, "
            "an n x n matrix of 0 and 1, or a text such as 'smoke -> lung, smoke -> bronc'",
        )
    return value


def _of_text(text: str, source: str | Wording) -> list[tuple[str, str]]:
    """Return the edges of a text, such as the shell takes."""
    edges = []
    for part in text.split(","):
        ends = [end.strip() for end in part.split("->")]
        if len(ends) != 2 or not all(ends):
            raise ConstraintError(
                source,
                f" holds {part.strip()!r}, which is no edge; give a text such as 'smoke -> lung, "
                "smoke -> bronc', or ",
                Wording("pairs (source, target)", "a file of edges"),
            )
        edges.append((ends[0], ends[1]))
    return edges


def _checked(pair: Any, source: str | Wording) -> Edge:
    try:
        ends = tuple(pair) if not isinstance(pair, str) else ()
    except TypeError:
        ends = ()
    if len(ends) != 2 or not all(isinstance(end, _ENDPOINT_TYPES) for end in ends):
        raise ConstraintError(
            source, f" contains {shown(pair)}; give each edge as a pair (source, target) of names"
        )
    start, end = ends
    if start == end and not isinstance(start, re.Pattern):
        where = start if isinstance(start, str) else f"number {start.index}"
        raise ConstraintError(
            source, f" contains an edge from {where!r} to itself, which no DAG has; leave it out"
        )
    return start, end


def _sort_key(end: Endpoint) -> tuple[int, str, int]:
    if isinstance(end, str):
        return 0, end, 0
    if isinstance(end, Position):
        return 1, "", end.index
    return 2, end.pattern, end.flags


def as_dag(value: Any, variables: Sequence[str] | None, source: str | Wording) -> Dag:
    """Return a DAG over the variables.

    Examples
    --------
    >>> as_dag([("a", "b")], ["a", "b", "c"], "truth")
    Dag(3 variables, 1 edge: a -> b)
    """
    if isinstance(value, Dag):
        return value
    try:
        edges = read_edges(value, source, diagonal_is_meant=True)
        if variables is None:
            variables = _own_names(value, source)
        matrix = edge_matrix(edges, variables, source)
    except ConstraintError as error:
        raise ArgumentError(*error.args) from None
    try:
        return Dag.from_matrix(variables, matrix)
    except ArgumentError as error:
        raise ArgumentError(source, " is no DAG, as ", *error.args) from None


def _own_names(value: Any, source: str | Wording) -> list[str]:
    if is_matrix(value) or value is None:
        raise ArgumentError(
            source,
            " is a matrix without names; make a Dag of it with Dag.from_matrix(names, matrix)",
        )
    if is_graph(value):
        return [str(node) for node in value.nodes]
    if is_frame(value) and not is_edge_list(value):
        return list(value.columns)
    return list(dict.fromkeys(str(end) for edge in read_edges(value, source) for end in edge))


_KNOWLEDGE = ("required_edges", "forbidden_edges", "temporal_order", "search_space")


def is_expert_knowledge(value: Any) -> bool:
    """Return whether a value has the attributes of pgmpy's ExpertKnowledge."""
    return any(hasattr(value, attribute) for attribute in _KNOWLEDGE)


def from_expert_knowledge(value: Any) -> dict[str, Any]:
    """Return an ExpertKnowledge as keyword arguments of `Constraints`."""
    keywords = {attribute: getattr(value, attribute, None) for attribute in _KNOWLEDGE}
    # In pgmpy, an empty set means that no search space was given.
    if keywords["search_space"] is not None and len(keywords["search_space"]) == 0:
        del keywords["search_space"]
    return keywords


def is_background_knowledge(value: Any) -> bool:
    """Return whether a value has the attributes of causal-learn's BackgroundKnowledge."""
    return hasattr(value, "required_rules_specs") and hasattr(value, "forbidden_rules_specs")


def from_background_knowledge(value: Any) -> dict[str, Any]:
    """Return a BackgroundKnowledge as keyword arguments of `Constraints`."""
    tiers = {
        number: [node.get_name() for node in nodes]
        for number, nodes in getattr(value, "tier_map", {}).items()
    }
    within = [
        pair
        for number in getattr(value, "forbidden_within_tiers", ())
        for pair in permutations(tiers[number], 2)
    ]
    return {
        "required_edges": _edges(value, "required"),
        "forbidden_edges": [*_edges(value, "forbidden"), *within],
        "tiers": [tiers[number] for number in sorted(tiers)],
    }


def _edges(value: Any, kind: str) -> list[tuple[Any, Any]]:
    named: Iterable[tuple[Any, Any]] = getattr(value, f"{kind}_rules_specs")
    patterns: Iterable[tuple[str, str]] = getattr(value, f"{kind}_pattern_rules_specs", ())
    return [
        *((start.get_name(), end.get_name()) for start, end in named),
        *((_compiled(start), _compiled(end)) for start, end in patterns),
    ]


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as problem:
        raise ConstraintError(
            f"the background knowledge contains {shown(pattern)}, which is not a regular "
            f"expression ({problem}); correct the pattern"
        ) from None


_WANTED = (
    "a knowledge file: after /knowledge, the sections addtemporal, forbiddirect and requiredirect"
)
_SECTIONS = ("addtemporal", "forbiddirect", "requiredirect")
_TIER = re.compile(r"(\d{1,9})(\*?)(-?)")
_WORD = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^\s,"]+))\s*,?')


def read_knowledge(path: Path) -> dict[str, Any]:
    """Return a knowledge file as keyword arguments of `Constraints`.

    Each line of ``addtemporal`` has the number of a tier and its variables; ``*`` after the
    number forbids edges within the tier, ``-`` those to any tier but the next. Each line of
    ``forbiddirect`` and ``requiredirect`` is an edge, source and target; ``*`` in a name matches
    any characters. A name with blanks is put in quotation marks.
    """
    section, found = "", False
    tiers: dict[int, list[str]] = {}
    within: set[int] = set()
    next_only: set[int] = set()
    edges: dict[str, list[tuple[Any, Any]]] = {"forbiddirect": [], "requiredirect": []}
    for number, line in enumerate(read_text(path, _WANTED).splitlines(), 1):
        words = _words(line, number, path)
        if not words or words[0].startswith(("//", "#")):
            continue
        if len(words) == 1 and words[0].lower() in ("/knowledge", *_SECTIONS):
            section, found = words[0].lower(), True
            continue
        if section == "addtemporal":
            tier = _TIER.fullmatch(words[0])
            if tier is None:
                raise FileFormatError(
                    f"line {number} of '{path}' begins with {shown(words[0])}; in addtemporal give "
                    "the number of a tier and its variables"
                )
            place = int(tier[1])
            tiers.setdefault(place, []).extend(words[1:])
            within |= {place} if tier[2] else set()
            next_only |= {place} if tier[3] else set()
        elif section in edges:
            if len(words) != 2:
                raise FileFormatError(
                    f"line {number} of '{path}' has {len(words)} names; in {section} give the "
                    "source and the target of an edge"
                )
            edges[section].append((_endpoint(words[0]), _endpoint(words[1])))
        else:
            raise FileFormatError(
                f"line {number} of '{path}' is {shown(line.strip())}, outside any section; give "
                f"{_WANTED}"
            )
    if not found:
        raise FileFormatError(f"'{path}' has none of the sections; give {_WANTED}")
    ordered = sorted(tiers)
    forbidden = [pair for place in within for pair in permutations(tiers[place], 2)]
    for place in next_only:
        later = [tiers[other] for other in ordered if other > place][1:]
        forbidden += [(early, late) for tier in later for early in tiers[place] for late in tier]
    return {
        "required_edges": edges["requiredirect"],
        "forbidden_edges": [*edges["forbiddirect"], *forbidden],
        "tiers": [tiers[place] for place in ordered],
    }


def knowledge_text(
    required: Iterable[tuple[str, str]],
    forbidden: Iterable[tuple[str, str]],
    tiers: Sequence[Sequence[str]],
) -> str:
    """Return the text of a knowledge file."""
    lines = ["/knowledge", "addtemporal"]
    for number, tier in enumerate(tiers, 1):
        lines.append(" ".join([str(number), *map(_quoted, tier)]))
    for section, edges in (("forbiddirect", forbidden), ("requiredirect", required)):
        lines += ["", section]
        lines += [f"{_quoted(source)} {_quoted(target)}" for source, target in edges]
    return "\n".join([*lines, ""])


def _words(line: str, number: int, path: Path) -> list[str]:
    words, position = [], 0
    text = line.strip()
    while position < len(text):
        word = _WORD.match(text, position)
        if word is None:
            raise FileFormatError(
                f"line {number} of '{path}' has a quotation mark without its counterpart; close it"
            )
        words.append(word[2] if word[1] is None else word[1].replace('""', '"'))
        position = word.end()
    return words


def _endpoint(name: str) -> str | re.Pattern[str]:
    if "*" not in name:
        return name
    return re.compile(".*".join(map(re.escape, name.split("*"))) + r"\Z")


def _quoted(name: str) -> str:
    if re.search(r'[\s,"]|^/|^#', name) is None:
        return name
    return '"' + name.replace('"', '""') + '"'
