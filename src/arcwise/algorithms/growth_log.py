"""The rounds of growth in a file, from which growth goes on after it was stopped.

The file has a line of JSON for its key and one for each round, which is added when it is found: a
round costs the same however many there are. A line that was cut off ends what can be read.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArcwiseError
from arcwise.graphs.dag import Dag
from arcwise.support.checks import real_number, whole_number
from arcwise.support.files import UNREADABLE, replacing
from arcwise.support.plain import strict_json


@dataclass(frozen=True, eq=False)
class FoundRound:
    """What a round of growth found, on which alone the next ones depend.

    Parameters
    ----------
    dag, log_weight
        The best DAG, and its unnormalised log posterior.
    wanted
        The parents that it calls for, as a matrix [parent, node].
    families
        The number of families searched.
    """

    dag: Dag
    log_weight: float
    wanted: NDArray[np.bool_]
    families: int


class GrowthLog:
    """The rounds found so far; those of an earlier run of the same growth are there at once.

    Growth is the same for the same arguments, so rounds in the file take the place of those that
    would be made now, in order, and the result is as if it had never been stopped.

    Parameters
    ----------
    path
        The file; None to keep nothing.
    variables
        The names of the nodes.
    key
        Stands for the data and the arguments: a file with another one is replaced.
    """

    def __init__(self, path: Path | None, variables: tuple[str, ...], key: str) -> None:
        self._path = path
        self._variables = variables
        self._key = key
        self._lines: list[str] = []
        self._found: list[FoundRound] = []
        self._next = 0
        self._begun = False  # whether the file ends with the last round
        if self._path is not None:
            content = read_log(self._path)
            if content.get("key") == key:
                self._keep(content["rounds"])

    def _keep(self, rounds: list[Any]) -> None:
        """Take over the rounds of the earlier run, up to one that is damaged."""
        for values in rounds:
            try:
                found, line = self._read(values), _line(values)
            except (*UNREADABLE, ArcwiseError):
                return
            self._found.append(found)
            self._lines.append(line)

    def _read(self, values: dict[str, Any]) -> FoundRound:
        names, n = self._variables, len(self._variables)

        def place(value: Any) -> int:
            return whole_number(value, "a node", at_least=0, at_most=n - 1)

        wanted = np.zeros((n, n), dtype=np.bool_)
        for parent, node in values["wanted"]:
            wanted[place(parent), place(node)] = True
        parents = {
            names[v]: [names[place(u)] for u in own] for v, own in enumerate(values["parents"])
        }
        return FoundRound(
            Dag(names, parents),
            real_number(values["log_weight"], "log_weight", math.isfinite, "a finite number"),
            wanted,
            whole_number(values["families"], "families", at_least=1),
        )

    def next(self) -> FoundRound | None:
        """Return the next round of the earlier run, or None if there are no more."""
        if self._next >= len(self._found):
            return None
        self._next += 1
        return self._found[self._next - 1]

    def add(self, found: FoundRound) -> None:
        """Keep a round."""
        if self._path is None:
            return
        values = {
            "parents": [sorted(own) for own in found.dag.parent_indices],
            "log_weight": float(found.log_weight),
            "wanted": np.argwhere(found.wanted).tolist(),
            "families": found.families,
        }
        self._lines.append(_line(values))
        self._next = len(self._lines)
        if not (self._begun and _append(self._lines[-1], self._path)):
            with replacing(self._path) as temporary:
                text = "".join([_line({"key": self._key}), *self._lines])
                temporary.write_text(text, encoding="utf-8")
            self._begun = True


def _line(values: dict[str, Any]) -> str:
    return strict_json(values) + "\n"


def _append(line: str, path: Path) -> bool:
    """Add a line to a file that is there; return whether it is. No link is followed."""
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    try:
        opened = os.open(path, flags)
    except OSError:
        return False
    with os.fdopen(opened, "a", encoding="utf-8") as file:
        file.write(line)
    return True


def read_log(path: Path) -> dict[str, Any]:
    """Return the key of a file of rounds and its rounds, as far as they can be read."""
    rounds: list[Any] = []
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        key = json.loads(lines[0])["key"]
    except UNREADABLE:
        return {}
    if not isinstance(key, str):
        return {}
    for line in lines[1:]:
        try:
            if not line.endswith("\n"):
                break
            rounds.append(json.loads(line))
        except UNREADABLE:
            break
    return {"key": key, "rounds": rounds}
