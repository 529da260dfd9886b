"""Reads knowledge of other programs: objects of pgmpy and causal-learn, files of Tetrad."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

from arcwise.errors import ConstraintError, FileFormatError, Wording
from arcwise.graphs.foreign import edges_of_general_graph
from arcwise.support.text_files import read_text
from arcwise.support.words import shown

_KNOWLEDGE = ("required_edges", "forbidden_edges", "temporal_order", "search_space")


def is_expert_knowledge(value: Any) -> bool:
    """Return whether a value looks like pgmpy's ExpertKnowledge."""
    return any(hasattr(value, attribute) for attribute in _KNOWLEDGE)


def from_expert_knowledge(value: Any) -> dict[str, Any]:
    """Return an ExpertKnowledge as keyword arguments of `Constraints`."""
    keywords = {attribute: getattr(value, attribute, None) for attribute in _KNOWLEDGE}
    # In pgmpy, an empty set means that no search space was given.
    if keywords["search_space"] is not None and len(keywords["search_space"]) == 0:
        del keywords["search_space"]
    return keywords


def is_background_knowledge(value: Any) -> bool:
    """Return whether a value looks like causal-learn's BackgroundKnowledge."""
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
    ``forbiddirect`` and ``requiredirect`` is an edge, source and target; ``*`` in a name stands
    for any characters. A name with blanks stands in quotation marks.
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
