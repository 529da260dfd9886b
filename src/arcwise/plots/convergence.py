"""`ranks` and `round_trips`: whether chains tell the same, and whether states travel."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.layout.colours import GREY, colour
from arcwise.plots.figures import axes_for, legend_above, tidy
from arcwise.posterior import Posterior, checked_posterior
from arcwise.records.runs import ChainRun
from arcwise.statistics.ranks import rank_shares

_MAX_LABELLED = 8


def ranks(posterior: Posterior, *, axes: Any = None) -> Any:
    """Plot how often each chain is in each range of the ranks of the log posterior.

    The states of all chains are ranked together (Vehtari and others 2021). Chains that sample the
    same distribution are in every range as often as the others, and all lines stay near 1; one
    that is stuck in poor states has a line that falls from left to right.

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
    """Plot how often states of coupled chains went from the hottest temperature and back.

    A chain without any round trip has not yet brought to its cold states what the hot ones have
    found.

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
