"""Independent draws from the exact posterior, and importance weights of distinct DAGs.

DOS draws orders, DDS draws DAGs from the order-modular posterior, and IW-DDS weights the distinct
DAGs among them to the modular posterior (He, Tian and Wu 2016, "Structure learning in Bayesian
networks of a moderate size by efficient sampling").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from arcwise.algorithms.estimates import modular_log_weights
from arcwise.algorithms.exact_computation import Computing, ExactComputation
from arcwise.errors import ArgumentError
from arcwise.features import AnyFeature, Conditional, as_feature
from arcwise.model import Model
from arcwise.model.model import Modularity
from arcwise.posterior import DagSample, Estimate, Interval
from arcwise.posterior.consensus import CredibleSet, credible_set
from arcwise.posterior.estimation import estimate_without_error
from arcwise.support.arrays import relative_weights
from arcwise.support.checks import open_fraction, real_number
from arcwise.support.names import shown
from arcwise.support.running import LocalRun, Progress


class ExactSampler:
    """Draws orders and DAGs independently from the exact posterior.

    Setting it up takes about as long as `exact`; after that, each draw takes microseconds.

    Parameters
    ----------
    model
        The model.
    modularity
        Which posterior to draw from, see `exact`.
    tolerance
        The largest error rounding may leave, for the modular posterior.
    threads, progress
        As for `exact`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> sampler = ExactSampler(model)
    >>> len(sampler.dags(100, seed=1))
    100
    """

    def __init__(
        self,
        model: Model,
        modularity: Modularity = "modular",
        *,
        tolerance: float = 1e-8,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.model = model
        settings = Computing(modularity, tolerance=tolerance)
        run = LocalRun(threads=threads, progress=progress)
        self.computation = ExactComputation(model, settings, run)
        self.modularity = self.computation.modularity
        self.computation.prepare_draws()

    def dags(
        self, count: int, *, seed: int = 0, first: int = 0, progress: Progress = None
    ) -> DagSample:
        """Return independent DAGs; see `ExactComputation.dags`.

        Parameters
        ----------
        count, seed, first, progress
            See there.
        """
        return self.computation.dags(count, seed=seed, first=first, progress=progress)

    def ordinary_dags(
        self, count: int, *, seed: int = 0, first: int = 0, progress: Progress = None
    ) -> DagSample:
        """Return the same DAGs without the parent-only variables.

        Parameters
        ----------
        count, seed, first, progress
            See `ExactComputation.dags`.
        """
        return self.computation.ordinary_dags(count, seed=seed, first=first, progress=progress)

    def orders(
        self, count: int, *, seed: int = 0, first: int = 0, progress: Progress = None
    ) -> list[tuple[str, ...]]:
        """Return independent orders of the variables; see `ExactComputation.orders`.

        Parameters
        ----------
        count, seed, first, progress
            See there.
        """
        return self.computation.orders(count, seed=seed, first=first, progress=progress)


@dataclass(frozen=True, eq=False)
class ImportanceWeightedDags:
    """Distinct DAGs, weighted to the modular posterior.

    Parameters
    ----------
    dags
        Each DAG once, weighted by its modular weight.
    coverage
        The total posterior probability of these DAGs; None if the evidence is not known.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> weighted = arcwise.algorithms.importance_weighted_dags(model, 100, seed=1)
    >>> round(weighted.probability(("a", "b")), 2)
    0.5
    """

    dags: DagSample
    coverage: float | None

    def probability(self, feature: AnyFeature, given: AnyFeature | None = None) -> float:
        """Return the estimate of a feature's probability; see `DagSample.probability`."""
        return self.dags.probability(feature, given)

    def estimate(self, feature: AnyFeature, given: AnyFeature | None = None) -> Estimate:
        """Return the probability of a feature with its guaranteed bounds, if the coverage is known.

        There is no standard error, as the DAGs are distinct and not independent draws.

        Parameters
        ----------
        feature, given
            As for `DagSample.probability`.
        """
        asked = as_feature(feature, self.dags.variables, given)
        bounds = None if self.coverage is None else self.interval(asked)
        return estimate_without_error(self.dags, asked, bounds)

    def interval(self, feature: AnyFeature, given: AnyFeature | None = None) -> Interval:
        """Return bounds of the probability of a feature that each DAG has or has not.

        They hold with certainty, not just with high probability: the DAGs that were not drawn have
        a known total probability, and all or none of them may have the feature. For a conditional
        probability, all of them may have the event that it is given.
        """
        if self.coverage is None:
            raise ArgumentError(
                "the interval needs the summed weights of all DAGs; give log_total_weight"
            )
        asked = as_feature(feature, self.dags.variables, given)
        unseen = 1.0 - self.coverage
        share = 1.0
        if isinstance(asked, Conditional):
            share = self.probability(asked.given)
            if share == 0.0:
                return Interval(0.0, 1.0)
        seen = self.coverage * share
        low = seen * self.probability(asked)
        return Interval(low / (seen + unseen), min(1.0, (low + unseen) / (seen + unseen)))

    def credible_set(self, level: float = 0.95, *, classes: bool = False) -> CredibleSet:
        """Return the most probable DAGs, or classes, whose total probability reaches a level.

        If the coverage is known, the probabilities of DAGs are exact, and those of classes are
        lower bounds.

        Parameters
        ----------
        level, classes
            As for `DagSample.credible_set`.
        """
        total = 1.0 if self.coverage is None else self.coverage
        return credible_set(self.dags, level, classes, total)


