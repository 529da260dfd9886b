"""`Evidence`: the marginal likelihood of the data, exact or estimated, and its reliability.

Estimates from independent weights have lower bounds that hold with high probability, by Theorem 14
of Niinimäki, Parviainen and Koivisto (2016), "Structure discovery in Bayesian networks by sampling
partial orders".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from numpy.typing import ArrayLike

from arcwise.errors import ArgumentError
from arcwise.posterior.estimate import Interval
from arcwise.records.account import Verdict
from arcwise.statistics.log_estimates import (
    LogEstimate,
    checked_log_weights,
    interval_of,
    log_mean,
    t_quantile,
)
from arcwise.support.checks import open_fraction, whole_number
from arcwise.support.html import card, facts, paragraphs
from arcwise.support.names import shown

FEWEST_EFFECTIVE_RUNS = 10.0
"""Below this, the standard error itself is too uncertain to be reported."""

_HOPELESS_EFFECTIVE_RUNS = 2.0  # below this, one weight is nearly the entire sum
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Evidence:
    """The evidence (marginal likelihood) of the data under the model, on the log scale.

    Parameters
    ----------
    log_evidence
        The log probability of the data under the normalised prior.
    standard_error
        The Monte Carlo standard error of `log_evidence`: 0 if it is exact; None if it cannot
        be reported, because there are fewer than ten effective runs or another reason to doubt
        it. Then only the lower bounds are known.
    lower_bounds
        Lower bounds on the log evidence, by the name of their scheme.
    log_prior_constant
        The log normalising constant of the prior, which `log_evidence` already includes.
    log_prior_constant_error
        Its standard error; 0 if it is exact.
    method
        The method of computation, such as ``"exact"``.
    effective_runs
        The effective number of independent runs: Kish's effective sample size of the weights
        of annealed particles, conservatively estimated; for other methods, the number of runs
        with the same precision, one over the relative variance of the estimated evidence. None
        if it is exact, or not known.
    degrees_of_freedom
        The degrees of freedom of the standard error.
    doubts
        Why no standard error is reported, and what to do about it, in sentences.
    parts
        The estimates that were combined, or that were compared and disagree.

    Examples
    --------
    >>> evidence = Evidence(-120.0, 0.1, method="ais", effective_runs=80.0)
    >>> evidence.verdict, evidence.as_dict()["standard_error"]
    ('reliable', 0.1)
    """

    log_evidence: float
    standard_error: float | None = 0.0
    lower_bounds: Mapping[str, LowerBound] = field(default_factory=dict)
    log_prior_constant: float = 0.0
    log_prior_constant_error: float = 0.0
    method: str = "exact"
    effective_runs: float | None = None
    degrees_of_freedom: float = math.inf
    doubts: tuple[str, ...] = ()
    parts: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        """Refuse impossible values, errors and degrees of freedom."""
        effective, error = self.effective_runs, self.standard_error
        sound = {
            "log_evidence": (self.log_evidence < math.inf, "a finite number, or -inf"),
            "effective_runs": (effective is None or effective >= 0.0, "0 or more, or None"),
            "standard_error": (error is None or not error < 0.0, "0 or more, or None"),
            "degrees_of_freedom": (self.degrees_of_freedom > 0.0, "a positive number"),
        }
        for name, (is_sound, wanted) in sound.items():
            if not is_sound:
                raise ArgumentError(f"{name} is {shown(getattr(self, name))}; give {wanted}")

    @classmethod
    def estimated(
        cls,
        log_total: LogEstimate,
        *,
        method: str,
        advice: str,
        constant: float = 0.0,
        constant_error: float = 0.0,
        lower_bounds: Mapping[str, LowerBound] | None = None,
        doubts: Sequence[str] = (),
        parts: Sequence[Evidence] = (),
    ) -> Evidence:
        """Return the evidence from an estimate, with a standard error only if it is reliable.

        Parameters
        ----------
        log_total
            The log of the total weight of all DAGs.
        method
            The method.
        advice
            What to change if there are too few effective runs.
        constant, constant_error
            The log of the prior's constant, to be subtracted, and its standard error.
        lower_bounds
            Lower bounds on the log evidence.
        doubts
            Further reasons to doubt it, each with what to do.
        parts
            The estimates from which it was computed.
        """
        estimate = log_total.plus(LogEstimate(-constant, constant_error**2))
        bounds = dict(lower_bounds or {})
        reasons = [*doubts, *_too_few(estimate, bounds, advice)]
        effective = estimate.effective_runs
        return cls(
            log_evidence=estimate.value,
            standard_error=None if reasons else estimate.standard_error,
            lower_bounds=bounds,
            log_prior_constant=constant,
            log_prior_constant_error=constant_error,
            method=method,
            effective_runs=None if math.isnan(effective) else effective,
            degrees_of_freedom=estimate.degrees_of_freedom,
            doubts=tuple(reasons),
            parts=tuple(parts),
        )

    def with_constant(self, of: Evidence) -> Evidence:
        """Return the evidence with the prior's constant of another estimate, which it includes."""
        return replace(
            self,
            log_prior_constant=of.log_prior_constant,
            log_prior_constant_error=of.log_prior_constant_error,
        )

    def _repr_html_(self) -> str:
        """Return the evidence, its reliability and bounds, for notebooks."""
        interval = self.interval if self.standard_error else None
        rows: dict[str, object] = {
            "log evidence": f"{self.log_evidence:.4f}",
            "verdict": self.verdict,
            "method": self.method,
            "standard error": interval and f"{self.standard_error:.2g}",
            "95 % interval": interval and f"{interval.low:.4f} to {interval.high:.4f}",
            "effective runs": self.effective_runs and f"{self.effective_runs:.1f}",
        }
        for bound in self.lower_bounds.values():
            rows[f"at least, with probability {bound.confidence:.3g}"] = f"{bound.value:.4f}"
        return card("Evidence of the data under the model", facts(rows), paragraphs(self.doubts))

    @property
    def verdict(self) -> Verdict:
        """The reliability of the estimate.

        ``"exact"``: computed, not sampled. ``"reliable"``: its own runs give no reason to doubt
        the standard error. ``"doubtful"``: there are too few effective runs, or another reason to
        doubt it; see `doubts`. ``"not converged"``: a single run has nearly all of the weight.
        ``"unknown"``: a single run, which provides no information on its error.
        """
        error = self.standard_error
        if error is not None and not math.isnan(error):
            return "exact" if error == 0.0 else "reliable"
        if self.effective_runs is None:
            return "unknown"
        return "not converged" if self.effective_runs < _HOPELESS_EFFECTIVE_RUNS else "doubtful"

    @property
    def interval(self) -> Interval | None:
        """A 95 % interval for the Monte Carlo error; None if no standard error is reported.

        It uses t quantiles of the relative error, and extends further up than down, because
        estimates of the evidence are more often too small than too large.
        """
        if self.standard_error is None or math.isnan(self.standard_error):
            return None
        margin = t_quantile(self.degrees_of_freedom) * self.standard_error
        return Interval(*interval_of(self.log_evidence, margin))

    @property
    def lower_bound(self) -> LowerBound | None:
        """The largest of the lower bounds that hold with probability 0.95 or more."""
        return _best_of(self.lower_bounds)

    @property
    def doubted_otherwise(self) -> bool:
        """Whether there is a reason to doubt it that more runs of this kind would not remove."""
        enough = self.effective_runs is not None and self.effective_runs >= FEWEST_EFFECTIVE_RUNS
        return enough and bool(self.doubts)

    @property
    def estimate(self) -> LogEstimate:
        """The value with its relative variance, a guess if no standard error is reported."""
        if self.standard_error is not None:
            variance = self.standard_error * self.standard_error  # ** would raise at overflow
        else:
            variance = math.inf if not self.effective_runs else 1.0 / self.effective_runs
        return LogEstimate(self.log_evidence, variance, degrees_of_freedom=self.degrees_of_freedom)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        values: dict[str, Any] = dict(vars(self))
        values["lower_bounds"] = {name: asdict(bound) for name, bound in self.lower_bounds.items()}
        values["doubts"] = list(self.doubts)
        values["parts"] = [part.as_dict() for part in self.parts]
        interval = self.interval
        return values | {
            "degrees_of_freedom": None
            if math.isinf(self.degrees_of_freedom)
            else self.degrees_of_freedom,
            "verdict": self.verdict,
            "interval": None if interval is None else list(interval),
        }


