"""From a request to the model that is sampled: which parent sets it has, and why."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.algorithms.growth import Growth, grow
from arcwise.candidates import Candidates
from arcwise.candidates import candidates as choose_candidates
from arcwise.constraints import Constraints
from arcwise.data import Data, read
from arcwise.data.description import summary as in_short
from arcwise.errors import ArgumentError, DataError, InterruptedWarning
from arcwise.families import Families
from arcwise.learning import costs
from arcwise.learning.request import Request
from arcwise.model import Model
from arcwise.priors import as_prior
from arcwise.scores import as_score
from arcwise.scores.family_scores import as_family_scores
from arcwise.support.words import plural, quoted


@dataclass(frozen=True)
class Problem:
    """The table or ready scores a request is about.

    Parameters
    ----------
    data
        Data, ready `FamilyScores`, a `Model`, or a list of names.
    variables
        The names of the nodes.
    families
        How many parent sets all nodes have without candidates.
    sentences
        What was understood, in words.
    """

    data: Any
    variables: tuple[str, ...]
    families: int
    sentences: tuple[str, ...]

    @property
    def can_choose_parents(self) -> bool:
        """Whether other parent sets than given ones can be scored."""
        return isinstance(self.data, Data | tuple | list)


def understood(request: Request) -> Problem:
    """Read the data and say what they are taken for."""
    data = request.data
    if request.reading and (isinstance(data, Model | list | tuple) or as_family_scores(data)):
        raise ArgumentError(
            f"there is no table to read with {quoted(request.reading)}; leave it out, or give data"
        )
    if isinstance(data, Model):
        told = (request.score, request.prior, request.candidates, request.plus_one)
        if any(value is not None for value in told) or request.constraints != Constraints():
            raise ArgumentError(
                "a model has its score, prior, constraints and candidates already; leave them out, "
                "or give the data instead of the model"
            )
        words = f"The model has {_variables(data)} and {len(data.scores):,} parent sets."
        return Problem(data, data.variables, len(data.scores), (words,))
    ready = as_family_scores(data)
    if ready is not None:
        words = f"There are ready scores of {len(ready):,} parent sets of {_variables(ready)}."
        return Problem(ready, ready.variables, len(ready), (words,))
    if isinstance(data, list | tuple):
        total = Families.of(list(data), constraints=request.constraints).total
        words = f"There are {len(data)} variables, scored by a function."
        return Problem(list(data), tuple(data), total, (words,))
    table = read(data, **request.reading)
    rule = Families.of(table.variables, constraints=request.constraints)
    return Problem(table, table.variables, rule.total, _about(table, request))


def _about(table: Data, request: Request) -> tuple[str, ...]:
    score = as_score(request.score, table)
    reason = "as was asked for"
    if request.score is None:
        reason = _why(table)
    prior = repr(as_prior(request.prior)).removesuffix("()")
    return (
        f"The table has {in_short(table)}.",
        f"Parent sets are scored by {type(score).__name__}, {reason}, under the prior {prior}.",
    )


def _why(table: Data) -> str:
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


def _variables(owner: Any) -> str:
    return plural(len(owner.variables), "variable")


@dataclass(frozen=True)
class Prepared:
    """The model, how its parent sets were chosen, and that in words."""

    model: Model
    parents: str
    sentences: tuple[str, ...]
    growth: Growth | None = None


def prepared(request: Request, problem: Problem, algorithm: str) -> Prepared:
    """Return the model for the algorithm."""
    if isinstance(problem.data, Model):
        return Prepared(problem.data, "given", ())
    about: dict[str, Any] = {
        "score": request.score,
        "prior": request.prior,
        "constraints": request.constraints,
        "threads": request.threads,
    }
    method = request.candidates
    if not problem.can_choose_parents:
        model = Model(problem.data, candidates=method, progress=request.progress, **about)
        return Prepared(model, "given", ())
    if method is None:
        method = _usual_method(request, problem, algorithm)
    if isinstance(method, str) and method == "all":
        model = Model(problem.data, progress=request.progress, **about)
        words = f"All parent sets that the constraints leave are considered: {len(model.scores):,}."
        return Prepared(model, "all", (words,))
    if isinstance(method, str) and method.partition(":")[0] == "grow":
        return _grown(request, problem, method.partition(":")[2], about)
    return _by_candidates(request, problem, method, about)


def _usual_method(request: Request, problem: Problem, algorithm: str) -> str:
    if algorithm == "exact" or costs.all_families_fit(problem.families):
        return "all"
    if costs.growth_fits(len(problem.variables), request.seconds):
        return "grow"
    return "greedy:4" if _intervened(problem.data) else "pc"


def _grown(request: Request, problem: Problem, start: str, about: dict[str, Any]) -> Prepared:
    if not start:
        # The tests of the PC algorithm take every row as observed.
        start = "greedy:4" if _intervened(problem.data) or isinstance(problem.data, list) else "pc"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedWarning)
        growth = grow(
            problem.data,
            start,
            max_size=request.max_candidates,
            seed=request.seed,
            progress=request.progress,
            **about,
        )
    if growth.best is not None and growth.best.interrupted:
        raise KeyboardInterrupt  # there is nothing of the posterior yet
    words = [
        f"Candidate parents were grown from {start!r} in {len(growth.rounds)} rounds, to "
        f"{_sizes(growth.candidates)}{_one_more(growth.model)}: {len(growth.model.scores):,} "
        f"parent sets of the {problem.families:.1e} there are."
    ]
    if growth.full:
        words.append(
            f"{quoted(growth.full)} would have had more candidates than fit; parents may be "
            "missing there."
        )
    return Prepared(growth.model, "grown", tuple(words), growth)


def _by_candidates(
    request: Request, problem: Problem, method: Any, about: dict[str, Any]
) -> Prepared:
    chosen = method
    how = "Candidate parents are those given"
    if isinstance(method, str):
        chosen = choose_candidates(problem.data, method, **about)
        how = f"Candidate parents were chosen by {method!r}"
        if request.candidates is None:
            how += f", as growing them takes more than half of {request.seconds:g} seconds"
    plus_one = request.plus_one is not False
    model = Model(
        problem.data, candidates=chosen, plus_one=plus_one, progress=request.progress, **about
    )
    sizes = f", {_sizes(chosen)}" if isinstance(chosen, Candidates) else ""
    words = f"{how}{sizes}{_one_more(model)}: {len(model.scores):,} parent sets."
    return Prepared(model, "candidates", (words,))


def _sizes(chosen: Candidates) -> str:
    sizes = chosen.sizes().values()
    few, many = min(sizes), max(sizes)
    return f"{few if few == many else f'{few} to {many}'} of each variable"


def _one_more(model: Model) -> str:
    rule = model.families
    return " and one more from outside" if rule is not None and any(rule.outside) else ""


def _intervened(data: Any) -> bool:
    return isinstance(data, Data) and data.intervened is not None and bool(np.any(data.intervened))
