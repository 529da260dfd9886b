"""The choice of the parent sets, and their scoring within the available time.

These are all parent sets, or those among candidate parents that are given, chosen or grown.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from arcwise.algorithms.growth import grow
from arcwise.algorithms.growth_state import model_within
from arcwise.errors import InterruptedWarning, TimeIsUpError
from arcwise.learning import costs
from arcwise.learning.run_time import say_preparation
from arcwise.learning.study import GROWTH, SCORES, Study
from arcwise.model import Definition, Model, Question, model_of
from arcwise.model.candidates import Candidates
from arcwise.model.candidates import candidates as choose_candidates
from arcwise.records.budget import Algorithm
from arcwise.support.clock import Deadline
from arcwise.support.devices import where_worthwhile
from arcwise.support.words import quoted, rounded

_SHARE_OF_CANDIDATES = 0.6  # of the remaining time, for the choice of candidates
_SHARE_OF_SCORING = 0.5  # of the remaining time, for all parent sets


def choose_parents(study: Study) -> Study:
    """Choose and score the parent sets; with missing values, they are scored for each completion.

    If scoring all parent sets takes too long for exact computation, or longer than expected,
    chains run on the parent sets of candidates.
    """
    if study.incomplete is not None:
        return _for_completed_tables(study)
    by_default = study.request.algorithm is None
    if study.algorithm is Algorithm.EXACT and by_default and not _scoring_fits(study):
        why = ", because scoring all parent sets, for exact computation, would take too long"
        study = replace(study, algorithm=Algorithm.MCMC, reason=why)
    method = _method(study)
    say_preparation(study, method)
    deadline = costs.before_sampling(study.run.deadline, len(study.asked.variables))
    chosen = with_parents(study, method, plus_one=_one_more(study, method), deadline=deadline)
    if chosen.parents == "all" and study.request.candidates is None and deadline.limited:
        try:
            return scored(chosen, deadline.part(_SHARE_OF_SCORING), in_full=True)
        except TimeIsUpError:
            if by_default:
                why = ", because scoring all parent sets took too long"
                study = replace(study, algorithm=Algorithm.MCMC, reason=why)
            one_more = _one_more(study, "grow")
            chosen = with_parents(study, "grow", plus_one=one_more, deadline=deadline)
    return scored(chosen, deadline)


def with_parents(
    study: Study,
    method: Any,
    *,
    plus_one: bool | None,
    deadline: Deadline,
    keep_interrupted: bool = False,
) -> Study:
    """Return the study with the parent sets that a method chooses."""
    asked = study.asked
    if isinstance(asked, Model):
        Definition(candidates=method, plus_one=bool(plus_one)).refuse_beside("a model")
        return study
    if method is None:
        return study
    if isinstance(method, str) and method == "all":
        every = replace(asked, plus_one=bool(plus_one))
        words = f"All {every.number_of_families:,} allowed parent sets are considered."
        return replace(study, asked=every, parents="all").saying(words)
    if isinstance(method, str) and method.partition(":")[0] == "grow":
        start = method.partition(":")[2] or start_of_growth(asked)
        return _grown(study, asked, start, deadline, keep_interrupted)
    given, how = method, "Candidate parents were given"
    if isinstance(method, str):
        seconds = deadline.part(_SHARE_OF_CANDIDATES)
        given = choose_candidates(asked, method, seconds=seconds, threads=study.run.threads)
        how = f"Candidate parents were chosen by {method!r}"
    among = replace(asked, candidates=given, plus_one=bool(plus_one))
    if asked.precomputed is not None:
        return replace(study, asked=among)
    sizes = f", {_sizes(given)}" if isinstance(given, Candidates) else ""
    words = f"{how}{sizes}{_and_one_more(among)}: {_count(among.number_of_families)} parent sets."
    return replace(study, asked=among, parents="candidates").saying(words)


def scored(study: Study, deadline: Deadline, *, in_full: bool = False) -> Study:
    """Return the study with the model on its parent sets, or on fewer if the time is too short.

    A graphics processor, if it is the device, scores the parent sets if that is worthwhile.
    """
    asked = study.asked
    if isinstance(asked, Model):
        return study
    device = where_worthwhile(study.run.device)
    run, file = replace(study.run, seconds=deadline, device=device), study.file(SCORES)
    if in_full:
        return replace(study, asked=model_of(asked, run, file))
    return replace(study, asked=model_within(asked, None, run, file))


def start_of_growth(question: Question) -> str:
    """Return the default method whose candidates growth starts from."""
    # The tests of the PC algorithm assume that every row is observational.
    return "greedy:4" if question.has_interventions or question.table is None else "pc"


def _scoring_fits(study: Study) -> bool:
    """Return whether all families can be scored in a minute, or in half of the available time."""
    asked, run = study.asked, study.run
    if isinstance(asked, Model):
        return True
    return costs.scoring_fits(asked, run.deadline, run.threads)


def _method(study: Study) -> Any:
    """Return the candidates or the method requested, or the default method."""
    asked, given = study.asked, study.request.candidates
    if given is not None or isinstance(asked, Model) or asked.precomputed is not None:
        return given
    if study.algorithm is Algorithm.EXACT:
        return "all"
    fit = costs.all_families_fit(asked.number_of_families) and _scoring_fits(study)
    return "all" if fit else "grow"


def _one_more(study: Study, method: Any) -> bool | None:
    """Return whether a parent set may have one parent that is not a candidate: yes by default."""
    plus_one = study.request.plus_one
    if isinstance(study.asked, Model):
        return plus_one
    # If every node is a candidate, there is no further parent to allow.
    among = study.asked.precomputed is None and not (isinstance(method, str) and method == "all")
    return among and plus_one is not False


def _for_completed_tables(study: Study) -> Study:
    """Choose parent sets that are few enough to be scored for every completed table."""
    request, asked = study.request, study.question
    assert study.incomplete is not None
    exact = study.algorithm is Algorithm.EXACT
    method = request.candidates
    if method is None:
        fit = costs.all_families_fit_each_table(asked, exact=exact)
        method = "all" if fit else "grow"
    every = isinstance(method, str) and method == "all"
    found = with_parents(
        study,
        method,
        plus_one=False if every else request.plus_one,
        deadline=study.run.deadline.part(costs.SHARE_OF_PARENTS_OF_TABLES),
    )
    # The rough completion by which they were chosen is not used again.
    question = replace(found.question, data=study.incomplete.table)
    if found.growth is None or request.plus_one or costs.further_parents_fit_each_table(question):
        return replace(found, asked=question)
    fewer = replace(question, plus_one=False)
    first, *rest = found.sentences[len(study.sentences) :]
    return replace(found, asked=fewer, sentences=study.sentences).saying(
        f"{first} For every completed table, the {fewer.number_of_families:,} without a further "
        "parent are considered.",
        *rest,
    )


def _grown(
    study: Study, asked: Question, start: str, deadline: Deadline, keep_interrupted: bool
) -> Study:
    """Return the study with candidates that are grown."""
    most, run = study.request.max_candidates, study.run
    if study.incomplete is not None:
        most = min(most, costs.MOST_CANDIDATES_OF_TABLES)
    with warnings.catch_warnings():
        if not keep_interrupted:
            warnings.simplefilter("ignore", InterruptedWarning)
        growth = grow(
            asked,
            start,
            max_size=most,
            seed=run.seed,
            seconds=deadline.part(_SHARE_OF_CANDIDATES),
            threads=run.threads,
            progress=run.progress,
            file=study.file(GROWTH),
        )
    if growth.best is not None and growth.best.interrupted and not keep_interrupted:
        raise KeyboardInterrupt  # nothing is known about the posterior yet
    words = [
        f"Candidate parents were grown from {start!r} in {len(growth.rounds)} rounds, to "
        f"{_sizes(growth.candidates)}{_and_one_more(growth.model.question)}: "
        f"{len(growth.model.scores):,} of {rounded(asked.number_of_families)} possible parent "
        "sets."
    ]
    if growth.full:
        words.append(
            f"{quoted(growth.full)} needed more candidates than the maximum; some true parents may "
            "be missing there."
        )
    return replace(study, asked=growth.model, parents="grown", growth=growth).saying(*words)


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else rounded(number)


def _sizes(chosen: Candidates) -> str:
    sizes = chosen.sizes().values()
    few, many = min(sizes), max(sizes)
    return f"{few if few == many else f'{few} to {many}'} for each variable"


def _and_one_more(question: Question) -> str:
    return ", and at most one other parent" if any(question.families.outside) else ""
