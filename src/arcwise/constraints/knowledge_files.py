"""Knowledge files, as Tetrad writes them: tiers, forbidden and required edges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

from arcwise.errors import FileFormatError
from arcwise.support.text_files import read_text
from arcwise.support.words import shown

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
