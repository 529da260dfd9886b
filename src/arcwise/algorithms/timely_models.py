"""Models that are scored in time: on fewer parent sets, where all would take too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcwise.candidates.family_weigher import FamilyWeigher
from arcwise.errors import TimeIsUpError
from arcwise.families.families import parent_matrix
from arcwise.model import Model, Question, model_of
from arcwise.model.scoring_time import scoring_seconds
from arcwise.support.running import Run
from arcwise.support.words import rounded

_SHARE = 0.5  # of the time left, for an attempt
_LEAST = 0.2  # of the time left to the whole computation


def model_within(
    question: Question, merits: NDArray[np.float64] | None, run: Run, file: Path | None = None
) -> Model:
    """Return the model of a question, or one on fewer parent sets if the time is too short.

    First the further parent besides the candidates is given up, then half of the candidates of
    the nodes that have most, and so on until there is none.

    Parameters
    ----------
    question
        The question, whose candidates are given or all others.
    merits
        The candidates of a node with the largest numbers [candidate, node] are kept longest;
        None for the weights of single parents.
    run
        What carries this out; half of the time left may be spent on scoring.
    file
        As for `Model`.
    """
    deadline = run.deadline
    if not deadline.limited:
        return model_of(question, run, file)
    for attempt in _smaller(question, merits, run):
        expected = scoring_seconds(attempt, run.threads)
        allowed = max(deadline.part(_SHARE), deadline.whole.part(_LEAST), key=lambda d: d.left)
        if expected <= allowed.left:
            # What takes a moment is not worth being given up.
            limit = allowed if expected > 0.0 else None
            try:
                model = model_of(attempt, replace(run, seconds=limit), file)
            except TimeIsUpError:
                continue
            if attempt is not question:
                deadline.cut(
                    f"To save time, {len(model.scores):,} parent sets were scored, of "
                    f"{rounded(question.number_of_families)}."
                )
            return model
    # Without candidates there is next to nothing to score.
    n = len(question.variables)
    none = replace(question, candidates=np.zeros((n, n), dtype=np.int64), plus_one=False)
    deadline.cut("There was no time to score any parents, so there are no edges.")
    return model_of(none, replace(run.aside, seconds=None))


def _smaller(
    question: Question, merits: NDArray[np.float64] | None, run: Run
) -> Iterator[Question]:
    """Yield the question, then the same with fewer and fewer families."""
    yield question
    if question.plus_one:
        yield replace(question, plus_one=False)
    size = max(len(parents) for parents in question.families.candidates) // 2
    if size > 0 and merits is None:
        merits = _single_parents(question, run.quiet.within(_SHARE))
    while size > 0:
        fewer = _at_most(question, merits, size)
        yield replace(question, candidates=fewer, plus_one=False)
        size //= 2


def _single_parents(question: Question, run: Run) -> NDArray[np.float64] | None:
    weigher = FamilyWeigher.of(replace(question, candidates=None, plus_one=False))
    try:
        with run.stage() as stage:
            return weigher.single_parents(stage)
    except TimeIsUpError:
        return None


def _at_most(
    question: Question, merits: NDArray[np.float64] | None, size: int
) -> NDArray[np.bool_]:
    """Return the candidates, but at most so many of each node, as a matrix."""
    kept = []
    for node, parents in enumerate(question.families.candidates):
        own = np.array(parents, dtype=np.int64)
        if merits is not None:
            own = own[np.argsort(-merits[own, node], kind="stable")]
        kept.append(own[:size])
    return parent_matrix(kept)
