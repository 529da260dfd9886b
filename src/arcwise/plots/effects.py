"""`effect`: the posterior of an effect: a density for numbers, intervals for each level."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arcwise.errors import ArgumentError
from arcwise.layout.colours import colour
from arcwise.parameters.effect import ComparedLevels, EffectEstimate, LinearEffect, no_effect
from arcwise.parameters.highest_density import checked_level, highest_density
from arcwise.plots.figures import axes_for, legend_above, tidy
from arcwise.support.checks import instance, real_numbers

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

    In DAGs without a directed path the effect is exactly zero; the weight of these samples
    is given in the legend and drawn as a line, not as a bar that would dwarf all others. The
    highest-density region given an effect is shaded: one interval, or one for each mode if the
    modes are apart.

    The effect of a discrete variable is drawn as a row for each P(y | do(x)), or mean of a
    continuous y, with its mean and its highest-density intervals.

    Parameters
    ----------
    samples
        What `arcwise.effects` returns, or an `EffectEstimate`; or one number for each draw.
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
            words = None  # the legend has one line for all of them
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
