"""Estimates how long scoring takes, by timing a few of the families."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from arcwise import _core
from arcwise.families.families import subsets
from arcwise.model.question import Question
from arcwise.support.devices import Processors
from arcwise.support.running import Run

# Values whose scoring takes less than a second in any case, as families times rows.
_QUICK = 10**8
_LONG_ENOUGH = 0.05  # seconds, for a timing to mean something
_MOST_FREE = 12
_ROWS_TIMED = 2**15
_SECONDS_PER_DIFFERENCE = 2e-8  # of two known sets


def scoring_seconds(question: Question, threads: int | None = None) -> float:
    """Return about how many seconds it takes to score all families of a question.

    A node is scored with some of its candidates fixed, so that the sets are as large as most
    are, and with more and more of the others, until the time of a family shows.

    Parameters
    ----------
    question
        The question.
    threads
        The number of threads; None for all cores.
    """
    families = question.families
    table = question.table
    work = families.total * (1 if table is None else table.rows)
    if question.precomputed is not None or work <= _QUICK:
        return 0.0
    each, per_node, base = _timed(_on_fewer_rows(question))
    if table is not None and table.rows > _ROWS_TIMED:
        scale = table.rows / _ROWS_TIMED
        # Continuous data are summed up once, whatever is scored then.
        each *= scale if "discrete" in table.kinds.values() else 1.0
        per_node, base = per_node * scale, base * scale
    cores = Processors.available(threads).threads
    n = len(question.variables)
    shared = _sets_in_common(question)
    if shared is not None:
        return base + (shared * each / 2) / cores + families.total * _SECONDS_PER_DIFFERENCE
    return base + (n * per_node + families.total * each) / min(cores, n)


def _on_fewer_rows(question: Question) -> Question:
    table = question.table
    if table is None or table.rows <= _ROWS_TIMED:
        return question
    rows = np.linspace(0, table.rows - 1, _ROWS_TIMED).astype(np.int64)
    return replace(question, data=table.take_rows(rows))


def _timed(question: Question) -> tuple[float, float, float]:
    """Return the seconds of a family, of the preparations for a node, and of all else."""
    families = question.families
    n = len(question.variables)
    node = max(range(n), key=lambda v: (len(families.candidates[v]), len(families.outside[v])))
    base = _seconds(question, node, 0, alone=True)[1]
    before = _seconds(question, node, 0)
    free = 1
    while True:
        now = _seconds(question, node, free)
        if now[1] - base >= _LONG_ENOUGH or free >= min(
            _MOST_FREE, len(families.candidates[node]), families.max_free[node]
        ):
            break
        before, free = now, free + 1
    more = now[0] - before[0]
    each = max(0.0, now[1] - before[1]) / more if more > 0 else 0.0
    if each == 0.0:
        each = max(0.0, now[1] - base) / now[0]
    return each, max(0.0, now[1] - base - now[0] * each), base


def _seconds(question: Question, node: int, free: int, *, alone: bool = False) -> tuple[int, float]:
    """Return how many families were scored for a node, and the seconds it took.

    `alone`: the node has the empty set alone, as all other nodes have here.
    """
    families = question.families
    n = len(question.variables)
    candidates: list[list[int]] = [[] for _ in range(n)]
    required: list[list[int]] = [[] for _ in range(n)]
    outside: list[list[int]] = [[] for _ in range(n)]
    most = [0] * n
    if not alone:
        inside, largest = list(families.candidates[node]), families.max_free[node]
        if largest < len(inside):
            # Most sets are of the largest size, and those that differ in a member are quick.
            fixed, pool = max(0, largest - free), len(inside)
        else:
            fixed = max(0, min(math.ceil(len(inside) / 2) - free // 2, len(inside) - free))
            pool = fixed + free
        required[node] = sorted([*families.required[node], *inside[:fixed]])
        candidates[node] = inside[fixed:pool]
        outside[node] = list(families.outside[node])
        most[node] = free + bool(outside[node])
    table = _core.FamilyTable(candidates, required, most, outside)
    began = time.perf_counter()
    question.scoring.fill(table, Run(Processors(1)))
    return table.count(node), time.perf_counter() - began


def _sets_in_common(question: Question) -> int | None:
    """Return the number of sets if all families are differences between the same ones."""
    families = question.families
    if question.score is None or not question.score.by_sets or question.has_interventions:
        return None
    if any(families.outside):
        return None
    n = len(families.variables)
    largest = 1 + max(
        most + len(must) for most, must in zip(families.max_free, families.required, strict=True)
    )
    shared = subsets(n, largest)
    return shared if shared <= families.total else None
