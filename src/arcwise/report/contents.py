"""All contents of the report page on a posterior, as plain values."""

from __future__ import annotations

from typing import Any

from arcwise._core import version
from arcwise.diagnostics.diagnose import diagnose
from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.layout.marks import SHADES
from arcwise.posterior import Evidence, Posterior
from arcwise.records.account import SIGNS, Part, sentences_of
from arcwise.records.runs import ExactRun, ImputationRun
from arcwise.report.charts import (
    agreement_chart,
    exchange_charts,
    forest_chart,
    rank_chart,
    trace_chart,
)
from arcwise.report.network import network, nodes, process_contents
from arcwise.report.provenance import log_value, provenance_tables, reproduction
from arcwise.report.summary import key_figures, what_was_done, what_was_found
from arcwise.support.names import number
from arcwise.support.plain import plain_dict

_TITLE = "Posterior over network structures"


def report_contents(
    posterior: Posterior, *, title: str | None = None, data_description: str | None = None
) -> dict[str, Any]:
    """Return the contents of the page by section, as plain values for JSON.

    A section that does not apply to the posterior is None, with the reason under ``"missing"``.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> page = report_contents(arcwise.exact(model), title="Two variables")
    >>> page["title"], page["network"]["links"][0][:2], page["charts"]["agreement"]
    ('Two variables', [0, 1], None)
    """
    diagnosis = diagnose(posterior)
    charts = {
        "traces": trace_chart(posterior),
        "ranks": rank_chart(posterior),
        "agreement": agreement_chart(diagnosis),
        **exchange_charts(posterior),
    }
    return plain_dict(
        title=title or _title(posterior.provenance.data_name),
        data_name=posterior.provenance.data_name,
        version=version,
        figures=key_figures(posterior, diagnosis),
        done=what_was_done(posterior, data_description),
        moved=[] if posterior.account is None else posterior.account.sensitivity,
        found=what_was_found(posterior, diagnosis),
        trust=reliability(diagnosis),
        network=network(posterior),
        nodes=nodes(posterior),
        process=process_contents(posterior),
        forest=forest_chart(posterior),
        charts=charts,
        shades=SHADES,
        evidence=evidence(posterior.evidence),
        missing={
            "traces": None if charts["traces"] else _no_traces(posterior),
            "agreement": None if charts["agreement"] else _no_agreement(posterior),
            "evidence": None
            if posterior.evidence
            else "The marginal likelihood of the data was not computed, which says nothing "
            f"for or against any edge: {posterior.algorithm} does not estimate it, but exact, "
            "ais, smc and mc3 do.",
        },
        provenance=provenance_tables(posterior),
        reproduction=reproduction(posterior),
    )


def _title(data_name: str | None) -> str:
    return _TITLE if data_name is None else f"{_TITLE}: {data_name}"


def evidence(found: Evidence | None) -> dict[str, Any] | None:
    """Return the log evidence with its verdict, error, interval and bounds as table rows."""
    if found is None:
        return None
    how = "exact" if found.method == "exact" else f"estimated by {found.method}"
    rows = [("Log evidence", log_value(found.log_evidence), how)]
    if found.verdict != "exact":
        effective = found.effective_runs
        words = "" if effective is None else f"effective number of runs {number(effective)}"
        rows.append(("Reliability", found.verdict, " ".join(found.doubts) or words))
    interval = found.interval
    if found.standard_error and interval is not None:
        ends = f"{log_value(interval.low)} to {log_value(interval.high)}"
        rows += [
            ("Standard error", number(found.standard_error, 2), "Monte Carlo standard error"),
            ("95 % interval", ends, "for the Monte Carlo error"),
        ]
    for name, bound in found.lower_bounds.items():
        least = f"holds with probability at least {number(bound.confidence)}"
        rows.append(("Lower bound", log_value(bound.value), f"{least} ({name}, {bound.bins} bins)"))
    error = found.log_prior_constant_error
    note = "already subtracted" + (f", standard error {number(error, 2)}" if error else "")
    rows.append(("Log prior constant", log_value(found.log_prior_constant), note))
    return {"rows": rows}


