"""Estimates how long scoring takes, by timing some of the families."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from arcwise import _core
from arcwise.families.families import Families, subsets
from arcwise.model.question import Question
from arcwise.support.devices import Processors
from arcwise.support.running import Stage

# Families times rows whose scoring takes well below a second in any case.
_QUICK = 10**8
_LONG_ENOUGH = 0.03  # seconds, for a timing to mean something
_TIMINGS = 2
# At most so many families of a node are timed, on at most so many rows.
_FAMILIES_TIMED = 2**10
_ROWS_TIMED = 2**15
_SECONDS_PER_DIFFERENCE = 5e-8  # of two known sets


def scoring_seconds(question: Question, threads: int | None = None) -> float:
    """Return about how many seconds it takes to score all families of a question.

    Some families of a few nodes are scored, of more and more nodes until their time shows.

    Parameters
    ----------
    question
        The question.
    threads
        The number of threads; None for all cores.
    """
    total = question.number_of_families
    table = question.table
    rows = 1 if table is None else table.rows
    if question.precomputed is not None or total * rows <= _QUICK:
        return 0.0
    each, base = _timed(_on_fewer_rows(question))
    if table is not None and rows > _ROWS_TIMED:
        base *= rows / _ROWS_TIMED
        # Products of columns are summed up once, whatever is scored then.
        assert question.score is not None
        each *= rows / _ROWS_TIMED if question.score.visits_rows(table) else 1.0
    cores = Processors.available(threads).threads
    shared = _sets_in_common(question)
    if shared is not None:
        return base + (shared * each / 2 + total * _SECONDS_PER_DIFFERENCE) / cores
    return base + total * each / min(cores, len(question.variables))


def sets_to_score(question: Question) -> int:
    """Return the number of sets of variables whose rows are counted to score all families."""
    shared = _sets_in_common(question)
    return 2 * question.families.total if shared is None else shared


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


def _on_fewer_rows(question: Question) -> Question:
    table = question.table
    if table is None or table.rows <= _ROWS_TIMED:
        return question
    rows = np.linspace(0, table.rows - 1, _ROWS_TIMED).astype(np.int64)
    return replace(question, data=table.take_rows(rows))


def _timed(question: Question) -> tuple[float, float]:
    """Return the seconds of a family, and of what is done whatever is scored."""
    n = len(question.variables)
    _, base = _seconds(question, [])
    nodes = 1
    while True:
        spread = [node * n // nodes for node in range(nodes)]
        families, seconds = _seconds(question, spread)
        if seconds - base >= _LONG_ENOUGH or nodes == n:
            return max(0.0, seconds - base) / families, base
        nodes = min(n, 4 * nodes)


def _seconds(question: Question, nodes: list[int]) -> tuple[int, float]:
    """Return how many families of some nodes were scored, and the seconds of one core."""
    families = question.families
    n = len(question.variables)
    candidates: list[list[int]] = [[] for _ in range(n)]
    required: list[list[int]] = [[] for _ in range(n)]
    outside: list[list[int]] = [[] for _ in range(n)]
    most = [0] * n
    for node in nodes:
        fixed, candidates[node], most[node] = _some(families, node)
        required[node] = sorted([*families.required[node], *fixed])
        outside[node] = list(families.outside[node])
    table = _core.FamilyTable(candidates, required, most, outside)
    fastest = float("inf")
    for _ in range(_TIMINGS):
        # The time of the processor, as that on the clock depends on what else is running.
        began = time.process_time()
        question.scoring.fill(table, Stage(Processors(1)))
        fastest = min(fastest, time.process_time() - began)
        if fastest > _LONG_ENOUGH:
            break
    return sum(table.count(node) for node in nodes), fastest


def _some(families: Families, node: int) -> tuple[list[int], list[int], int]:
    """Return parents that are fixed, candidates, and how many of these a set may have.

    The sets are about as large as most sets of the node are.
    """
    inside, largest = list(families.candidates[node]), families.max_free[node]
    others = len(families.outside[node])
    if largest < len(inside):
        free = 1
        while free < largest and subsets(len(inside), free + 1) < _FAMILIES_TIMED:
            free += 1
        fixed = max(0, largest - free - bool(others))
        return inside[:fixed], inside[fixed:], free
    free = min(len(inside), max(0, int(math.log2(_FAMILIES_TIMED / (1 + others)))))
    fixed = (len(inside) - free) // 2
    return inside[:fixed], inside[fixed : fixed + free], free + bool(others)
