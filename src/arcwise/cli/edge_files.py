"""Reads edges from files, lists of pairs, adjacency matrices and JSON, or from a text."""

from __future__ import annotations

from pathlib import Path

from arcwise.errors import FileFormatError
from arcwise.support.text_files import json_of, read_rows, read_text

_WANTED = "a file of edges, .csv with the header source,target or .json"


def edges_given(given: Path) -> list[tuple[str, str]] | str:
    """Return the edges of a file, or a text such as ``"smoke -> lung, smoke -> bronc"``.

    Parameters
    ----------
    given
        What was given: the name of a file, or else the text.
    """
    return str(given) if "->" in str(given) and not given.exists() else read_edge_file(given)


def read_edge_file(path: Path) -> list[tuple[str, str]]:
    """Return the edges of a file as pairs (source, target).

    Parameters
    ----------
    path
        A .csv with the header ``source,target`` or ``from,to`` (further columns are
        ignored); a .csv with an adjacency matrix of 0 and 1, whose header names the variables
        and whose rows, the sources, are in the same order; or a .json with a list of pairs or a
        mapping from nodes to their parents.
    """
    text = read_text(path, _WANTED)
    if str(path).lower().endswith(".json"):
        return _from_json(text, path)
    rows = read_rows(text, path, _WANTED)
    header = rows[0]
    if [name.strip() for name in header[:2]] in (["source", "target"], ["from", "to"]):
        short = [number for number, row in enumerate(rows, 1) if len(row) < 2]
        if short:
            raise FileFormatError(
                f"'{path}' has a single name in row {short[0]}; give source and target"
            )
        return [(row[0], row[1]) for row in rows[1:]]
    return _from_matrix(header, rows[1:], path)


def _from_matrix(header: list[str], rows: list[list[str]], path: Path) -> list[tuple[str, str]]:
    entries = [[entry.strip() for entry in row] for row in rows]
    square = len(entries) == len(header) and all(len(row) == len(header) for row in entries)
    if not square or any(entry not in ("0", "1") for row in entries for entry in row):
        raise FileFormatError(
            f"'{path}' is neither a list of edges with the header source,target nor a square "
            "matrix of 0 and 1 with the variables as its header; give one of these"
        )
    return [
        (source, target)
        for source, row in zip(header, entries, strict=True)
        for target, entry in zip(header, row, strict=True)
        if entry == "1"
    ]


def _from_json(text: str, path: Path) -> list[tuple[str, str]]:
    content = json_of(text)
    if isinstance(content, dict) and all(isinstance(of, list) for of in content.values()):
        content = [[parent, node] for node, parents in content.items() for parent in parents]
    if not isinstance(content, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(end, str) for end in pair)
        for pair in content
    ):
        raise FileFormatError(
            f"'{path}' is not a JSON list of pairs [source, target], nor a mapping from nodes to "
            "lists of parents; give one of these, with names as strings"
        )
    return [(source, target) for source, target in content]