def _no_traces(posterior: Posterior) -> str:
    if isinstance(posterior.run, ExactRun):
        return "An exact posterior has no chains."
    if isinstance(posterior.run, ImputationRun):
        return "The log posterior of one completed table says nothing about that of another."
    return "This posterior was saved without the traces of its chains."


def _no_agreement(posterior: Posterior) -> str:
    if isinstance(posterior.run, ExactRun):
        return "An exact posterior has no chains to compare."
    if posterior.run.annealed:
        return "Annealing uses independent weighted particles, so there are no chains to compare."
    if posterior.dags is None:
        return "Chains are compared by their sampled DAGs, and this posterior has none."
    return "There is only one chain, so there is nothing to compare; run several chains."


# A style class for the colour of each verdict, and a sign for readers who cannot see colours.
_GOOD, _DOUBTFUL, _BAD = ("good", "✓"), ("doubtful", "!"), ("bad", "✗")
_LOOKS = {
    "exact": _GOOD,
    "reliable": _GOOD,
    "doubtful": _DOUBTFUL,
    "not converged": _BAD,
    "no problem found": _GOOD,
    "questionable": _DOUBTFUL,
    "poor": _BAD,
}


def reliability(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return both verdicts with their findings, and the figures of the computation."""
    return {
        "computation": _part(diagnosis, "computation", diagnosis.verdict),
        "data": _part(diagnosis, "data and model", diagnosis.data_verdict),
        "rows": _figures(diagnosis),
    }


def _part(diagnosis: Diagnosis, part: Part, verdict: str) -> dict[str, Any]:
    look, sign = _LOOKS.get(verdict, ("open", "?"))
    findings = [finding for finding in diagnosis.findings if finding.part == part]
    return {
        "title": part[:1].upper() + part[1:],
        "verdict": verdict[:1].upper() + verdict[1:],
        "look": look,
        "sign": sign,
        "findings": [
            {"severity": finding.severity, "sign": SIGNS[finding.severity], "sentence": sentence}
            for finding, sentence in zip(findings, sentences_of(findings), strict=True)
        ],
    }


def _figures(diagnosis: Diagnosis) -> list[tuple[str, str, str]]:
    """Return the names, values and explanations of all known figures."""
    found, edge = diagnosis.convergence, diagnosis.most_different_edge
    annealed = diagnosis.effective_runs is not None
    rows = [
        ("R-hat of the log posterior", found.rhat, "1 if the chains agree"),
        ("Largest R-hat of an edge", found.edge_rhat, "1 if the chains agree"),
        (
            "Largest difference between "
            + ("chains" if diagnosis.chains <= 4 else "four groups of chains"),
            found.difference,
            f"in the probability of {edge[0]} → {edge[1]}" if edge else "in an edge probability",
        ),
        (
            "Effective sample size (ESS) of the log posterior",
            None if annealed else found.ess,
            "the equivalent number of independent draws",
        ),
        (
            "Smallest ESS of an edge",
            found.edge_ess,
            "among edges that change often enough to estimate it",
        ),
        (
            "Largest standard error of an edge",
            diagnosis.largest_standard_error,
            "Monte Carlo error only",
        ),
        (
            "ESS of the weighted DAGs",
            diagnosis.effective_dags,
            "the equivalent number of equally weighted DAGs",
        ),
        (
            "ESS of annealing",
            diagnosis.effective_runs,
            "the equivalent number of equally weighted particles",
        ),
        (
            "Lowest acceptance rate of exchanges",
            diagnosis.worst_acceptance,
            "between adjacent temperatures",
        ),
        (
            "Fewest round trips of a chain",
            None if diagnosis.round_trips is None else min(diagnosis.round_trips, default=None),
            "states that went from the hottest temperature to the coldest and back",
        ),
    ]
    return [(name, _figure(value), note) for name, value, note in rows if value is not None]


def _figure(value: float) -> str:
    return number(round(value) if 100 <= value < 1e15 else value, 3)
