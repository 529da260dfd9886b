"""The charts of the report page, as plain values for its script.

A chart has the labels of its axes, their ranges unless these follow from the data, and marks:
"line", "steps", "points" or "bars", each with the x and y of its points.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.layout.marks import UNCERTAIN, forest_rows
from arcwise.posterior import Posterior
from arcwise.records.runs import ChainRun
from arcwise.statistics.convergence import rank_shares
from arcwise.support.names import number, plural

_MOST_TRACE_POINTS = 1000
_MOST_CHAINS = 12
_MOST_AGREEMENT_POINTS = 1500
_SMALLEST_AGREEMENT = 0.01
_SMALLEST_INTERVAL = 0.0005

_SHARE = {"low": 0, "high": 1}  # the range of an axis

Chart = dict[str, Any]


def _chart(
    title: str,
    x: dict[str, Any] | str,
    y: dict[str, Any] | str,
    marks: list[dict[str, Any]],
    *notes: str,
    **others: Any,
) -> Chart:
    axes = {
        name: {"label": axis} if isinstance(axis, str) else axis
        for name, axis in (("x", x), ("y", y))
    }
    return {"title": title, **axes, "marks": marks, "note": " ".join(filter(None, notes)), **others}


def _by_chain(
    kind: str, points: Iterable[tuple[ArrayLike, ArrayLike]], part: str = "chain", **others: Any
) -> list[dict[str, Any]]:
    """Return the marks of the first chains, given the x and y of each."""
    return [
        {
            "kind": kind,
            "name": f"{part} {number + 1}",
            "colour": number,
            "x": _rounded(x),
            "y": _rounded(y),
            **others,
        }
        for number, (x, y) in enumerate(islice(points, _MOST_CHAINS))
    ]


def _bars(x: ArrayLike, y: ArrayLike, width: float = 1.0, colour: int = 0) -> list[dict[str, Any]]:
    bars = {"kind": "bars", "colour": colour, "x": _rounded(x), "y": _rounded(y), "width": width}
    return [bars]


def _rounded(values: ArrayLike) -> Any:
    return np.round(np.asarray(values), 4).tolist()


def _some_chains(of: int) -> str:
    return (
        f"The first {_MOST_CHAINS} of {number(of)} chains are shown." if of > _MOST_CHAINS else ""
    )


def trace_chart(posterior: Posterior) -> Chart | None:
    """Return traces of the log posterior, or for annealing a histogram of the log weights."""
    traces = posterior.traces
    if traces is None:
        return None
    rows = [row[np.isfinite(row)] for row in traces.log_weights]
    if posterior.run.annealed:
        return _weight_histogram(rows[0])
    longest = max(len(row) for row in rows)
    if not longest:
        return None
    every = -(-longest // _MOST_TRACE_POINTS)
    points = ((np.arange(0, len(row), every) * traces.steps, row[::every]) for row in rows)
    return _chart(
        "Traces of the log posterior",
        "steps after burn-in",
        "unnormalised log posterior",
        _by_chain("line", points),
        f"One in {number(every)} kept states is shown." if every > 1 else "",
        _some_chains(len(rows)),
    )


def _weight_histogram(log_weights: NDArray[np.float64]) -> Chart | None:
    if len(log_weights) == 0:
        return None
    counts, limits = np.histogram(log_weights, bins=min(40, max(8, len(log_weights) // 4)))
    return _chart(
        "Log importance weights of the particles",
        "log importance weight",
        {"label": "particles", "low": 0},
        _bars((limits[1:] + limits[:-1]) / 2, counts, float(limits[1] - limits[0])),
    )


def rank_chart(posterior: Posterior) -> Chart | None:
    """Return the share of each chain in each range of the ranks of the log posterior."""
    if posterior.traces is None or posterior.run.annealed:
        return None
    shares = rank_shares(posterior.traces.log_weights)
    if shares is None:
        return None
    limits = np.linspace(0.0, 1.0, shares.shape[1] + 1)
    return _chart(
        "Ranks of the log posterior",
        {"label": "rank among the states of all chains, as a share", **_SHARE},
        {"label": "visits, relative to all chains", "low": 0},
        _by_chain("steps", ((limits, row) for row in shares)),
        "Chains that sample the same distribution all stay near 1.",
        _some_chains(len(shares)),
        line=1.0,
    )


def agreement_chart(diagnosis: Diagnosis) -> Chart | None:
    """Return the edge probabilities of each chain against their mean; None for one chain."""
    by_chain = diagnosis.chain_edges
    if by_chain is None or len(by_chain) < 2:
        return None
    # Annealed particles are compared by halves.
    part, parts, whole = (
        ("chain", "single chains", "chains")
        if len(by_chain) == diagnosis.chains
        else ("half", "halves", "halves of the particles")
    )
    difference = by_chain.max(axis=0) - by_chain.min(axis=0)
    sources, targets = np.nonzero(by_chain.max(axis=0) >= _SMALLEST_AGREEMENT)
    order = np.argsort(-difference[sources, targets], kind="stable")
    most = max(1, _MOST_AGREEMENT_POINTS // min(len(by_chain), _MOST_CHAINS))
    sources, targets = sources[order][:most], targets[order][:most]
    mean = by_chain.mean(axis=0)[sources, targets]
    names = diagnosis.variables
    labels = [f"{names[u]} → {names[v]}" for u, v in zip(sources, targets, strict=True)]
    note = "No edge was sampled."
    if labels:
        most_different = by_chain[:, sources[0], targets[0]]
        note = (
            f"Largest difference between {parts}: {labels[0]}, with probabilities from "
            f"{most_different.min():.3f} to {most_different.max():.3f}."
        )
    points = ((mean, edges[sources, targets]) for edges in by_chain)
    return _chart(
        f"Agreement between {whole}",
        {"label": "mean probability of an edge", **_SHARE},
        {"label": f"probability by {part}", **_SHARE},
        _by_chain("points", points, part, text=labels),
        note,
        diagonal=True,
    )


def exchange_charts(posterior: Posterior) -> dict[str, Chart | None]:
    """Return the round trips of coupled chains, and the acceptance rates of exchanges."""
    run = posterior.run
    exchanges = run.exchanges if isinstance(run, ChainRun) else None
    if exchanges is None:
        return {"round_trips": None, "exchanges": None}
    trips = _chart(
        "Round trips of coupled chains",
        {"label": "chain", "whole": True},
        {"label": "round trips", "low": 0},
        _bars(range(1, len(exchanges.round_trips) + 1), exchanges.round_trips),
        "States that went from the hottest temperature to the coldest and back; a chain without "
        "any has not yet seen all that heat could show it.",
    )
    known = [(pair, rate) for pair, rate in enumerate(exchanges.acceptance, 1) if rate is not None]
    accepted = None
    if known:
        pairs, rates = zip(*known, strict=True)
        accepted = _chart(
            "Exchanges accepted",
            {"label": "pair of adjacent temperatures, the hottest first", "whole": True},
            {"label": "acceptance rate", **_SHARE},
            _bars(pairs, rates, colour=2),
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
    figures = attrgetter("probability", "low", "high", "forward", "backward")
    return {
        "rows": [
            [place[row.source], place[row.target], *(round(value, 4) for value in figures(row))]
            for row in rows
        ],
        "intervals": any(row.high - row.low >= _SMALLEST_INTERVAL for row in rows),
        "note": note,
    }
