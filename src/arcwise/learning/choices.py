"""What `learn` chooses where nothing is told, by fixed rules, and why in words."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from arcwise.data import Data
from arcwise.data.description import summary as in_short
from arcwise.errors import DataError
from arcwise.learning import costs
from arcwise.learning.parents import Parents
from arcwise.learning.plan import Plan
from arcwise.learning.request import Request
from arcwise.model import Model, Question
from arcwise.records.account import Choices
from arcwise.records.algorithm import Algorithm
from arcwise.spaces import LinearOrders, Partitions, Space
from arcwise.support.plain import plain
from arcwise.support.words import plural, quoted

USUAL_RULE = "rhat<1.01, ess>400, edge_rhat<1.1, difference<0.1"
_CHAINS = 4
_SHORTEST_SHARE = 0.25  # of the seconds, for sampling, however long came before


def algorithm_for(request: Request, asked: Model | Question) -> str:
    """Return the algorithm that is asked for, or exact where it costs little, else mcmc."""
    if request.algorithm is not None:
        return request.algorithm
    n = len(asked.variables)
    cheap = costs.exact_is_cheap(n, _families(asked), request.target, request.seconds)
    return "exact" if cheap and not request.wants_a_sampler and not request.options else "mcmc"


def candidate_method(request: Request, asked: Model | Question, algorithm: str) -> Any:
    """Return the way to candidates that is asked for, or the usual one."""
    given = request.candidates
    if given is not None or isinstance(asked, Model) or asked.precomputed is not None:
        return given
    if algorithm == "exact" or costs.all_families_fit(asked.number_of_families):
        return "all"
    if costs.growth_fits(len(asked.variables), request.seconds):
        return "grow"
    return "greedy:4" if asked.has_interventions else "pc"


def settings_for(request: Request, algorithm: str, n: int, spent: float) -> dict[str, Any]:
    """Return the arguments of the algorithm, and so all that was chosen about the run."""
    if algorithm == "exact":
        dags = costs.usual_dags(n, request.target) if request.dags is None else request.dags
        # Under the order-modular prior paths take far longer than all else.
        return {"dags": dags, "paths": request.target == "modular"}
    modular = request.target == "modular"
    space: Space = request.space or (Partitions() if modular else LinearOrders())
    seconds = request.seconds
    if seconds is not None:
        seconds = max(seconds - spent, _SHORTEST_SHARE * seconds)
    settings: dict[str, Any] = {"space": space, "steps": request.steps, "seconds": seconds}
    if modular and space.target == "order-modular":
        # Counts of orders that take too long would end the run at its first DAG.
        settings["estimate_extensions"] = True
    if algorithm == "ais":
        return settings | {"particles": request.particles} | dict(request.options)
    chains = _CHAINS if request.chains is None else request.chains
    settings |= {"chains": chains, "until": _rule(request, chains)}
    if request.steps is None and seconds is None and "effective_samples" not in request.options:
        settings["steps"] = costs.usual_steps(n, chains)
    return settings | dict(request.options)


def _rule(request: Request, chains: int) -> str | None:
    if request.until != "auto":
        return request.until
    if {"burn_in", "effective_samples"} & set(request.options):
        return None
    rule = USUAL_RULE.split(", ")
    if chains == 1:
        rule.remove("difference<0.1")
    if request.options.get("dags_per_state") == 0:
        rule.remove("edge_rhat<1.1")
    return ", ".join(rule)


def plan_of(
    request: Request,
    asked: Model | Question,
    about: tuple[str, ...],
    parents: Parents,
    model: Model,
    algorithm: str,
    settings: dict[str, Any],
) -> Plan:
    """Return the plan: all that was chosen before the run."""
    n = len(model.variables)
    arguments = {
        name: repr(value) if isinstance(value, Space) else plain(value)
        for name, value in settings.items()
        if name != "sums"
    }
    if "seconds" in arguments:
        arguments["seconds"] = request.seconds  # not what was left of them
    chosen = Choices(
        score=repr(model.score),
        prior=repr(model.prior),
        target=request.target,
        parents=parents.how,
        families=len(model.scores),
        algorithm=Algorithm(algorithm),
        exact_operations=costs.exact_operations(n, request.target),
        exact_limit=costs.exact_limit(request.seconds),
        arguments=arguments,
        seed=request.seed,
    )
    return Plan(
        (*about, *parents.sentences),
        _reason(request, algorithm, n),
        chosen,
        plain(request_in_words(request, asked)),
    )


def _families(asked: Model | Question) -> int:
    return len(asked.scores) if isinstance(asked, Model) else asked.number_of_families


def about_data(asked: Model | Question, *, score_by_user: bool) -> tuple[str, ...]:
    """Return what the data were taken for, or refuse a table no score is for."""
    variables = plural(len(asked.variables), "variable")
    if isinstance(asked, Model):
        return (f"The model has {variables} and {_families(asked):,} parent sets.",)
    if asked.precomputed is not None:
        return (
            f"There are precomputed scores of {_families(asked):,} parent sets of {variables}.",
        )
    if asked.table is None:
        return (f"There are {variables}, scored by a function.",)
    reason = "as was asked for" if score_by_user else why_usual_score(asked.table)
    prior = repr(asked.prior).removesuffix("()")
    return (
        f"The table has {in_short(asked.table)}.",
        f"Parent sets are scored by {type(asked.score).__name__}, {reason}, under the prior "
        f"{prior}.",
    )


def why_usual_score(table: Data) -> str:
    """Return why the usual score is the usual one, or refuse a table none is for."""
    kinds = table.kinds
    if len(set(kinds.values())) == 1:
        return f"because all columns are {next(iter(kinds.values()))}"
    discrete = [name for name, kind in kinds.items() if kind == "discrete"]
    try:
        table.continuous_values("BGe")
    except DataError:
        continuous = [name for name, kind in kinds.items() if kind == "continuous"]
        raise DataError(
            f"the table has labels ({quoted(discrete)}) and measurements ({quoted(continuous)}), "
            "and no score takes both; cut the measurements into levels by arcwise.discretize "
            "(--discretize quantile:3), or leave one kind out"
        ) from None
    verb = "is" if len(discrete) == 1 else "are"
    return (
        f"because not all columns are discrete, so that {quoted(discrete)} {verb} taken as numbers"
    )


def _reason(request: Request, algorithm: str, variables: int) -> str:
    operations = costs.exact_operations(variables, request.target)
    limit = f"{costs.exact_limit(request.seconds):.0e}"
    if algorithm == "exact":
        if request.algorithm is not None:
            return ""
        return f" (exact is chosen up to {limit} operations, and this took {operations:.1e})"
    if request.algorithm is not None or request.wants_a_sampler or request.options:
        return ", as was asked for"
    cost = "is out of reach" if operations is None else f"takes {operations:.1e} operations"
    return f", because exact computation {cost} (it is chosen up to {limit})"


def request_in_words(request: Request, asked: Model | Question) -> dict[str, Any]:
    """Return what was asked for as plain values, by which a kept run is known again."""
    names = ("max_candidates", "plus_one", "target", "algorithm", "chains", "particles", "until")
    plain = {name: getattr(request, name) for name in (*names, "steps", "seconds", "dags", "seed")}
    question = asked.question if isinstance(asked, Model) else asked
    table = question.table
    candidates = request.candidates
    if candidates is not None and not isinstance(candidates, str):
        candidates = _digest(replace(question, candidates=candidates).families.candidates)
    return plain | {
        "candidates": candidates,
        "space": None if request.space is None else repr(request.space),
        "options": {name: repr(value) for name, value in request.options.items()},
        "score": repr(question.score),
        "prior": repr(question.prior),
        "constraints": question.constraints.resolve(question.variables).as_dict(question.variables),
        "data": None if table is None else table.fingerprint,
        "scores": _digest(question.precomputed.table.values(0).tobytes())
        if question.precomputed is not None
        else None,
    }


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]