def _best_of(bounds: Mapping[str, LowerBound]) -> LowerBound | None:
    certain = [bound for bound in bounds.values() if bound.confidence >= _CONFIDENCE]
    return max(certain, key=lambda bound: bound.value, default=None)


def _too_few(estimate: LogEstimate, bounds: Mapping[str, LowerBound], advice: str) -> list[str]:
    """Return why an estimate has no reliable standard error; empty if it has one."""
    effective = estimate.effective_runs
    if effective >= FEWEST_EFFECTIVE_RUNS and estimate.relative_margin < 1.0:
        return []
    if math.isnan(effective):
        fact = "A single run does not show its own error"
    elif effective >= FEWEST_EFFECTIVE_RUNS:
        fact = (
            f"The standard error is known from only {estimate.degrees_of_freedom + 1:.0f} runs, "
            "too few to state it"
        )
    else:
        fact = (
            f"The effective number of independent runs is {effective:.1f}, and below "
            f"{FEWEST_EFFECTIVE_RUNS:.0f} no standard error can be stated"
        )
    best = _best_of(bounds)
    if best is not None:
        fact += (
            f", only that the log evidence is at least {best.value:.2f} with probability "
            f"{best.confidence:.3g}"
        )
    return [f"{fact}; {advice}."]


@dataclass(frozen=True)
class LowerBound:
    """A lower bound on the log evidence that holds with high probability.

    Examples
    --------
    >>> LowerBound(-120.5, 0.95, 9).bins
    9
    """

    value: float  # the bound on the log scale
    confidence: float  # the confidence level: the bound holds with at least this probability
    bins: int  # the number of bins of weights


