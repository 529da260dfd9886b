"""The charts of the report page, as plain values for plotly.

Names are escaped, as plotly interprets a small subset of HTML in them.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.posterior import Posterior
from arcwise.support.plain import plain
from arcwise.support.words import number

# Okabe and Ito's palette without yellow, which is too pale for a line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#1b1f24")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star")
_DASHES = ("solid", "dash", "dot")
# From white to dark blue by lightness alone, so that it survives greyscale printing.
_SHADES = [
    [0.0, "#ffffff"],
    [0.02, "#eef4f9"],
    [0.25, "#bcd7ea"],
    [0.5, "#6aaed6"],
    [0.75, "#2474b0"],
    [1.0, "#08306b"],
]
_MOST_TRACE_POINTS = 1000
_MOST_CHAINS = 12
_MOST_AGREEMENT_POINTS = 1500
_SMALLEST_AGREEMENT = 0.01

Chart = dict[str, Any]


def _escaped(name: str) -> str:
    return escape(name, quote=False)


def matrix_chart(posterior: Posterior) -> Chart:
    """Return the probabilities of all edges as a heat map, sources as rows."""
    names = [_escaped(name) for name in posterior.variables]
    shown: NDArray[Any] = np.round(posterior.edges, 3).astype(object)
    np.fill_diagonal(shown, None)
    return {
        "data": [
            {
                "type": "heatmap",
                "z": plain(shown),
                "x": list(range(len(names))),
                "y": list(range(len(names))),
                "zmin": 0,
                "zmax": 1,
                "colorscale": _SHADES,
                "xgap": 1 if len(names) <= 60 else 0,
                "ygap": 1 if len(names) <= 60 else 0,
                "hoverongaps": False,
                "colorbar": {"title": {"text": "probability", "side": "right"}, "thickness": 12},
            }
        ],
        "layout": {
            "xaxis": {"title": {"text": "to"}, "side": "top"},
            "yaxis": {"title": {"text": "from"}, "autorange": "reversed"},
        },
        "names": names,
    }


def trace_chart(posterior: Posterior) -> Chart | None:
    """Return traces of the log posterior, or for annealing a histogram of the log weights."""
    if posterior.traces is None:
        return None
    rows = [row[np.isfinite(row)] for row in posterior.traces.log_weights]
    if posterior.run.annealed:
        return _weight_histogram(rows[0])
    if not any(len(row) for row in rows):
        return None
    longest = max(len(row) for row in rows)
    every = -(-longest // _MOST_TRACE_POINTS)
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": f"chain {chain + 1}",
            "x": (np.arange(0, len(row), every) * posterior.traces.steps).tolist(),
            "y": np.round(row[::every], 4).tolist(),
            "line": {
                "color": COLOURS[chain % len(COLOURS)],
                "width": 1.2,
                "dash": _DASHES[chain // len(COLOURS) % len(_DASHES)],
            },
        }
        for chain, row in enumerate(rows[:_MOST_CHAINS])
    ]
    layout = {
        "xaxis": {"title": {"text": "steps after burn-in"}},
        "yaxis": {"title": {"text": "unnormalised log posterior"}, "tickformat": ",~f"},
    }
    notes = []
    if every > 1:
        notes.append(f"One in {number(every)} kept states is shown.")
    if len(rows) > _MOST_CHAINS:
        notes.append(f"The first {_MOST_CHAINS} of {number(len(rows))} chains are shown.")
    return {
        "data": data,
        "layout": layout,
        "note": " ".join(notes),
        "title": "Traces of the log posterior",
    }


def _weight_histogram(log_weights: NDArray[np.float64]) -> Chart | None:
    if len(log_weights) == 0:
        return None
    counts, limits = np.histogram(log_weights, bins=min(40, max(8, len(log_weights) // 4)))
    return {
        "data": [
            {
                "type": "bar",
                "x": np.round((limits[1:] + limits[:-1]) / 2, 4).tolist(),
                "y": counts.tolist(),
                "width": np.round(np.diff(limits), 6).tolist(),
                "marker": {"color": COLOURS[0], "line": {"color": "#ffffff", "width": 1}},
                "hovertemplate": "log weight about %{x}: %{y} particles<extra></extra>",
            }
        ],
        "layout": {
            "xaxis": {"title": {"text": "log importance weight"}, "tickformat": ",~f"},
            "yaxis": {"title": {"text": "particles"}, "rangemode": "tozero"},
            "showlegend": False,
        },
        "note": "",
        "title": "Log importance weights of the particles",
    }


def agreement_chart(diagnosis: Diagnosis) -> Chart | None:
    """Return the edge probabilities of each chain against their mean; None for one chain."""
    by_chain = diagnosis.chain_edges
    if by_chain is None or len(by_chain) < 2:
        return None
    # The particles of annealing are compared by halves.
    part = "chain" if len(by_chain) == diagnosis.chains else "half"
    difference = by_chain.max(axis=0) - by_chain.min(axis=0)
    sources, targets = np.nonzero(by_chain.max(axis=0) >= _SMALLEST_AGREEMENT)
    order = np.argsort(-difference[sources, targets], kind="stable")
    most = max(1, _MOST_AGREEMENT_POINTS // min(len(by_chain), _MOST_CHAINS))
    sources, targets = sources[order][:most], targets[order][:most]
    mean = by_chain.mean(axis=0)[sources, targets]
    labels = [
        _escaped(f"{diagnosis.variables[u]} → {diagnosis.variables[v]}")
        for u, v in zip(sources, targets, strict=True)
    ]
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [0, 1],
            "y": [0, 1],
            "line": {"color": "#8a929b", "width": 1, "dash": "dot"},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
    data += [
        {
            "type": "scatter",
            "mode": "markers",
            "name": f"{part} {chain + 1}",
            "x": np.round(mean, 4).tolist(),
            "y": np.round(edges[sources, targets], 4).tolist(),
            "text": labels,
            "hovertemplate": "%{text}<br>mean %{x:.3f}, here %{y:.3f}",
            "marker": {
                "color": COLOURS[chain % len(COLOURS)],
                "symbol": SYMBOLS[chain % len(SYMBOLS)],
                "size": 7,
                "opacity": 0.75,
            },
        }
        for chain, edges in enumerate(by_chain[:_MOST_CHAINS])
    ]
    note = "No edge was sampled."
    if labels:
        u, v = sources[0], targets[0]
        note = (
            f"Largest difference: {diagnosis.variables[u]} → {diagnosis.variables[v]}, with "
            f"probabilities from {by_chain[:, u, v].min():.3f} to {by_chain[:, u, v].max():.3f}."
        )
    return {
        "data": data,
        "layout": {
            "xaxis": {"title": {"text": "mean probability"}, "range": [-0.03, 1.03]},
            "yaxis": {"title": {"text": f"probability by {part}"}, "range": [-0.03, 1.03]},
        },
        "note": note,
        "title": "Agreement between chains"
        if part == "chain"
        else "Agreement between halves of the particles",
    }
