"""Tables and figures of what `large_networks.py` measured, from the files it left in a folder.

Writes table.md, results.json (means and standard errors of all figures) and, where
matplotlib is installed, skeletons.svg and agreement.svg.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

Result = dict[str, Any]
Setting = tuple[int, int]  # variables, rows
RATES = ("true_positive_rate", "false_positive_rate", "false_positives_per_edge")
SHOWN = ("0.1", "0.3", "0.5", "0.7", "0.9", "0.99")  # thresholds in the table
DISTANCE = "structural_hamming_distance"
COLOURS = {"partitions": "#4c2a85", "linear": "#e07a1f", "pc": "#3a7d44", "map": "#c1121f"}
LINES = {20: "#9bc1e6", 40: "#5b96cf", 60: "#2f6aa8", 80: "#123f73"}


def read(folder: Path) -> dict[Setting, list[Result]]:
    """Return the data sets of each number of variables and rows."""
    found: dict[Setting, list[Result]] = defaultdict(list)
    for path in sorted(folder.glob("n*-N*-*.json")):
        one = json.loads(path.read_text())
        found[one["variables"], one["rows"]].append(one)
    return dict(sorted(found.items()))


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    off = np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return float(np.mean(values)), float(off)


def graphs_of(one: Result) -> dict[str, Any]:
    """Return everything that was compared with the truth, by name."""
    graphs = {"MAP": one["map"]}
    for space, posterior in one["posteriors"].items():
        graphs[f"{space}, majority"] = posterior["majority"]
        for threshold, rates in posterior["thresholds"].items():
            graphs[f"{space} > {threshold}"] = rates
    for alpha, rates in one["pc"].items():
        graphs[f"PC, alpha {alpha}"] = rates
    return graphs


def summary(found: dict[Setting, list[Result]]) -> list[Result]:
    """Return means and standard errors of all that was measured."""
    rows = []
    for (variables, size), results in found.items():
        all_graphs = [graphs_of(one) for one in results]
        graphs = {
            name: {
                key: mean_and_error([graphs[name][key] for graphs in all_graphs]) for key in rates
            }
            for name, rates in all_graphs[0].items()
        }
        rows.append(
            {
                "variables": variables,
                "rows": size,
                "data_sets": len(results),
                "edges": float(np.mean([one["edges"] for one in results])),
                "growth_seconds": float(np.mean([one["growth_seconds"] for one in results])),
                "restarts_agree": float(np.mean([one["restarts_agree"] for one in results])),
                "least_log_weight_above_truth": min(
                    one["log_weight_above_truth"] for one in results
                ),
                "graphs": graphs,
                "spaces": {
                    space: _chains([one["posteriors"][space] for one in results])
                    for space in results[0]["posteriors"]
                },
            }
        )
    return rows


def _chains(posteriors: list[Result]) -> Result:
    return {
        "agreement_quartiles": {
            f"{float(multiple):g}": np.quantile(
                [one["agreement"][multiple] for one in posteriors], [0.25, 0.5, 0.75]
            ).tolist()
            for multiple in posteriors[0]["agreement"]
        },
        "seconds_of_a_chain": float(np.mean([one["seconds_of_a_chain"] for one in posteriors])),
    }


def markdown(rows: list[Result]) -> str:
    """Return the tables: skeletons by threshold, distances of classes, agreement and times."""
    spaces = list(rows[0]["spaces"])
    names = [f"{spaces[0]} > {each}" for each in SHOWN] + ["MAP", "PC, alpha 0.05"]
    lines = []
    for rate in RATES[:2]:
        lines += _table(
            [rate.replace("_", " "), *names],
            [[_setting(row), *(_plus(row, name, rate, 3) for name in names)] for row in rows],
        )
    names = ["MAP", *(f"{space}, majority" for space in spaces), "PC, alpha 0.05"]
    lines += _table(
        ["SHD of CPDAGs", "data sets", "edges", *names],
        [
            [
                _setting(row),
                str(row["data_sets"]),
                f"{row['edges']:.0f}",
                *(_plus(row, name, DISTANCE, 1) for name in names),
            ]
            for row in rows
        ],
    )
    lengths = {
        space: max((row["spaces"][space]["agreement_quartiles"] for row in rows), key=len)
        for space in spaces
    }
    heads = [f"{space}, {length}" for space in spaces for length in lengths[space]]
    lines += _table(
        ["median R² (lower quartile)", *heads],
        [
            [
                _setting(row),
                *(_quartiles(row, space, m) for space in spaces for m in lengths[space]),
            ]
            for row in rows
        ],
    )
    lines += _table(
        ["CPU seconds", "growth and MAP", *(f"a chain of {space}" for space in spaces)],
        [
            [
                _setting(row),
                f"{row['growth_seconds']:.1f}",
                *(f"{row['spaces'][space]['seconds_of_a_chain']:.2f}" for space in spaces),
            ]
            for row in rows
        ],
    )
    return "\n".join(lines)


def _table(head: list[str], body: list[list[str]]) -> list[str]:
    rule = "|---|" + "---:|" * (len(head) - 1)
    return [f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in body), ""]


def _plus(row: Result, name: str, key: str, digits: int) -> str:
    value, off = row["graphs"][name][key]
    return f"{value:.{digits}f} ± {off:.{digits}f}"


def _quartiles(row: Result, space: str, multiple: str) -> str:
    quartiles = row["spaces"][space]["agreement_quartiles"].get(multiple)
    return "" if quartiles is None else f"{quartiles[1]:.3f} ({quartiles[0]:.3f})"


def _setting(row: Result) -> str:
    return f"n = {row['variables']}, N = {row['rows']}"


def draw(rows: list[Result], folder: Path) -> None:
    """Draw the figures, if there is matplotlib."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        print("matplotlib is not installed, so no figures were drawn; the tables are there")
        return
    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.fonttype": "none", "font.size": 8, "svg.hashsalt": "arcwise"}
    factors = sorted({row["rows"] // row["variables"] for row in rows})
    sizes = sorted({row["variables"] for row in rows})
    by_setting = {(row["variables"], row["rows"] // row["variables"]): row for row in rows}
    _draw_skeletons(by_setting, sizes, factors, folder / "skeletons.svg")
    _draw_agreement(by_setting, sizes, factors, folder / "agreement.svg")


def _draw_skeletons(
    rows: dict[Setting, Result], sizes: list[int], factors: list[int], path: Path
) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2.3 * len(sizes), 2.2 * len(factors) + 0.4), layout="constrained")
    axes = figure.subplots(len(factors), len(sizes), squeeze=False, sharex="row", sharey="row")
    for i, factor in enumerate(factors):
        for j, size in enumerate(sizes):
            panel = axes[i, j]
            row = rows.get((size, factor))
            panel.set_title(f"n = {size}, N = {factor * size}", fontsize=8)
            if row is None:
                continue
            for space in row["spaces"]:
                _curve(panel, row, f"{space} > ", COLOURS[space], f"posterior, {space}")
            _curve(panel, row, "PC, alpha ", COLOURS["pc"], "PC skeleton")
            best = row["graphs"]["MAP"]
            panel.plot(
                best[RATES[2]][0], best[RATES[0]][0], "*", color=COLOURS["map"], ms=8, label="MAP"
            )
            panel.set_xlim(left=0)
            panel.grid(alpha=0.3, linewidth=0.5)
    for panel in axes[:, 0]:
        panel.set_ylabel("true positives / edges")
    for panel in axes[-1]:
        panel.set_xlabel("false positives / edges")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.savefig(path, metadata={"Date": None})


def _curve(panel: Any, row: Result, prefix: str, colour: str, label: str) -> None:
    points = [values for name, values in row["graphs"].items() if name.startswith(prefix)]
    panel.errorbar(
        [point[RATES[2]][0] for point in points],
        [point[RATES[0]][0] for point in points],
        yerr=[point[RATES[0]][1] for point in points],
        marker="o", ms=2.5, lw=1, elinewidth=0.6, color=colour, label=label,
    )  # fmt: skip


def _draw_agreement(
    rows: dict[Setting, Result], sizes: list[int], factors: list[int], path: Path
) -> None:
    from matplotlib.figure import Figure

    spaces = list(next(iter(rows.values()))["spaces"])
    figure = Figure(figsize=(3 * len(spaces), 2.2 * len(factors) + 0.4), layout="constrained")
    axes = figure.subplots(len(factors), len(spaces), squeeze=False, sharex=True, sharey=True)
    for i, factor in enumerate(factors):
        for j, space in enumerate(spaces):
            panel = axes[i, j]
            panel.set_title(f"{space}, N = {factor} n", fontsize=8)
            for size in sizes:
                if (size, factor) not in rows:
                    continue
                quartiles = rows[size, factor]["spaces"][space]["agreement_quartiles"]
                steps = [float(multiple) for multiple in quartiles]
                low, middle, high = 1 - np.array(list(quartiles.values())).T
                colour = LINES.get(size, "black")
                panel.loglog(steps, middle, "o-", ms=2.5, lw=1, color=colour, label=f"n = {size}")
                panel.fill_between(steps, high, low, color=colour, alpha=0.15, lw=0)
            panel.grid(alpha=0.3, linewidth=0.5)
    for panel in axes[:, 0]:
        panel.set_ylabel("1 - R² of two chains")
    for panel in axes[-1]:
        panel.set_xlabel("steps / (n² ln n)")
    axes[0, 0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def write(folder: Path) -> None:
    """Write tables and figures of all data sets in a folder."""
    rows = summary(read(folder))
    (folder / "results.json").write_text(json.dumps(rows, indent=1) + "\n")
    (folder / "table.md").write_text(markdown(rows))
    draw(rows, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what was --out of large_networks.py")
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
