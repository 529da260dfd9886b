"""A posterior's run as plain values, as in summary.json, and the posterior as HTML."""

from __future__ import annotations

from dataclasses import asdict
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from arcwise.posterior.matrices import adjacencies
from arcwise.records.account import Account, reliability_html
from arcwise.records.runs import (
    AnnealingRun,
    ChainRun,
    ExactRun,
    Exchanges,
    ImputationRun,
    MergedRun,
    OrderWeights,
    RunRecord,
    UniqueDagsRun,
)
from arcwise.records.settings import Convergence, SamplerSettings
from arcwise.support.html import card, facts, share, table
from arcwise.support.names import in_words, plural
from arcwise.support.plain import attributes, plain_dict

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior


def summary_of(posterior: Posterior) -> dict[str, Any]:
    """Return the settings and results of a posterior's run by name, as plain values."""
    account = posterior.account
    return plain_dict(
        **run_summary(posterior.run),
        **({} if account is None else _of_account(account)),
        modularity=posterior.modularity,
        algorithm=posterior.algorithm,
        variables=posterior.variables,
        provenance=posterior.provenance.as_dict(),
    )


def run_summary(run: RunRecord) -> dict[str, Any]:
    """Return the settings and results of a run by name; numbers may be infinite or nan."""
    return {**_of_run(run), **({} if run.seconds is None else {"seconds": run.seconds})}


@singledispatch
def _of_run(run: RunRecord) -> dict[str, Any]:
    raise NotImplementedError(type(run))


@_of_run.register
def _of_exact(run: ExactRun) -> dict[str, Any]:
    return attributes(run, "paths dags seed" if run.dags else "paths dags")


@_of_run.register
def _of_chains(run: ChainRun) -> dict[str, Any]:
    rule = run.settings.rule
    return {
        **_of_space(run.settings),
        **attributes(run, "chains seed burn_in_steps steps_after_burn_in thinning states"),
        **({} if run.every == 1 else {"states_passed_over": f"all but one of {run.every}"}),
        **attributes(run, "dags interrupted"),
        **({} if rule is None else {"until": str(rule), "until_met": run.rule_met}),
        "acceptance": run.acceptance,
        **_of_exchanges(run.exchanges),
        **_of_convergence(run.convergence),
        **_of_weights(run.order_weights),
        "seconds_sampling": run.seconds_sampling,
    }


@_of_run.register
def _of_annealing(run: AnnealingRun) -> dict[str, Any]:
    return {
        **_of_space(run.settings),
        **attributes(run, "runs runs_of_weight_zero"),
        **_of_plan(run),
        **attributes(run.settings, "stretch thinning"),
        **attributes(run, "seed dags interrupted acceptance"),
        "effective_runs": run.convergence.ess,
        **_of_weights(run.order_weights),
    }


def _of_space(settings: SamplerSettings) -> dict[str, str]:
    sums = {} if settings.sums is None else {"score_sums": str(settings.sums)}
    return {"space": repr(settings.space), **sums}


def _of_plan(run: AnnealingRun) -> dict[str, Any]:
    if run.plan is None:
        cooling = run.settings.cooling
        return {"annealing_steps": cooling.steps, "schedule": cooling.kind}
    return {
        "particles": run.settings.states_per_run,
        "inverse_temperatures": run.plan.inverse_temperatures,
        **({} if run.plan.bridge is None else {"bridge": run.plan.bridge}),
        "steps": run.plan.steps,
    }


@_of_run.register
def _of_unique_dags(run: UniqueDagsRun) -> dict[str, Any]:
    return {
        "space": repr(run.settings.space),
        **attributes(run, "orders orders_short_of_coverage dags coverage"),
        "chains": run.settings.chains,
        **attributes(run, "seed thinning effective_dags"),
    }


@_of_run.register
def _of_imputation(run: ImputationRun) -> dict[str, Any]:
    return {
        **attributes(run, "missing completions chains"),
        "burn_in_sweeps": run.burn_in,
        "sweeps_between_tables": run.thinning,
        **attributes(run, "steps steps_on_a_table seed dags interrupted"),
        "largest_edge_difference_between_chains": run.convergence.difference,
    }


