"""`score`: the scores of all families, and an estimate of the time that they take."""

from __future__ import annotations

import math
import time
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.engines import opened_engine
from arcwise.errors import ArgumentError
from arcwise.families.families import (
    MOST_FAMILIES,
    SYNONYMS,
    ConstraintArguments,
    Families,
    subsets,
)
from arcwise.model.question import Definition, Question
from arcwise.scores import FamilyScores, FunctionScore
from arcwise.support.devices import Choice, Processors, as_device
from arcwise.support.running import Run, Stage, TimedRun
from arcwise.support.settings import keywords_of


@dataclass(frozen=True, kw_only=True)
class ScoringRun(TimedRun):
    """Where families are scored; `score` describes it."""

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
        names suffices. From precomputed scores, those of allowed families are selected.
    score
        A score such as ``BDeu(equivalent_sample_size=10)``, a name such as
        ``"bge"``, or a function of a node and its parents. None chooses `BDeu`
        for discrete data, `BGe` for continuous and `ConditionalGaussian` for mixed ones.
    candidates, plus_one
        See `Families.of`.
    engine
        Where families are scored: None for threads of this process, or a cluster; see `mcmc`.
    device
        ``"gpu"`` to score on a graphics processor, ``"auto"`` to use one if it is available and
        faster; None for the processors. It supports `BDeu` and `BGe`, with row weights only if
        they are integers or the score is `BGe`. Scores agree with those of processors to 1e-9,
        not to the last bit.
    seconds
        The time limit: a number, or a `Deadline` that this call shares with others. If it does
        not suffice, a `TimeIsUpError` is raised.
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
    """Return the scores of all families of a question, and save them in a file if one is given."""
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
    if not isinstance(job.score, FunctionScore):  # the values of functions are already checked
        for node, name in enumerate(question.variables):
            largest = table.values(node).max()
            if not largest < np.inf:  # the maximum is nan if any value is
                raise ArgumentError(
                    f"the score {type(job.score).__name__} returned {largest} for a family of "
                    f"{name!r}; it must return log likelihoods, finite or -inf"
                )
    question.condition(table)
    return FamilyScores(question.variables, table)


_WORTH_KEEPING = 10.0  # seconds of scoring


def _worth_keeping(question: Question, threads: int | None) -> bool:
    """Return whether scoring takes long enough to save the scores as they are computed."""
    # Another process cannot recognise a function.
    if isinstance(question.score, FunctionScore):
        return False
    return scoring_seconds(question, threads) >= _WORTH_KEEPING


_QUICK = 10**8  # families times rows, whose scoring always takes well below a second
_LONG_ENOUGH = 0.03  # seconds of a reliable timing
_TIMINGS = 2
_FAMILIES_TIMED = 2**10  # at most, of a node
_ROWS_TIMED = 2**15
_SECONDS_PER_DIFFERENCE = 5e-8  # for a family score as a difference of two scores of sets
Nodes = tuple[int, ...]


def scoring_seconds(question: Question, threads: int | None = None) -> float:
    """Return an estimate of the seconds to score all families of a question, from a timed part."""
    total = question.number_of_families
    table = question.table
    rows = 1 if table is None else table.rows
    if question.precomputed is not None or total * rows <= _QUICK:
        return 0.0
    each, base = _timed(_on_fewer_rows(question))
    if table is not None and rows > _ROWS_TIMED:
        base *= rows / _ROWS_TIMED
        # Products of columns are summed only once, however many families use them.
        assert question.score is not None
        each *= rows / _ROWS_TIMED if question.score.visits_rows(table) else 1.0
    cores = Processors.available(threads).threads
    work = scoring_work(question)
    if work > total:  # each node has its own sets, which one core scores
        return base + work * each / min(cores, len(question.variables))
    return base + (work * each + total * _SECONDS_PER_DIFFERENCE) / cores


def scoring_work(question: Question) -> int:
    """Return the number of sets or families that are evaluated to score all families."""
    total = question.families.total
    # The core may be unable to count more families than can be scored.
    return question.scoring.plan.work if total <= MOST_FAMILIES else 2 * total


def _on_fewer_rows(question: Question) -> Question:
    table = question.table
    if table is None or table.rows <= _ROWS_TIMED:
        return question
    rows = np.linspace(0, table.rows - 1, _ROWS_TIMED).astype(np.int64)
    return replace(question, data=table.take_rows(rows))


def _timed(question: Question) -> tuple[float, float]:
    """Return the seconds per unit of work, and the fixed cost, timing more nodes if necessary."""
    n = len(question.variables)
    _, base = _seconds(question, [])
    nodes = 1
    while True:
        spread = [node * n // nodes for node in range(nodes)]
        work, seconds = _seconds(question, spread)
        if seconds - base >= _LONG_ENOUGH or nodes == n:
            return max(0.0, seconds - base) / work, base
        nodes = min(n, 4 * nodes)


def _seconds(question: Question, nodes: list[int]) -> tuple[int, float]:
    """Return the work and the processor time of scoring some families of some nodes."""
    families = question.families
    timed = set(nodes)
    rules = [
        _fewer_families(families, node) if node in timed else ((), (), 0, ())
        for node in range(len(question.variables))
    ]
    candidates, required, most, outside = zip(*rules, strict=True)
    some = Families(families.variables, candidates, required, most, outside)
    fastest = float("inf")
    for _ in range(_TIMINGS):
        # Processor time, because elapsed time depends on what else is running.
        job = replace(question.scoring, families=some)  # a new job has nothing cached
        began = time.process_time()
        job.fill(some.table(), Stage(Processors(1)))
        fastest = min(fastest, time.process_time() - began)
        if fastest > _LONG_ENOUGH:
            break
    return job.plan.work, fastest


def _fewer_families(families: Families, node: int) -> tuple[Nodes, Nodes, int, Nodes]:
    """Return the candidates, required parents, maximum and outside parents of fewer families.

    The parent sets are about as large as most of the node: some candidates are made required.
    """
    inside, largest = families.candidates[node], families.max_free[node]
    outside = families.outside[node]
    if largest < len(inside):
        most = 1
        while most < largest and subsets(len(inside), most + 1) < _FAMILIES_TIMED:
            most += 1
        fixed = max(0, largest - most - bool(outside))
        free = inside[fixed:]
    else:
        count = min(len(inside), max(0, int(math.log2(_FAMILIES_TIMED / (1 + len(outside))))))
        fixed = (len(inside) - count) // 2
        free, most = inside[fixed : fixed + count], count + bool(outside)
    required = tuple(sorted([*families.required[node], *inside[:fixed]]))
    return free, required, most, outside
