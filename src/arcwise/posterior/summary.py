"""A run as one table of plain values, as in summary.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arcwise.records.account import Account
from arcwise.records.convergence import Convergence
from arcwise.records.runs import (
    AnnealingRun,
    AnyRun,
    ChainRun,
    ExactRun,
    Exchanges,
    ImputationRun,
    MergedRun,
    OrderWeights,
    UniqueDagsRun,
)
from arcwise.support.plain import plain_dict
from arcwise.support.plain_dataclasses import PlainDataclasses

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


def run_summary(run: AnyRun) -> dict[str, Any]:
    """Return the settings and results of a run by name; numbers need not be finite."""
    return {**_of_run(run), **({} if run.seconds is None else {"seconds": run.seconds})}


def _of_run(run: AnyRun) -> dict[str, Any]:
    if isinstance(run, ExactRun):
        return _of_exact(run)
    if isinstance(run, ChainRun):
        return _of_chains(run)
    if isinstance(run, AnnealingRun):
        return _of_annealing(run)
    if isinstance(run, UniqueDagsRun):
        return _of_unique_dags(run)
    if isinstance(run, ImputationRun):
        return _of_imputation(run)
    return _of_merged(run)


def _of_exact(run: ExactRun) -> dict[str, Any]:
    drawn = {"dags": run.dags, "seed": run.seed} if run.dags else {"dags": 0}
    return {"paths": run.paths, **drawn}


def _of_chains(run: ChainRun) -> dict[str, Any]:
    settings = run.settings
    rule = settings.rule
    return {
        "space": repr(settings.space),
        **({} if settings.sums is None else {"score_sums": str(settings.sums)}),
        "chains": settings.chains,
        "seed": run.seed,
        "burn_in_steps": run.burn_in_steps,
        "steps_after_burn_in": list(run.steps_after_burn_in),
        "thinning": run.thinning,
        "states": list(run.states),
        **({} if run.every == 1 else {"states_passed_over": f"all but one of {run.every}"}),
        "dags": run.dags,
        "interrupted": run.interrupted,
        **({} if rule is None else {"until": str(rule), "until_met": run.rule_met}),
        "acceptance": dict(run.acceptance),
        **_of_exchanges(run.exchanges),
        **_of_convergence(run.convergence),
        **_of_weights(run.order_weights),
        "seconds_sampling": run.seconds_sampling,
    }


def _of_annealing(run: AnnealingRun) -> dict[str, Any]:
    settings = run.settings
    return {
        "space": repr(settings.space),
        **({} if settings.sums is None else {"score_sums": str(settings.sums)}),
        "runs": run.runs,
        "runs_of_weight_zero": run.runs_of_weight_zero,
        **_of_plan(run),
        "stretch": settings.stretch,
        "thinning": settings.thinning,
        "seed": run.seed,
        "dags": run.dags,
        "interrupted": run.interrupted,
        "acceptance": dict(run.acceptance),
        "effective_runs": run.convergence.ess,
        **_of_weights(run.order_weights),
    }


def _of_plan(run: AnnealingRun) -> dict[str, Any]:
    if run.plan is None:
        cooling = run.settings.cooling
        return {"annealing_steps": cooling.steps, "schedule": cooling.kind}
    return {
        "particles": run.settings.states_per_run,
        "inverse_temperatures": list(run.plan.inverse_temperatures),
        **({} if run.plan.bridge is None else {"bridge": list(run.plan.bridge)}),
        "steps": list(run.plan.steps),
    }


def _of_unique_dags(run: UniqueDagsRun) -> dict[str, Any]:
    return {
        "space": repr(run.settings.space),
        "orders": run.orders,
        "orders_short_of_coverage": run.orders_short_of_coverage,
        "dags": run.dags,
        "coverage": run.coverage,
        "chains": run.settings.chains,
        "seed": run.seed,
        "thinning": run.thinning,
        "effective_dags": run.effective_dags,
    }


def _of_imputation(run: ImputationRun) -> dict[str, Any]:
    return {
        "missing": dict(run.missing),
        "completions": run.completions,
        "chains": run.chains,
        "burn_in_sweeps": run.burn_in,
        "sweeps_between_tables": run.thinning,
        "steps": run.steps,
        "steps_on_a_table": run.steps_on_a_table,
        "seed": run.seed,
        "dags": run.dags,
        "interrupted": run.interrupted,
        "largest_edge_difference_between_chains": run.convergence.difference,
    }


def _of_merged(run: MergedRun) -> dict[str, Any]:
    spaces = list(dict.fromkeys(repr(part.settings.space) for part in run.parts))
    values: dict[str, Any] = {
        "space": spaces[0] if len(spaces) == 1 else spaces,
        "seed": [part.seed for part in run.parts],
        "dags": run.dags,
        "interrupted": run.interrupted,
        "largest_edge_difference_between_parts": run.difference_between_parts,
        "parts": [run_summary(part) for part in run.parts],
    }
    if run.order_weights is not None:
        values["effective_dags"] = run.order_weights.effective_dags
    if run.annealed:
        return values | {"runs": run.runs, "effective_runs": run.convergence.ess}
    return values | {
        "chains": run.chains,
        "states": list(run.states),
        "rhat_log_weight": run.convergence.rhat,
        "effective_samples_log_weight": run.convergence.ess,
    }


def _of_exchanges(exchanges: Exchanges | None) -> dict[str, Any]:
    if exchanges is None:
        return {}
    values: dict[str, Any] = {
        "inverse_temperatures": [list(each) for each in exchanges.inverse_temperatures],
        "exchange_acceptance": list(exchanges.acceptance),
        "round_trips": list(exchanges.round_trips),
    }
    if exchanges.bridge is not None:
        values["bridge"] = [list(each) for each in exchanges.bridge]
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
        "choices": list(account.choices),
        "chosen": account.chosen.as_dict(),
        "verdict": account.verdict,
        "trust": list(account.trust),
        "data_verdict": account.data_verdict,
        "findings": PlainDataclasses().write(account.findings),
        "sensitivity": list(account.sensitivity),
        "seconds_in_all": account.seconds,
    }
