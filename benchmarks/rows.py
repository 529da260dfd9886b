"""Rows of benchmarks, which are dataclasses, read back from the .csv files that keep them."""

from __future__ import annotations

import csv
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    AnyRow = TypeVar("AnyRow", bound=DataclassInstance)


def read_rows(path: Path, kind: type[AnyRow]) -> list[AnyRow]:
    """Return the rows of a file, with values of the types that the dataclass states."""
    types = {each.name: str(each.type) for each in fields(kind)}

    def value(name: str, text: str) -> Any:
        stated = types[name]
        if stated == "str":
            return text
        if text in ("", "None"):
            return None
        if "str" in stated:
            return text
        if "bool" in stated:
            return text == "True"
        return int(text) if "int" in stated else float(text)

    with path.open(newline="") as file:
        return [
            kind(**{name: value(name, text) for name, text in row.items()})
            for row in csv.DictReader(file)
        ]
