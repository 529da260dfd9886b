"""Everything the report page says about a posterior, as plain values."""

from __future__ import annotations

from typing import Any

from arcwise._core import version
from arcwise.diagnostics.diagnose import diagnose
from arcwise.posterior import Evidence, Posterior
from arcwise.records.runs import ExactRun
from arcwise.report.charts import agreement_chart, matrix_chart, trace_chart
from arcwise.report.network import network, nodes
from arcwise.report.provenance import provenance_tables, reproduction
from arcwise.report.summary import key_figures, what_was_done, what_was_found
from arcwise.report.trust import trust
from arcwise.report.words import log_value
from arcwise.support.plain import plain
from arcwise.support.words import number

_TITLE = "Which edges are there?"


def report_contents(
    posterior: Posterior, *, title: str | None = None, data_description: str | None = None
) -> dict[str, Any]:
    """Return what the page shows, section by section, as JSON would hold it.

    A part the posterior has nothing for is None, with the reason under ``"missing"``.

    Parameters
    ----------
    posterior
        Any posterior: exact, sampled or annealed, with or without DAGs.
    title
        The heading of the page.
    data_description
        A sentence about the data, for the summary.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> page = report_contents(arcwise.exact(model), title="Two variables")
    >>> page["title"], page["network"]["edges"][0][:2], page["charts"]["agreement"]
    ('Two variables', [0, 1], None)
    """
    diagnosis = diagnose(posterior)
    traces, agreement = trace_chart(posterior), agreement_chart(diagnosis)
    values: dict[str, Any] = plain(
        {
            "title": title or _TITLE,
            "version": version,
            "figures": key_figures(posterior),
            "done": what_was_done(posterior, data_description),
            "found": what_was_found(posterior),
            "trust": trust(diagnosis),
            "network": network(posterior),
            "nodes": nodes(posterior),
            "charts": {
                "matrix": matrix_chart(posterior),
                "traces": traces,
                "agreement": agreement,
            },
            "evidence": evidence(posterior.evidence),
            "missing": {
                "traces": None if traces else _no_traces(posterior),
                "agreement": None if agreement else _no_agreement(posterior),
                "evidence": None
                if posterior.evidence
                else f"{posterior.algorithm} has found no evidence; exact, ais and mc3 do.",
            },
            "provenance": provenance_tables(posterior),
            "reproduction": reproduction(posterior),
        }
    )
    return values


def evidence(found: Evidence | None) -> dict[str, Any] | None:
    """Return the log evidence with its error, interval and bounds as rows of a table."""
    if found is None:
        return None
    rows = [("Log evidence", log_value(found.log_evidence), f"by {found.method}")]
    if found.standard_error:
        margin = 1.96 * found.standard_error
        rows += [
            ("Standard error", number(found.standard_error, 2), "Monte Carlo, one standard error"),
            (
                "95 % interval",
                f"{log_value(found.log_evidence - margin)} to "
                f"{log_value(found.log_evidence + margin)}",
                "if the error is normal",
            ),
        ]
    rows += [
        (
            "Lower bound",
            log_value(bound.value),
            f"holds with probability at least {number(bound.confidence)} "
            f"({name}, {bound.bins} bins)",
        )
        for name, bound in found.lower_bounds.items()
    ]
    error = found.log_prior_constant_error
    rows.append(
        (
            "Log prior constant",
            log_value(found.log_prior_constant),
            "already taken off" + (f", standard error {number(error, 2)}" if error else ""),
        )
    )
    return {"rows": rows}


def _no_traces(posterior: Posterior) -> str:
    if isinstance(posterior.run, ExactRun):
        return "An exact posterior has no chains to look at."
    return "This posterior was kept without the log weights of its chains."


def _no_agreement(posterior: Posterior) -> str:
    if isinstance(posterior.run, ExactRun):
        return "An exact posterior has no chains to compare."
    if posterior.run.annealed:
        return "Annealing runs are independent and weighted, so there are no chains to compare."
    if posterior.dags is None:
        return "Without sampled DAGs there is nothing to compare between chains."
    return "There is one chain alone, and nothing to compare it with; run several."
