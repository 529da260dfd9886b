"""The evidence by several methods at once: their mean where they agree, and who disagrees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist

from arcwise.algorithms.evidence_methods import EvidenceMethod, by_method
from arcwise.algorithms.exact_limits import exact_is_cheap
from arcwise.errors import CapacityError, TimeIsUpError
from arcwise.model import Model
from arcwise.model.modularity import Modularity
from arcwise.posterior.evidence import Evidence
from arcwise.posterior.lower_bounds import LowerBound
from arcwise.statistics.log_estimate import LogEstimate, weighted_mean
from arcwise.statistics.student import t_quantile
from arcwise.support.running import Run
from arcwise.support.words import listing

# The probability that methods that are all right are found to disagree.
_FALSE_ALARM_RATE = 0.01
# Of the time left, where it is not shared equally: populations of canonical orders of many
# variables hardly ever come near the precision of Bennett's acceptance ratio.
_SHARES = {EvidenceMethod.BENNETT: 0.85}
_LEAST_SHARE = 1e-6  # of the variance of an estimate that is its own
_ADVICE = "give more time, or run a single method for longer"


def chosen_methods(
    model: Model, modularity: Modularity, seconds: float | None, threads: int | None
) -> tuple[EvidenceMethod, ...]:
    """Return exact where that is cheap, otherwise two methods whose errors are independent.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 100, seed=1))
    >>> chosen_methods(model, "modular", None, 1)
    (<EvidenceMethod.EXACT: 'exact'>,)
    """

    def cheap(which: Modularity, share: float) -> bool:
        left = None if seconds is None else share * seconds
        return exact_is_cheap(len(model.ordinary), len(model.scores), which, left, threads)

    if cheap(modularity, 1.0):
        return (EvidenceMethod.EXACT,)
    if modularity == "modular" and cheap("order-modular", 0.25):
        return (EvidenceMethod.BRIDGE, EvidenceMethod.SMC)
    if modularity == "modular":
        return (EvidenceMethod.BENNETT, EvidenceMethod.SMC)
    return (EvidenceMethod.SMC, EvidenceMethod.MC3)


def combined(model: Model, modularity: Modularity, run: Run) -> Evidence:
    """Return the exact evidence, or that of several methods, each in a part of the time left."""
    seconds = run.deadline.left if run.deadline.limited else None
    methods = [*chosen_methods(model, modularity, seconds, run.threads)]
    found = []
    while methods:
        method = methods.pop(0)
        share = _SHARES.get(method, 1 / (1 + len(methods)))
        own = run.within(share) if methods else run
        try:
            found.append(by_method(model, method, modularity, {}, own))
        except (CapacityError, TimeIsUpError):
            # Another method may still be possible; if none is, the last says why.
            if not methods and not found:
                raise
    return found[0] if len(found) == 1 else combination(found)


def combination(parts: Sequence[Evidence]) -> Evidence:
    """Return one estimate from independent ones of the same evidence.

    Those that are reliable and agree are averaged, weighted by the inverse of their variances.
    If they disagree, the highest of them is returned, without a standard error: methods err by
    missing some of the posterior, so the one that has found most is the best guess. A lower
    bound of one method above the intervals of all counts as disagreement as well.

    Parameters
    ----------
    parts
        The estimates, at least one.

    Examples
    --------
    >>> parts = [Evidence(-100.0, 0.1, method="one"), Evidence(-100.1, 0.1, method="other")]
    >>> both = combination(parts)
    >>> round(both.log_evidence, 3), round(both.standard_error, 3), both.verdict
    (-100.05, 0.071, 'reliable')
    >>> parts = [Evidence(-100.0, 0.1, method="one"), Evidence(-102.0, 0.1, method="other")]
    >>> combination(parts).verdict
    'doubtful'
    """
    reliable = [part for part in parts if part.standard_error is not None]
    best = max(parts, key=lambda part: part.log_evidence)
    doubts = _disagreements(reliable, parts)
    if doubts or not reliable:
        estimate = best.estimate
        if not doubts:
            doubts = [doubt for part in parts for doubt in part.doubts]
    else:
        shared = _shared_variance(reliable)
        estimate = weighted_mean([_without(part, shared) for part in reliable])
        estimate = estimate.plus(LogEstimate(0.0, shared))
    constants = reliable or [best]
    constant = max(constants, key=lambda part: -part.log_prior_constant_error)
    return Evidence.estimated(
        LogEstimate(
            estimate.value, estimate.variance, degrees_of_freedom=estimate.degrees_of_freedom
        ),
        method=_in_words(reliable or parts, agree=bool(reliable) and not doubts),
        advice=_ADVICE,
        lower_bounds=_bounds(parts),
        doubts=doubts,
        parts=parts,
    ).with_constant(constant)


def _shared_variance(parts: Sequence[Evidence]) -> float:
    """Return the variance of the prior's constant, if all subtract the same estimate of it."""
    if len({part.log_prior_constant for part in parts}) > 1:
        return 0.0
    return float(parts[0].log_prior_constant_error ** 2)


def _without(part: Evidence, variance: float) -> LogEstimate:
    """Return an estimate with the variance that is its own, which is never quite nothing."""
    own = part.estimate
    return replace(own, variance=max(own.variance - variance, _LEAST_SHARE * own.variance))


def _disagreements(reliable: Sequence[Evidence], parts: Sequence[Evidence]) -> list[str]:
    """Return which estimates differ by more than chance, in sentences."""
    normal = t_quantile(math.inf)
    pairs = list(combinations(reliable, 2))
    shared = _shared_variance(reliable) if reliable else 0.0
    limit = NormalDist().inv_cdf(1.0 - _FALSE_ALARM_RATE / (2.0 * max(1, len(pairs))))
    result = []
    for one, other in pairs:
        own = (_without(part, shared).relative_margin / normal for part in (one, other))
        error = math.hypot(*own)
        difference = abs(one.log_evidence - other.log_evidence)
        if difference > limit * error:
            result.append(
                f"The methods disagree: {one.method} says {one.log_evidence:.2f}, {other.method} "
                f"{other.log_evidence:.2f}, which is {difference / error:.1f} standard errors "
                "apart; the higher one is given, as methods err by missing some of the "
                f"posterior, but {_ADVICE}."
            )
    highest = [part.interval.high for part in reliable if part.interval is not None]
    bounds = [(part.lower_bound.value, part) for part in parts if part.lower_bound is not None]
    if highest and bounds and not result:
        bound, part = max(bounds, key=lambda each: each[0])
        if bound > max(highest):
            result.append(
                f"The lower bound of {part.method}, {bound:.2f}, is above what the other methods "
                f"allow; {_ADVICE}."
            )
    return result


def _in_words(parts: Sequence[Evidence], *, agree: bool) -> str:
    names = listing(part.method for part in parts)
    if len(parts) == 1:
        return names
    return f"{names}, weighted by inverse variances" if agree else f"{names}, which disagree"


def _bounds(parts: Sequence[Evidence]) -> dict[str, LowerBound]:
    return {
        f"{name}, {part.method}": bound
        for part in parts
        for name, bound in part.lower_bounds.items()
    }
