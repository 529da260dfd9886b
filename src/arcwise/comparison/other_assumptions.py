"""`sensitivity`: how much the posterior changes under other priors and other scores.

With few variables, the other posterior is computed exactly. Otherwise the sampled DAGs are
reweighted: under another prior or score the DAG G has the importance weight
w(G) = prior'(G) score'(G) / (prior(G) score(G)), which depends only on the families of G. If a few
DAGs have most of the weight, the other posterior is too different to be estimated from the sample,
and this is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.algorithms.exact import exact
from arcwise.errors import ArgumentError
from arcwise.families import Families
from arcwise.model import Model
from arcwise.posterior import DagSample, Posterior
from arcwise.posterior.matrices import unpacked
from arcwise.priors import Fair, Prior, PriorTerms, Sparse, Uniform, as_prior
from arcwise.scores import LocalScore, as_score
from arcwise.scores.family_scores import FamilyScoring
from arcwise.support.arrays import relative_weights
from arcwise.support.names import words_of
from arcwise.support.running import running

# The maximum number of DAGs that are reweighted, and of those whose families are scored again.
_MOST_DAGS = 2_000
_MOST_RESCORED = 400
_LEAST_EFFECTIVE = 30.0  # fewer effective DAGs do not represent the other posterior
_FACTOR = 2.0  # multiplies and divides the expected number of parents
_MOST_CELLS = 5_000_000  # the largest table that is scored again by default


def sensitivity(
    posterior: Posterior,
    model: Model | None = None,
    *,
    priors: Sequence[Any] | None = None,
    scores: Sequence[Any] | None = None,
) -> Sensitivity:
    """Return how much the probabilities of adjacency change under other priors and scores.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1))
    >>> posterior = arcwise.exact(model, dags=1000)
    >>> found = sensitivity(posterior, priors=["uniform"], scores=[])
    >>> found.shifts[0].expected_edges > found.expected_edges
    True
    """
    model = posterior.model if model is None else model
    if model is None:
        raise ArgumentError("the posterior has no model, as it was loaded; give the model as well")
    wanted = _other_priors(model.prior) if priors is None else [as_prior(each) for each in priors]
    rows = 0 if model.data is None else model.data.rows
    others = (
        _other_scores(model.score, rows, len(model.variables))
        if scores is None
        else [as_score(each) for each in scores]
    )
    if others and (model.data is None or model.score is None):
        raise ArgumentError("the model has no data to score again; leave out the scores")
    if _exact_is_cheap(model):
        return _by_exact(posterior, model, [*wanted, *others])
    dags = posterior.dags
    if dags is None or len(dags) == 0:
        raise ArgumentError(
            "the posterior has no DAGs to weigh anew; compute it with some, as by dags=1000"
        )
    sample = _Sample(dags, _MOST_DAGS)
    before = sample.adjacency(sample.shares)
    own = model.prior.terms(model.variables)
    shifts = [
        _reweighted(each, sample, before, sample.log_prior(each.terms(model.variables), own))
        for each in wanted
    ]
    if others:
        assert model.score is not None
        fewer = _Sample(dags, _MOST_RESCORED)
        known = fewer.log_scores(model, model.score)
        small = fewer.adjacency(fewer.shares)
        shifts += [
            _reweighted(each, fewer, small, fewer.log_scores(model, each) - known)
            for each in others
        ]
    return Sensitivity(float(before.sum()), tuple(shifts))


@dataclass(frozen=True)
class Shift:
    """The change of the posterior under another prior or score."""

    assumption: Prior | LocalScore  # the other prior or score
    effective: float | None  # the effective number of DAGs; None if the figures are exact
    # The expected number of edges; None, as all that follows, if there are too few DAGs.
    expected_edges: float | None = None
    largest: float | None = None  # the largest change of the probability of an adjacency
    pair: tuple[str, str] | None = None  # that adjacency
    before: float | None = None  # its probability
    after: float | None = None
    crossing: int | None = None  # the number of pairs whose probability crosses one half

    def __str__(self) -> str:
        """Return the change as a sentence."""
        assumption = words_of(self.assumption)
        if self.largest is None:
            return f"{assumption}: too far away to be judged from these DAGs; run learn with it"
        assert self.pair is not None
        pairs = "1 pair crosses" if self.crossing == 1 else f"{self.crossing} pairs cross"
        return (
            f"{assumption}: {self.expected_edges:.1f} expected edges; {pairs} one half; the "
            f"largest change is that of {self.pair[0]} - {self.pair[1]}, from {self.before:.2f} to "
            f"{self.after:.2f}"
        )


@dataclass(frozen=True)
class Sensitivity:
    """How much the posterior changes under other priors and scores."""

    expected_edges: float  # under the prior and the score of the posterior
    shifts: tuple[Shift, ...]  # one for each other prior or score

    def __str__(self) -> str:
        """Return a line for each prior and score."""
        return "\n".join(
            [f"As computed: {self.expected_edges:.1f} expected edges", *map(str, self.shifts)]
        )

    @property
    def largest(self) -> float | None:
        """The largest change of all; None if one of them cannot be judged."""
        changes = [shift.largest for shift in self.shifts]
        if not changes or None in changes:
            return None
        return max(change for change in changes if change is not None)


# The most variables and parent sets for which the other posteriors are computed exactly: a second.
_MOST_VARIABLES = 14
_MOST_FAMILIES = 200_000


def _exact_is_cheap(model: Model) -> bool:
    n = len(model.variables)
    return not model.stored and n <= _MOST_VARIABLES and len(model.scores) <= _MOST_FAMILIES


def _by_exact(
    posterior: Posterior, model: Model, assumptions: Sequence[Prior | LocalScore]
) -> Sensitivity:
    before = _adjacency(posterior.edges)
    shifts = []
    for each in assumptions:
        own = model.question
        other = replace(own, prior=each) if isinstance(each, Prior) else replace(own, score=each)
        found = exact(Model(other), posterior.modularity, dags=0)
        shifts.append(_shift(each, None, model.variables, before, _adjacency(found.edges)))
    return Sensitivity(float(before.sum()), tuple(shifts))


def _adjacency(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of each pair being adjacent, above the diagonal."""
    return np.triu(edges + edges.T, 1)


