"""`compare`: two posteriors, two graphs, or a posterior and its summary graphs with a known graph.

Data alone cannot distinguish the DAGs of an equivalence class. All graphs are therefore compared by
their adjacencies and as CPDAGs; directed edges themselves are compared only between DAGs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from arcwise.comparison.known_graph import PosteriorComparison, compare_with_graph
from arcwise.errors import ArgumentError
from arcwise.families.edges import as_dag
from arcwise.graphs import Cpdag, EdgeCounts, GraphComparison, cpdag
from arcwise.graphs import compare as compare_graphs
from arcwise.graphs.dag import Dag
from arcwise.posterior import Posterior
from arcwise.posterior.summary_graphs import SummaryGraph, available, identified_graph
from arcwise.support.checks import whole_number
from arcwise.support.html import card, paragraphs, share, table
from arcwise.support.names import plural, quoted
from arcwise.support.plain import plain_dict


@overload
def compare(one: Posterior, other: Posterior) -> RunComparison: ...


@overload
def compare(one: Posterior, other: Any, *, dags: int = 1000) -> PosteriorComparison: ...


@overload
def compare(one: Dag, other: Any) -> GraphComparison: ...


@overload
def compare(one: Cpdag, other: Cpdag) -> GraphComparison: ...


def compare(
    one: Any, other: Any, *, dags: int = 1000
) -> RunComparison | PosteriorComparison | GraphComparison:
    """Compare two posteriors, a posterior with a known DAG, or two graphs.

    Parameters
    ----------
    one
        The `Posterior`, `Dag` or `Cpdag` to compare.
    other
        The object to compare it with, over the same variables in any order: another posterior,
        or the known DAG or CPDAG. A DAG may be given in any form of a graph: a `Dag`, a networkx
        DiGraph, an adjacency matrix as an array or a frame, or pairs (source, target) of names.
    dags
        For a posterior and a DAG: the maximum number of sampled DAGs, evenly spaced, whose
        equivalence classes are compared, which takes about a millisecond each.

    Returns
    -------
    RunComparison
        For two posteriors: whether they differ by more than Monte Carlo error, and where.
    PosteriorComparison
        For a posterior and a DAG: expected distances, and true and false positives by
        threshold.
    GraphComparison
        For two graphs: true positive, false positive and false negative edges.

    Examples
    --------
    >>> import arcwise
    >>> truth = arcwise.Dag(["a", "b"], {"b": ["a"]})
    >>> posterior = arcwise.exact(arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5}))
    >>> arcwise.compare(posterior, posterior).agree
    True
    >>> print(arcwise.compare(posterior, truth).structural_hamming_distance)
    0.5
    >>> arcwise.compare(posterior.map_dag, truth).skeleton.recall
    1.0
    """
    if isinstance(one, Posterior) and isinstance(other, Posterior):
        return compare_posteriors(one, other)
    if isinstance(one, Dag | Cpdag) and type(one) is type(other):
        return compare_graphs(one, other)
    if isinstance(one, Posterior) and not isinstance(other, Cpdag):
        return compare_with_graph(one, other, dags=dags)
    if isinstance(one, Dag) and not isinstance(other, Posterior | Cpdag):
        return compare_graphs(one, as_dag(other, one.variables, "other"))
    if isinstance(other, Dag) and not isinstance(one, Posterior | Cpdag):
        return compare_graphs(as_dag(one, other.variables, "one"), other)
    raise ArgumentError(
        f"a {type(one).__name__} and a {type(other).__name__} cannot be compared; give two "
        "posteriors, a posterior and a DAG, two DAGs or two Cpdags; Dag.from_edges and "
        "Dag.from_networkx make DAGs"
    )


_FALSE_ALARM_RATE = 0.01  # the probability that runs are found to differ if only by chance
_ROUNDING = 1e-6
_EDGES_SHOWN = 10
_MOST_ERRORS_SHOWN = 1_000


def compare_posteriors(first: Posterior, second: Posterior) -> RunComparison:
    """Compare the edge probabilities and the evidence of two posteriors.

    An edge that never occurred has an estimated standard error of 0, which is too small, so the
    inverse of the effective sample size is a lower bound on standard errors.

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
            f"the posteriors have different variables: only one of them has {quoted(different)}; "
            "compare posteriors over the same variables"
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
        errors = first.evidence.standard_error, second.evidence.standard_error
        if errors[0] is not None and errors[1] is not None:
            evidence_error = math.hypot(errors[0], errors[1])
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