def lower_bound(log_weights: ArrayLike, bins: int, confidence: float) -> LowerBound:
    """Return a lower bound on the logarithm of the expectation of independent weights.

    The weights are divided into bins of equal size in the order given; the remainder is
    not used. By Markov's inequality, delta^(1/bins) times the smallest bin mean exceeds
    the expectation with probability at most delta = 1 - confidence.

    Examples
    --------
    >>> import numpy as np
    >>> bound = lower_bound(np.log([1.0, 3.0, 4.0, 4.0, 100.0]), bins=2, confidence=0.75)
    >>> round(math.exp(bound.value), 6)  # the square root of 0.25, times 2
    1.0
    """
    logs = checked_log_weights(log_weights)
    count = whole_number(bins, "bins", at_least=1)
    if count > len(logs):
        raise ArgumentError(
            f"bins is {count}, but there are only {len(logs)} weights; give at most as many bins "
            "as weights"
        )
    confidence = open_fraction(confidence, "confidence")
    size = len(logs) // count
    # Each bin has its own scale, because a bin far below the others determines the bound.
    least = min(log_mean(group) for group in logs[: size * count].reshape(count, size))
    return LowerBound(math.log1p(-confidence) / count + least, float(confidence), count)


def lower_bounds(log_weights: ArrayLike) -> dict[str, LowerBound]:
    """Return the bounds of three schemes, except those that need more weights.

    Examples
    --------
    >>> import numpy as np
    >>> list(lower_bounds(np.zeros(8)))
    ['slack-2', 'square-root']
    """
    logs = checked_log_weights(log_weights)
    schemes = {
        "slack-2": (5, 1 - 2.0**-5),
        "square-root": (math.isqrt(len(logs)), 1 - 2.0**-5),
        "nine-bins": (9, 0.95),
    }
    return {
        name: lower_bound(logs, bins, confidence)
        for name, (bins, confidence) in schemes.items()
        if bins <= len(logs)
    }
