"""`candidates`: chooses candidate parents by independence tests or by the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.candidates.coerce import DEFAULT_SIZE, read_methods, read_sizes
from arcwise.candidates.family_weigher import FamilyWeigher
from arcwise.candidates.gains import gains
from arcwise.candidates.greedy import By, greedy
from arcwise.candidates.pc import Testing, pc
from arcwise.candidates.result import Candidates
from arcwise.constraints import ConstraintArguments
from arcwise.constraints.arguments import SYNONYMS
from arcwise.families.families import candidate_matrix
from arcwise.model import Definition, ask
from arcwise.support.checks import one_of
from arcwise.support.clock import Deadline
from arcwise.support.running import Stage, TimedRun
from arcwise.support.settings import keywords_of, setting


@dataclass(frozen=True, kw_only=True)
class Choosing(Testing):
    """How candidates are chosen; `candidates` describes it."""

    by: By = setting("sum", "", check=one_of(By))


@dataclass(frozen=True, kw_only=True)
class _Arguments(Choosing, ConstraintArguments):
    """The arguments of `candidates`."""

    data: Any = field(kw_only=False)
    method: Any = field(default="greedy", kw_only=False)
    size: int | Mapping[str, int] | None = None
    score: Any = None
    prior: Any = None
    seconds: float | Deadline | None = None
    threads: int | None = None


@keywords_of(_Arguments, other_words=SYNONYMS, described_by=(ConstraintArguments,))
def candidates(
    data: Any, method: Any, size: Any, definition: Definition, settings: Choosing, run: TimedRun
) -> Candidates:
    """Choose candidate parents: for each node, the few others worth considering as its parents.

    The default method covers most of the exact posterior for its number of candidates and
    needs scores only; for observational data, ``"pc+greedy"`` adds a few candidates and
    covers more (see benchmarks/results/candidates.md).

    Required edges are always included and do not count towards `size`; forbidden ones
    never are. The result does not depend on the number of threads, nor, except for ties,
    which go to the variable that comes first, on the order of the variables.

    Besides the arguments described here, it takes constraints, such as `max_indegree` and
    `required_edges`, which say which families are considered; see `ConstraintArguments`.

    Parameters
    ----------
    data
        A `Model`, whose score, prior and constraints are used; or anything
        `arcwise.read` takes, or precomputed `FamilyScores`.
    method
        ``"greedy"``: candidates are added one by one; the next is the one with the largest
        total weight of the families it forms with those before it (or the best such family,
        see `by`). With more than 300 variables, only the 300 best single parents are
        considered after the first. ``"gains"``: those that add most to the log weight of a
        family with no or one other parent; with more than 100 variables, only the 100 best
        single parents are paired. ``"pc"``: the neighbours in the skeleton of the
        order-independent (stable) PC algorithm, as many as are found. Methods joined by
        ``+`` are united, and each may have its own size, as in ``"pc+greedy:6"``. Or known
        candidates, as edges in any form `Constraints` takes, or a mapping from names to
        lists of names.
    size
        The number of candidates of a node besides the required ones: a number, or a
        mapping from names to numbers. None, and names left out of a mapping, stand for 8,
        and with ``"pc"`` for all neighbours. It applies to each of several methods; given
        candidates are not cut.
    score, prior
        As for `Model`.
    alpha
        The significance level of the tests of ``"pc"``; the larger, the more
        neighbours.
    max_conditioning
        The largest conditioning set of ``"pc"``; None for no bound but that a level which
        would take many minutes is left out, with a `CutShortWarning`.
    test
        ``"fisher-z"`` of partial correlations, ``"g-squared"`` of contingency tables, or
        ``"degenerate-gaussian"``, a likelihood ratio of partial correlations in which a
        discrete variable is a block of indicators; None for the one of the score: for most,
        these three for continuous, discrete and mixed tables. Rows may have weights.
    by
        Whether ``"greedy"`` goes by the sum of all families or by the best one.
    seconds
        If given, the choice ends after this time with the candidates found so far, and a
        `CutShortWarning`. Or a `Deadline` that this call shares with others.
    threads
        The number of threads; None for all cores.

    Returns
    -------
    Candidates
        For `Model`, `score` and other functions that take ``candidates=``.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 2000, seed=1)
    >>> arcwise.candidates(data, size=2)["either"]
    ('tub', 'lung')
    >>> chosen = arcwise.candidates(data, "pc+greedy:3")
    >>> len(arcwise.Model(data, candidates=chosen).scores) < 8 * 2**7
    True
    """
    with run.telling():
        weigher = FamilyWeigher.of(ask(data, definition))
        sizes = read_sizes(size, weigher.variables)
        with run.stage("Choosing candidates") as stage:
            if isinstance(method, str):
                matrix = np.zeros_like(weigher.allowed)
                for name, own_size in read_methods(method):
                    own = sizes if own_size is None else [own_size] * len(sizes)
                    matrix |= _choose(name, weigher, own, settings, stage)
            else:
                matrix = candidate_matrix(method, weigher.variables, "method")
    kept = (matrix & weigher.allowed) | weigher.required
    return Candidates.from_matrix(weigher.variables, kept)


def _choose(
    name: str,
    weigher: FamilyWeigher,
    sizes: Sequence[int | None],
    settings: Choosing,
    run: Stage,
) -> NDArray[np.bool_]:
    if name == "pc":
        return pc(weigher, sizes, settings, run)
    numbers = [DEFAULT_SIZE if size is None else size for size in sizes]
    if name == "gains":
        return gains(weigher, numbers, run)
    return greedy(weigher, numbers, settings.by, run)
