"""`learn_incomplete`: from a table with missing values to the posterior averaged over completions.

A pilot completes the table roughly and chooses score and prior meanwhile (`rough_completion`);
candidate parents are chosen as for any table. With these, which then stay the same, chains over
DAGs, parameters and cells draw the tables that the posterior is averaged over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from arcwise.data import ContinuousColumn, Data, IncompleteData
from arcwise.errors import ArgumentError, DataError, Wording, option
from arcwise.imputation.averaging import ImputationSettings, averaged
from arcwise.imputation.checkpoint import FILE, Checkpoint
from arcwise.imputation.structure import ChainStructure, ExactStructure, StructureStep
from arcwise.learning import costs
from arcwise.learning.choices import data_sentences, plain_request
from arcwise.learning.parents import Parents, choose_parents
from arcwise.learning.plan import Plan
from arcwise.learning.request import Request
from arcwise.learning.resume import RESULT, resume
from arcwise.learning.rough_completion import complete_roughly
from arcwise.model import Model, Question
from arcwise.parameters.conditionals import can_draw
from arcwise.posterior import Posterior
from arcwise.records.account import Choices
from arcwise.records.algorithm import Algorithm
from arcwise.scores import BGe
from arcwise.spaces import Dags
from arcwise.support.plain import plain

# Hundreds of sweeps are made, each with all scores and, where DAGs are drawn exactly, all sums.
_EXACT_OPERATIONS = 6 * 10**6
_MOST_VISITS = 2 * 10**7
_VISITS_OF_MOMENTS = 64
_MOST_FAMILIES = 60_000
_MOST_FAMILIES_PLUS_ONE = 150_000
_MOST_CANDIDATES = 8
_STEPS_PER_VARIABLE = 40
_TIMES_LONGER = 10
# What the pilot and the growth of candidates may take of a limited time.
_SHARE_OF_CHOICES = 0.4


def learn_incomplete(
    request: Request,
    data: IncompleteData,
    ask: Callable[[Data], Model | Question],
    *,
    completions: int | None,
    score_by_user: bool,
    prior_by_user: bool,
) -> Posterior:
    """Return the posterior averaged over completed tables, with its account.

    Parameters
    ----------
    request
        What is asked about the run.
    data
        The table.
    ask
        Returns the question about a complete table.
    completions
        The number of completed tables; None for as many as the precision needs.
    score_by_user, prior_by_user
        Whether score and prior were given.
    """
    _refuse(request, data)
    asked = ask(data.table)
    assert isinstance(asked, Question)
    if not can_draw(asked.score, data.table):
        raise ArgumentError(
            f"imputing needs a prior on the parameters, which the score "
            f"{type(asked.score).__name__} does not have; use BDeu, BDe, BGe or "
            "ConditionalGaussian, or give ",
            option("missing", "drop"),
        )
    if isinstance(asked.score, BGe):
        data = _as_numbers(data)
        asked = replace(asked, data=data.table)
    wanted = plain_request(request, asked) | {
        "data": data.fingerprint,
        "completions": completions,
    }
    resumed = _resumed(request, plain(wanted))
    if resumed is not None:
        return resumed
    exact = _draws_exactly(request, asked, data)
    few = exact and _visits(asked, data) <= _MOST_VISITS
    structure = _structure(replace(request, steps=None), asked, exact)
    begun = complete_roughly(
        request,
        data,
        asked,
        structure,
        few_families=few,
        choose_score=not score_by_user and not prior_by_user,
        choose_prior=not prior_by_user,
    )
    parents = _parents(request, begun.question, few)
    chosen = parents.asked.question if isinstance(parents.asked, Model) else parents.asked
    assert chosen.score is not None
    question = replace(chosen, data=data.table, score=chosen.score.fixed_by(data.table))
    structure = _structure(request, question, exact)
    settings = ImputationSettings(
        completions=completions,
        **({} if request.chains is None else {"chains": request.chains}),
        dags=costs.DEFAULT_DAGS if request.dags is None else max(1, request.dags),
        seed=request.seed,
    )
    plan = _plan(
        request, data, chosen, begun.sentences, parents, exact, settings, wanted, score_by_user
    )
    checkpoint = None
    if request.directory is not None:
        plan.write(Path(request.directory))
        about = _fingerprint(data, question, exact, settings)
        checkpoint = Checkpoint(Path(request.directory) / FILE, about)
    posterior = averaged(
        data,
        question,
        structure,
        settings,
        modularity=request.modularity,
        described=chosen.score,
        redraw=begun.redraw,
        checkpoint=checkpoint,
        threads=request.threads,
        progress=request.progress,
        deadline=request.deadline,
    )
    if request.directory is not None and checkpoint is not None:
        posterior.save(Path(request.directory) / RESULT)
        checkpoint.remove()
    return plan.after(request.deadline).with_account(posterior, request.deadline.spent)


def _refuse(request: Request, data: IncompleteData) -> None:
    """Refuse what tables with missing values do not go with."""
    drop = (", or give ", option("missing", "drop"))
    if data.table.weights is not None:
        raise DataError(
            "values are missing in a table with row weights that are no whole numbers, or that add "
            "up to more than a million, but a row of weight w is imputed as w rows; give such "
            "weights",
            *drop,
        )
    if request.algorithm not in (None, Algorithm.EXACT, Algorithm.MCMC):
        raise ArgumentError(
            option("algorithm"),
            f" is {request.algorithm.value!r}, but values are missing, for which DAGs are drawn "
            "by 'exact' or 'mcmc'; choose one of these",
            *drop,
        )
    if request.space is not None and not isinstance(request.space, Dags):
        raise ArgumentError(
            option("space"),
            f" is {request.space!r}, but values are missing, and chains then go on from DAG to "
            "DAG; leave it out",
            *drop,
        )
    if request.until not in ("auto", None) or request.options:
        which = "until" if request.until not in ("auto", None) else next(iter(request.options))
        raise ArgumentError(
            option(which),
            " is for chains over the DAGs of one table, but values are missing; give ",
            option("completions"),
            " instead, or leave it out",
        )
    if request.engine is not None:
        raise ArgumentError(
            Wording("engine", "--cluster"),
            " is for chains over the DAGs of one table, but values are missing, and the chains "
            "that complete it run in this process; leave it out",
            *drop,
        )


def _as_numbers(data: IncompleteData) -> IncompleteData:
    """Return the table with all columns continuous, as scores of continuous data take them."""
    numbers = data.table.continuous_values("BGe")
    table = data.table
    columns = [
        ContinuousColumn(name, numbers[:, place].copy())
        for place, name in enumerate(table.variables)
    ]
    about = table.notes, table.preparation, table.name, table.slices
    return IncompleteData(Data(columns, None, table.intervened, *about), data.cells)


def _draws_exactly(request: Request, asked: Question, data: IncompleteData) -> bool:
    """Return whether DAGs are drawn from the exact posterior of every completed table."""
    if request.algorithm is not None:
        return request.algorithm is Algorithm.EXACT
    if request.steps is not None or request.space is not None:
        return False
    operations = costs.exact_operations(len(asked.ordinary), request.modularity)
    cheap = operations is not None and operations <= _EXACT_OPERATIONS
    if not asked.parent_only:
        cheap = cheap and _visits(asked, data) <= _MOST_VISITS and request.candidates is None
    if not cheap and request.modularity == "order-modular":
        raise ArgumentError(
            option("modularity"),
            " is 'order-modular', but values are missing, and chains over the DAGs of so many "
            "variables follow the modular posterior; leave it out, or give ",
            option("algorithm", "exact"),
            " or ",
            option("missing", "drop"),
        )
    return cheap


def _visits(asked: Question, data: IncompleteData) -> float:
    """Return how many rows, or as much work, scoring all families goes through."""
    each = data.rows if "discrete" in data.kinds.values() else _VISITS_OF_MOMENTS
    # A set of variables is counted once, for all families that it makes.
    return each * 2.0 * asked.number_of_families / max(1, len(asked.ordinary))


def _structure(request: Request, asked: Question, exact: bool) -> StructureStep:
    n = len(asked.variables)
    if exact:
        further = costs.exact_operations(len(asked.ordinary) + 1, "modular")
        paths = further is not None and len(asked.parent_only) * further <= _EXACT_OPERATIONS
        return ExactStructure(request.modularity, request.threads, request.deadline, paths)
    steps = _STEPS_PER_VARIABLE * n
    longer = _TIMES_LONGER * steps if request.steps is None else request.steps
    return ChainStructure(min(steps, longer), longer, request.threads, request.deadline)


def _parents(request: Request, asked: Question, few_families: bool) -> Parents:
    """Return the parent sets: all where they are few, or those of candidates."""
    method: Any = request.candidates
    if method is None:
        all_of_them = few_families or asked.number_of_families <= _MOST_FAMILIES
        method = "all" if all_of_them else "grow"
    found = choose_parents(
        asked,
        method,
        plus_one=False if isinstance(method, str) and method == "all" else request.plus_one,
        max_candidates=min(request.max_candidates, _MOST_CANDIDATES),
        seed=request.seed,
        deadline=request.deadline.part(_SHARE_OF_CHOICES),
        threads=request.threads,
        progress=request.progress,
    )
    if found.growth is None or request.plus_one:
        return found
    question = found.growth.model.question
    if question.number_of_families <= _MOST_FAMILIES_PLUS_ONE:
        return found
    fewer = replace(question, plus_one=False)
    words = (
        f"{found.sentences[0]} For every completed table, the "
        f"{fewer.number_of_families:,} without a further parent are considered.",
        *found.sentences[1:],
    )
    return Parents(fewer, "grown", words, found.growth)


def _fingerprint(
    data: IncompleteData, question: Question, exact: bool, settings: ImputationSettings
) -> str:
    """Return what tables depend on, as one number: a run that differs in it begins anew."""
    families = question.families
    about = (
        data.fingerprint,
        question.score,
        question.prior,
        families.candidates,
        families.required,
        families.outside,
        families.max_free,
        exact,
        settings,
    )
    return hashlib.sha256(repr(about).encode()).hexdigest()


def _resumed(request: Request, wanted: dict[str, Any]) -> Posterior | None:
    """Return the result in the directory, if there is one of the same request."""
    if request.directory is None:
        return None
    path = Path(request.directory)
    plan = Plan.read(path)
    begun = (path / RESULT).exists() or (path / FILE).exists()
    if plan is None or not begun:
        return None
    plan.refuse_other(wanted, path)
    return resume(path) if (path / RESULT).exists() else None


def _plan(
    request: Request,
    data: IncompleteData,
    chosen: Question,
    how: tuple[str, ...],
    parents: Parents,
    exact: bool,
    settings: ImputationSettings,
    wanted: dict[str, Any],
    score_by_user: bool,
) -> Plan:
    about = data_sentences(replace(chosen, data=data.table), score_by_user=score_by_user)
    return Plan(
        (*about, *how, *parents.sentences, *request.deadline.cuts),
        ", each with its exact posterior" if exact else "",
        Choices(
            score=repr(chosen.score),
            prior=repr(chosen.prior),
            modularity=request.modularity,
            parents=parents.how,
            families=chosen.number_of_families,
            algorithm=Algorithm.IMPUTATION,
            exact_operations=costs.exact_operations(len(chosen.ordinary), request.modularity),
            exact_limit=_EXACT_OPERATIONS,
            arguments={
                "completions": settings.completions,
                "chains": settings.chains,
                "dags": settings.dags,
            },
            seed=request.seed,
        ),
        plain(wanted),
    )
