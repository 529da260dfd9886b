"""The parts of the benchmark of graphics processors on scores of families."""

from __future__ import annotations

import gc
import math
from functools import partial
from typing import Any

import numpy as np
from gpu_cases import Limits, gaussian_data, leveled_data
from gpu_table import row, say, seconds_of

import arcwise
from arcwise.scores import FamilyScores
from arcwise.support.devices import Choice


def apart(one: FamilyScores, other: FamilyScores) -> float:
    """Return the largest difference of two scores, of 1 or of themselves."""
    most = 0.0
    for node in range(len(one.variables)):
        first, second = one.table.values(node), other.table.values(node)
        most = max(most, float((np.abs(first - second) / np.maximum(1.0, np.abs(second))).max()))
    return most


def compared(
    device: Any, data: arcwise.Data, score: str, **families: Any
) -> tuple[float, float, FamilyScores, float]:
    """Return seconds of the device, once it is warm, and of all cores; scores; how far apart."""
    few = data.take_rows(np.arange(min(100, data.rows)))
    arcwise.score(few, score, device="gpu", max_indegree=1)
    taken, found = seconds_of(partial(arcwise.score, data, score, device="gpu", **families))
    cpu, known = seconds_of(partial(arcwise.score, data, score, **families))
    return taken, cpu, found, apart(found, known)


def discrete_scores_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nBDeu of all families, and whether device='auto' would use the device")
    cases = [(50, 1_000_000, 2, 3), (50, 1_000_000, 3, 2), (37, 100_000, 4, 4), (50, 10_000, 3, 3)]
    for nodes, rows, levels, parents in [(10, 2000, 3, 2)] if quick else cases:
        data = arcwise.read(leveled_data(nodes, rows, levels))
        taken, cpu, found, off = compared(device, data, "bdeu", max_indegree=parents)
        sizes = range(parents + 2)
        counted = sum(math.comb(nodes, size) for size in sizes) * rows
        # A byte of each member of a set: most of them from the second-level cache.
        read = sum(size * math.comb(nodes, size) for size in sizes) * rows
        row(
            f"{rows:,} rows, {nodes} columns, {levels} levels, {parents} parents",
            f"{taken:.2f} s",
            f"{cpu:.2f} s",
            f"scores {off:.1e}",
            f"{counted / taken:.2e} rows of sets/s, codes at {read / taken / limits.bandwidth:.1%} "
            f"of the bandwidth; {len(found):,} families; auto: {_auto(data, 'bdeu', parents)}",
        )
        del data, found
        gc.collect()


def gaussian_scores_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nBGe of all families, and whether device='auto' would use the device")
    cases = [(1000, 10_000, 1), (1000, 1000, 2), (300, 10_000, 2), (100, 100_000, 3)]
    for nodes, rows, parents in [(40, 500, 2)] if quick else cases:
        data = arcwise.read(gaussian_data(nodes, rows))
        taken, cpu, found, off = compared(device, data, "bge", max_indegree=parents)
        products = rows * nodes * (nodes + 1) / 2
        values = 8 * len(found)  # written once
        row(
            f"{rows:,} rows, {nodes} columns, {parents} parents",
            f"{taken:.2f} s",
            f"{cpu:.2f} s",
            f"scores {off:.1e}",
            f"{len(found) / taken:.2e} families/s, {values / taken / limits.bandwidth:.1%} of the "
            f"bandwidth; {products / taken / limits.products:.1%} of the products; "
            f"auto: {_auto(data, 'bge', parents)}",
        )
        del data, found
        gc.collect()


def _auto(data: arcwise.Data, score: str, parents: int) -> str:
    from arcwise.gpu.scoring import GpuScoring, engine_on_device
    from arcwise.model.question import Definition, Question

    rule = arcwise.Constraints(max_indegree=parents)
    question = Question.of(data, Definition(score, constraints=rule))
    chosen = engine_on_device(question, Choice.AUTO, None)
    return "yes" if isinstance(chosen, GpuScoring) else "no"


def score_bits(device: Any, emulated: Any) -> None:
    """Say whether scores of the device and of plain C++ are the same."""
    from arcwise.engines import Engine
    from arcwise.gpu.scoring import GpuScoring

    for score, table in (
        ("bdeu", leveled_data(8, 1003, 3)),
        ("bge", gaussian_data(40, 503)),
    ):
        data = arcwise.read(table)
        engines: list[Engine] = [GpuScoring(device), GpuScoring(emulated)]
        one, other = (
            arcwise.score(data, score, engine=each, max_indegree=2).table for each in engines
        )
        same = all((one.values(node) == other.values(node)).all() for node in range(len(one)))
        say(f"  scores, {score}: {'the same' if same else 'DIFFERENT'}")
