"""`score`: from data to the scores of all families."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.constraints import ConstraintArguments
from arcwise.constraints.arguments import SYNONYMS
from arcwise.engines import opened_engine
from arcwise.errors import ArgumentError
from arcwise.model.question import Definition, Question
from arcwise.model.scoring_time import scoring_seconds
from arcwise.scores import FamilyScores, FunctionScore
from arcwise.support.devices import Choice, as_device
from arcwise.support.running import Run, TimedRun
from arcwise.support.settings import keywords_of

_WORTH_KEEPING = 10.0  # seconds of scoring


@dataclass(frozen=True, kw_only=True)
class ScoringRun(TimedRun):
    """What carries out the scoring of families; `score` describes it."""

    engine: Any = None
    device: object = None


@dataclass(frozen=True)
class _Arguments(ScoringRun, ConstraintArguments):
    """The arguments of `score`."""

    data: Any
    score: Any = None
    _: KW_ONLY
    candidates: Any = None
    plus_one: bool = False


@keywords_of(_Arguments, other_words=SYNONYMS, described_by=(ConstraintArguments,))
def score(data: Any, definition: Definition, run: Run) -> FamilyScores:
    """Score every family that the constraints and candidates allow.

    Besides the arguments described here, it takes constraints, such as `max_indegree` and
    `required_edges`, which say which families are allowed; see `ConstraintArguments`.

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
    return score_families(Question.of(data, definition), run)


def score_families(question: Question, run: Run, file: Path | None = None) -> FamilyScores:
    """Return the scores of all families of a question; `TimeIsUpError` if that takes too long."""
    engine = run.engine
    if as_device(run.device) is not Choice.PROCESSORS:
        from arcwise.gpu.scoring import engine_on_device

        engine = engine_on_device(question, run.device, engine)
    if question.precomputed is not None:
        return question.restricted_scores()
    job = question.scoring
    with opened_engine(engine) as active, run.stage("Scoring families") as stage:
        keep = file is not None and _worth_keeping(question, run.threads)
        table = active.score(job, stage, file if keep else None)
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