@_of_run.register
def _of_merged(run: MergedRun) -> dict[str, Any]:
    spaces = list(dict.fromkeys(repr(part.settings.space) for part in run.parts))
    values: dict[str, Any] = {
        "space": spaces[0] if len(spaces) == 1 else spaces,
        "seed": [part.seed for part in run.parts],
        **attributes(run, "dags interrupted"),
        "largest_edge_difference_between_parts": run.difference_between_parts,
        "parts": [run_summary(part) for part in run.parts],
    }
    if run.order_weights is not None:
        values["effective_dags"] = run.order_weights.effective_dags
    if run.annealed:
        return values | {"runs": run.runs, "effective_runs": run.convergence.ess}
    return values | {
        **attributes(run, "chains states"),
        "rhat_log_weight": run.convergence.rhat,
        "effective_samples_log_weight": run.convergence.ess,
    }


def _of_exchanges(exchanges: Exchanges | None) -> dict[str, Any]:
    if exchanges is None:
        return {}
    values: dict[str, Any] = {
        "inverse_temperatures": exchanges.inverse_temperatures,
        "exchange_acceptance": exchanges.acceptance,
        "round_trips": exchanges.round_trips,
    }
    if exchanges.bridge is not None:
        values["bridge"] = exchanges.bridge
    if exchanges.evidence_ratio is not None:
        ratio = exchanges.evidence_ratio
        values["log_weight_ratio"] = ratio.log_weights
        values["log_evidence_ratio"] = ratio.log_ratio
        values["log_evidence_ratio_error"] = ratio.standard_error
    return values


def _of_convergence(convergence: Convergence) -> dict[str, float | None]:
    return {
        "rhat_log_weight": convergence.rhat,
        "effective_samples_log_weight": convergence.ess,
        "largest_rhat_edge": convergence.edge_rhat,
        "smallest_effective_samples_edge": convergence.edge_ess,
        "largest_edge_difference_between_chains": convergence.difference,
    }


def _of_weights(weights: OrderWeights | None) -> dict[str, float]:
    if weights is None:
        return {}
    return {
        "effective_dags": weights.effective_dags,
        "dags_with_estimated_orders": weights.estimated,
        "largest_error_of_estimated_orders": weights.largest_error,
    }


def _of_account(account: Account) -> dict[str, Any]:
    return {
        "choices": account.choices,
        "chosen": account.chosen.as_dict(),
        **attributes(account, "verdict trust data_verdict"),
        "findings": [asdict(finding) for finding in account.findings],
        "sensitivity": account.sensitivity,
        "seconds_in_all": account.seconds,
    }


_MOST_PAIRS = 15


def posterior_html(posterior: Posterior) -> str:
    """Return the posterior for notebooks: its reliability, then the most probable pairs."""
    diagnosis = posterior.diagnose()
    provenance, evidence = posterior.provenance, posterior.evidence
    about = {
        "algorithm": posterior.algorithm,
        "posterior": posterior.modularity,
        "score": provenance.score and in_words(provenance.score),
        "prior": provenance.prior and in_words(provenance.prior),
        "rows": provenance.rows,
        "sampled DAGs": None if posterior.dags is None else len(posterior.dags),
        "log evidence": None if evidence is None else f"{evidence.log_evidence:.4f}",
    }
    n = len(posterior.variables)
    rows = adjacencies(posterior, most=_MOST_PAIRS)
    pairs: dict[str, list[object]] = {
        "from": [row.source for row in rows],
        "to": [row.target for row in rows],
        "an edge, either way": [share(row.probability) for row in rows],
        "this way →": [f"{row.forward:.3f}" for row in rows],
        "the other way ←": [f"{row.backward:.3f}" for row in rows],
    }
    return card(
        f"Posterior over the DAGs of {plural(n, 'variable')}",
        reliability_html(diagnosis.verdict, diagnosis.data_verdict, diagnosis.findings),
        table(pairs, of=n * (n - 1) // 2),
        facts(about),
    )
