"""`score`: from data to the scores of all families."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from arcwise.constraints import gather, takes_constraints
from arcwise.engines import opened_engine
from arcwise.errors import ArgumentError
from arcwise.model.question import Question
from arcwise.model.scoring_time import scoring_seconds
from arcwise.scores import FamilyScores, FunctionScore
from arcwise.support.clock import Deadline
from arcwise.support.devices import Choice, as_device
from arcwise.support.running import Progress, running

_WORTH_KEEPING = 10.0  # seconds of scoring


@takes_constraints
def score(
    data: Any,
    score: Any = None,
    *,
    candidates: Any = None,
    plus_one: bool = False,
    engine: Any = None,
    device: object = None,
    seconds: float | Deadline | None = None,
    threads: int | None = None,
    progress: Progress = None,
    **constraints: Any,
) -> FamilyScores:
    """Score every family that the constraints and candidates allow.

    Parameters
    ----------
    data
        Anything `arcwise.read` takes; with a function as the score, a list of variable
        names suffices. Of precomputed scores, those of allowed families are kept.
    score
        A score such as ``BDeu(equivalent_sample_size=10)``, a name such as
        ``"bge"``, or a function of a node and its parents. None chooses `BDeu`
        for discrete data, `BGe` for continuous and `ConditionalGaussian` for mixed ones.
    candidates, plus_one
        See `Families.of`.
    engine
        Where families are scored: None for threads of this process, or a cluster; see `mcmc`.
    device
        ``"gpu"`` to score on a graphics processor, ``"auto"`` where there is one and it is worth
        it; None for the processors. `BDeu` and `BGe` alone, and rows with weights only if these
        are whole numbers, or the score is `BGe`. Scores agree with those of processors to 1e-9,
        not to the last bit.
    seconds
        If given and not enough, a `TimeIsUpError` is raised; a number, or a `Deadline` that
        this call shares with others.
    threads
        The number of threads; None for all cores.
    progress
        True for a progress bar, or a function of the fraction done.
    **constraints
        Which families are allowed: `max_indegree`, `required_edges`, `forbidden_edges`,
        `tiers`, `constraints`; see `ConstraintArguments`.

    Returns
    -------
    FamilyScores
        Natural logarithms of the marginal likelihoods, without a structure prior.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 500, seed=1)
    >>> scores = arcwise.score(data, "bdeu", max_indegree=2)
    >>> scores.best("either", 1)[0][0]
    ('tub', 'lung')
    """
    rule = gather(constraints)
    question = Question.of(data, score, constraints=rule, candidates=candidates, plus_one=plus_one)
    return score_families(
        question,
        engine=engine,
        device=device,
        threads=threads,
        progress=progress,
        deadline=Deadline.of(seconds),
    )


def score_families(
    question: Question,
    *,
    engine: Any,
    threads: int | None,
    progress: Progress,
    deadline: Deadline,
    file: Path | None = None,
    device: object = None,
) -> FamilyScores:
    """Return the scores of all families of a question; `TimeIsUpError` if that takes too long."""
    if as_device(device) is not Choice.PROCESSORS:
        from arcwise.gpu.scoring import engine_on_device

        engine = engine_on_device(question, device, engine)
    if question.precomputed is not None:
        return question.restricted_scores()
    job = question.scoring
    with (
        opened_engine(engine) as active,
        running(threads, progress, "Scoring families", deadline) as run,
    ):
        keep = file is not None and _worth_keeping(question, threads)
        table = active.score(job, run, file if keep else None)
    if not isinstance(job.score, FunctionScore):  # whose values were checked one by one
        for node, name in enumerate(question.variables):
            largest = table.values(node).max()
            if not largest < np.inf:  # nan if any value is
                raise ArgumentError(
                    f"the score {type(job.score).__name__} returned {largest} for a family of "
                    f"{name!r}; it must return log likelihoods, finite or -inf"
                )
    question.condition(table)
    return FamilyScores(question.variables, table)


def _worth_keeping(question: Question, threads: int | None) -> bool:
    """Return whether scoring takes so long that the scores are kept as they are made."""
    # A function has no name by which another process could know it again.
    if isinstance(question.score, FunctionScore):
        return False
    return scoring_seconds(question, threads) >= _WORTH_KEEPING
