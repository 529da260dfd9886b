"""`compare_posteriors`: whether two posteriors of the same variables say the same."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.posterior import Posterior
from arcwise.support.words import quoted

# How often two runs that differ by chance only are said to differ.
_FALSE_ALARM_RATE = 0.01
_ROUNDING = 1e-6


class EdgeDifference(NamedTuple):
    """An edge, its two probabilities, and their difference in units of its standard error."""

    source: str
    target: str
    first: float
    second: float
    in_errors: float


@dataclass(frozen=True, eq=False)
class RunComparison:
    """How two posteriors differ.

    Parameters
    ----------
    variables
        The names of the nodes.
    first, second
        The edge probabilities, as [source, target].
    in_errors
        Their absolute differences in units of the standard error of the difference.
    limit
        What the largest of these stays below, but for one comparison in a hundred, if
        there is no difference but chance.
    evidence_difference, evidence_error
        The log evidence of the second less that of the first, with its standard error;
        None if either has none.
    notes
        What else the two differ in, such as their data.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> other = arcwise.exact(model, "order-modular")
    >>> found = compare_posteriors(arcwise.exact(model), other)
    >>> found.agree, len(found.largest(3))
    (False, 3)
    """

    variables: tuple[str, ...]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    in_errors: NDArray[np.float64]
    limit: float
    evidence_difference: float | None = None
    evidence_error: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def agree(self) -> bool:
        """Whether all differences may be chance."""
        return bool(self.in_errors.max(initial=0.0) <= self.limit)

    def largest(self, count: int) -> list[EdgeDifference]:
        """Return the edges that differ most, by their errors."""
        order = np.argsort(-self.in_errors, axis=None, kind="stable")
        places = (np.unravel_index(place, self.in_errors.shape) for place in order)
        return [
            EdgeDifference(
                self.variables[u],
                self.variables[v],
                float(self.first[u, v]),
                float(self.second[u, v]),
                float(self.in_errors[u, v]),
            )
            for u, v in places
            if u != v
        ][:count]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict and what belongs to it, in words."""
        apart = np.abs(self.second - self.first)
        beyond = int((self.in_errors > self.limit).sum())
        how_far = (
            f"the largest difference of an edge probability is {apart.max(initial=0.0):.4f}, and "
            f"the largest in units of its standard error {self.in_errors.max(initial=0.0):.1f}"
        )
        verdict = (
            f"The posteriors agree: {how_far}, within the {self.limit:.1f} that chance may do."
            if self.agree
            else f"The posteriors differ: {how_far}, where chance may do {self.limit:.1f}; "
            f"{beyond} {'edge lies' if beyond == 1 else 'edges lie'} beyond that."
        )
        result = [verdict]
        if self.evidence_difference is not None:
            result.append(
                f"The log evidence of the second is {abs(self.evidence_difference):.4f} "
                f"{'higher' if self.evidence_difference >= 0 else 'lower'} than that of the first, "
                f"standard error {self.evidence_error:.2g}."
            )
        return (*result, *self.notes)


def compare_posteriors(first: Posterior, second: Posterior) -> RunComparison:
    """Compare the edge probabilities and the evidence of two posteriors.

    An edge that chains never saw has a standard error of 0, which is not to be believed:
    no error is taken to be below one over the number of independent draws.

    Parameters
    ----------
    first, second
        Two posteriors of the same variables, in any order.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> sampled = arcwise.mcmc(model, "partitions", steps=20_000, seed=1)
    >>> compare_posteriors(arcwise.exact(model), sampled).agree
    True
    """
    if set(first.variables) != set(second.variables):
        different = sorted(set(first.variables) ^ set(second.variables))
        raise ArgumentError(
            f"the posteriors have different variables, only one of them has {quoted(different)}; "
            "compare posteriors of the same variables"
        )
    place = {name: i for i, name in enumerate(second.variables)}
    order = [place[name] for name in first.variables]
    rows = np.ix_(order, order)
    edges = second.edges[rows]
    error = np.hypot(_errors(first), _errors(second)[rows])
    with np.errstate(divide="ignore", invalid="ignore"):
        in_errors = np.abs(edges - first.edges) / error
    in_errors[np.isnan(in_errors)] = 0.0
    np.fill_diagonal(in_errors, 0.0)
    tests = max(1, len(order) * (len(order) - 1))
    difference = evidence_error = None
    if first.evidence is not None and second.evidence is not None:
        difference = second.evidence.log_evidence - first.evidence.log_evidence
        evidence_error = float(
            np.hypot(first.evidence.standard_error, second.evidence.standard_error)
        )
    return RunComparison(
        tuple(first.variables),
        first.edges,
        edges,
        in_errors,
        NormalDist().inv_cdf(1 - _FALSE_ALARM_RATE / (2 * tests)),
        difference,
        evidence_error,
        _notes(first, second),
    )


def _errors(posterior: Posterior) -> NDArray[np.float64]:
    """Return standard errors that can be believed."""
    n = len(posterior.variables)
    if posterior.edge_errors is None:
        rounding = _ROUNDING if posterior.error is None else max(posterior.error, 1e-12)
        return np.full((n, n), rounding)
    effective = posterior.run.convergence.ess
    draws = effective or (0 if posterior.dags is None else len(posterior.dags))
    # An unknown error says nothing, and so nothing can differ by it.
    errors = np.where(np.isnan(posterior.edge_errors), np.inf, posterior.edge_errors)
    return np.maximum(errors, 1.0 / max(1.0, draws))


def _notes(first: Posterior, second: Posterior) -> tuple[str, ...]:
    notes = []
    if first.target != second.target:
        notes.append(
            f"The first is the {first.target} posterior, the second the {second.target} one, which "
            "differ in their prior."
        )
    for key, what in (
        ("data_fingerprint", "data"),
        ("score", "scores"),
        ("prior", "priors"),
        ("constraints", "constraints"),
        ("families", "sets of parent sets"),
    ):
        one, other = getattr(first.provenance, key), getattr(second.provenance, key)
        if one != other:
            notes.append(f"They are of different {what}.")
    for posterior, name in ((first, "first"), (second, "second")):
        account = posterior.account
        if account is not None and account.verdict in ("doubtful", "not converged"):
            notes.append(f"The {name} was found to be {account.verdict} when it was made.")
    return tuple(notes)
