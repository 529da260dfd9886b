"""Charts of posteriors: edge matrix, forest plot, effects, ROC curves and diagnostics of chains."""

from __future__ import annotations

from itertools import combinations, permutations
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arcwise.comparison import roc as roc_curve
from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.layout.marks import COLOURS, GREY, UNCERTAIN, colour, forest_rows
from arcwise.parameters.effect import ComparedLevels, EffectEstimate, LinearEffect, no_effect
from arcwise.parameters.summaries import checked_level, highest_density
from arcwise.plots.figures import axes_for, legend_above, shades, shortened, tidy, unit_square
from arcwise.posterior import Posterior, checked_posterior
from arcwise.records.runs import ChainRun
from arcwise.statistics.convergence import rank_shares
from arcwise.support.checks import instance, real_numbers, whole_number
from arcwise.support.names import as_list, shown

_MAX_TICK_LENGTH = 40
_MAX_NAMES = 140


def edge_matrix(posterior: Posterior, *, axes: Any = None) -> Any:
    """Plot a heat map of the edge probabilities, sources in rows and targets in columns.

    Parameters
    ----------
    posterior
        The posterior.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. With more than 140 variables, not all of them are labelled.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> edge_matrix(arcwise.exact(model)).get_xlabel()
    'target'
    """
    n = len(checked_posterior(posterior).variables)
    side = float(np.clip(2.5 + 0.2 * n, 4.0, 30.0))
    axes = axes_for(axes, (side + 0.8, side), "plots.edge_matrix")
    shown = np.array(posterior.edges, dtype=np.float64)
    np.fill_diagonal(shown, np.nan)  # an edge to itself is impossible, not improbable
    image = axes.imshow(
        shown, cmap=shades("plots.edge_matrix"), vmin=0.0, vmax=1.0, interpolation="nearest"
    )
    every = -(-n // _MAX_NAMES)
    ticks = np.arange(0, n, every)
    names = shortened([posterior.variables[i] for i in ticks], _MAX_TICK_LENGTH)
    size = min(10.0, 0.5 * axes.get_window_extent().height / axes.figure.dpi * 72.0 / len(ticks))
    axes.set_xticks(ticks, names, rotation=90, fontsize=size, parse_math=False)
    axes.set_yticks(ticks, names, fontsize=size, parse_math=False)
    axes.tick_params(length=2.0)
    axes.set(xlabel="target", ylabel="source")
    axes.figure.colorbar(image, ax=axes, label="edge probability", shrink=0.8)
    return axes


_INK = "#1b1f24"


def forest(posterior: Posterior, most: int = 30, *, axes: Any = None) -> Any:
    """Plot the probabilities of uncertain adjacencies, with 95 % intervals for Monte Carlo error.

    A dot is the probability of an edge in either direction, and a triangle the probability of one
    direction: ▶ from the first variable to the second, ◀ from the second to the first.

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
    for sign, shade, name, shares in (
        (">", COLOURS[0], "first → second", [row.forward for row in rows]),
        ("<", COLOURS[1], "second → first", [row.backward for row in rows]),
    ):
        look = {"color": shade, "markersize": 4.5, "linewidth": 0, "zorder": 2}
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


_MAX_BINS = 60


def effect(
    samples: ArrayLike | LinearEffect | ComparedLevels | EffectEstimate,
    weights: ArrayLike | None = None,
    *,
    label: str | None = None,
    level: float = 0.95,
    axes: Any = None,
) -> Any:
    """Plot the posterior distribution of an effect.

    In DAGs without a directed path the effect is exactly zero; the weight of these samples is given
    in the legend and drawn as a line, not as a bar that would dwarf all others. The highest-density
    region given an effect is shaded: one interval, or several if the modes are separate.

    The effect of a discrete variable is drawn as a row for each P(y | do(x)), or mean of a
    continuous y, with its mean and its highest-density intervals.

    Parameters
    ----------
    samples
        The result of `arcwise.effects`, or an `EffectEstimate`; or one number for each draw.
    weights
        One nonnegative weight for each draw; None for equal weights.
    label
        The label of the horizontal axis; by default such as ``"effect of x on y"`` if that is
        known.
    level
        The probability, given an effect, of the highest-density region, which is shaded.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> axes = effect([0.0, 0.5, 0.6, 0.4], label="effect of rain on wet")
    >>> axes.get_xlabel()
    'effect of rain on wet'
    """
    if isinstance(samples, LinearEffect):
        label = f"effect of {samples.source} on {samples.target}" if label is None else label
        samples = samples.estimate
    if weights is not None and isinstance(samples, ComparedLevels | EffectEstimate):
        raise ArgumentError("weights is for plain samples; leave it out")
    if isinstance(samples, ComparedLevels):
        return _levels(samples, label, checked_level(level), axes)
    if isinstance(samples, EffectEstimate):
        weights = np.append(samples.probability * samples.weights, 1 - samples.probability)
        samples = np.append(samples.values, 0.0)
    values = real_numbers(samples, "samples")
    shares = np.ones(values.shape) if weights is None else real_numbers(weights, "weights")
    if values.ndim != 1 or values.size == 0 or shares.shape != values.shape:
        raise ArgumentError(
            f"samples and weights have the shapes {values.shape} and {shares.shape}; give one "
            "number and one weight for each of one or more draws"
        )
    if not np.isfinite(values).all() or not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise ArgumentError(
            "samples are not all finite, or weights are negative, infinite or all zero; give "
            "finite samples, and weights of 0 or more with a positive sum"
        )
    level = checked_level(level)
    if label is not None:
        instance(label, str, "label", "text")
    axes = axes_for(axes, (6.0, 3.5), "plots.effect")
    shares = shares / shares.sum()
    nonzero = values != 0.0
    no_effect = float(shares[~nonzero].sum())
    if nonzero.any():
        given = shares[nonzero]
        regions = highest_density(values[nonzero], given / given.sum(), level)
        words: str | None = f"{level:.0%} interval{'s' * (len(regions) > 1)}"
        for low, high in regions:
            axes.axvspan(low, high, color=colour(5), alpha=0.25, linewidth=0, label=words)
            words = None  # one entry in the legend for all intervals
        bins = int(np.clip(np.sqrt(nonzero.sum()), 8, _MAX_BINS))
        heights, edges = np.histogram(values[nonzero], bins=bins, weights=given)
        axes.stairs(heights / np.diff(edges), edges, fill=True, color=colour(0), alpha=0.8)
    mean = float(shares @ values)
    axes.axvline(mean, color=colour(1), linewidth=1.8, label=f"mean {mean:.3g}")
    if no_effect > 0.0:
        axes.axvline(
            0.0, color="black", linewidth=1.8, linestyle=":", label=f"no effect: {no_effect:.0%}"
        )
    axes.set(xlabel="effect" if label is None else label, ylabel="density", ylim=(0, None))
    legend_above(axes)
    tidy(axes)
    return axes


def _levels(found: ComparedLevels, label: str | None, level: float, axes: Any) -> Any:
    """Draw a row for each level, with its mean and highest-density intervals."""
    rows = list(found.at_levels())
    axes = axes_for(axes, (6.0, 1.2 + 0.32 * len(rows)), "plots.effect")
    for place, (_, estimate) in enumerate(rows):
        for low, high in estimate.intervals(level):
            axes.hlines(place, low, high, color=colour(5), linewidth=6, alpha=0.5)
        axes.plot(estimate.mean, place, "o", color=colour(1), markersize=5)
    axes.set_yticks(range(len(rows)), [words for words, _ in rows], fontsize=9.0)
    axes.invert_yaxis()
    axes.set(xlabel=f"mean and {level:.0%} intervals" if label is None else label)
    heading = f"Effect of {found.source} on {found.target}\n{no_effect(found.probability)}"
    axes.set_title(heading, fontsize=9.0, loc="left")
    tidy(axes)
    return axes


def roc(posterior: Posterior, truth: Dag, *, axes: Any = None) -> Any:
    """Plot the ROC curves of a posterior against a known DAG.

    Parameters
    ----------
    posterior
        The posterior.
    truth
        The known DAG, over the same variables.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one curve for directed edges and one for the skeleton; the legend
        gives the areas under them.

    Examples
    --------
    >>> import arcwise
    >>> asia = arcwise.networks.asia()
    >>> model = arcwise.Model(asia.sample(500, seed=1), max_indegree=2)
    >>> len(roc(arcwise.exact(model), asia.dag).lines)
    3
    """
    axes = axes_for(axes, (5.0, 5.0), "plots.roc")
    unit_square(axes, "false positive rate", "true positive rate")
    for number, (word, skeleton) in enumerate((("directed", False), ("skeleton", True))):
        curve = roc_curve(posterior, truth, skeleton=skeleton)
        axes.plot(
            curve.false_positive_rate,
            curve.true_positive_rate,
            color=colour(number),
            linestyle=("-", "--")[number],
            linewidth=2.0,
            label=f"{word}, AUC {curve.auc:.3f}",
            clip_on=False,
        )
    axes.legend(loc="lower right", frameon=False, fontsize=9.0)
    tidy(axes)
    return axes


_MAX_POINTS = 4000


def traces(posterior: Posterior, *, axes: Any = None) -> Any:
    """Plot the unnormalised log posterior of each chain against steps.

    Chains that have converged fluctuate in the same band. For annealed importance sampling, the log
    importance weight of each particle is drawn as a point: if a few are far above all others, they
    have all of the weight.

    Parameters
    ----------
    posterior
        A posterior with traces, such as those of `mcmc`, `mc3` and `ais`.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. Long chains are thinned to 4000 evenly spaced states.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, "partitions", steps=4000, chains=3, seed=1)
    >>> len(traces(posterior).lines)
    3
    """
    found = checked_posterior(posterior).traces
    if found is None:
        raise ArgumentError(
            f"a posterior computed by {posterior.algorithm} has no traces; give one of mcmc, mc3 "
            "or ais"
        )
    axes = axes_for(axes, (8.0, 3.5), "plots.traces")
    rows, steps = found.log_weights, found.steps
    if posterior.run.annealed:
        axes.plot(rows[0], ".", color=colour(0), markersize=4.0)
        axes.set(xlabel="particle", ylabel="log importance weight")
    else:
        for number, row in enumerate(rows):
            chosen = np.unique(np.linspace(0, len(row) - 1, min(len(row), _MAX_POINTS)).astype(int))
            look = {"color": colour(number), "linewidth": 0.7, "alpha": 0.85}
            axes.plot((chosen + 1) * steps, row[chosen], **look, label=f"chain {number + 1}")
        axes.set(xlabel="steps after burn-in", ylabel="unnormalised log posterior")
        if 1 < len(rows) <= _MAX_LABELLED:
            legend_above(axes, len(rows))
    axes.margins(x=0.01)
    tidy(axes)
    return axes


_MAX_LABELLED = 8


def ranks(posterior: Posterior, *, axes: Any = None) -> Any:
    """Plot how often each chain is in each range of the ranks of the log posterior.

    The states of all chains are ranked together (Vehtari and others 2021). Chains that sample the
    same distribution visit each range equally often, and all lines stay near 1; the line of a
    chain that is stuck in poor states falls from left to right.

    Parameters
    ----------
    posterior
        A posterior of two or more Markov chains.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, "partitions", steps=4000, chains=3, seed=1)
    >>> ranks(posterior).get_ylabel()
    'visits, relative to all chains'
    """
    traces = checked_posterior(posterior).traces
    shares = None if traces is None or posterior.run.annealed else rank_shares(traces.log_weights)
    if shares is None:
        raise ArgumentError(
            "the posterior does not have the traces of two or more Markov chains of 10 or more "
            "states; give one of mcmc or mc3"
        )
    axes = axes_for(axes, (6.5, 3.5), "plots.ranks")
    limits = np.linspace(0.0, 1.0, shares.shape[1] + 1)
    axes.axhline(1.0, color=GREY, linewidth=0.8, linestyle="--", zorder=1)
    for number, row in enumerate(shares):
        look = {"color": colour(number), "linewidth": 1.6, "label": f"chain {number + 1}"}
        axes.stairs(row, limits, baseline=None, **look)
    axes.set(
        xlim=(0.0, 1.0),
        ylim=(0.0, max(2.0, 1.1 * float(shares.max()))),
        xlabel="rank among the states of all chains, as a share",
        ylabel="visits, relative to all chains",
    )
    if len(shares) <= _MAX_LABELLED:
        legend_above(axes, len(shares))
    tidy(axes)
    return axes


def round_trips(posterior: Posterior, *, axes: Any = None) -> Any:
    """Plot the number of round trips of coupled chains from the hottest temperature and back.

    In a chain without any round trip, modes found at hot temperatures may not have reached the
    coldest one yet.

    Parameters
    ----------
    posterior
        A posterior of `mc3`.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a bar for each chain; the title gives the lowest rate at which two
        adjacent temperatures exchange their states.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mc3(model, steps=1000, temperatures=4, chains=2, seed=1)
    >>> len(round_trips(posterior).patches)
    2
    """
    run = checked_posterior(posterior).run
    exchanges = run.exchanges if isinstance(run, ChainRun) else None
    if exchanges is None:
        raise ArgumentError("the posterior has no coupled chains; give one of mc3")
    trips = exchanges.round_trips
    axes = axes_for(axes, (max(3.5, 1.5 + 0.4 * len(trips)), 3.5), "plots.round_trips")
    places = np.arange(1, len(trips) + 1)
    axes.bar(places, trips, width=0.7, color=colour(0))
    axes.set_xticks(places)
    axes.set(xlabel="chain", ylabel="round trips", xlim=(0.4, len(trips) + 0.6))
    rates = [rate for rate in exchanges.acceptance if rate is not None]
    if rates:
        axes.set_title(f"lowest acceptance rate of exchanges: {min(rates):.0%}", fontsize=9.0)
    tidy(axes)
    return axes


_MAX_AXIS_NAME_LENGTH = 16


def agreement(
    posterior: Posterior, chains: tuple[int, int] | None = None, *, axes: Any = None
) -> Any:
    """Plot the edge probabilities of one chain against those of another.

    Points on the diagonal are edges on which the chains agree; the edge farthest from it is marked
    and named. Annealed samples are compared by their first and second half.

    Parameters
    ----------
    posterior
        A posterior with DAGs of two or more chains.
    chains
        The indices of the two chains, from 0; None for the two that differ most.
    axes
        The matplotlib axes to draw into; None for those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, "partitions", steps=4000, chains=2, seed=1)
    >>> agreement(posterior).get_xlabel()
    'edge probability, chain 1'
    """
    by_chain = checked_posterior(posterior).diagnose().chain_edges
    if by_chain is None or len(by_chain) < 2:
        raise ArgumentError(
            "the posterior does not have two chains with DAGs; give one of a sampler run with "
            "chains=2 or more"
        )
    pairs = list(combinations(range(len(by_chain)), 2))
    if chains is not None:
        wanted = f"two different numbers from 0 to {len(by_chain) - 1}"
        given = as_list(chains, "chains", wanted)
        numbers = [number for number in given if isinstance(number, Integral)]
        known = permutations(range(len(by_chain)), 2)
        pairs = [pair for pair in known if len(given) == 2 and list(pair) == numbers]
        if not pairs:
            raise ArgumentError(f"chains is {shown(chains)}; give {wanted}")
    first, second = max(pairs, key=lambda pair: np.abs(by_chain[pair[0]] - by_chain[pair[1]]).max())
    axes = axes_for(axes, (5.0, 5.0), "plots.agreement")
    off_diagonal = ~np.eye(len(posterior.variables), dtype=np.bool_)
    x, y = by_chain[first][off_diagonal], by_chain[second][off_diagonal]
    axes.scatter(x, y, s=14.0, color=colour(0), alpha=0.6, linewidths=0, zorder=2, clip_on=False)
    worst = int(np.abs(x - y).argmax()) if x.size else 0
    if x.size and x[worst] != y[worst]:
        _mark(axes, posterior, np.argwhere(off_diagonal)[worst], (float(x[worst]), float(y[worst])))
    label = f"edge probability, {'half' if posterior.run.annealed else 'chain'}"
    unit_square(axes, f"{label} {first + 1}", f"{label} {second + 1}")
    tidy(axes)
    return axes


def _mark(axes: Any, posterior: Posterior, edge: Any, point: tuple[float, float]) -> None:
    """Circle the point and label its edge, away from the diagonal but within the axes."""
    source, target = shortened([posterior.variables[i] for i in edge], _MAX_AXIS_NAME_LENGTH)
    axes.scatter(
        *point, s=90.0, facecolors="none", edgecolors=colour(1), linewidths=1.6, clip_on=False
    )
    above = point[1] > point[0]
    right = point[0] > (0.4 if above else 0.65)
    upper = point[1] > (0.85 if above else 0.15)
    axes.annotate(
        f"{source} → {target}\ndifference {abs(point[0] - point[1]):.2f}",
        point,
        xytext=(-10 if right else 10, -10 if upper else 10),
        textcoords="offset points",
        ha="right" if right else "left",
        va="top" if upper else "bottom",
        fontsize=9.0,
        color=colour(1),
        parse_math=False,
    )
