"""How long the linear extensions of random DAGs take to count: a figure of two of the papers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from common import COLOURS, Table
from matplotlib.figure import Figure

import arcwise
from arcwise.errors import CapacityError

DAGS = 9
INDEGREES = (3, 6)
SIZES = (20, 30, 40, 49, 60, 70)
# Sets of nodes stored: some 100 MB, where the papers had 16 GB.
BUDGET = 2_000_000


@dataclass(frozen=True)
class CountingTimes:
    """The seconds that each of some random DAGs took; None for one beyond the budget."""

    nodes: int
    max_indegree: int
    seconds: tuple[float | None, ...]

    @property
    def counted(self) -> list[float]:
        """The times of those that were counted."""
        return [each for each in self.seconds if each is not None]


def counting_times(
    sizes: Sequence[int] = SIZES, dags: int = DAGS, budget: int = BUDGET
) -> list[CountingTimes]:
    """Count the linear extensions of random DAGs of each size and maximum indegree."""
    return [
        CountingTimes(n, most, tuple(_seconds(n, most, seed, budget) for seed in range(dags)))
        for most in INDEGREES
        for n in sizes
    ]


def _seconds(n: int, max_indegree: int, seed: int, budget: int) -> float | None:
    dag = arcwise.networks.random_dag(n, max_indegree=max_indegree, seed=seed)
    start = time.process_time()
    try:
        arcwise.graphs.linear_extensions(dag, log=True, budget=budget)
    except CapacityError:
        return None
    return time.process_time() - start


def counting_table(title: str, times: Sequence[CountingTimes]) -> Table:
    """Return median and longest times, in milliseconds."""
    table = Table(
        title, ["nodes", "max. indegree", "median, ms", "longest, ms", "beyond the budget"]
    )
    for each in times:
        counted = each.counted
        table.add(
            each.nodes,
            each.max_indegree,
            1000 * float(np.median(counted)) if counted else None,
            1000 * max(counted) if counted else None,
            f"{len(each.seconds) - len(counted)} of {len(each.seconds)}",
        )
    return table


def counting_figure(times: Sequence[CountingTimes]) -> Figure:
    """Draw the time of each DAG and the means, a line for each maximum indegree."""
    figure, axes = plt.subplots(figsize=(4.2, 2.8))
    for most, colour in zip(INDEGREES, COLOURS, strict=False):
        of_degree = [each for each in times if each.max_indegree == most]
        for each in of_degree:
            axes.plot([each.nodes] * len(each.counted), each.counted, ".", color=colour, ms=4)
        whole = [each for each in of_degree if len(each.counted) == len(each.seconds)]
        axes.plot(
            [each.nodes for each in whole],
            [np.mean(each.counted) for each in whole],
            color=colour,
            label=f"at most {most} parents",
        )
    axes.set(xlabel="nodes", ylabel="seconds", yscale="log")
    axes.legend(frameon=False)
    return figure
