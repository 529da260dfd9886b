"""The rows that `defaults.py` leaves, and what is reported of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
BOUNDS = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)  # of the ranges of stated probability


Key = TypeVar("Key")


@dataclass(frozen=True)
class Row:
    """A method on a table."""

    kind: str
    name: str
    variables: int
    degree: float
    rows: int
    seed: int
    method: str
    seconds: float
    verdict: str
    score: str
    prior: str
    expected: float  # adjacencies
    true: int
    log_loss: float | None
    positives: str | None  # true/false over the number of true, at each threshold
    best: str | None  # the same of the best DAG
    reliability: str | None  # for each range: sum of what was said, true ones, number


def positives(said: NDArray[np.generic], truth: NDArray[np.bool_]) -> str | None:
    """Return true and false positives over the positives there are, at each threshold."""
    if not truth.any():
        return None
    levels = (0.5,) if said.dtype == np.bool_ else THRESHOLDS
    pairs = []
    for level in levels:
        taken = said.astype(np.float64) > level
        pairs.append(
            f"{(taken & truth).sum() / truth.sum():.4f}/{(taken & ~truth).sum() / truth.sum():.4f}"
        )
    return " ".join(pairs)


def reliability(said: NDArray[np.float64], truth: NDArray[np.bool_]) -> str:
    """Return for each range of what is said its sum, how many are true, and how many there are."""
    ranges = np.digitize(said, BOUNDS)
    return " ".join(
        f"{said[ranges == each].sum():.5g}/{truth[ranges == each].sum()}/{(ranges == each).sum()}"
        for each in range(len(BOUNDS) + 1)
    )


def report(rows: list[Row], figure: Path | None, curves: Path | None = None) -> None:
    """Print all tables that the rows have something for; draw reliability diagrams and curves."""
    _noise([row for row in rows if row.kind == "noise"])
    for kind in ("random", "network"):
        _calibration(kind, [row for row in rows if row.kind == kind])
    studies = [row for row in rows if row.kind == "benchpress"]
    _benchpress(studies)
    _beside_rivals(studies)
    said = [row for row in rows if row.reliability is not None and row.kind != "noise"]
    _said_and_true(said)
    if figure is not None and said:
        draw(said, figure)
    if curves is not None and studies:
        draw_curves(studies, curves)


def _groups(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _noise(rows: list[Row]) -> None:
    if not rows:
        return
    print("\nNoise: expected edges for each variable, mean and largest\n")
    methods = sorted({row.method for row in rows})
    print("| kind | rows | " + " | ".join(methods) + " |")
    print("|---|---:|" + "---:|" * len(methods))
    for (name, count), own in sorted(_groups(rows, lambda row: (row.name, row.rows)).items()):
        cells = []
        for method in methods:
            each = [row.expected / row.variables for row in own if row.method == method]
            cells.append(f"{np.mean(each):.3f}, {max(each):.3f}" if each else "")
        print(f"| {name} | {count} | " + " | ".join(cells) + " |")
    worst = sorted(rows, key=lambda row: -row.expected / row.variables)
    for row in [row for row in worst if row.method == "default"][:5]:
        print(
            f"  worst: {row.name}, {row.rows} rows x {row.variables}, seed {row.seed}: "
            f"{row.expected / row.variables:.3f} ({row.score}, {row.prior}, {row.verdict})"
        )


def _calibration(kind: str, rows: list[Row]) -> None:
    if not rows:
        return
    print(f"\n{kind}: adjacencies, there are / expected, and the mean log loss\n")
    methods = sorted({row.method for row in rows})
    print("| table | rows | there are | " + " | ".join(methods) + " |")
    print("|---|---:|---:|" + "---:|" * len(methods))
    for (name, degree, count), own in sorted(
        _groups(rows, lambda row: (row.name, row.degree, row.rows)).items()
    ):
        cells = []
        for method in methods:
            each = [row for row in own if row.method == method]
            losses = [row.log_loss for row in each if row.log_loss is not None]
            cells.append(
                f"{np.mean([row.expected for row in each]):.1f}, {np.mean(losses):.1f}"
                if losses
                else ""
            )
        label = f"{name}, degree {degree:g}" if degree else name
        true = np.mean([row.true for row in own])
        print(f"| {label} | {count} | {true:.1f} | " + " | ".join(cells) + " |")
    for method in methods:
        losses = [row.log_loss for row in rows if row.method == method and row.log_loss is not None]
        print(f"  {method}: mean log loss {np.mean(losses):.2f} over {len(losses)} tables")


def _benchpress(rows: list[Row]) -> None:
    if not rows:
        return
    print("\nBenchpress: medians of true and false positives over positives, and seconds\n")
    print("| data | method | sets | best DAG | median graph | curve | seconds |")
    print("|---|---|---:|---|---|---|---:|")
    for (name, method), own in sorted(_groups(rows, lambda row: (row.name, row.method)).items()):
        best = _median([row.best for row in own if row.best is not None])
        curve = _median([row.positives for row in own if row.positives is not None])
        at_half = curve[THRESHOLDS.index(0.5)] if curve else ""
        shown = (
            " ".join(curve[THRESHOLDS.index(level)] for level in (0.1, 0.3, 0.7, 0.9))
            if curve
            else ""
        )
        seconds = float(np.median([row.seconds for row in own]))
        print(
            f"| {name} | {method} | {len(own)} | {best[0] if best else ''} | {at_half} | {shown} | "
            f"{seconds:.1f} |"
        )


def _pairs(text: str) -> NDArray[np.float64]:
    """Return true and false positives at each threshold."""
    return np.array([[float(x) for x in pair.split("/")] for pair in text.split()])


def _beside_rivals(rows: list[Row]) -> None:
    """Print on how many sets ours has at least as many true ones and no more false ones."""
    ours = {(row.name, row.seed): row for row in rows if row.method == "default"}
    rivals = [row for row in rows if row.positives is None and (row.name, row.seed) in ours]
    if not rivals:
        return
    print("\nAt least as many true ones and no more false ones than a rival, in so many sets\n")
    print("| data | rival | sets | best DAG | above 0.5 | at some threshold |")
    print("|---|---|---:|---:|---:|---:|")
    for (name, method), own in sorted(_groups(rivals, lambda row: (row.name, row.method)).items()):
        wins = np.zeros(3, dtype=int)
        for rival in own:
            row = ours[name, rival.seed]
            ((true, false),) = _pairs(rival.best or "")
            curve = _pairs(row.positives or "")
            better = (curve[:, 0] >= true) & (curve[:, 1] <= false)
            ((best_true, best_false),) = _pairs(row.best or "")
            wins += (
                best_true >= true and best_false <= false,
                better[THRESHOLDS.index(0.5)],
                better.any(),
            )
        print(f"| {name} | {method} | {len(own)} | " + " | ".join(map(str, wins)) + " |")


def _median(texts: list[str]) -> list[str]:
    """Return the medians of true and of false positives at each threshold."""
    if not texts:
        return []
    medians = np.median([_pairs(text) for text in texts], axis=0)
    return [f"{true:.3f} at {false:.3f}" for true, false in medians]


def _totals(rows: list[Row]) -> NDArray[np.float64]:
    """Return for each range the sum of what was said, the true ones and the number."""
    totals: NDArray[np.float64] = np.sum(
        [
            [[float(x) for x in each.split("/")] for each in (row.reliability or "").split()]
            for row in rows
        ],
        axis=0,
    )
    return totals


def _said_and_true(rows: list[Row]) -> None:
    if not rows:
        return
    print("\nWhat was said, and the share that is true (number of pairs)\n")
    bounds = (0.0, *BOUNDS, 1.0)
    print(
        "| tables | method | "
        + " | ".join(f"{a:g} to {b:g}" for a, b in itertools.pairwise(bounds))
        + " |"
    )
    print("|---|---|" + "---|" * (len(BOUNDS) + 1))
    for (kind, name, method), own in sorted(
        _groups(rows, lambda row: (row.kind, row.name, row.method)).items()
    ):
        cells = [
            f"{said / count:.3f}: {true / count:.3f} ({count:.0f})" if count else ""
            for said, true, count in _totals(own)
        ]
        print(f"| {kind} {name} | {method} | " + " | ".join(cells) + " |")


def draw(rows: list[Row], path: Path) -> None:
    """Draw what was said against the share that is true, a panel for each kind of table."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    panels = _groups(rows, lambda row: (row.kind, row.name))
    wide = min(4, len(panels))
    high = math.ceil(len(panels) / wide)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "arcwise", "font.size": 8}):
        figure = Figure(figsize=(2.4 * wide, 2.4 * high), layout="constrained")
        axes = np.atleast_1d(figure.subplots(high, wide, sharex=True, sharey=True)).ravel()
        for ax, ((kind, name), own) in zip(axes, sorted(panels.items()), strict=False):
            ax.plot([0, 1], [0, 1], color="0.8", linewidth=1)
            for method, each in sorted(_groups(own, lambda row: row.method).items()):
                said, true, count = _totals(each).T
                told = count >= 10
                ax.plot(
                    said[told] / count[told],
                    true[told] / count[told],
                    marker="o",
                    markersize=3,
                    linewidth=1,
                    label=method,
                )
            ax.set_title(f"{kind}: {name}", fontsize=8)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        axes[0].legend(frameon=False, fontsize=7)
        figure.supxlabel("probability said", fontsize=8)
        figure.supylabel("share true", fontsize=8)
        figure.savefig(path, metadata={"Date": None})
    print(f"figure written to {path}")


