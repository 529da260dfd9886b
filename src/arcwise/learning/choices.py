"""The choices that `learn` makes by fixed rules where none is given, and the reasons in words."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arcwise.algorithms.sample import usual_space
from arcwise.data import Data
from arcwise.data.description import summary as in_short
from arcwise.data.profile import DataProfile
from arcwise.diagnostics.limits import DEFAULT_RULE
from arcwise.learning import costs
from arcwise.learning.parents import Parents
from arcwise.learning.plan import Plan
from arcwise.learning.request import Request
from arcwise.model import Model, Question
from arcwise.records.account import Choices
from arcwise.records.algorithm import Algorithm
from arcwise.records.ladders import FIRST_TEMPERATURES
from arcwise.records.stopping_rule import StoppingRule
from arcwise.spaces import Space
from arcwise.support.descriptions import words_of
from arcwise.support.plain import plain
from arcwise.support.words import plural, rounded

_MOST_FOR_SIXTEEN, _MOST_FOR_EIGHT = 32, 128


def default_chains(algorithm: Algorithm, variables: int) -> int:
    """Return the number of chains of mcmc or mc3.

    Four chains in a posterior of two modes are all in the same one in a run of eight; more
    of them show modes that four miss. With many variables, settling takes most of the
    time, and coupled chains visit several modes.
    """
    if algorithm is Algorithm.MC3 or variables > _MOST_FOR_EIGHT:
        return 4
    return 16 if variables <= _MOST_FOR_SIXTEEN else 8


@dataclass(frozen=True)
class AlgorithmChoice:
    """The algorithm; why, as the end of a sentence; and arguments of it chosen with it."""

    algorithm: Algorithm
    reason: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


def choose_algorithm(request: Request, asked: Model | Question) -> AlgorithmChoice:
    """Return the algorithm requested, or exact where it is cheap, otherwise mcmc."""
    if request.algorithm is not None:
        exact = request.algorithm is Algorithm.EXACT
        return AlgorithmChoice(request.algorithm, "" if exact else ", as requested")
    if request.wants_a_sampler or request.options:
        return AlgorithmChoice(Algorithm.MCMC, ", as requested")
    n = len(asked.ordinary)
    operations = costs.exact_operations(n, request.modularity)
    limit = rounded(costs.exact_limit(request.seconds, request.threads))
    if operations is None:
        why = "there are too many variables for exact computation"
    elif not costs.exact_is_cheap(
        n, _families(asked), request.modularity, request.seconds, request.threads
    ):
        why = (
            f"exact computation would take {rounded(operations)} operations (it is the default up "
            f"to {limit})"
        )
    elif not _scoring_fits(request, asked):
        why = "scoring all parent sets, for exact computation, would take too long"
    else:
        return AlgorithmChoice(
            Algorithm.EXACT,
            f" (exact is the default up to {limit} operations; this took {rounded(operations)})",
        )
    return AlgorithmChoice(Algorithm.MCMC, f", because {why}")


def candidate_method(request: Request, asked: Model | Question, algorithm: Algorithm) -> Any:
    """Return the candidates or the method requested, or the default method."""
    given = request.candidates
    if given is not None or isinstance(asked, Model) or asked.precomputed is not None:
        return given
    if algorithm is Algorithm.EXACT:
        return "all"
    fit = costs.all_families_fit(asked.number_of_families) and _scoring_fits(request, asked)
    return "all" if fit else "grow"


def _scoring_fits(request: Request, asked: Model | Question) -> bool:
    """Return whether scoring all families takes a minute, or half of the time there is."""
    if isinstance(asked, Model):
        return True
    return costs.scoring_fits(asked, request.deadline, request.threads)


def settings_for(
    request: Request, choice: AlgorithmChoice, n: int, rows: int | None = None
) -> dict[str, Any]:
    """Return the arguments of the algorithm: all that is chosen about the run."""
    algorithm = choice.algorithm
    if algorithm is Algorithm.EXACT:
        dags = costs.DEFAULT_DAGS if request.dags is None else request.dags
        # Under the order-modular prior, paths take far longer than everything else.
        return {"dags": dags, "paths": request.modularity == "modular"}
    modular = request.modularity == "modular"
    space = request.space or usual_space(algorithm, request.modularity)
    seconds = request.deadline if request.deadline.limited else None
    settings: dict[str, Any] = {"space": space, "steps": request.steps, "seconds": seconds}
    weighted = modular and space.modularity == "order-modular"
    if weighted:
        # A count of orders that takes too long would otherwise end the run at its first DAG.
        settings["estimate_extensions"] = True
    if algorithm in (Algorithm.AIS, Algorithm.SMC):
        settings["particles"] = request.particles
        limits = {"effective_samples", "schedule"} & set(request.options)
        if algorithm is Algorithm.AIS and request.seconds is None and not limits:
            settings |= costs.annealing_budget(n, rows, request.particles, request.steps)
        if algorithm is Algorithm.SMC and weighted and request.seconds is None:
            # Orders are quick, but few of their DAGs carry the weight.
            settings["runs"] = costs.POPULATIONS_OF_ORDERS
        return settings | dict(request.options)
    chains = default_chains(algorithm, n) if request.chains is None else request.chains
    settings |= {"chains": chains, "until": _rule(request, chains)}
    if request.steps is None and seconds is None and "effective_samples" not in request.options:
        # A step of a coupled chain moves all its temperatures.
        coupled = algorithm is Algorithm.MC3
        temperatures = request.options.get("temperatures") or FIRST_TEMPERATURES
        settings["steps"] = costs.default_steps(n, chains * (temperatures if coupled else 1))
    return settings | dict(choice.arguments) | dict(request.options)


def _rule(request: Request, chains: int) -> str | None:
    if request.until != "auto":
        return request.until
    if {"burn_in", "effective_samples"} & set(request.options):
        return None
    left_out = {"difference"} if chains == 1 else set()
    if request.options.get("dags_per_state") == 0:
        left_out |= {"edge_rhat", "edge_ess"}
    conditions = StoppingRule.parse(DEFAULT_RULE).conditions
    return ", ".join(str(each) for each in conditions if each.name not in left_out)


def make_plan(
    request: Request,
    asked: Model | Question,
    about: tuple[str, ...],
    parents: Parents,
    model: Model,
    choice: AlgorithmChoice,
    settings: dict[str, Any],
) -> Plan:
    """Return the plan: everything that was chosen before the run."""
    n = len(model.ordinary)
    arguments = {
        name: repr(value) if isinstance(value, Space) else plain(value)
        for name, value in settings.items()
        if name not in ("sums", "seconds")
    }
    if "seconds" in settings:
        arguments["seconds"] = request.seconds
    chosen = Choices(
        score=repr(model.score),
        prior=repr(model.prior),
        modularity=request.modularity,
        parents=parents.how,
        families=len(model.scores),
        algorithm=choice.algorithm,
        exact_operations=costs.exact_operations(n, request.modularity),
        exact_limit=costs.exact_limit(request.seconds, request.threads),
        arguments=arguments,
        seed=request.seed,
        parents_left_out=(
            parents.growth is not None
            and parents.growth.unfinished
            and not any(parents.growth.model.question.families.outside)
        ),
    )
    found = None if parents.growth is None else parents.growth.best
    weight = -math.inf if found is None else model.log_weight_of(found.dag)
    known = found is not None and math.isfinite(weight)  # it is among the parent sets
    return Plan(
        (*about, *parents.sentences, *request.deadline.cuts),
        choice.reason,
        chosen,
        plain(plain_request(request, asked)),
        best=tuple(found.dag.edges) if found is not None and known else (),
        best_log_weight=weight if known else None,
    )


def _families(asked: Model | Question) -> int:
    return len(asked.scores) if isinstance(asked, Model) else asked.number_of_families


def data_sentences(asked: Model | Question, *, score_by_user: bool) -> tuple[str, ...]:
    """Return in words how the data were read and scored."""
    variables = plural(len(asked.variables), "variable")
    if isinstance(asked, Model):
        return (f"The model has {variables} and {_families(asked):,} parent sets.",)
    if asked.precomputed is not None:
        return (f"The scores of {_families(asked):,} parent sets of {variables} were precomputed.",)
    if asked.table is None:
        return (f"There are {variables}, scored by a function.",)
    reason = "as requested" if score_by_user else reason_for_score(asked.table)
    assert asked.score is not None
    several = len(asked.score.alternatives()) > 1
    score = words_of(asked.score) if several else type(asked.score).__name__
    prior = words_of(asked.prior)
    profile = DataProfile.of(asked.table, None)
    return (
        f"The table has {in_short(asked.table)}.",
        *profile.preparation_sentences(asked.table.rows),
        f"The score is {score}, {reason}; the structure prior is {prior}.",
        *asked.score.remarks(asked.table),
    )


def reason_for_score(table: Data) -> str:
    """Return the reason for the default score."""
    kinds = list(table.kinds.values())
    continuous = kinds.count("continuous")
    if continuous == len(kinds):
        return "because all columns are continuous"
    if continuous:
        return "because some columns are discrete and some continuous"
    return "because all columns are discrete"


def plain_request(request: Request, asked: Model | Question) -> dict[str, Any]:
    """Return the request as plain values, to check that a resumed run has the same one."""
    names = (
        "max_candidates",
        "plus_one",
        "modularity",
        "algorithm",
        "chains",
        "particles",
        "until",
    )
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
