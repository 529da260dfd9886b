"""What was chosen, why, and how far the result can be trusted, in words and as fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arcwise.diagnostics.diagnose import diagnose
from arcwise.learning import costs
from arcwise.learning.preparation import Prepared, Problem
from arcwise.learning.request import Request
from arcwise.posterior import Posterior
from arcwise.spaces import Space
from arcwise.support.words import plural


def told_of(
    posterior: Posterior,
    request: Request,
    problem: Problem,
    ready: Prepared,
    settings: Mapping[str, Any],
    seconds: float,
) -> Posterior:
    """Return the posterior with all that in its summary."""
    diagnosis = diagnose(posterior)
    summary = dict(posterior.summary) | {
        "choices": [
            *problem.sentences,
            *ready.sentences,
            *_about_the_run(posterior, request, len(problem.variables)),
        ],
        "chosen": _fields(posterior, request, ready, settings),
        "verdict": diagnosis.verdict,
        "trust": list(diagnosis.sentences),
        "seconds_in_all": seconds,
    }
    return replace(posterior, summary=summary)


def _fields(
    posterior: Posterior, request: Request, ready: Prepared, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the choices for programs; nothing in them depends on the machine."""
    plain = {
        name: repr(value) if isinstance(value, Space) else value for name, value in settings.items()
    }
    if "seconds" in plain:
        plain["seconds"] = request.seconds  # not what was left of them
    return {
        "score": repr(ready.model.score),
        "prior": repr(ready.model.prior),
        "target": request.target,
        "parents": ready.parents,
        "families": len(ready.model.scores),
        "algorithm": posterior.algorithm,
        "exact_operations": costs.exact_operations(len(posterior.variables), request.target),
        "exact_limit": costs.exact_limit(request.seconds),
        **plain,
        "seed": request.seed,
    }


def _about_the_run(posterior: Posterior, request: Request, variables: int) -> list[str]:
    operations = costs.exact_operations(variables, request.target)
    limit = f"{costs.exact_limit(request.seconds):.0e}"
    if posterior.algorithm == "exact":
        count = 0 if posterior.dags is None else len(posterior.dags)
        reason = ""
        if request.algorithm is None:
            reason = f" (exact is chosen up to {limit} operations, and this took {operations:.1e})"
        drawn = f"; {count:,} DAGs were drawn from it for other features"
        return [
            f"The {posterior.target} posterior of {plural(variables, 'variable')} was computed "
            f"exactly{reason}{drawn if count else ''}."
        ]
    summary = posterior.summary
    reason = ", as was asked for"
    if request.algorithm is None and not (request.wants_a_sampler or request.options):
        cost = "is out of reach" if operations is None else f"takes {operations:.1e} operations"
        reason = f", because exact computation {cost} (it is chosen up to {limit})"
    where = str(summary["space"]).removesuffix("(moves=None)")
    if posterior.algorithm == "ais":
        return [
            f"The {posterior.target} posterior was sampled by {summary['runs']:,} annealing runs "
            f"of {summary['annealing_steps']:,} steps on {where}{reason}."
        ]
    steps = summary["burn_in_steps"] + max(summary["steps_after_burn_in"])
    return [
        f"The {posterior.target} posterior was sampled by {posterior.algorithm} on {where}"
        f"{reason}: {plural(summary['chains'], 'chain')} of {steps:,} steps, of which the first "
        f"{summary['burn_in_steps']:,} do not count.",
        _ending(summary),
    ]


def _ending(summary: Mapping[str, Any]) -> str:
    if summary["interrupted"]:
        return "The run was interrupted, and the result rests on what there was by then."
    rule = summary.get("until")
    if rule is None:
        return "The run ended when its budget was spent."
    if summary["until_met"]:
        return f"The run ended when its rule was met ({rule})."
    return f"The run ended when its budget was spent, before its rule was met ({rule})."
