"""Scoring of families on a graphics processor: which scores, when it is worth it, and how."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.engines.engine import ScoringJob, Threads
from arcwise.families import Families
from arcwise.gpu import discrete_scores, gaussian_scores
from arcwise.gpu.choice import chosen_device
from arcwise.gpu.device import KernelDevice, refuse_beyond_device
from arcwise.gpu.set_walks import SetWalk, Target, Tell, walks_of_node
from arcwise.model.question import Question
from arcwise.model.scoring_time import scoring_work
from arcwise.scores import BDeu, BGe
from arcwise.scores.job import FamilyScoring
from arcwise.support.running import Stage

# Where no device is named: rows that are counted, and products of columns, from which on some
# seconds of sixteen cores are saved.
_FEWEST_ROWS_COUNTED = 10**11
_FEWEST_PRODUCTS = 10**10
_MOST_ROWS_COUNTED = 2.0**32 - 1


class _Scoring(Protocol):
    """The rows of a table on a device."""

    def score(
        self, targets: Sequence[Target], weights: NDArray[np.float64] | None, tell: Tell
    ) -> None:
        """Score all sets of some walks, on rows that count so often."""
        ...


class GpuScoring(Threads):
    """Scores families on a device; all else in the threads of this process.

    Parameters
    ----------
    device
        The device.
    """

    def __init__(self, device: KernelDevice) -> None:
        self._device = device

    def __repr__(self) -> str:
        """Show the device."""
        return f"GpuScoring({self._device.name!r})"

    def score(self, job: ScoringJob, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return the scores of families; no file keeps what takes seconds."""
        assert isinstance(job, FamilyScoring)
        assert isinstance(job.data, Data)
        run.deadline.check()
        needed = _needed_bytes(job)
        refuse_beyond_device(self._device, needed, "scoring", "fewer rows, or processors")
        table = job.families.table()
        if isinstance(job.score, BDeu):
            self._fill_discrete(job, table, run)
        else:
            # One elimination gives both determinants of a family, so that sets need no table.
            groups = _groups(job.data, job.families, table, range(len(table)))
            _score(self._gaussian(job), job.data, groups, run)
        return table

    def _gaussian(self, job: FamilyScoring) -> gaussian_scores.GaussianScoring:
        assert isinstance(job.score, BGe)
        assert isinstance(job.data, Data)
        values, prior = job.data.continuous_values("BGe"), job.score.normal_wishart(job.data)
        return gaussian_scores.GaussianScoring(self._device, job.data.variables, values, prior)

    def _fill_discrete(self, job: FamilyScoring, table: _core.FamilyTable, run: Stage) -> None:
        score, data, plan = job.score, job.data, job.plan
        assert isinstance(score, BDeu)
        assert isinstance(data, Data)
        assert isinstance(plan, _core.SetPlan)
        levels = [int(each) for each in data.level_counts()]
        size = float(score.equivalent_sample_size)
        codes = data.discrete_codes("BDeu")
        scoring = discrete_scores.DiscreteScoring(self._device, codes, levels, size)
        groups = _groups(data, job.families, table, plan.alone)
        if not plan.largest_set:
            return _score(scoring, data, groups, run)
        sets = SetWalk(None, tuple(range(len(table))), plan.largest_set)
        of_sets = np.empty(len(sets))
        groups[None] = [(sets, of_sets), *groups.get(None, [])]
        _score(scoring, data, groups, run)
        plan.take_differences(of_sets, table, run.threads)


Groups = dict[int | None, list[Target]]
"""What is scored, by the node whose interventions are left out; None where none are."""


def _groups(
    data: Data, families: Families, table: _core.FamilyTable, alone: Sequence[int]
) -> Groups:
    """Return the families of nodes that are scored alone, by the rows that they share."""
    groups: Groups = {}
    own = set(alone)
    for node in range(len(table)):
        inside, plus_one = walks_of_node(families, node)
        values = table.values(node)
        found = [(inside, values[: len(inside)])] if node in own else []
        if plus_one is not None:
            found.append((plus_one, values[len(inside) :]))
        if found:
            group = node if data.intervened is not None and data.intervened[:, node].any() else None
            groups.setdefault(group, []).extend(found)
    return groups


def _score(scoring: _Scoring, data: Data, groups: Groups, run: Stage) -> None:
    tell = _telling(run, sum(len(walk) for each in groups.values() for walk, _ in each))
    for node, targets in groups.items():
        weights = data.weights
        if node is not None:
            assert data.intervened is not None
            counted = ~data.intervened[:, node]
            weights = counted.astype(np.float64) if weights is None else weights * counted
        scoring.score(targets, weights, tell)


def _telling(run: Stage, total: int) -> Tell:
    done = 0

    def tell(count: int) -> None:
        nonlocal done
        done += count
        if run.progress is not None:
            run.progress(done / total)

    return tell


def _walks(families: Families) -> list[SetWalk]:
    both = (walks_of_node(families, node) for node in range(len(families.variables)))
    return [walk for each in both for walk in each if walk is not None]


def _needed_bytes(job: FamilyScoring) -> int:
    assert isinstance(job.data, Data)
    variables, rows = len(job.data.variables), job.data.rows
    if isinstance(job.score, BGe):
        return gaussian_scores.needed_bytes(variables, rows, job.families.total)
    levels = [int(each) for each in job.data.level_counts()]
    cells = max(walk.most_cells(levels) for walk in _walks(job.families))
    return discrete_scores.needed_bytes(variables, rows, cells)


def _refusal(question: Question, engine: Any) -> str | None:
    """Return why families cannot be scored on a device, as the end of a sentence, or None."""
    if engine is not None and type(engine) is not Threads:
        return "an engine was given as well; give one of them"
    if question.precomputed is not None:
        return "the scores are precomputed; leave it out"
    data, score = question.table, question.score
    # Not of a class derived from one of them, which may compute something else.
    if type(score) not in (BDeu, BGe) or data is None:
        name = type(score).__name__
        return f"{name} cannot be computed there; use BDeu or BGe, or leave it out"
    walks = _walks(question.families)
    if not isinstance(score, BDeu):
        return gaussian_scores.refusal(walks)
    weights = data.weights
    if weights is not None and not (weights == np.floor(weights)).all():
        return (
            "rows have weights that are not whole numbers, which cannot be counted there; leave "
            "it out"
        )
    if (data.rows if weights is None else weights.sum()) > _MOST_ROWS_COUNTED:
        return f"more than {_MOST_ROWS_COUNTED:,.0f} rows cannot be counted there; leave it out"
    data.discrete_codes("BDeu")  # refuses continuous columns first
    levels = [int(each) for each in data.level_counts()]
    return discrete_scores.refusal(walks, levels, float(score.equivalent_sample_size))


def _worthwhile(question: Question) -> bool:
    data = question.table
    if data is None:
        return False
    if isinstance(question.score, BGe):
        return data.rows * len(data.variables) ** 2 >= _FEWEST_PRODUCTS
    return data.rows * scoring_work(question) >= _FEWEST_ROWS_COUNTED


def engine_on_device(question: Question, device: object, engine: Any) -> Any:
    """Return the engine that scores the families: the one given, or that of a device.

    Parameters
    ----------
    question
        What is asked.
    device, engine
        As for `arcwise.score`.
    """
    refused = _refusal(question, engine)
    worthwhile = refused is None and _worthwhile(question)
    found = chosen_device(
        device,
        refusal=refused,
        worthwhile=worthwhile,
        needed=_needed_bytes(question.scoring) if worthwhile else 0,
    )
    return engine if found is None else GpuScoring(found)
