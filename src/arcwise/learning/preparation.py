"""`prepare`: chooses the parent sets and scores them, within the time there is."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise.errors import TimeIsUpError
from arcwise.learning.choices import AlgorithmChoice, candidate_method
from arcwise.learning.forecast import say_preparation
from arcwise.learning.parents import Parents, choose_parents
from arcwise.learning.request import Request
from arcwise.model import Model, Question
from arcwise.records.algorithm import Algorithm

_SHARE_OF_SCORING = 0.5  # of the time left, for all parent sets


@dataclass(frozen=True)
class Prepared:
    """What an algorithm needs before it can run.

    Parameters
    ----------
    choice
        The algorithm.
    parents
        The parent sets.
    model
        The model on them.
    """

    choice: AlgorithmChoice
    parents: Parents
    model: Model


def prepare(request: Request, asked: Model | Question, choice: AlgorithmChoice) -> Prepared:
    """Return the parent sets and the model, and the algorithm that they leave possible.

    If scoring all parent sets takes longer than expected, candidates are grown, for chains.

    Parameters
    ----------
    request
        What is asked about the run.
    asked
        What is asked about the data.
    choice
        The algorithm chosen.
    """
    method = candidate_method(request, asked, choice.algorithm)
    say_preparation(request, asked, choice, method)
    parents = _parents(request, asked, method)
    deadline = request.deadline
    if parents.how == "all" and request.candidates is None and deadline.limited:
        try:
            model = Model(
                parents.asked,
                engine=request.engine,
                seconds=deadline.part(_SHARE_OF_SCORING),
                threads=request.threads,
                progress=request.progress,
            )
            return Prepared(choice, parents, model)
        except TimeIsUpError:
            if request.algorithm is None:
                why = ", because scoring all parent sets took too long"
                choice = AlgorithmChoice(Algorithm.MCMC, why)
            parents = _parents(request, asked, "grow")
    model = parents.model(
        engine=request.engine,
        deadline=deadline,
        threads=request.threads,
        progress=request.progress,
    )
    return Prepared(choice, parents, model)


def _parents(request: Request, asked: Model | Question, method: object) -> Parents:
    plus_one = request.plus_one
    if isinstance(asked, Question):
        # If every node is a candidate, there is no further parent to allow.
        among = asked.precomputed is None and not (isinstance(method, str) and method == "all")
        plus_one = among and plus_one is not False
    return choose_parents(
        asked,
        method,
        plus_one=plus_one,
        max_candidates=request.max_candidates,
        seed=request.seed,
        deadline=request.deadline,
        threads=request.threads,
        progress=request.progress,
    )
