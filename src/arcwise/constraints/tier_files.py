"""Tiers as text: ``age, sex < smoke < lung``, and the files that hold them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from arcwise.constraints.options import TIERS
from arcwise.errors import ConstraintError, FileFormatError
from arcwise.support.text_files import read_rows, read_text
from arcwise.support.words import shown

_WANTED = (
    "a text such as 'age, sex < smoke < lung', a .csv with the header variable,tier, a .json, or "
    "a text file with a tier in each line"
)
_TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([<,])|([^<,"]+))')
_NAME_COLUMNS = ("variable", "name", "node")


def parse_tiers(text: str) -> list[list[str]]:
    """Return the tiers of a text, in which ``<`` separates tiers and commas separate names.

    A name with one of these signs in it stands in quotation marks.

    Examples
    --------
    >>> parse_tiers('age, sex < "a < b" < lung')
    [['age', 'sex'], ['a < b'], ['lung']]
    """
    tiers: list[list[str]] = [[]]
    position, name_expected = 0, True
    text = text.strip()
    while position < len(text):
        token = _TOKEN.match(text, position)
        sign = None if token is None else token[2]
        if token is None or (sign is None) != name_expected:
            raise ConstraintError(
                TIERS,
                f" is {shown(text)}, which goes wrong at character {position + 1}; give names "
                "separated by commas, and < between tiers, as in 'age, sex < smoke < lung'",
            )
        position = token.end()
        if sign is None:
            quoted = token[1]
            tiers[-1].append(token[3].strip() if quoted is None else quoted.replace('""', '"'))
            name_expected = False
            continue
        if sign == "<":
            tiers.append([])
        name_expected = True
    if name_expected:
        raise ConstraintError(
            TIERS, f" is {shown(text)}, which ends without a name; give one after every sign"
        )
    return tiers


def read_tier_file(path: Path) -> Any:
    """Return the tiers of a file, as lists of names or as a mapping to numbers.

    Parameters
    ----------
    path
        A .csv with the header ``variable,tier``; a .json with a list of lists of names or a
        mapping from names to numbers; or a text file with a tier in each line, its names
        separated by commas.
    """
    text = read_text(path, _WANTED)
    if path.suffix.lower() == ".json":
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, list | dict):
            raise FileFormatError(
                f"'{path}' is not a JSON list of lists of names, nor a mapping from names to tier "
                "numbers; give one of these"
            )
        return content
    rows = read_rows(text, path, _WANTED)
    header = [name.strip().lower() for name in rows[0]]
    if len(header) == 2 and header[0] in _NAME_COLUMNS and header[1] == "tier":
        return _numbered(rows[1:], path)
    if any("<" in field for row in rows for field in row):
        return parse_tiers(" ".join(text.split()))
    return [[name for name in row if name] for row in rows]


def _numbered(rows: list[list[str]], path: Path) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for place, row in enumerate(rows, 2):
        try:
            name, number = row[0], float(row[1])
        except (IndexError, ValueError):
            raise FileFormatError(
                f"row {place} of '{path}' is {shown(','.join(row))}; give the name of a variable "
                "and the number of its tier"
            ) from None
        if name in numbers:
            raise FileFormatError(
                f"'{path}' has {shown(name)} more than once; name each variable once"
            )
        numbers[name] = number
    return numbers