class EdgeDifference(NamedTuple):
    """An edge, its two probabilities, and their difference in standard errors."""

    source: str
    target: str
    first: float
    second: float
    in_errors: float


@dataclass(frozen=True, eq=False, repr=False)
class RunComparison:
    """How two posteriors differ.

    Parameters
    ----------
    variables
        The names of the nodes.
    first, second
        The edge probabilities, as [source, target].
    in_errors
        Their absolute differences divided by the standard error of the difference.
    limit
        The critical value: if the posteriors differ only by Monte Carlo error, the largest
        of these exceeds it in one comparison in a hundred.
    evidence_difference, evidence_error
        The log evidence of the second minus that of the first, with its standard error, 0
        if both are exact; None if either has no evidence, or no reliable evidence.
    notes
        Other differences between the two, such as their data.

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
        """Whether all differences are within Monte Carlo error."""
        return bool(self.in_errors.max(initial=0.0) <= self.limit)

    def largest(self, count: int) -> list[EdgeDifference]:
        """Return the edges that differ most, in standard errors."""
        count = whole_number(count, "count", at_least=0)
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
        """The verdict and its details, in words."""
        difference = float(np.abs(self.second - self.first).max(initial=0.0))
        in_errors = float(self.in_errors.max(initial=0.0))
        beyond = int((self.in_errors > self.limit).sum())
        verdict = (
            f"The posteriors agree: edge probabilities differ by at most {difference:.4f}, and by "
            f"at most {in_errors:.1f} standard errors, within the {self.limit:.1f} expected by "
            "chance."
            if self.agree
            else f"The posteriors differ: edge probabilities differ by up to {difference:.4f}, and "
            f"by {_up_to(in_errors)} standard errors, where at most {self.limit:.1f} are "
            f"expected by chance; {beyond} {'edge exceeds' if beyond == 1 else 'edges exceed'} "
            "that."
        )
        result = [verdict]
        if self.evidence_difference is not None:
            if self.evidence_error is None:
                error = "but at least one of them is not reliable, and has no standard error"
            elif self.evidence_error:
                error = f"with standard error {self.evidence_error:.2g}"
            else:
                error = "both exact"
            result.append(
                f"The log evidence of the second is {abs(self.evidence_difference):.4f} "
                f"{'higher' if self.evidence_difference >= 0 else 'lower'} than that of the first, "
                f"{error}."
            )
        return (*result, *self.notes)

    def __str__(self) -> str:
        """Return the verdict and its details."""
        return "\n".join(self.sentences)

    def __repr__(self) -> str:
        """Show the verdict."""
        return f"<RunComparison of {plural(len(self.variables), 'variable')}: {self.sentences[0]}>"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, with the edges that differ most."""
        return plain_dict(
            agree=self.agree,
            sentences=self.sentences,
            limit_in_standard_errors=self.limit,
            evidence_difference=self.evidence_difference,
            evidence_error=self.evidence_error,
            edges=[edge._asdict() for edge in self.largest(_EDGES_SHOWN)],
        )

    def _repr_html_(self) -> str:
        """Return the verdict and the edges that differ most, for notebooks."""
        rows = self.largest(_EDGES_SHOWN)
        columns: dict[str, list[object]] = {
            "from": [row.source for row in rows],
            "to": [row.target for row in rows],
            "first": [share(row.first) for row in rows],
            "second": [share(row.second) for row in rows],
            "difference, in standard errors": [f"{row.in_errors:.1f}" for row in rows],
        }
        verdict = "The posteriors agree" if self.agree else "The posteriors differ"
        return card(verdict, paragraphs(self.sentences), table(columns))


def _up_to(in_errors: float) -> str:
    # Exact posteriors have only rounding errors, and any difference is billions of them.
    if in_errors > _MOST_ERRORS_SHOWN:
        return f"more than {_MOST_ERRORS_SHOWN:,}"
    return f"up to {in_errors:.1f}"


