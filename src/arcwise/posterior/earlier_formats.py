"""Conversion of the headers of saved posteriors from formats 1 and 2 to the current one.

They had a summary of plain values in place of the run. Settings that it does not contain
are set to what would request the amount of work that was done.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from arcwise.model.modularity import Modularity, as_modularity
from arcwise.model.provenance import Provenance
from arcwise.posterior.evidence import Evidence
from arcwise.records.account import Account, Choices
from arcwise.records.algorithm import Algorithm
from arcwise.records.budget import Budget
from arcwise.records.convergence import Convergence
from arcwise.records.plain_space import parse_space
from arcwise.records.recording import Recording
from arcwise.records.run_files import write_account, write_provenance, write_run
from arcwise.records.runs import (
    AnnealingRun,
    AnyRun,
    ChainRun,
    ExactRun,
    Exchanges,
    MergedRun,
    OrderWeights,
    UniqueDagsRun,
)
from arcwise.records.settings import AnnealingBudget, AnnealingSettings, ChainSettings, Schedule
from arcwise.records.stopping_rule import StoppingRule
from arcwise.records.tempering import Tempering
from arcwise.spaces.space import Space
from arcwise.statistics.log_estimate import LogEstimate
from arcwise.support.descriptions import Description

Summary = Mapping[str, Any]

_CHOICES = (
    *("score", "prior", "target", "parents", "families", "algorithm"),
    *("exact_operations", "exact_limit", "seed"),
)


def from_format_1(header: dict[str, Any]) -> dict[str, Any]:
    """Convert a header of format 1, which held exact posteriors only, to format 2."""
    names = ("log_evidence", "log_prior_constant")
    if header["map_edges"] is None:
        raise ValueError
    families = [
        f"{part}_{node}"
        for node in range(len(header["variables"]))
        for part in ("parents", "offsets", "probabilities")
    ]
    return header | {
        "members": ["edges", *families],
        "evidence": {name: header[name] for name in names}
        | {
            "standard_error": 0.0,
            "lower_bounds": {},
            "log_prior_constant_error": 0.0,
            "method": "exact",
        },
        "trace_steps": None,
        "summary": {},
    }


def from_format_2(header: dict[str, Any]) -> dict[str, Any]:
    """Convert a header of format 2 to format 3."""
    summary, provenance = dict(header["summary"]), dict(header["provenance"])
    algorithm = Algorithm(header["algorithm"])
    run = _run(algorithm, summary, provenance, as_modularity(header["target"]))
    variables = tuple(header["variables"])
    return header | {
        "run": write_run(run, variables),
        "account": write_account(_account(summary)),
        "provenance": write_provenance(_provenance(provenance)),
    }


def judged_evidence(evidence: Evidence) -> Evidence:
    """Return evidence that was saved with a standard error whatever the runs as it is judged now.

    Of its runs the standard error alone was kept. That of a run which carried all the weight
    came out as about 1.
    """
    if evidence.standard_error == 0.0 or evidence.standard_error is None:
        return evidence
    total = evidence.log_evidence + evidence.log_prior_constant
    constant_error = evidence.log_prior_constant_error
    variance = evidence.standard_error**2 - constant_error**2
    return Evidence.estimated(
        LogEstimate(total, variance if math.isnan(variance) else max(0.0, variance)),
        method=evidence.method,
        advice="run it again, for longer",
        constant=evidence.log_prior_constant,
        constant_error=constant_error,
        lower_bounds=evidence.lower_bounds,
    )


def _provenance(values: Mapping[str, Any]) -> Provenance:
    score, prior = values.get("score"), values.get("prior")
    candidates = values.get("candidates")
    return Provenance(
        version=values.get("arcwise"),
        score=None if score in (None, "None") else Description.parse(str(score)),
        prior=None if prior in (None, "None") else Description.parse(str(prior)),
        constraints=dict(values.get("constraints") or {}),
        candidates=None
        if candidates is None
        else {node: tuple(parents) for node, parents in candidates.items()},
        plus_one=bool(values.get("plus_one", False)),
        families=values.get("families"),
        rows=values.get("rows"),
        data_fingerprint=values.get("data_fingerprint"),
    )


def _account(summary: Summary) -> Account | None:
    if "choices" not in summary:
        return None
    chosen = dict(summary["chosen"])
    own = {name: chosen.pop(name) for name in _CHOICES}
    own["algorithm"] = Algorithm(own["algorithm"])
    return Account(
        choices=tuple(summary["choices"]),
        chosen=Choices(modularity=own.pop("target"), arguments=chosen, **own),
        verdict=summary["verdict"],
        trust=tuple(summary["trust"]),
        seconds=float(summary["seconds_in_all"]),
    )


def _run(
    algorithm: Algorithm, summary: Summary, provenance: Mapping[str, Any], modularity: Modularity
) -> AnyRun:
    if algorithm is Algorithm.EXACT:
        chosen = summary.get("chosen", {})
        return ExactRun(
            dags=int(chosen.get("dags", 0)),
            paths=bool(chosen.get("paths", False)),
            seed=chosen.get("seed"),
            seconds=provenance.get("seconds"),
        )
    if algorithm is Algorithm.UNIQUE_DAGS:
        return _unique_dags(summary)
    if "parts" not in summary:
        return _part(summary, modularity)
    effective = summary.get("effective_dags")
    return MergedRun(
        parts=tuple(_part(part, modularity) for part in _flat(summary)),
        dags=int(summary["dags"]),
        seconds=summary["seconds"],
        interrupted=bool(summary["interrupted"]),
        convergence=Convergence(
            rhat=summary.get("rhat_log_weight"),
            ess=summary.get("effective_samples_log_weight", summary.get("effective_runs")),
        ),
        order_weights=None if effective is None else OrderWeights(effective),
        difference_between_parts=summary["largest_edge_difference_between_parts"],
    )


def _flat(summary: Summary) -> list[Summary]:
    """Return the single runs of merged ones, which may be merged runs themselves."""
    if "parts" not in summary:
        return [summary]
    return [part for each in summary["parts"] for part in _flat(each)]


def _part(summary: Summary, modularity: Modularity) -> ChainRun | AnnealingRun:
    return _annealing(summary, modularity) if "runs" in summary else _chains(summary, modularity)


def _chains(summary: Summary, modularity: Modularity) -> ChainRun:
    space = parse_space(summary["space"])
    states = tuple(summary["states"])
    burn_in, kept = summary["burn_in_steps"], max(summary["steps_after_burn_in"])
    rule, exchanges = summary.get("until"), _exchanges(summary)
    budget = Budget(
        steps=max(2, burn_in + kept),
        burn_in=0.5 if rule is not None else burn_in / max(1, burn_in + kept),
        thinning=summary["thinning"],
        until=None if rule is None else StoppingRule.parse(rule),
    )
    return ChainRun(
        settings=ChainSettings(
            space=space,
            budget=budget,
            recording=_recording(summary, modularity, space, sum(states)),
            chains=summary["chains"],
            seed=summary["seed"],
            tempering=None if exchanges is None else Tempering(exchanges.inverse_temperatures[0]),
        ),
        burn_in_steps=burn_in,
        thinning=summary["thinning"],
        states=states,
        every=int(str(summary.get("states_passed_over", "1")).split()[-1]),
        rule_met=summary.get("until_met"),
        moves=summary["acceptance"],
        exchanges=exchanges,
        convergence=Convergence(
            rhat=summary["rhat_log_weight"],
            ess=summary["effective_samples_log_weight"],
            edge_rhat=summary["largest_rhat_edge"],
            edge_ess=summary["smallest_effective_samples_edge"],
            difference=summary["largest_edge_difference_between_chains"],
        ),
        order_weights=_weights(summary),
        dags=summary["dags"],
        interrupted=summary["interrupted"],
        seconds_sampling=summary["seconds_sampling"],
        seconds=summary["seconds"],
    )


def _annealing(summary: Summary, modularity: Modularity) -> AnnealingRun:
    space = parse_space(summary["space"])
    return AnnealingRun(
        settings=AnnealingSettings(
            space=space,
            budget=AnnealingBudget(runs=summary["runs"]),
            schedule=Schedule(summary["annealing_steps"]),
            stretch=summary["stretch"],
            thinning=summary["thinning"],
            recording=_recording(summary, modularity, space, summary["runs"]),
            seed=summary["seed"],
        ),
        runs=summary["runs"],
        runs_of_weight_zero=summary["runs_of_weight_zero"],
        moves=summary["acceptance"],
        convergence=Convergence(ess=summary["effective_runs"]),
        order_weights=_weights(summary),
        dags=summary["dags"],
        interrupted=summary["interrupted"],
        seconds=summary["seconds"],
    )


def _unique_dags(summary: Summary) -> UniqueDagsRun:
    space = parse_space(summary["space"])
    return UniqueDagsRun(
        settings=ChainSettings(
            space=space,
            budget=Budget(thinning=summary["thinning"]),
            recording=Recording("order-modular", dags_per_state=0),
            chains=summary["chains"],
            seed=summary["seed"],
        ),
        thinning=summary["thinning"],
        coverage=summary["coverage"],
        orders=summary["orders"],
        orders_short_of_coverage=summary["orders_short_of_coverage"],
        effective_dags=summary["effective_dags"],
        dags=summary["dags"],
        seconds=summary["seconds"],
    )


def _recording(summary: Summary, modularity: Modularity, space: Space, states: int) -> Recording:
    return Recording(modularity, summary["dags"] // max(1, states), sampled=space.modularity)


def _exchanges(summary: Summary) -> Exchanges | None:
    if "inverse_temperatures" not in summary:
        return None
    return Exchanges(
        tuple(tuple(each) for each in summary["inverse_temperatures"]),
        tuple(summary["exchange_acceptance"]),
    )


def _weights(summary: Summary) -> OrderWeights | None:
    if "effective_dags" not in summary:
        return None
    return OrderWeights(
        summary["effective_dags"],
        summary["dags_with_estimated_orders"],
        summary["largest_error_of_estimated_orders"],
    )
