"""What was chosen, why, and how far the result can be trusted, in words and as fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arcwise.data.messages import plural
from arcwise.diagnostics.diagnose import diagnose
from arcwise.learning import costs
from arcwise.learning.preparation import Prepared, Problem
from arcwise.learning.request import Request
from arcwise.posterior import Posterior
from arcwise.records.account import Account, Choices
from arcwise.records.runs import AnnealingRun, ChainRun, ExactRun
from arcwise.spaces import Space
from arcwise.support.descriptions import Description
from arcwise.support.plain import plain


def told_of(
    posterior: Posterior,
    request: Request,
    problem: Problem,
    ready: Prepared,
    settings: Mapping[str, Any],
    seconds: float,
) -> Posterior:
    """Return the posterior with its account."""
    diagnosis = diagnose(posterior)
    account = Account(
        choices=(
            *problem.sentences,
            *ready.sentences,
            *_about_the_run(posterior, request, len(problem.variables)),
        ),
        chosen=_choices(posterior, request, ready, settings),
        verdict=diagnosis.verdict,
        trust=diagnosis.sentences,
        seconds=seconds,
    )
    return replace(posterior, account=account)


def _choices(
    posterior: Posterior, request: Request, ready: Prepared, settings: Mapping[str, Any]
) -> Choices:
    """Return the choices for programs; nothing in them depends on the machine."""
    arguments = {
        name: repr(value) if isinstance(value, Space) else plain(value)
        for name, value in settings.items()
    }
    if "seconds" in arguments:
        arguments["seconds"] = request.seconds  # not what was left of them
    return Choices(
        score=repr(ready.model.score),
        prior=repr(ready.model.prior),
        target=request.target,
        parents=ready.parents,
        families=len(ready.model.scores),
        algorithm=posterior.run.algorithm,
        exact_operations=costs.exact_operations(len(posterior.variables), request.target),
        exact_limit=costs.exact_limit(request.seconds),
        arguments=arguments,
        seed=request.seed,
    )


def _about_the_run(posterior: Posterior, request: Request, variables: int) -> list[str]:
    operations = costs.exact_operations(variables, request.target)
    limit = f"{costs.exact_limit(request.seconds):.0e}"
    run = posterior.run
    if isinstance(run, ExactRun):
        reason = ""
        if request.algorithm is None:
            reason = f" (exact is chosen up to {limit} operations, and this took {operations:.1e})"
        drawn = f"; {run.dags:,} DAGs were drawn from it for other features"
        return [
            f"The {posterior.target} posterior of {plural(variables, 'variable')} was computed "
            f"exactly{reason}{drawn if run.dags else ''}."
        ]
    reason = ", as was asked for"
    if request.algorithm is None and not (request.wants_a_sampler or request.options):
        cost = "is out of reach" if operations is None else f"takes {operations:.1e} operations"
        reason = f", because exact computation {cost} (it is chosen up to {limit})"
    if isinstance(run, AnnealingRun):
        return [
            f"The {posterior.target} posterior was sampled by {run.runs:,} annealing runs "
            f"of {run.settings.schedule.steps:,} steps on {_in_words(run.settings.space)}{reason}."
        ]
    assert isinstance(run, ChainRun)
    steps = run.burn_in_steps + max(run.steps_after_burn_in)
    return [
        f"The {posterior.target} posterior was sampled by {posterior.algorithm} on "
        f"{_in_words(run.settings.space)}{reason}: {plural(run.chains, 'chain')} of {steps:,} "
        f"steps, of which the first {run.burn_in_steps:,} do not count.",
        _ending(run),
    ]


def _in_words(space: Space) -> str:
    """Return a space by its class, with its settings if it has any that say something."""
    described = Description.of(space)
    return (described.call() or described.text).removesuffix("()")


def _ending(run: ChainRun) -> str:
    if run.interrupted:
        return "The run was interrupted, and the result rests on what there was by then."
    rule = run.settings.budget.rule
    if rule is None:
        return "The run ended when its budget was spent."
    if run.rule_met:
        return f"The run ended when its rule was met ({rule})."
    return f"The run ended when its budget was spent, before its rule was met ({rule})."
