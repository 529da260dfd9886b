"""`forest`: uncertain adjacencies with their intervals, one below the other."""

from __future__ import annotations

from typing import Any

from arcwise.layout.colours import COLOURS
from arcwise.layout.forest import UNCERTAIN, forest_rows
from arcwise.plots.figures import axes_for, legend_above, tidy
from arcwise.posterior import Posterior, checked_posterior
from arcwise.support.checks import whole_number

_INK = "#1b1f24"


def forest(posterior: Posterior, most: int = 30, *, axes: Any = None) -> Any:
    """Plot the probabilities of uncertain adjacencies, with 95 % intervals for Monte Carlo error.

    A dot is the probability of an edge in either direction, a triangle that of one direction:
    ▶ from the first variable to the second, ◀ from the second to the first.

    Parameters
    ----------
    posterior
        The posterior.
    most
        The largest number of rows; those with probabilities nearest to one half are kept.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a row for each pair that is adjacent with a probability from 0.1 to 0.9.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> forest(arcwise.exact(model), 5).get_xlabel()
    'probability'
    """
    rows, count = forest_rows(checked_posterior(posterior), whole_number(most, "most", at_least=1))
    axes = axes_for(axes, (6.5, 1.4 + 0.24 * max(1, len(rows))), "plots.forest")
    heights = list(range(len(rows)))
    values = [row.probability for row in rows]
    low = [max(0.0, row.probability - row.low) for row in rows]
    high = [max(0.0, row.high - row.probability) for row in rows]
    axes.errorbar(
        values,
        heights,
        xerr=[low, high],
        fmt="o",
        color=_INK,
        ecolor="#56606b",
        markersize=5.0,
        capsize=2.5,
        linewidth=1.2,
        zorder=3,
        label="adjacent",
    )
    for sign, colour, name, shares in (
        (">", COLOURS[0], "first → second", [row.forward for row in rows]),
        ("<", COLOURS[1], "second → first", [row.backward for row in rows]),
    ):
        look = {"color": colour, "markersize": 4.5, "linewidth": 0, "zorder": 2}
        axes.plot(shares, heights, sign, **look, label=name, clip_on=False)
    names = [f"{row.source} – {row.target}" for row in rows]
    axes.set_yticks(heights, names, fontsize=8.5, parse_math=False)
    axes.set(xlim=(0.0, 1.0), ylim=(max(1, len(rows)) - 0.5, -0.5), xlabel="probability")
    axes.grid(axis="x", color="#dfe3e8", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0.0)
    if rows:
        legend_above(axes)
    else:
        words = f"no pair is adjacent with a probability from {UNCERTAIN[0]} to {UNCERTAIN[1]}"
        axes.text(0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes)
    if count > len(rows):
        axes.set_title(f"{len(rows)} of {count} uncertain pairs", fontsize=10.0)
    tidy(axes)
    return axes
