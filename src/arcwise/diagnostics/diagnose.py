"""`diagnose`: convergence diagnostics and a verdict for the posterior of any algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from arcwise.diagnostics.data_and_model import data_and_model
from arcwise.diagnostics.diagnosis import Diagnosis, Figures
from arcwise.diagnostics.findings import (
    of_chains,
    of_completions,
    of_halves,
    of_parents,
    of_precision,
    of_rare_changes,
    of_sampler,
)
from arcwise.posterior import DagSample, Posterior, checked_posterior
from arcwise.records.account import Finding, Severity, Verdict, by_gravity
from arcwise.records.chain_record import Traces
from arcwise.records.runs import (
    AnnealingRun,
    ChainRun,
    ExactRun,
    ImputationRun,
    MergedRun,
    UniqueDagsRun,
)
from arcwise.records.settings import SamplingSettings
from arcwise.statistics.convergence import (
    PARTS,
    EdgeDiagnostics,
    largest,
    largest_chain_difference,
    number_or_none,
    smallest,
    trace_convergence,
)
from arcwise.support.names import plural
from arcwise.support.plain import attributes

_FEWEST_DRAWS = 4
_VERDICTS: dict[Severity, Verdict] = {
    "serious": "not converged",
    "caution": "doubtful",
    "note": "reliable",
}
_GROUPS = 4

_note = partial(Finding, "computation", "note", "computation")


def diagnose(posterior: Posterior) -> Diagnosis:
    """Assess the reliability of a posterior, with advice on what to change if it is poor.

    The diagnosis has two parts: the quality of the computation, and the suitability of the data
    and the model.

    Parameters
    ----------
    posterior
        The posterior of any algorithm.

    Returns
    -------
    Diagnosis
        R-hat, effective sample sizes and differences between chains for the log posterior
        and for every edge, effective sample sizes of importance weights, and for each of the two
        parts a verdict with reasons. No warnings are issued; `Diagnosis.warn` does that.

    Notes
    -----
    The verdict is ``"not converged"`` if R-hat exceeds 1.2 for the log posterior or any
    edge, the probability of an edge differs by more than 0.3 between chains (or the halves
    of particles), or the effective sample size of annealing is below 10 particles. It is
    ``"doubtful"`` if the default stopping rule of `learn` is not met: R-hat exceeds 1.01 for
    the log posterior or 1.05 for an edge, the effective sample size of the log posterior or of
    an edge is below 400, or the probability of an edge differs by more than 0.05 between
    chains, or between four groups of them if there are more (0.1 between the halves of
    particles). It is also ``"doubtful"`` if the standard error of an edge
    probability exceeds 0.025, an edge of intermediate probability changed fewer than 10
    times, there are fewer than four chains, the effective sample size of importance weights
    is below 20 DAGs, 1 % of the DAGs or 50 particles, fewer than 1 % of the moves of every
    kind are accepted, or candidate parents were cut short and no others are allowed. For a
    posterior averaged over completed tables it is ``"doubtful"`` if the standard error of an
    edge probability exceeds 0.025, there is only one chain, or the two halves of the chains
    differ by more than 0.1, and ``"not converged"`` beyond 0.3.

    Data and model are ``"questionable"`` if likely parent sets have fewer than five rows per
    free parameter, there are fewer than 50 rows, more than 5 % of the rows were dropped, the sum
    of the weights exceeds the effective number of rows, more than 20 % of all values or half of a
    column were imputed, a column seems only to identify rows or differs from
    its commonest level in fewer than 20 rows, or a column that the score assumes to be normal
    clearly is not (D'Agostino and Pearson's test at 0.0001 divided by the number of columns, and a
    skewness beyond 0.5 or an excess kurtosis beyond 1). They are ``"poor"`` if likely parent sets
    have more parameters than there are rows, or the skewness exceeds 2 or the excess kurtosis 7.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, "partitions", steps=80_000, chains=4, seed=1)
    >>> arcwise.diagnose(posterior).verdict
    'reliable'
    """
    checked_posterior(posterior)
    found = _KNOWN.get(posterior)
    if found is None:
        found = _diagnosed(posterior)
        keep_diagnosis(posterior, found)
    return found


_KNOWN: WeakKeyDictionary[Posterior, Diagnosis] = WeakKeyDictionary()


def keep_diagnosis(posterior: Posterior, diagnosis: Diagnosis) -> None:
    """Cache the diagnosis of a posterior, which takes seconds with many variables."""
    _KNOWN[posterior] = diagnosis


def _diagnosed(posterior: Posterior) -> Diagnosis:
    run = posterior.run
    if isinstance(run, ExactRun):
        return _exact(posterior)
    if isinstance(run, ImputationRun):
        return _imputed(posterior, run)
    figures = _figures(posterior)
    change = _settings(run).remedy
    findings: list[Finding] = []
    if not run.annealed and posterior.traces is not None:
        findings += of_chains(change, figures)
        if figures.changes is not None:
            findings += of_rare_changes(posterior.edges, figures.changes, figures.variables)
    if run.annealed:
        findings += of_halves(change, figures, "the particles")
    if not findings:
        # If chains disagree, this is the reason for a large standard error.
        findings += of_precision(change, figures)
    findings += of_sampler(change, figures)
    if posterior.account is not None:
        findings += of_parents(posterior.account.chosen)
    return _judged(posterior, figures, findings)


def _exact(posterior: Posterior) -> Diagnosis:
    rounding = (
        "" if posterior.error is None else f"; the rounding error is at most {posterior.error:.1g}"
    )
    fact = f"The probabilities were computed exactly, not sampled{rounding}"
    return _diagnosis(
        posterior, Figures(variables=tuple(posterior.variables)), "exact", [_note(fact)]
    )


def _imputed(posterior: Posterior, run: ImputationRun) -> Diagnosis:
    """Assess completed tables by the halves of their chains, and by the errors of edges."""
    figures = Figures(
        variables=tuple(posterior.variables),
        chains=run.chains,
        draws=run.completions // run.chains,
        convergence=run.convergence,
        standard_errors=posterior.edge_errors,
        dags=0 if posterior.dags is None else len(posterior.dags),
    )
    by_chain = posterior.chain_edges
    if by_chain is not None:
        half = len(by_chain) // 2
        halves = np.stack([by_chain[:half].mean(axis=0), by_chain[half:].mean(axis=0)])
        figures = replace(_between_chains(figures, halves), chain_edges=by_chain)
    agreement = _agreement_of_tables(figures, run)
    return _concluded(posterior, figures, of_completions(figures), agreement, "tables completed")


def _agreement_of_tables(figures: Figures, run: ImputationRun) -> str:
    error = figures.largest_standard_error
    precision = "" if error is None else f": no standard error exceeds {error:.2g}"
    return (
        f"{plural(run.completions, 'completed table')} from {plural(run.chains, 'chain')} "
        f"agree{precision}"
    )


def _diagnosis(
    posterior: Posterior, figures: Figures, verdict: Verdict, computation: Sequence[Finding]
) -> Diagnosis:
    """Return the figures with the findings about the computation and those about the data."""
    data_verdict, of_data = data_and_model(posterior)
    return Diagnosis(
        verdict=verdict,
        data_verdict=data_verdict,
        findings=(*computation, *of_data),
        **vars(figures),
    )


def _settings(run: ChainRun | AnnealingRun | MergedRun | UniqueDagsRun) -> SamplingSettings:
    """Return the settings of a run, or of the part of a merged run that the advice refers to."""
    if not isinstance(run, MergedRun):
        return run.settings
    of_the_kind = [part for part in run.parts if part.algorithm is run.algorithm]
    return of_the_kind[0].settings


def _figures(posterior: Posterior) -> Figures:
    """Return all figures that are available."""
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
        **attributes(run, "exchange_acceptance round_trips" if isinstance(run, ChainRun) else ""),
    )
    if run.annealed:
        return _of_annealing(posterior, figures)
    return figures if posterior.traces is None else _of_chains(posterior, posterior.traces, figures)


def _of_chains(posterior: Posterior, traces: Traces, figures: Figures) -> Figures:
    """Return the figures with those of several chains; R-hat of edges only if there are DAGs."""
    figures = replace(
        figures,
        chains=len(traces.log_weights),
        draws=min(map(len, traces.log_weights)),
        # Without edges of each chain, the difference was computed during the run.
        convergence=replace(
            trace_convergence(traces), difference=posterior.run.convergence.difference
        ),
    )
    dags, averages = posterior.dags, posterior.chain_edges
    if averages is not None:
        figures = _between_chains(figures, averages)
    if dags is None:
        return figures
    numbers = np.zeros(len(dags), dtype=np.int64) if dags.chains is None else dags.chains
    parts = _parts(numbers)
    found = EdgeDiagnostics.of([dags.parents[part] for part in parts], len(dags.variables))
    if averages is None:
        pooled = parts
        if dags.weights is not None and len(parts) > PARTS:
            # The stopping rule compares the same groups.
            pooled = _parts(np.unique(numbers, return_inverse=True)[1] % PARTS)
        figures = _between_chains(figures, _estimates(dags, pooled, found.chain_edges))
    return replace(
        figures,
        convergence=replace(
            figures.convergence,
            edge_rhat=number_or_none(largest(found.rhat)),
            edge_ess=number_or_none(smallest(found.effective_samples)),
        ),
        rhat=found.rhat,
        effective_samples=found.effective_samples,
        changes=found.changes,
    )


def _between_chains(figures: Figures, estimates: NDArray[np.float64]) -> Figures:
    """Return the figures with the edge probabilities of each chain, or each half of particles."""
    differences = largest_chain_difference(estimates)
    return replace(
        figures,
        convergence=replace(figures.convergence, difference=number_or_none(largest(differences))),
        chain_edges=estimates,
        differences=differences,
    )


def _of_annealing(posterior: Posterior, figures: Figures) -> Figures:
    """Return the figures with those of annealing, comparing the two halves of the particles."""
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
    return _between_chains(figures, _estimates(dags, halves, None))


def _parts(numbers: NDArray[np.int64]) -> list[NDArray[np.int64] | slice]:
    """Return the indices of the DAGs with each number, as slices if they are sorted by chain."""
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
    """Return the edge probabilities from each part of the DAGs, as [part, source, target]."""
    logs = dags.log_weights
    even = logs is None or (logs == logs[0]).all()
    if unweighted is not None and even and len(unweighted) == len(parts):
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
    if _without_parents(posterior):
        fact = (
            "No parents of any variable were considered, so that all probabilities are 0, "
            "whatever the data say"
        )
        advice = "give it more time, or fewer rows or columns"
        serious = Finding("computation", "serious", "parents", fact, advice)
        return _diagnosis(posterior, figures, "not converged", [serious])
    annealed = posterior.run.annealed
    nothing = figures.convergence.rhat is None and figures.rhat is None and not findings
    verdict: Verdict | None = None
    if not annealed and (figures.draws < _FEWEST_DRAWS or nothing):
        verdict = "unknown"
        findings = [_note("There are too few draws to assess convergence", "run more steps")]
        if posterior.traces is None:
            fact = f"{posterior.algorithm} keeps no chains to assess"
            findings = [_note(fact, "compare runs with different seeds")]
    return _concluded(posterior, figures, findings, _agreement(figures, annealed), verdict=verdict)


def _concluded(
    posterior: Posterior,
    figures: Figures,
    found: Iterable[Finding],
    agreement: str,
    what: str = "draws made",
    verdict: Verdict | None = None,
) -> Diagnosis:
    """Return the diagnosis from findings, adding notes on excluded chains and interruptions."""
    findings = by_gravity(found)
    if verdict is None:
        verdict = _VERDICTS[findings[0].severity if findings else "note"]
    if verdict == "reliable":
        findings.insert(0, _note(agreement))
    run = posterior.run
    if isinstance(run, ChainRun) and run.left_out > 0:
        fact = (
            f"Of {run.chains} chains, {run.left_out} found only what has next to no posterior "
            "probability, and are left out"
        )
        findings.append(_note(fact))
    if run.interrupted:
        fact = f"The run was interrupted, and this refers to the {what} until then"
        findings.append(_note(fact))
    return _diagnosis(posterior, figures, verdict, findings)


def _without_parents(posterior: Posterior) -> bool:
    """Return whether candidates allow no edge at all, as if time was up before any scoring."""
    candidates = posterior.provenance.candidates
    if candidates is None or posterior.provenance.plus_one or len(posterior.variables) < 2:
        return False
    return not any(candidates.values()) and not posterior.edges.any()


def _agreement(figures: Figures, annealed: bool) -> str:
    start = f"The {figures.chains} chains agree"
    if figures.effective_runs is not None:
        start = f"The effective sample size is {figures.effective_runs:.0f} particles"
    facts = []
    if figures.differences is not None:
        # More than four chains are compared as four groups, so single ones may differ by more.
        chains = "chains" if figures.chains <= _GROUPS else "four groups of chains"
        between = "the two halves of the particles" if annealed else chains
        facts.append(
            "no edge probability differs by more than "
            f"{largest(figures.differences):.2f} between {between}"
        )
    if figures.largest_standard_error is not None:
        facts.append(f"no standard error exceeds {figures.largest_standard_error:.2g}")
    return f"{start}: {' and '.join(facts)}" if facts else start