def draw_curves(rows: list[Row], path: Path) -> None:
    """Draw true against false positives along the thresholds, and the rivals' graphs as points."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    panels = sorted(_groups(rows, lambda row: row.name).items())
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "arcwise", "font.size": 8}):
        figure = Figure(figsize=(3.2 * len(panels), 2.8), layout="constrained")
        axes = np.atleast_1d(figure.subplots(1, len(panels)))
        for ax, (name, own) in zip(axes, panels, strict=True):
            methods = sorted(_groups(own, lambda row: row.method).items())
            for colour, (method, each) in zip(
                ("C1", "C0", "C2", "C3", "C4"), methods, strict=False
            ):
                curves = [_pairs(row.positives) for row in each if row.positives is not None]
                points = np.array([_pairs(row.best)[0] for row in each if row.best is not None])
                if curves:
                    true, false = np.median(curves, axis=0).T
                    ax.plot(false, true, colour, marker="o", markersize=3, label=method)
                else:
                    ax.scatter(points[:, 1], points[:, 0], s=6, c=colour, alpha=0.5, label=method)
            ax.set_title(f"{name}, medians of learn, each graph of the rivals", fontsize=8)
            ax.set_xlim(-0.005, 0.12)
            ax.legend(frameon=False, fontsize=7, loc="lower right")
        figure.supxlabel("false adjacencies over true ones", fontsize=8)
        figure.supylabel("share of true adjacencies found", fontsize=8)
        figure.savefig(path, metadata={"Date": None})
    print(f"figure written to {path}")
