"""DAGs given as bits are checked: stray bits, loops and cycles are named, whatever the size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.posterior import DagSample


def sample(nodes: int, count: int = 1000) -> np.ndarray:
    """Return chains x0 -> x1 -> ..., as packed parent sets."""
    parents = np.zeros((count, nodes, (nodes + 63) // 64), dtype=np.uint64)
    for node in range(1, nodes):
        parents[:, node, (node - 1) // 64] = np.uint64(1 << (node - 1) % 64)
    return parents


def names(nodes: int) -> list[str]:
    return [f"x{node}" for node in range(nodes)]


@pytest.mark.parametrize("nodes", [8, 64, 70])
def test_dags_are_taken(nodes: int) -> None:
    found = DagSample(names(nodes), sample(nodes)).matrix("edge").probabilities
    assert (found == np.eye(nodes, k=1)).all()


@pytest.mark.parametrize(
    ("nodes", "word", "message"),
    [
        (8, 1 << 40, r"parents\[900\] has bit 40 among the parents of 'x3'.*bits 0 to 7"),
        (8, 2**64 - 1, r"parents\[900\] has bit 8 "),
        (8, 1 << 3, r"parents\[900\] has 'x3' as a parent of itself"),
        (8, 1 << 5, r"parents\[900\] has the cycle x3 -> x4 -> x5 -> x3"),
        (64, 1 << 63, r"parents\[900\] has the cycle x3 -> x4 .* x63 -> x3"),
        (70, 1 << 5, r"parents\[900\] has the cycle x3 -> x4 -> x5 -> x3"),
    ],
)
def test_what_is_no_dag_is_refused(nodes: int, word: int, message: str) -> None:
    parents = sample(nodes)
    parents[900:, 3, 0] |= np.uint64(word)
    with pytest.raises(ArgumentError, match=message):
        DagSample(names(nodes), parents)


@pytest.mark.parametrize(
    "parents",
    [np.zeros((2, 3)), np.full((2, 3), -1), np.zeros((2, 3), dtype=object), [[1], [2, 3]], "ab"],
)
def test_other_types_are_refused(parents: Any) -> None:
    with pytest.raises(ArgumentError, match="parents holds values of the type"):
        DagSample(names(3), parents)


def test_a_file_with_stray_bits_is_refused(tmp_path: Path) -> None:
    model = arcwise.Model({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1]})
    path = tmp_path / "p.npz"
    arcwise.exact(model, dags=5).save(path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays["dags"] = arrays["dags"] | np.uint64(1 << 50)
    np.savez(path, **arrays)
    with pytest.raises(FileFormatError, match="damaged"):
        arcwise.Posterior.load(path)
