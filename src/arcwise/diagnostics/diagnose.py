"""`diagnose`: numbers and a verdict on a posterior, whichever algorithm it is from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.diagnostics.diagnosis import Diagnosis, Verdict
from arcwise.diagnostics.findings import (
    Finding,
    advice,
    in_words,
    of_chains,
    of_rare_changes,
    of_sampler,
)
from arcwise.errors import ArgumentError
from arcwise.posterior import DagSample, Posterior, views
from arcwise.statistics.chains import largest, number_or_none, smallest, trace_diagnostics
from arcwise.statistics.convergence import largest_chain_difference
from arcwise.statistics.edges import EdgeDiagnostics

_FEWEST_DRAWS = 4


@views.diagnose.fill
def diagnose(posterior: Posterior) -> Diagnosis:
    """Say how far a posterior can be trusted, and what to change if it cannot.

    Parameters
    ----------
    posterior
        What any algorithm found.

    Returns
    -------
    Diagnosis
        R-hat, effective sample sizes and differences between chains of the log weight
        and of every edge, what weights are worth, and a verdict with reasons. No
        warnings are issued; `Diagnosis.warn` does that.

    Notes
    -----
    The verdict is ``"not converged"`` if R-hat of the log weight or of an edge is above
    1.2, an edge differs by more than 0.5 between chains, or annealing runs are worth
    fewer than 10 equally weighted ones. It is ``"doubtful"`` if R-hat of the log weight
    is above 1.05 or of an edge above 1.1, effective sample sizes are below 100 of the
    log weight or 50 of an edge, an edge differs by more than 0.2, an edge of middling
    probability changed fewer than 10 times, there is only one chain, neighbouring
    temperatures exchange fewer than 5 % of states, weights are worth fewer than 20
    DAGs, 1 % of them or 50 runs, or fewer than 1 % of all moves are accepted.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, "partitions", steps=20_000, chains=4, seed=1)
    >>> arcwise.diagnose(posterior)
    <Diagnosis: trustworthy>
    """
    if not isinstance(posterior, Posterior):
        raise ArgumentError(f"posterior is of type {type(posterior).__name__}; give a Posterior")
    if posterior.algorithm == "exact":
        return _exact(posterior)
    numbers: dict[str, Any] = {
        "rhat_log_weight": None,
        "effective_samples_log_weight": None,
        "acceptance": posterior.summary.get("acceptance"),
        "exchange_acceptance": posterior.summary.get("exchange_acceptance"),
        "effective_runs": posterior.summary.get("effective_runs"),
        "effective_dags": None,
        "standard_errors": posterior.edge_errors,
        "chains": 0,
        "draws": 0,
    }
    dags = posterior.dags
    if dags is not None and dags.weights is not None:
        numbers["effective_dags"] = dags.effective_sample_size()
    if numbers["standard_errors"] is None and dags is not None and posterior.traces is not None:
        numbers["standard_errors"] = dags.standard_errors()
    extra: dict[str, Any] = {
        "dags": 0 if dags is None else len(dags),
        "largest_rhat_edge": None,
        "smallest_effective_samples_edge": None,
    }
    findings: list[Finding] = []
    change = advice(posterior.algorithm, posterior.target, str(posterior.summary.get("space", "")))
    if posterior.algorithm == "ais":
        numbers |= _annealed(posterior)
    elif posterior.traces is not None:
        numbers |= _chains(posterior)
        extra |= _extremes(posterior, numbers)
        findings += of_chains(change, numbers | extra)
        if "changes" in numbers:
            findings += of_rare_changes(
                posterior.edges, numbers["changes"], tuple(posterior.variables)
            )
    findings += of_sampler(change, numbers | extra)
    return _judged(posterior, numbers, findings)


def _exact(posterior: Posterior) -> Diagnosis:
    rounding = (
        ""
        if posterior.error is None
        else f"; rounding left an error of at most {posterior.error:.1g}"
    )
    sentence = f"The probabilities were computed, not sampled{rounding}."
    return Diagnosis("exact", (sentence,), (), tuple(posterior.variables), 0, 0)


def _chains(posterior: Posterior) -> dict[str, Any]:
    """Return the numbers of several chains, of the edges where there are DAGs."""
    assert posterior.traces is not None
    rows = posterior.traces.log_weights
    result: dict[str, Any] = {"chains": len(rows), "draws": min(map(len, rows))}
    result |= trace_diagnostics(posterior.traces)
    dags = posterior.dags
    if dags is None:
        return result
    numbers = np.zeros(len(dags), dtype=np.int64) if dags.chains is None else dags.chains
    parts = _parts(numbers)
    found = EdgeDiagnostics.of([dags.parents[part] for part in parts], len(dags.variables))
    estimates = _estimates(dags, parts, found.chain_edges)
    return result | {
        "rhat": found.rhat,
        "effective_samples": found.effective_samples,
        "changes": found.changes,
        "chain_edges": estimates,
        "differences": largest_chain_difference(estimates),
    }


def _annealed(posterior: Posterior) -> dict[str, Any]:
    """Return the numbers of independent weighted runs, one half of them against the other."""
    dags = posterior.dags
    runs = int(posterior.summary.get("runs", 0))
    result: dict[str, Any] = {"chains": runs, "draws": 1}
    if dags is None or dags.chains is None or dags.chains.max() == 0:
        return result
    halves = _parts((dags.chains > dags.chains.max() // 2).astype(np.int64))
    estimates = _estimates(dags, halves, None)
    return result | {
        "chain_edges": estimates,
        "differences": largest_chain_difference(estimates),
    }


def _parts(numbers: NDArray[np.int64]) -> list[NDArray[np.int64] | slice]:
    """Return the places of each number, in the order they were drawn in.

    DAGs that lie chain by chain, as samplers leave them, are told by slices, which
    copies none of them.
    """
    order = np.argsort(numbers, kind="stable")
    _, starts = np.unique(numbers[order], return_index=True)
    parts = np.split(order, starts[1:])
    if (np.diff(numbers) >= 0).all():
        return [slice(int(part[0]), int(part[-1]) + 1) for part in parts]
    return list(parts)


def _estimates(
    dags: DagSample,
    parts: Sequence[NDArray[np.int64] | slice],
    unweighted: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return the edge probabilities by each part of the DAGs alone, as [part, source, target]."""
    logs = dags.log_weights
    if unweighted is not None and (logs is None or (logs == logs[0]).all()):
        return unweighted
    result = []
    for part in parts:
        own = None if logs is None else logs[part]
        if own is not None and not np.isfinite(own).any():
            own = None
        result.append(
            DagSample(dags.variables, dags.parents[part], log_weights=own).edge_probabilities()
        )
    return np.stack(result)