def importance_weighted_dags(
    model: Model,
    count: int,
    *,
    seed: int = 0,
    log_total_weight: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> ImportanceWeightedDags:
    """Draw DAGs from the order-modular posterior and weight the distinct ones (IW-DDS).

    Parameters
    ----------
    model
        The model.
    count
        The number of draws; the result has the distinct DAGs among them.
    seed
        The seed.
    log_total_weight
        The log of the summed modular weights of all DAGs, ``log_evidence +
        log_prior_constant`` of an exact modular posterior; it gives the coverage.
        None if it is not known.
    threads, progress
        As for `exact`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> truth = arcwise.exact(model)
    >>> total = truth.log_evidence + truth.log_prior_constant
    >>> result = importance_weighted_dags(model, 2000, seed=1, log_total_weight=total)
    >>> low, high = result.interval(("smoke", "bronc"))
    >>> low <= truth.edge_probability("smoke", "bronc") <= high
    True
    """
    log_total = 0.0
    if log_total_weight is not None:
        log_total = real_number(
            log_total_weight, "log_total_weight", math.isfinite, "a finite number"
        )
    sampler = ExactSampler(model, "order-modular", threads=threads, progress=progress)
    dags = sampler.dags(count, seed=seed).unique()
    log_weights = modular_log_weights(model, dags)
    top = float(log_weights.max())
    weights = relative_weights(log_weights, top)
    coverage = None
    if log_total_weight is not None:
        coverage = min(1.0, math.exp(min(0.0, top - log_total)) * math.fsum(weights))
    return ImportanceWeightedDags(DagSample(model.variables, dags.parents, weights), coverage)


_SMALLEST_ERROR = 1e-100  # its square does not underflow


def samples_for(epsilon: float, delta: float) -> int:
    """Return the number of independent draws that bounds the error of a probability (Hoeffding).

    With that many draws, the share of draws with a feature is within `epsilon` of its probability,
    except with probability at most `delta`.

    Parameters
    ----------
    epsilon
        The error allowed.
    delta
        The risk allowed.

    Examples
    --------
    >>> samples_for(0.01, 0.05)
    18445
    """
    allowed, risk = open_fraction(epsilon, "epsilon"), open_fraction(delta, "delta")
    if allowed < _SMALLEST_ERROR:
        raise ArgumentError(f"epsilon is {shown(epsilon)}; give {_SMALLEST_ERROR:g} or more")
    return math.ceil((math.log(2) - math.log(risk)) / (2 * allowed**2))