def _other_priors(prior: Prior) -> list[Prior]:
    if isinstance(prior, Sparse):
        expected = prior.expected_parents
        return [Sparse(expected / _FACTOR), Sparse(expected * _FACTOR)]
    return [each for each in (Sparse(), Fair(), Uniform()) if each != prior]


def _other_scores(score: LocalScore | None, rows: int, variables: int) -> list[LocalScore]:
    """Return the neighbours of a score among its alternatives, unless scoring takes too long."""
    if score is None:
        return []
    every = list(score.alternatives())
    if score not in every or len(every) == 1 or rows * variables > _MOST_CELLS:
        return []
    place = every.index(score)
    return every[max(0, place - 1) : place] + every[place + 1 : place + 2]


class _Sample:
    """Evenly spaced DAGs of a sample, as a matrix [DAG, node, parent]."""

    def __init__(self, dags: DagSample, most: int) -> None:
        places = np.linspace(0, len(dags) - 1, min(most, len(dags))).astype(np.int64)
        chosen = dags.at(places)
        self.variables = chosen.variables
        self.shares = chosen.shares
        self.parents = unpacked(chosen.parents, len(self.variables))

    def adjacency(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each pair being adjacent, above the diagonal."""
        return _adjacency(np.tensordot(shares, self.parents, axes=1))

    def log_prior(self, terms: PriorTerms, own: PriorTerms) -> NDArray[np.float64]:
        """Return for each DAG its log weight under one prior minus that under another."""
        if terms.functions or own.functions:
            raise ArgumentError(
                "the prior is a function, whose weights are not known apart from the model; "
                "compare runs with each prior instead"
            )
        nodes = np.arange(len(self.variables))
        sizes = self.parents.sum(axis=2)
        total = np.zeros(len(self.parents))
        for sign, each in ((1.0, terms), (-1.0, own)):
            edge = np.where(np.eye(len(nodes), dtype=np.bool_), 0.0, each.edge.T)
            total += sign * each.size[nodes, sizes].sum(axis=1)
            total += sign * np.where(self.parents, edge, 0.0).sum(axis=(1, 2))
        return total

    def log_scores(self, model: Model, score: LocalScore) -> NDArray[np.float64]:
        """Return the log score of each DAG."""
        assert model.data is not None
        n = len(self.variables)
        distinct = [
            np.unique(self.parents[:, node], axis=0, return_inverse=True) for node in range(n)
        ]
        total = np.zeros(len(self.parents))
        values = [np.zeros(len(sets)) for sets, _ in distinct]
        none: tuple[tuple[int, ...], ...] = ((),) * n
        with running(None, None, "") as run:
            for number in range(max(len(sets) for sets, _ in distinct)):
                # The table has one family for each node, whose parents are all required.
                sets = [each[min(number, len(each) - 1)] for each, _ in distinct]
                required = tuple(tuple(int(p) for p in np.flatnonzero(each)) for each in sets)
                families = Families(model.data.variables, none, required, (0,) * n)
                table = FamilyScoring(score, model.data, families).score_all(run)
                for node in range(n):
                    if number < len(values[node]):
                        values[node][number] = table.values(node)[0]
        for node, (_, inverse) in enumerate(distinct):
            total += values[node][inverse.ravel()]
        return total


def _reweighted(
    assumption: Prior | LocalScore,
    sample: _Sample,
    before: NDArray[np.float64],
    log_ratios: NDArray[np.float64],
) -> Shift:
    weights = sample.shares * relative_weights(log_ratios)
    shares = weights / weights.sum()
    effective = float(1.0 / (shares**2).sum())
    if effective < min(_LEAST_EFFECTIVE, len(shares) / 2):
        return Shift(assumption, effective)
    return _shift(assumption, effective, sample.variables, before, sample.adjacency(shares))


def _shift(
    assumption: Prior | LocalScore,
    effective: float | None,
    variables: Sequence[str],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
) -> Shift:
    change = np.abs(after - before)
    # If nothing changes, this names the first pair of different variables.
    pairs = np.where(np.triu(np.ones_like(change), 1) > 0.0, change, -1.0)
    first, second = map(int, np.unravel_index(int(np.argmax(pairs)), change.shape))
    return Shift(
        assumption,
        effective,
        expected_edges=float(after.sum()),
        largest=float(change[first, second]),
        pair=(variables[first], variables[second]),
        before=float(before[first, second]),
        after=float(after[first, second]),
        crossing=int(((before > 0.5) != (after > 0.5)).sum()),
    )
