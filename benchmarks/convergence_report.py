"""The tables that `convergence.py` runs on, and what is reported of the rows it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

LEAST_DRAWN = 1e-4  # errors that are less, those of exact results among them


@dataclass(frozen=True)
class Case:
    """A table, and the goal: agreement, or the largest error, in so many seconds of two cores."""

    name: str  # of a file, or kind:variables:expected degree of a random network
    seconds: float
    max_indegree: int | None = None
    most_error: float | None = None
    threads: int = 2


CASES = (
    Case("gauss-n20-N200", 20, max_indegree=4, most_error=0.01),
    Case("vehicle12", 20, max_indegree=3, most_error=0.01),
    Case("child-1000", 20, max_indegree=4, most_error=0.002, threads=1),
    *(Case(name, 20) for name in ("alarm-1000", "insurance-1000", "gauss-n40-N400")),
    *(Case(name, 60) for name in ("hailfinder-1000", "gauss-n60-N600", "gauss-n80-N800")),
    *(
        Case(f"{kind}:{variables}:{degree}", 900 if variables == 400 else 300)
        for variables, kind, degree in product((100, 200, 400), ("gaussian", "discrete"), (2, 4))
    ),
)


@dataclass(frozen=True)
class Row:
    """One run: how long it took, and how it ended."""

    table: str
    variables: int
    method: str
    seed: int
    budget: float
    seconds: float
    growth: float  # seconds of these
    reached: bool  # the goal, in time
    rhat: float | None = None
    edge_rhat: float | None = None
    difference: float | None = None
    apart: int | None = None  # edges that differ by more than 0.1
    error: float | None = None  # against the exact posterior
    worst: str = ""  # the edges that differ most
    note: str = ""  # the algorithm, or why there is nothing


def report(rows: list[Row], figure: Path | None) -> None:
    """Print the table of what each method reached, and what kept runs apart; draw the figure."""
    order = {case.name: number for number, case in enumerate(CASES)}
    rows = sorted(rows, key=lambda row: (order[row.table], row.seed))
    tables = list(dict.fromkeys(row.table for row in rows))
    methods = list(dict.fromkeys(row.method for row in sorted(rows, key=_by_method)))
    print("\n| table | seconds given | " + " | ".join(methods) + " |")
    print("|---|---:|" + "---|" * len(methods))
    for table in tables:
        own = [row for row in rows if row.table == table]
        cells = [_cell([row for row in own if row.method == method]) for method in methods]
        print(f"| {table} | {own[0].budget:g} | " + " | ".join(cells) + " |")
    print("\nWhat kept runs apart:")
    for row in rows:
        if not row.reached:
            off = row.worst if row.error is None else f"off by {row.error:.3f}; {row.worst}"
            print(f"  {row.table}, {row.method}, seed {row.seed}: {off or row.note}")
    if figure is not None:
        draw(rows, tables, methods, figure)


def _by_method(row: Row) -> int:
    usual = ("partitions", "dags", "canonical", "bridge", "coupled dags", "smc", "learn")
    return usual.index(row.method)


def _cell(rows: list[Row]) -> str:
    """Return how many runs reached the goal, their times, and how far the worst is from it."""
    if not rows:
        return ""
    reached = [row for row in rows if row.reached]
    words = f"{len(reached)} of {len(rows)}"
    errors = [row.error for row in rows if row.error is not None]
    if errors:
        exact = " exact," if all(row.note == "exact" for row in rows) else ""
        return f"{words},{exact} error {_range(errors, '.2g')}"
    if reached:
        times = [row.seconds for row in reached]
        words += f", {_range(times, '.0f')} s"
    apart = [row.difference for row in rows if row.difference is not None and not row.reached]
    if apart:
        words += f"; else {_range(apart, '.2f')} apart"
    elif len(reached) < len(rows):
        words += "; else nothing in time"
    return words


def _range(values: list[float], form: str) -> str:
    low, middle, high = (format(each, form) for each in np.quantile(values, [0.0, 0.5, 1.0]))
    return low if low == high else f"{low} to {high} (median {middle})"


def draw(rows: list[Row], tables: list[str], methods: list[str], path: Path) -> None:
    """Draw the time each run took to agree, and errors after a given time; open marks missed."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        print("matplotlib is not installed, so there is no figure")
        return
    goals = {case.name: case.most_error for case in CASES}
    by_error = [table for table in tables if goals[table] is not None]
    by_time = [table for table in tables if table not in by_error]
    parts = [part for part in (by_time, by_error) if part]
    heights = [len(part) for part in parts]
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "arcwise", "font.size": 8}):
        plot = Figure(figsize=(7.5, 1.2 + 0.42 * sum(heights)), layout="constrained")
        panels: Any = plot.subplots(len(parts), squeeze=False, height_ratios=heights)
        for axes, part in zip(panels.flat, parts, strict=True):
            own = [row for row in rows if row.table in part]
            _panel(axes, own, part, methods, errors=part is by_error)
        panels.flat[0].legend(
            fontsize="small", ncols=len(methods), loc="lower center", bbox_to_anchor=(0.45, 1.0),
            frameon=False, handletextpad=0.1,
        )  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        plot.savefig(path, metadata={"Date": None})
    print(f"figure written to {path}")


def _panel(
    axes: Any, rows: list[Row], tables: list[str], methods: list[str], *, errors: bool
) -> None:
    if errors:
        rows = [row for row in rows if row.error is not None]
    for number, method in enumerate(methods):
        above = 0.8 * ((number + 0.5) / len(methods) - 0.5)
        axes.scatter([], [], color=f"C{number}", s=14, label=method)
        for reached in (True, False):
            own = [row for row in rows if row.method == method and row.reached == reached]
            axes.scatter(
                [max(row.error or 0.0, LEAST_DRAWN) if errors else row.seconds for row in own],
                [tables.index(row.table) + above for row in own],
                facecolors=f"C{number}" if reached else "none", edgecolors=f"C{number}", s=14,
                linewidths=0.8,
            )  # fmt: skip
    for at, table in enumerate(tables):
        case = next(case for case in CASES if case.name == table)
        budget = next(row.budget for row in rows if row.table == table)
        goal = case.most_error if errors else budget
        axes.plot([goal, goal], [at - 0.42, at + 0.42], color="0.4", linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")  # those of one decade would run into each other
    if not errors:
        axes.set_xticks([2, 5, 10, 20, 50, 100, 200, 500])
    axes.set_yticks(range(len(tables)), tables)
    axes.set_ylim(len(tables) - 0.5, -0.5)
    axes.set_xlabel(
        "largest error after the time given, 0.0001 or more (line: the goal)"
        if errors
        else "seconds until four runs agree (line: the time given; open: they did not)"
    )