def _extremes(posterior: Posterior, numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the worst numbers of all edges, and which edge chains disagree most about."""
    if "rhat" not in numbers:
        # Without DAGs the run itself has compared its chains.
        difference = posterior.summary.get("largest_edge_difference_between_chains")
        return {"largest_difference": difference, "apart": ""}
    difference = number_or_none(largest(numbers["differences"]))
    apart = ""
    if difference:
        place = np.nanargmax(numbers["differences"])
        u, v = np.unravel_index(place, numbers["differences"].shape)
        apart = f" ({posterior.variables[u]} → {posterior.variables[v]})"
    return {
        "largest_rhat_edge": number_or_none(largest(numbers["rhat"])),
        "smallest_effective_samples_edge": number_or_none(smallest(numbers["effective_samples"])),
        "largest_difference": difference,
        "apart": apart,
    }


def _judged(posterior: Posterior, numbers: dict[str, Any], findings: list[Finding]) -> Diagnosis:
    findings = sorted(findings, key=lambda finding: not finding.grave)
    sentences = in_words(findings)
    verdict: Verdict = "trustworthy"
    annealed = numbers["effective_runs"] is not None
    nothing = numbers["rhat_log_weight"] is None and "rhat" not in numbers and not findings
    if not annealed and (numbers["draws"] < _FEWEST_DRAWS or nothing):
        verdict, findings = "unknown", []
        sentences = [
            f"{posterior.algorithm} keeps no chains to judge by; compare runs with other seeds."
            if posterior.traces is None
            else "There are too few draws in chains to judge by; run longer."
        ]
    elif findings:
        verdict = "not converged" if findings[0].grave else "doubtful"
    else:
        sentences.append(_praise(numbers, annealed))
    if posterior.summary.get("interrupted"):
        sentences.append("The run was interrupted; all this is of what was there by then.")
    return Diagnosis(
        verdict,
        tuple(sentences),
        tuple(finding.warning() for finding in findings),
        tuple(posterior.variables),
        **numbers,
    )


def _praise(numbers: dict[str, Any], annealed: bool) -> str:
    if annealed:
        start = f"The runs are worth {numbers['effective_runs']:.0f} equally weighted ones"
    else:
        start = f"The {numbers['chains']} chains agree"
    if "differences" in numbers:
        apart = largest(numbers["differences"])
        between = "the two halves of the runs" if annealed else "chains"
        start += f", no edge differs by more than {apart:.2f} between {between}"
    errors = numbers["standard_errors"]
    if errors is None or np.isnan(largest(errors)):
        return f"{start}."
    return f"{start}, and no standard error is above {largest(errors):.2g}."
