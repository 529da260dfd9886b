"""Scoring of families on a cluster: workers score parts, which are collected in one table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arcwise import _core
from arcwise.cluster.connection import Cluster
from arcwise.cluster.host_files import HostFile
from arcwise.cluster.scoring_work import NodesWork, SetsWork
from arcwise.cluster.spread import Spread
from arcwise.cluster.work import Done, Work
from arcwise.data import Data
from arcwise.scores.job import FamilyScoring
from arcwise.support.running import Run


def score_on_cluster(
    cluster: Cluster, payload: FamilyScoring, file: HostFile, run: Run
) -> _core.FamilyTable:
    """Return the scores of all families of a scoring job that the workers have as a file."""
    families = payload.families
    nodes = range(len(families.variables))
    table = families.table()
    intervened = np.zeros(len(nodes), dtype=np.uint8)
    if isinstance(payload.data, Data) and payload.data.intervened is not None:
        intervened[:] = payload.data.intervened.any(axis=0)
    by_sets = payload.score.by_sets
    plan = _core.ScoringPlan(table, intervened) if by_sets else None
    alone = list(nodes) if plan is None else sorted(plan.alone)
    if plan is not None:
        # Families with an outside parent are scored node by node in any case.
        alone += [node for node in plan.sharing if families.outside[node]]
    sets = plan is not None and plan.largest_set > 0
    half = 0.5 if sets and alone else 1.0
    if alone:
        _score_nodes(cluster, file, alone, table, _part(run, 0.0, half))
    if plan is not None and sets:
        first = half if alone else 0.0
        values = _score_sets(cluster, file, len(nodes), plan, _part(run, first, 1.0))
        plan.take_differences(values, table, run.threads, None)
    return table


def _score_nodes(
    cluster: Cluster,
    file: HostFile,
    nodes: list[int],
    table: _core.FamilyTable,
    share: Callable[[float], None] | None,
) -> None:
    def work(first: int, count: int) -> Work:
        return NodesWork(file, tuple(nodes[first : first + count]))

    def collect(first: int, count: int, done: Done) -> None:
        for node, values in zip(nodes[first : first + count], done.value, strict=True):
            table.values(node)[:] = values

    Spread(cluster, len(nodes), work, collect, share=share).run()


def _score_sets(
    cluster: Cluster,
    file: HostFile,
    nodes: int,
    plan: _core.ScoringPlan,
    share: Callable[[float], None] | None,
) -> np.ndarray:
    ranks = _core.set_pieces(nodes, plan.largest_set)
    values = np.empty(ranks[-1])

    def work(first: int, count: int) -> Work:
        return SetsWork(file, plan.largest_set, first, count)

    def collect(first: int, count: int, done: Done) -> None:
        values[ranks[first] : ranks[first + count]] = done.value

    Spread(cluster, len(ranks) - 1, work, collect, share=share).run()
    return values


def _part(run: Run, first: float, last: float) -> Callable[[float], None] | None:
    """Return a progress function for a part of the run."""
    show = run.progress
    return None if show is None else lambda share: show(first + (last - first) * share)
