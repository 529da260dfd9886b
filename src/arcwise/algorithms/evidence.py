"""`evidence`: the marginal likelihood of the data under a model, exact or estimated by sampling.

By default, estimates of two methods are combined: averaged if they agree, otherwise reported as
doubtful.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import combinations
from statistics import NormalDist
from typing import Any, Literal

from arcwise.algorithms.ais import AIS
from arcwise.algorithms.bennett_evidence import Bennett, bennett_evidence
from arcwise.algorithms.bridge_evidence import Bridge, bridge_evidence
from arcwise.algorithms.exact import Exact, exactly
from arcwise.algorithms.exact_computation import exact_is_cheap
from arcwise.algorithms.mc3 import MC3
from arcwise.algorithms.sample import SAMPLED_BY, SAMPLERS
from arcwise.algorithms.smc import SMC
from arcwise.errors import ArgumentError, CapacityError, TimeIsUpError, Wording, option
from arcwise.model import Model, checked_model
from arcwise.model.model import Modularity, as_modularity
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence, LowerBound
from arcwise.records.settings import OfModel, SamplerSettings
from arcwise.spaces import CanonicalOrders, LinearOrders, Partitions, Space, as_space, space_words
from arcwise.statistics.log_estimates import LogEstimate, t_quantile, weighted_mean
from arcwise.support.names import listing, quoted, shown
from arcwise.support.running import Run
from arcwise.support.settings import Settings, keywords_of, refuse_unknown, setting


class EvidenceMethod(StrEnum):
    """A method that computes or estimates the evidence.

    Examples
    --------
    >>> as_evidence_method("smc") is EvidenceMethod.SMC
    True
    """

    COMBINED = "combined"
    EXACT = "exact"
    AIS = "ais"
    SMC = "smc"
    MC3 = "mc3"
    BRIDGE = "bridge"
    BENNETT = "bennett"


def as_evidence_method(value: Any) -> EvidenceMethod:
    """Return the method of this name, or refuse the name."""
    if isinstance(value, str) and value in set(EvidenceMethod):
        return EvidenceMethod(value)
    raise ArgumentError(
        option("method"), f" is {shown(value)}; give one of {quoted(map(str, EvidenceMethod))}"
    )


def space_of_method(method: EvidenceMethod, modularity: Modularity) -> Space:
    """Return the space in which a method samples unless another is given.

    Examples
    --------
    >>> space_of_method(EvidenceMethod.SMC, "modular")
    CanonicalOrders(moves=None, numbering=None)
    >>> space_of_method(EvidenceMethod.AIS, "order-modular")
    LinearOrders(moves=None)
    """
    if modularity == "order-modular":
        return LinearOrders()
    return Partitions() if method is EvidenceMethod.AIS else CanonicalOrders()


Method = Literal["combined", "exact", "ais", "smc", "mc3", "bridge", "bennett"]


@dataclass(frozen=True, kw_only=True)
class EvidenceOptions(MC3, AIS, SMC, Bridge, Bennett, Exact):
    """The options of all methods; each takes its own."""

    space: Any = setting(
        None,
        "The space that chains or particles move in; None for canonical orders with smc and mc3, "
        "partitions with ais, and linear orders if the prior is order-modular.",
        help="The space that chains or particles move in (default: canonical, partitions with ais, "
        "and linear with --modularity order-modular).",
        metavar="|".join(space_words()),
        kind=str | None,
    )
    modularity: Modularity = setting(
        "modular",
        'The structure prior: ``"modular"``, or ``"order-modular"``, under which the evidence is '
        "easier to estimate.",
    )
    particles: int | None = setting(
        None,
        "The number of particles of ais, or of each population of smc, bridge and bennett.",
        help="Number of particles of ais (default: 100), or of each population of smc (256).",
        metavar="N",
    )
    runs: int | None = setting(
        None,
        "The number of populations of smc, bridge and bennett.",
        help="Number of populations of smc (default: 8).",
        metavar="N",
    )
    steps: int | None = setting(
        None,
        "The number of steps of a chain of mc3, or of bennett over DAGs; the annealing steps of a "
        "particle of ais; the steps of a particle of smc at each temperature, or over the bridge.",
        help="Number of steps of each chain, burn-in included; for ais, number of annealing steps "
        "of each particle; for smc, of its steps at each temperature.",
        metavar="N",
    )


@dataclass(frozen=True)
class _OfMethod(OfModel):
    method: Method = "combined"


@dataclass(frozen=True, kw_only=True)
class EvidenceArguments(Run, EvidenceOptions, _OfMethod):
    """The arguments of `evidence`."""


@keywords_of(EvidenceArguments)
def evidence(
    model: Model, run: Run, method: Method, modularity: Modularity, **given: Any
) -> Evidence:
    """Compute or estimate the log evidence, with a normalised structure prior.

    Parameters
    ----------
    model
        The model.
    method
        ``"combined"``: exact where that is cheap. Otherwise two of the following methods, averaged
        with weights inverse to their variances if both are reliable and they agree; if they
        disagree, the result reports it. ``"exact"``: for few variables. ``"bridge"``: the exact
        evidence under the order-modular prior, for up to about 28 variables, and its ratio to the
        modular evidence from populations of exactly drawn orders that are annealed along the bridge
        between the two; unbiased, with lower bounds. ``"bennett"``: populations of linear orders
        estimate the order-modular evidence, and Bennett's acceptance ratio, computed from the
        numbers of topological orders of DAGs of both posteriors, its ratio to the modular one; the
        most precise method beyond 28 variables. If counting takes too long, the numbers of orders
        are estimated. ``"smc"``: populations of particles that are resampled as they cool, an
        unbiased estimate with lower bounds that hold with high probability. ``"ais"``: the same
        from single particles, which takes many more steps with many variables. ``"mc3"``: an
        estimate from coupled chains.

    Returns
    -------
    Evidence
        With a verdict and, where there are enough effective runs, a standard error and a
        95 % interval.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> exact = arcwise.evidence(model)
    >>> exact.verdict
    'exact'
    >>> found = arcwise.evidence(model, "smc", particles=50, seed=1)
    >>> found.verdict, found.interval.low < exact.log_evidence < found.interval.high
    ('reliable', True)
    """
    checked_model(model)
    wanted = as_modularity(modularity)
    chosen = as_evidence_method(method)
    if chosen is EvidenceMethod.COMBINED:
        if given:
            raise ArgumentError(
                f"{quoted(sorted(given))} can only be given for a single method; give ",
                option("method"),
                " as well, or leave it out",
            )
        return combined(model, wanted, run)
    with run.telling():
        return by_method(model, chosen, wanted, given, run)


def by_method(
    model: Model, method: EvidenceMethod, modularity: Modularity, given: Mapping[str, Any], run: Run
) -> Evidence:
    """Return the evidence by a single method with the options given."""
    known = {each.name for each in fields(_OPTIONS[method])} - {"modularity"}
    refuse_unknown(given, known, method.value)
    for name in () if issubclass(_OPTIONS[method], SamplerSettings) else ("directory", "device"):
        if name in run.specified and (name, method) != ("device", EvidenceMethod.EXACT):
            raise ArgumentError(
                Wording("directory", "--run") if name == "directory" else option(name),
                " is not an option of ",
                option("method", method.value),
                "; leave it out, or choose another method",
            )
    if method is EvidenceMethod.EXACT:
        return _evidence_of(exactly(model, Exact(modularity, **given), run))
    if method is EvidenceMethod.BRIDGE:
        return bridge_evidence(model, modularity, Bridge(**given), run)
    if method is EvidenceMethod.BENNETT:
        return bennett_evidence(model, modularity, Bennett(**given), run)
    options = {"space": space_of_method(method, modularity), "modularity": modularity, **given}
    space = as_space(options["space"])
    if space.modularity == modularity:
        options = {"dags_per_state": 0} | options  # the evidence needs no DAGs
    if method is EvidenceMethod.MC3:
        bridged = isinstance(space, CanonicalOrders)
        options = {"ladder": "uniform bridge" if bridged else "adapted"} | options
    settings = SAMPLERS[method](**options)
    if isinstance(settings, MC3) and not settings.tempering(len(model.ordinary)).reaches_uniform:
        raise ArgumentError(
            "the ladder does not start at inverse temperature 0, so mc3 does not estimate the "
            "evidence; start it at 0"
        )
    return _evidence_of(SAMPLED_BY[settings.sampler](model, settings, run))


_OPTIONS: dict[EvidenceMethod, type[Settings]] = {
    EvidenceMethod.EXACT: Exact,
    EvidenceMethod.BRIDGE: Bridge,
    EvidenceMethod.BENNETT: Bennett,
    **{EvidenceMethod(name): kind for name, kind in SAMPLERS.items() if name != "mcmc"},
}


def _evidence_of(posterior: Posterior) -> Evidence:
    if posterior.evidence is not None:
        return posterior.evidence
    raise TimeIsUpError(
        "the constant of the prior, which the evidence is divided by, takes too long for the "
        "seconds given; give more ",
        option("seconds"),
    )


# Shares of the remaining time, if it is not divided equally: for many variables, populations of
# canonical orders hardly ever have a precision close to that of Bennett's acceptance ratio.
_SHARES = {EvidenceMethod.BENNETT: 0.85}
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
    """Return the exact evidence, or that of several methods, each in a share of the time left."""
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
            # Another method may still be possible; if not, the error of the last one is raised.
            if not methods and not found:
                raise
    return found[0] if len(found) == 1 else combination(found)


def combination(parts: Sequence[Evidence]) -> Evidence:
    """Combine independent estimates of the same evidence.

    Reliable estimates that agree are averaged, weighted by the inverse of their variances. If they
    disagree, the highest of them is returned without a standard error: methods err by missing some
    of the posterior, so the highest is the best guess. A lower bound of one method above the
    intervals of all is a disagreement as well.

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
    """Return an estimate without a shared part of its variance, which stays positive."""
    own = part.estimate
    return replace(own, variance=max(own.variance - variance, 1e-6 * own.variance))


_FALSE_ALARM_RATE = 0.01  # the probability that correct methods are found to disagree


def _disagreements(reliable: Sequence[Evidence], parts: Sequence[Evidence]) -> list[str]:
    """Return sentences on estimates that differ significantly."""
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
