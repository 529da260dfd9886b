"""Candidates by independence tests: the neighbours in the skeleton of the PC algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.candidates.family_weigher import FamilyWeigher
from arcwise.data import Data
from arcwise.data.indicators import IndicatorBlocks
from arcwise.errors import ArgumentError, DataError, TimeIsUpError
from arcwise.scores.base import IndependenceTest, usual_test
from arcwise.support.checks import MOST_INT, one_of, open_fraction, whole_number
from arcwise.support.running import Stage
from arcwise.support.settings import Settings, setting

# Visits to rows, or as much work, beyond which a level of the algorithm is left out: some minutes.
MOST_WORK = 2e11


@dataclass(frozen=True, kw_only=True)
class Testing(Settings):
    """The tests of the PC algorithm; `candidates` describes them."""

    alpha: float = setting(0.05, "", check=open_fraction)
    max_conditioning: int | None = setting(
        None, "", check=partial(whole_number, at_least=0, at_most=MOST_INT)
    )
    test: IndependenceTest | None = setting(None, "", check=one_of(IndependenceTest))


def pc(
    weigher: FamilyWeigher, sizes: Sequence[int | None], settings: Testing, run: Stage
) -> NDArray[np.bool_]:
    """Return a matrix [candidate, node] of neighbours, the most clearly dependent ones.

    A pair with both directions forbidden is never adjacent, one with a required edge
    always. If a node has more neighbours than its size, those with the largest maximum
    p-value are left out. When the time is up, the skeleton found so far is returned, which
    lacks no edge of the complete one.
    """
    data = weigher.data
    if data is None:
        raise ArgumentError(
            'the method "pc" needs data, but there are only scores; give the data, or use "greedy"'
        )
    if data.intervened is not None:
        raise DataError(
            'the method "pc" cannot use interventional data; use "greedy", or drop the rows with '
            "interventions"
        )
    either = weigher.allowed | weigher.allowed.T
    fixed = weigher.required | weigher.required.T
    if settings.test is None:
        score = weigher.score
        test = usual_test(data) if score is None else score.independence_test(data)
        settings = replace(settings, test=test)
    joined, log_p = _skeleton(data, either, fixed, settings, run)
    matrix = np.zeros_like(weigher.allowed)
    for node in range(len(weigher.variables)):
        free = weigher.allowed[:, node] & ~weigher.required[:, node] & joined[:, node]
        places = np.flatnonzero(free)
        order = np.argsort(log_p[places, node], kind="stable")
        matrix[places[order[: sizes[node]]], node] = True
    return matrix


def _skeleton(
    data: Data,
    possible: NDArray[np.bool_],
    fixed: NDArray[np.bool_],
    settings: Testing,
    run: Stage,
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    most, test = settings.max_conditioning, settings.test
    how = (
        data.weights,
        np.ascontiguousarray(possible, dtype=np.uint8),
        np.ascontiguousarray(fixed, dtype=np.uint8),
        settings.alpha,
        -1 if most is None else most,
        MOST_WORK,
        run.threads,
        run.quiet.progress,
    )
    found = _core.PcSkeleton()
    why = "larger sets would take too long"
    try:
        run.deadline.check()
        if test == "g-squared":
            codes = data.discrete_codes("the test g-squared")
            levels = [int(count) for count in data.level_counts()]
            _core.pc_skeleton_discrete(found, codes, levels, *how)
        elif test == "degenerate-gaussian":
            blocks = IndicatorBlocks.of(data)
            names = [data.variables[owner] for owner in blocks.owners]
            _core.pc_skeleton_blocks(found, blocks.values, names, list(blocks.starts), *how)
        else:
            values = data.continuous_values("the test fisher-z")
            _core.pc_skeleton_continuous(found, values, list(data.variables), *how)
    except TimeIsUpError:
        why = "the time was up"
    if not found.complete:
        run.deadline.cut(f"The PC algorithm {_tested(found.conditioned)}, as {why}.")
    if found.conditioned < 0:  # tested by nothing or in part, so that the order of variables counts
        return np.zeros_like(fixed), np.zeros(fixed.shape)
    return np.asarray(found.joined(), dtype=np.bool_), found.log_p()


def _tested(conditioned: int) -> str:
    if conditioned < 0:
        return "was left out"
    if conditioned == 0:
        return "tested pairs of variables given no others"
    others = "one other variable" if conditioned == 1 else f"up to {conditioned} other variables"
    return f"tested pairs of variables given {others}"
