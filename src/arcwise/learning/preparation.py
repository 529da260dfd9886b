"""`prepare`: chooses the parent sets and scores them, within the time there is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arcwise.errors import TimeIsUpError
from arcwise.learning import costs
from arcwise.learning.choices import AlgorithmChoice, candidate_method
from arcwise.learning.forecast import say_preparation
from arcwise.learning.parents import Parents, choose_parents
from arcwise.learning.request import Request
from arcwise.learning.resume import GROWTH, SCORES
from arcwise.model import Model, Question
from arcwise.records.algorithm import Algorithm
from arcwise.support.clock import Deadline
from arcwise.support.devices import where_worthwhile

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
    deadline = costs.before_sampling(request.deadline, len(asked.variables))
    parents = _parents(request, asked, method, deadline)
    file = None if request.directory is None else Path(request.directory) / SCORES
    if parents.how == "all" and request.candidates is None and deadline.limited:
        try:
            model = Model(
                parents.asked,
                engine=request.engine,
                device=where_worthwhile(request.device),
                seconds=deadline.part(_SHARE_OF_SCORING),
                threads=request.threads,
                progress=request.progress,
                file=file,
            )
            return Prepared(choice, parents, model)
        except TimeIsUpError:
            if request.algorithm is None:
                why = ", because scoring all parent sets took too long"
                choice = AlgorithmChoice(Algorithm.MCMC, why)
            parents = _parents(request, asked, "grow", deadline)
    model = parents.model(
        engine=request.engine,
        device=request.device,
        deadline=deadline,
        threads=request.threads,
        progress=request.progress,
        file=file,
    )
    return Prepared(choice, parents, model)


def _parents(
    request: Request, asked: Model | Question, method: object, deadline: Deadline
) -> Parents:
    plus_one = request.plus_one
    if isinstance(asked, Question):
        # If every node is a candidate, there is no further parent to allow.
        among = asked.precomputed is None and not (isinstance(method, str) and method == "all")
        plus_one = among and plus_one is not False
    directory = None if request.directory is None else Path(request.directory)
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
    return choose_parents(
        asked,
        method,
        plus_one=plus_one,
        max_candidates=request.max_candidates,
        seed=request.seed,
        deadline=deadline,
        threads=request.threads,
        progress=request.progress,
        file=None if directory is None else directory / GROWTH,
    )
