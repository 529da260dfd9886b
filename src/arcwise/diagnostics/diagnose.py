"""`diagnose`: numbers and a verdict on a posterior, whichever algorithm it is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.diagnostics.diagnosis import Diagnosis, Figures
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
from arcwise.records.account import Verdict
from arcwise.records.runs import AnnealingRun, ChainRun, ExactRun, MergedRun, UniqueDagsRun
from arcwise.records.settings import SamplingSettings
from arcwise.records.traces import Traces
from arcwise.statistics.chains import largest, number_or_none, smallest, trace_convergence
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
    run = posterior.run
    if isinstance(run, ExactRun):
        return _exact(posterior)
    figures = _figures(posterior)
    change = advice(_settings(run))
    findings: list[Finding] = []
    if not run.annealed and posterior.traces is not None:
        findings += of_chains(change, figures)
        if figures.changes is not None:
            findings += of_rare_changes(posterior.edges, figures.changes, figures.variables)
    findings += of_sampler(change, figures)
    return _judged(posterior, figures, findings)


def _exact(posterior: Posterior) -> Diagnosis:
    rounding = (
        ""
        if posterior.error is None
        else f"; rounding left an error of at most {posterior.error:.1g}"
    )
    sentence = f"The probabilities were computed, not sampled{rounding}."
    return Diagnosis.of(Figures(variables=tuple(posterior.variables)), "exact", (sentence,))


def _settings(run: ChainRun | AnnealingRun | MergedRun | UniqueDagsRun) -> SamplingSettings:
    """Return the settings of a run, of merged ones those that say most about what to change."""
    if not isinstance(run, MergedRun):
        return run.settings
    of_the_kind = [part for part in run.parts if part.algorithm is run.algorithm]
    return of_the_kind[0].settings


def _figures(posterior: Posterior) -> Figures:
    """Return all numbers there are."""
    run, dags, errors = posterior.run, posterior.dags, posterior.edge_errors
    if errors is None and dags is not None and posterior.traces is not None:
        errors = dags.standard_errors()
    figures = Figures(
        variables=tuple(posterior.variables),
        standard_errors=errors,
        dags=0 if dags is None else len(dags),
        effective_dags=None
        if dags is None or dags.weights is None
        else dags.effective_sample_size(),
        acceptance=run.acceptance,
        exchange_acceptance=run.exchange_acceptance,
    )
    if run.annealed:
        return _of_annealing(posterior, figures)
    return figures if posterior.traces is None else _of_chains(posterior, posterior.traces, figures)


def _of_chains(posterior: Posterior, traces: Traces, figures: Figures) -> Figures:
    """Return the figures with those of several chains, of the edges where there are DAGs."""
    figures = replace(
        figures,
        chains=len(traces.log_weights),
        draws=min(map(len, traces.log_weights)),
        # Without DAGs the run itself has compared its chains.
        convergence=replace(
            trace_convergence(traces), difference=posterior.run.convergence.difference
        ),
    )
    dags = posterior.dags
    if dags is None:
        return figures
    numbers = np.zeros(len(dags), dtype=np.int64) if dags.chains is None else dags.chains
    parts = _parts(numbers)
    found = EdgeDiagnostics.of([dags.parents[part] for part in parts], len(dags.variables))
    estimates = _estimates(dags, parts, found.chain_edges)
    differences = largest_chain_difference(estimates)
    return replace(
        figures,
        convergence=replace(
            figures.convergence,
            edge_rhat=number_or_none(largest(found.rhat)),
            edge_ess=number_or_none(smallest(found.effective_samples)),
            difference=number_or_none(largest(differences)),
        ),
        rhat=found.rhat,
        effective_samples=found.effective_samples,
        changes=found.changes,
        chain_edges=estimates,
        differences=differences,
    )


def _of_annealing(posterior: Posterior, figures: Figures) -> Figures:
    """Return the figures with those of weighted runs, one half of them against the other."""
    run, dags = posterior.run, posterior.dags
    assert isinstance(run, AnnealingRun | MergedRun)
    figures = replace(
        figures,
        chains=run.runs,
        draws=1,
        convergence=run.convergence,
        effective_runs=run.convergence.ess,
    )
    if dags is None or dags.chains is None or dags.chains.max() == 0:
        return figures
    halves = _parts((dags.chains > dags.chains.max() // 2).astype(np.int64))
    estimates = _estimates(dags, halves, None)
    differences = largest_chain_difference(estimates)
    return replace(
        figures,
        convergence=replace(figures.convergence, difference=number_or_none(largest(differences))),
        chain_edges=estimates,
        differences=differences,
    )


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


def _judged(posterior: Posterior, figures: Figures, findings: list[Finding]) -> Diagnosis:
    findings = sorted(findings, key=lambda finding: not finding.grave)
    sentences = in_words(findings)
    verdict: Verdict = "trustworthy"
    annealed = posterior.run.annealed
    nothing = figures.convergence.rhat is None and figures.rhat is None and not findings
    if not annealed and (figures.draws < _FEWEST_DRAWS or nothing):
        verdict, findings = "unknown", []
        sentences = [
            f"{posterior.algorithm} keeps no chains to judge by; compare runs with other seeds."
            if posterior.traces is None
            else "There are too few draws in chains to judge by; run longer."
        ]
    elif findings:
        verdict = "not converged" if findings[0].grave else "doubtful"
    else:
        sentences.append(_praise(figures, annealed))
    if posterior.run.interrupted:
        sentences.append("The run was interrupted; all this is of what was there by then.")
    return Diagnosis.of(figures, verdict, sentences, [finding.warning() for finding in findings])


def _praise(figures: Figures, annealed: bool) -> str:
    if annealed:
        start = f"The runs are worth {figures.effective_runs:.0f} equally weighted ones"
    else:
        start = f"The {figures.chains} chains agree"
    if figures.differences is not None:
        apart = largest(figures.differences)
        between = "the two halves of the runs" if annealed else "chains"
        start += f", no edge differs by more than {apart:.2f} between {between}"
    error = figures.largest_standard_error
    return f"{start}." if error is None else f"{start}, and no standard error is above {error:.2g}."