def _errors(posterior: Posterior) -> NDArray[np.float64]:
    """Return standard errors of at least the inverse of the effective sample size."""
    n = len(posterior.variables)
    if posterior.edge_errors is None:
        rounding = _ROUNDING if posterior.error is None else max(posterior.error, 1e-12)
        return np.full((n, n), rounding)
    effective = posterior.run.convergence.ess
    draws = effective or (0 if posterior.dags is None else len(posterior.dags))
    # An edge with an unknown error cannot differ significantly.
    errors = np.where(np.isnan(posterior.edge_errors), np.inf, posterior.edge_errors)
    return np.maximum(errors, 1.0 / max(1.0, draws))


def _notes(first: Posterior, second: Posterior) -> tuple[str, ...]:
    notes = []
    if first.modularity != second.modularity:
        notes.append(
            f"The first is the {first.modularity} posterior and the second the "
            f"{second.modularity} one, so their priors differ."
        )
    for key, what in (
        ("data_fingerprint", "data"),
        ("score", "scores"),
        ("prior", "priors"),
        ("constraints", "constraints"),
        ("families", "numbers of parent sets"),
    ):
        one, other = getattr(first.provenance, key), getattr(second.provenance, key)
        if one != other:
            notes.append(f"They have different {what}.")
    for posterior, name in ((first, "first"), (second, "second")):
        account = posterior.account
        if account is not None and account.verdict in ("doubtful", "not converged"):
            notes.append(f"The {name} was judged {account.verdict} when it was computed.")
    return tuple(notes)


@dataclass(frozen=True)
class SummaryGraphComparison:
    """A summary graph compared with a known one.

    Parameters
    ----------
    name, graph
        The name of the summary graph, and the graph.
    skeleton
        Counts of adjacencies, whatever their direction.
    directions
        Counts of the directed edges of the two CPDAGs, whose direction data can identify.
    cpdag_distance
        The structural Hamming distance between the two CPDAGs.
    arrows
        Counts of the directed edges of both graphs if they are DAGs; None otherwise. They include
        edges whose direction data cannot identify.

    Examples
    --------
    >>> import arcwise
    >>> truth = arcwise.Dag(["a", "b"], {"a": ["b"]})
    >>> posterior = arcwise.exact(arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5}))
    >>> [found.cpdag_distance for found in compare_summary_graphs(posterior, truth)]
    [0, 0, 0]
    """

    name: str
    graph: Dag | Cpdag
    skeleton: EdgeCounts
    directions: EdgeCounts
    cpdag_distance: int
    arrows: EdgeCounts | None


def compare_summary_graphs(
    posterior: Posterior,
    truth: Dag | Cpdag,
    names: Iterable[SummaryGraph] | None = None,
    *,
    threshold: float = 0.5,
) -> tuple[SummaryGraphComparison, ...]:
    """Compare summary graphs of a posterior with a known graph.

    Examples
    --------
    >>> import arcwise
    >>> truth = arcwise.Dag(["a", "b"], {"a": ["b"]})
    >>> posterior = arcwise.exact(arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5}))
    >>> (median,) = compare_summary_graphs(posterior, truth, ["median"])
    >>> median.skeleton.recall, median.cpdag_distance, median.arrows.recall
    (1.0, 0, 0.0)
    """
    if not isinstance(truth, Dag | Cpdag):
        raise ArgumentError(f"truth is of type {type(truth).__name__}; give a Dag or a Cpdag")
    if names is None:
        graphs = available(posterior)
    else:
        graphs = {name: identified_graph(posterior, name, threshold=threshold) for name in names}
    return tuple(_compared(name, graph, truth) for name, graph in graphs.items())


def _compared(name: str, graph: Dag | Cpdag, truth: Dag | Cpdag) -> SummaryGraphComparison:
    classes = compare_graphs(_as_class(graph), _as_class(truth))
    dags = isinstance(graph, Dag) and isinstance(truth, Dag)
    return SummaryGraphComparison(
        name,
        graph,
        classes.skeleton,
        classes.directed,
        classes.structural_hamming_distance,
        compare_graphs(graph, truth).directed if dags else None,
    )


def _as_class(graph: Dag | Cpdag) -> Cpdag:
    return cpdag(graph) if isinstance(graph, Dag) else graph
