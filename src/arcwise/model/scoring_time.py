"""Estimates how long scoring takes, by timing some of the families."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from arcwise.families.families import MOST_FAMILIES, Families, subsets
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

Nodes = tuple[int, ...]


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
    work = scoring_work(question)
    if work > total:  # each node has sets of its own, on one core
        return base + work * each / min(cores, len(question.variables))
    return base + (work * each + total * _SECONDS_PER_DIFFERENCE) / cores


def scoring_work(question: Question) -> int:
    """Return the number of sets or families that are evaluated to score all families."""
    total = question.families.total
    # More than can be scored are more than the core may be able to count.
    return question.scoring.plan.work if total <= MOST_FAMILIES else 2 * total


def _on_fewer_rows(question: Question) -> Question:
    table = question.table
    if table is None or table.rows <= _ROWS_TIMED:
        return question
    rows = np.linspace(0, table.rows - 1, _ROWS_TIMED).astype(np.int64)
    return replace(question, data=table.take_rows(rows))


def _timed(question: Question) -> tuple[float, float]:
    """Return the seconds of a unit of work, and of what is done whatever is scored."""
    n = len(question.variables)
    _, base = _seconds(question, [])
    nodes = 1
    while True:
        spread = [node * n // nodes for node in range(nodes)]
        work, seconds = _seconds(question, spread)
        if seconds - base >= _LONG_ENOUGH or nodes == n:
            return max(0.0, seconds - base) / work, base
        nodes = min(n, 4 * nodes)


def _seconds(question: Question, nodes: list[int]) -> tuple[int, float]:
    """Return the work of scoring some families of some nodes, and the seconds of one core."""
    families = question.families
    timed = set(nodes)
    rules = [
        _some(families, node) if node in timed else ((), (), 0, ())
        for node in range(len(question.variables))
    ]
    candidates, required, most, outside = zip(*rules, strict=True)
    some = Families(families.variables, candidates, required, most, outside)
    fastest = float("inf")
    for _ in range(_TIMINGS):
        # The time of the processor, as that on the clock depends on what else is running.
        job = replace(question.scoring, families=some)  # made anew, as nothing is known of it then
        began = time.process_time()
        job.fill(some.table(), Stage(Processors(1)))
        fastest = min(fastest, time.process_time() - began)
        if fastest > _LONG_ENOUGH:
            break
    return job.plan.work, fastest


def _some(families: Families, node: int) -> tuple[Nodes, Nodes, int, Nodes]:
    """Return fewer candidates of a node, what is required and allowed besides, and how many.

    Sets have fixed parents and some of the candidates, about as many as most sets of the node.
    """
    inside, largest = families.candidates[node], families.max_free[node]
    outside = families.outside[node]
    if largest < len(inside):
        most = 1
        while most < largest and subsets(len(inside), most + 1) < _FAMILIES_TIMED:
            most += 1
        fixed = max(0, largest - most - bool(outside))
        free = inside[fixed:]
    else:
        count = min(len(inside), max(0, int(math.log2(_FAMILIES_TIMED / (1 + len(outside))))))
        fixed = (len(inside) - count) // 2
        free, most = inside[fixed : fixed + count], count + bool(outside)
    required = tuple(sorted([*families.required[node], *inside[:fixed]]))
    return free, required, most, outside
