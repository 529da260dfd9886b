"""Several runs of one model merged into one posterior.

Chains are weighted by the number of states kept, annealing runs by their importance
weights, which have the same scale whenever the model and the space are the same. Standard
errors are combined as for independent runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.posterior.dag_sample import DagSample
from arcwise.posterior.evidence import Evidence, LowerBound
from arcwise.posterior.matrices import relation_errors
from arcwise.records.chain_record import Traces
from arcwise.records.run_files import plain_space
from arcwise.records.runs import AnnealingRun, ChainRun, MergedRun, OrderWeights
from arcwise.records.settings import Convergence
from arcwise.statistics.convergence import trace_convergence
from arcwise.statistics.log_estimates import LogEstimate, effective_runs, summed_degrees
from arcwise.support.arrays import relative_weights, weighted_sum
from arcwise.support.names import listing, shown

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior

_OF_THE_MODEL = ("data_fingerprint", "score", "prior", "constraints", "families", "rows")


def merged_fields(posteriors: Sequence[Posterior]) -> dict[str, Any]:
    """Return the fields of the posterior of all runs; see `Posterior.concatenate`."""
    _refuse_unlike(posteriors)
    first = posteriors[0]
    annealed = first.run.annealed
    shares = _shares(posteriors, annealed)
    traces = _traces(posteriors, annealed)
    dags = _dags(posteriors)
    if _weighted(first):
        assert dags is not None
        edges, errors = dags.edge_probabilities(), dags.standard_errors()
        adjacency_errors = relation_errors(dags, "skeleton")
    else:
        edges = weighted_sum(shares, np.stack([p.edges for p in posteriors]))
        errors = _errors(posteriors, shares, edges, annealed)
        adjacency_errors = _errors(posteriors, shares, edges, annealed, of_adjacencies=True)
    best = max(posteriors, key=_best_log_weight)
    return {
        "variables": first.variables,
        "modularity": first.modularity,
        "run": _run(posteriors, traces, dags),
        "edges": np.clip(edges, 0.0, 1.0),
        "edge_errors": errors,
        "adjacency_errors": adjacency_errors,
        "chain_edges": _chain_edges(posteriors),
        "evidence": _evidence([p for p in posteriors if p.evidence is not None]),
        "map_dag": best.map_dag,
        "map_log_weight": best.map_log_weight,
        "dags": dags,
        "traces": traces,
        "provenance": first.provenance,
        "model": first.model if all(p.model is first.model for p in posteriors) else None,
    }


def _refuse_unlike(posteriors: Sequence[Posterior]) -> None:
    """Refuse posteriors of different models or targets, and those that are not samples."""
    if not posteriors:
        raise ArgumentError("there is no posterior to concatenate; give one or more")
    first = posteriors[0]
    for posterior in posteriors:
        if not isinstance(posterior.run, ChainRun | AnnealingRun | MergedRun):
            raise ArgumentError(
                f"a posterior computed by {posterior.algorithm!r} cannot be merged with others; "
                "concatenate posteriors sampled by mcmc, mc3 or ais"
            )
        for name in ("variables", "modularity"):
            _refuse_other(name, getattr(posterior, name), getattr(first, name))
        given, expected = posterior.provenance.as_dict(), first.provenance.as_dict()
        for name in _OF_THE_MODEL:
            _refuse_other(name, given[name], expected[name])
        if posterior.run.annealed != first.run.annealed:
            raise ArgumentError(
                "annealing runs and Markov chains cannot be merged, because their weights have no "
                "common scale; concatenate posteriors of ais separately from those of mcmc and mc3"
            )
        if _weighted(posterior) != _weighted(first):
            raise ArgumentError(
                "the DAGs of some posteriors are weighted by their numbers of topological orders "
                "and those of others are not; concatenate runs on spaces of the same kind"
            )
        if posterior.run.annealed:
            _refuse_other("space", _space(posterior), _space(first))
            if posterior.traces is None:
                raise ArgumentError(
                    "an annealed posterior has no traces, and so no importance weights of its "
                    "particles; run it again"
                )
    for number, posterior in enumerate(posteriors):
        for other in posteriors[:number]:
            if posterior is other or _same_run(posterior, other):
                seeds = listing(map(str, sorted(_seeds(posterior))))
                raise ArgumentError(
                    f"two posteriors come from the same run, with seed {seeds}; leave one out, or "
                    "repeat it with another seed"
                )


def _refuse_other(name: str, value: Any, expected: Any) -> None:
    if value != expected:
        raise ArgumentError(
            f"{name} is {shown(expected)} in one posterior and {shown(value)} in another; "
            "concatenate runs of the same model and modularity"
        )


def _same_run(first: Posterior, second: Posterior) -> bool:
    """Whether the two share a chain, or one contains all particles of the other.

    Independent runs share neither.
    """
    if not _seeds(first) & _seeds(second):
        return False
    if first.traces is None or second.traces is None:
        return np.array_equal(first.edges, second.edges)
    if first.run.annealed:
        one, other = (set(_run_log_weights(p).tolist()) for p in (first, second))
        return one <= other or other <= one
    rows = {row.tobytes() for row in first.traces.log_weights if len(row) > 1}
    return any(row.tobytes() in rows for row in second.traces.log_weights)


def _parts(posterior: Posterior) -> tuple[ChainRun | AnnealingRun, ...]:
    """Return the runs of a posterior: one, or all that were merged into it."""
    run = posterior.run
    if isinstance(run, MergedRun):
        return run.parts
    assert isinstance(run, ChainRun | AnnealingRun)
    return (run,)


def _seeds(posterior: Posterior) -> set[int]:
    return {part.seed for part in _parts(posterior)}


def _space(posterior: Posterior) -> dict[str, Any]:
    """Return the common space of annealing runs, in a form that can be compared."""
    return plain_space(_parts(posterior)[0].settings.space, tuple(posterior.variables))


def _weighted(posterior: Posterior) -> bool:
    """Whether DAGs are weighted by the inverse of their number of topological orders."""
    return posterior.run.order_weights is not None


def _best_log_weight(posterior: Posterior) -> float:
    return -math.inf if posterior.map_log_weight is None else posterior.map_log_weight


def _run_log_weights(posterior: Posterior) -> NDArray[np.float64]:
    """Return the log importance weight of each particle, which the traces contain."""
    assert posterior.traces is not None
    return np.concatenate(posterior.traces.log_weights)


def _shares(posteriors: Sequence[Posterior], annealed: bool) -> NDArray[np.float64]:
    """Return the weight of each posterior, normalised to sum to 1."""
    if annealed:
        logs = np.array([np.logaddexp.reduce(_run_log_weights(p)) for p in posteriors])
        weights = relative_weights(logs)
    else:
        weights = np.array([_draws(posterior) for posterior in posteriors], dtype=np.float64)
    return np.asarray(weights / weights.sum())


def _draws(posterior: Posterior) -> int:
    """Return the number of states recorded by its chains, or of its annealing runs."""
    return sum(part.draws for part in _parts(posterior))


def _errors(
    posteriors: Sequence[Posterior],
    shares: NDArray[np.float64],
    edges: NDArray[np.float64],
    annealed: bool,
    *,
    of_adjacencies: bool = False,
) -> NDArray[np.float64]:
    """Return the standard errors of mean probabilities of edges, or of adjacencies."""
    variance = np.zeros_like(edges)
    for share, posterior in zip(shares, posteriors, strict=True):
        errors, deviation = posterior.edge_errors, posterior.edges - edges
        if of_adjacencies:
            errors = posterior.matrix("skeleton").standard_errors
            deviation = deviation + deviation.T
        variance += share**2 * (np.nan if errors is None else errors**2)
        if annealed:
            # The weight is itself an estimate, with a relative variance of 1 / (effective runs).
            effective = effective_runs(_run_log_weights(posterior))
            variance += share**2 * deviation**2 / effective
    return np.sqrt(variance)


def _chain_edges(posteriors: Sequence[Posterior]) -> NDArray[np.float64] | None:
    """Return the edge probabilities of all chains; None if any are missing."""
    found = [p.chain_edges for p in posteriors if p.chain_edges is not None]
    return np.concatenate(found) if len(found) == len(posteriors) else None


def _dags(posteriors: Sequence[Posterior]) -> DagSample | None:
    parts = [posterior.dags for posterior in posteriors if posterior.dags is not None]
    return DagSample.concatenate(parts) if parts else None


def _traces(posteriors: Sequence[Posterior], annealed: bool) -> Traces | None:
    """Return all traces; None if any are missing or their thinning differs."""
    found = [posterior.traces for posterior in posteriors if posterior.traces is not None]
    if annealed:
        return Traces((np.concatenate([_run_log_weights(p) for p in posteriors]),), found[0].steps)
    if len(found) < len(posteriors) or len({traces.steps for traces in found}) > 1:
        return None
    return Traces(tuple(row for traces in found for row in traces.log_weights), found[0].steps)


def _evidence(posteriors: Sequence[Posterior]) -> Evidence | None:
    """Return the mean of the estimates, weighted by particles, or by states for chains.

    For chains, it is the mean of the logarithms. The best of the bounds holds if all of them
    hold, so their error probabilities are added. Runs that are too few separately may suffice
    together; other doubts remain.
    """
    if not posteriors:
        return None
    parts = [p.evidence for p in posteriors if p.evidence is not None]
    if len(parts) == 1:
        return parts[0]
    constants = np.array([part.log_prior_constant for part in parts])
    constant_errors = np.array([part.log_prior_constant_error for part in parts])
    logs = np.array([part.log_evidence for part in parts]) + constants
    variances = np.array([part.estimate.variance for part in parts]) - constant_errors**2
    if posteriors[0].run.annealed:
        weights = np.array([float(_draws(p)) for p in posteriors])
        scaled = weights * relative_weights(logs)
        log_total = float(logs.max()) + math.log(scaled.sum() / weights.sum())
    else:
        scaled = np.array([float(_draws(p)) for p in posteriors])
        log_total = float(weighted_sum(scaled, logs) / scaled.sum())
    shares = scaled / scaled.sum()
    of_parts = shares**2 * np.maximum(variances, 0.0)
    degrees = summed_degrees(of_parts.tolist(), [part.degrees_of_freedom for part in parts])
    # Equal constants are one estimate; different ones are separate estimates of equal weight.
    _, which = np.unique(constants, return_index=True)
    constant = float(constants[which].mean())
    constant_error = float(np.sqrt(np.square(constant_errors[which]).sum()) / len(which))
    shift = [part.log_prior_constant - constant for part in parts]
    return Evidence.estimated(
        LogEstimate(log_total, float(of_parts.sum()), degrees_of_freedom=degrees),
        method=parts[0].method,
        advice="merge more runs, or longer ones",
        constant=constant,
        constant_error=constant_error,
        lower_bounds=_bounds(parts, shift) if constant_error == 0.0 else {},
        doubts=[doubt for part in parts if part.doubted_otherwise for doubt in part.doubts],
    )


def _bounds(parts: Sequence[Evidence], shift: Sequence[float]) -> dict[str, LowerBound]:
    names = set.intersection(*(set(part.lower_bounds) for part in parts))
    result = {}
    for name in sorted(names):
        bounds = [part.lower_bounds[name] for part in parts]
        risk = sum(1.0 - bound.confidence for bound in bounds)
        if risk < 1.0:
            value = max(bound.value + by for bound, by in zip(bounds, shift, strict=True))
            result[name] = LowerBound(value, 1.0 - risk, sum(bound.bins for bound in bounds))
    return result


def _run(
    posteriors: Sequence[Posterior], traces: Traces | None, dags: DagSample | None
) -> MergedRun:
    """Return the merged run, with the figures that are meaningful for all runs together."""
    parts = tuple(part for posterior in posteriors for part in _parts(posterior))
    differences = [
        float(np.abs(one.edges - other.edges).max())
        for number, one in enumerate(posteriors)
        for other in posteriors[:number]
    ]
    weights = [part.order_weights for part in parts if part.order_weights is not None]
    return MergedRun(
        parts=parts,
        dags=0 if dags is None else len(dags),
        seconds=sum(part.seconds or 0.0 for part in parts),
        interrupted=any(part.interrupted for part in parts),
        convergence=_convergence(traces, posteriors[0].run.annealed),
        order_weights=None
        if dags is None or not weights
        else OrderWeights(
            dags.effective_sample_size(),
            sum(each.estimated for each in weights),
            max(each.largest_error for each in weights),
        ),
        difference_between_parts=max(differences, default=None),
    )


def _convergence(traces: Traces | None, annealed: bool) -> Convergence:
    if traces is None:
        return Convergence()
    if annealed:
        return Convergence(ess=effective_runs(traces.log_weights[0]))
    return trace_convergence(traces)
