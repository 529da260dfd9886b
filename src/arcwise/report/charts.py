"""The charts of the report page, as plain values for its script.

A chart has the labels and, where the data do not give them, the ranges of its axes, and marks:
"line", "steps", "points" or "bars", each with the x and y of its points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.layout.forest import UNCERTAIN, forest_rows
from arcwise.posterior import Posterior
from arcwise.records.runs import ChainRun
from arcwise.statistics.ranks import rank_shares
from arcwise.support.words import number, plural

_MOST_TRACE_POINTS = 1000
_MOST_CHAINS = 12
_MOST_AGREEMENT_POINTS = 1500
_SMALLEST_AGREEMENT = 0.01
_SMALLEST_INTERVAL = 0.0005

Chart = dict[str, Any]


def _chart(
    title: str,
    x: dict[str, Any] | str,
    y: dict[str, Any] | str,
    marks: list[dict[str, Any]],
    note: str = "",
    **others: Any,
) -> Chart:
    axes = {
        name: {"label": axis} if isinstance(axis, str) else axis
        for name, axis in (("x", x), ("y", y))
    }
    return {"title": title, **axes, "marks": marks, "note": note, **others}


def _some_chains(shown: int, of: int) -> str:
    return f"The first {shown} of {number(of)} chains are shown." if of > shown else ""


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
    marks = [
        {
            "kind": "line",
            "name": f"chain {chain + 1}",
            "colour": chain,
            "x": (np.arange(0, len(row), every) * posterior.traces.steps).tolist(),
            "y": np.round(row[::every], 4).tolist(),
        }
        for chain, row in enumerate(rows[:_MOST_CHAINS])
    ]
    notes = [f"One in {number(every)} kept states is shown."] if every > 1 else []
    notes += [note for note in [_some_chains(_MOST_CHAINS, len(rows))] if note]
    return _chart(
        "Traces of the log posterior",
        "steps after burn-in",
        "unnormalised log posterior",
        marks,
        " ".join(notes),
    )


def _weight_histogram(log_weights: NDArray[np.float64]) -> Chart | None:
    if len(log_weights) == 0:
        return None
    counts, limits = np.histogram(log_weights, bins=min(40, max(8, len(log_weights) // 4)))
    bars = {
        "kind": "bars",
        "colour": 0,
        "x": np.round((limits[1:] + limits[:-1]) / 2, 4).tolist(),
        "y": counts.tolist(),
        "width": float(limits[1] - limits[0]),
    }
    return _chart(
        "Log importance weights of the particles",
        "log importance weight",
        {"label": "particles", "low": 0},
        [bars],
    )


def rank_chart(posterior: Posterior) -> Chart | None:
    """Return how often each chain is in each range of the ranks of the log posterior."""
    if posterior.traces is None or posterior.run.annealed:
        return None
    shares = rank_shares(posterior.traces.log_weights)
    if shares is None:
        return None
    limits = np.linspace(0.0, 1.0, shares.shape[1] + 1)
    marks = [
        {
            "kind": "steps",
            "name": f"chain {chain + 1}",
            "colour": chain,
            "x": np.round(limits, 4).tolist(),
            "y": np.round(row, 4).tolist(),
        }
        for chain, row in enumerate(shares[:_MOST_CHAINS])
    ]
    return _chart(
        "Ranks of the log posterior",
        {"label": "rank among the states of all chains, as a share", "low": 0, "high": 1},
        {"label": "visits, relative to all chains", "low": 0},
        marks,
        " ".join(
            part
            for part in (
                "Chains that sample the same distribution all stay near 1.",
                _some_chains(_MOST_CHAINS, len(shares)),
            )
            if part
        ),
        line=1.0,
    )


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
    names = diagnosis.variables
    labels = [f"{names[u]} → {names[v]}" for u, v in zip(sources, targets, strict=True)]
    marks = [
        {
            "kind": "points",
            "name": f"{part} {chain + 1}",
            "colour": chain,
            "x": np.round(mean, 4).tolist(),
            "y": np.round(edges[sources, targets], 4).tolist(),
            "text": labels,
        }
        for chain, edges in enumerate(by_chain[:_MOST_CHAINS])
    ]
    note = "No edge was sampled."
    if labels:
        u, v = sources[0], targets[0]
        note = (
            f"Largest difference between {'single chains' if part == 'chain' else 'halves'}: "
            f"{names[u]} → {names[v]}, with "
            f"probabilities from {by_chain[:, u, v].min():.3f} to {by_chain[:, u, v].max():.3f}."
        )
    whole = {"low": 0, "high": 1}
    return _chart(
        "Agreement between chains"
        if part == "chain"
        else "Agreement between halves of the particles",
        {"label": "mean probability of an edge", **whole},
        {"label": f"probability by {part}", **whole},
        marks,
        note,
        diagonal=True,
    )


def exchange_charts(posterior: Posterior) -> dict[str, Chart | None]:
    """Return the round trips of coupled chains, and how often neighbours are exchanged."""
    run = posterior.run
    exchanges = run.exchanges if isinstance(run, ChainRun) else None
    if exchanges is None:
        return {"round_trips": None, "exchanges": None}
    bars = {
        "kind": "bars",
        "colour": 0,
        "x": list(range(1, len(exchanges.round_trips) + 1)),
        "y": list(exchanges.round_trips),
        "width": 1.0,
    }
    trips = _chart(
        "Round trips of coupled chains",
        {"label": "chain", "whole": True},
        {"label": "round trips", "low": 0},
        [bars],
        "States that went from the hottest temperature to the coldest and back; a chain without "
        "any has not yet seen all that heat could show it.",
    )
    rates = [(place + 1, rate) for place, rate in enumerate(exchanges.acceptance)
             if rate is not None]  # fmt: skip
    accepted = None
    if rates:
        bars = {
            "kind": "bars",
            "colour": 2,
            "x": [place for place, _ in rates],
            "y": [round(rate, 4) for _, rate in rates],
            "width": 1.0,
        }
        accepted = _chart(
            "Exchanges accepted",
            {"label": "pair of adjacent temperatures, the hottest first", "whole": True},
            {"label": "acceptance rate", "low": 0, "high": 1},
            [bars],
            "A pair that hardly ever exchanges its states cuts the chain in two.",
        )
    return {"round_trips": trips, "exchanges": accepted}


def forest_chart(posterior: Posterior) -> dict[str, Any]:
    """Return the uncertain adjacencies, each with its interval and directions."""
    rows, count = forest_rows(posterior)
    low, high = UNCERTAIN
    note = f"No pair is adjacent with a probability from {low} to {high}."
    if count:
        note = (
            f"{plural(count, 'pair')} {'is' if count == 1 else 'are'} adjacent with a probability "
            f"from {low} to {high}"
            + (f"; the {len(rows)} nearest to one half are shown." if count > len(rows) else ".")
        )
    place = {name: index for index, name in enumerate(posterior.variables)}
    return {
        "rows": [
            [
                place[row.source],
                place[row.target],
                *(
                    round(value, 4)
                    for value in (row.probability, row.low, row.high, row.forward, row.backward)
                ),
            ]
            for row in rows
        ],
        "intervals": any(row.high - row.low >= _SMALLEST_INTERVAL for row in rows),
        "note": note,
    }
