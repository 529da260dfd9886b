"""`candidates`: chooses candidate parents by independence tests or by the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.candidates.coerce import DEFAULT_SIZE, read_methods, read_sizes
from arcwise.candidates.family_weigher import FamilyWeigher
from arcwise.candidates.gains import gains
from arcwise.candidates.greedy import By, greedy
from arcwise.candidates.pc import pc
from arcwise.candidates.result import Candidates
from arcwise.constraints import gather, takes_constraints
from arcwise.errors import ArgumentError
from arcwise.families.families import candidate_matrix
from arcwise.model import Definition, ask
from arcwise.scores.base import IndependenceTest
from arcwise.support.checks import MOST_INT, open_fraction, whole_number
from arcwise.support.clock import Deadline, shared_clock
from arcwise.support.running import Stage, running
from arcwise.support.words import quoted, shown


@takes_constraints
def candidates(
    data: Any,
    method: Any = "greedy",
    *,
    size: int | Mapping[str, int] | None = None,
    score: Any = None,
    prior: Any = None,
    alpha: float = 0.05,
    max_conditioning: int | None = None,
    test: IndependenceTest | None = None,
    by: Literal["sum", "best"] = "sum",
    seconds: float | Deadline | None = None,
    threads: int | None = None,
    **constraints: Any,
) -> Candidates:
    """Choose candidate parents: for each node, the few others worth considering as its parents.

    The default method covers most of the exact posterior for its number of candidates and
    needs scores only; for observational data, ``"pc+greedy"`` adds a few candidates and
    covers more (see benchmarks/results/candidates.md).

    Required edges are always included and do not count towards `size`; forbidden ones
    never are. The result does not depend on the number of threads, nor, except for ties,
    which go to the variable that comes first, on the order of the variables.

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
    **constraints
        Which families are allowed: `max_indegree`, which bounds those considered,
        `required_edges`, `forbidden_edges`, `tiers`, `constraints`; see
        `ConstraintArguments`.

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
    _refuse(alpha, max_conditioning, test, by)
    with shared_clock(seconds) as deadline:
        definition = Definition(score, prior=prior, constraints=gather(constraints))
        weigher = FamilyWeigher.of(ask(data, definition))
        sizes = read_sizes(size, weigher.variables)
        with running(threads, None, "Choosing candidates", deadline) as run:
            if isinstance(method, str):
                matrix = np.zeros_like(weigher.allowed)
                for name, own_size in read_methods(method):
                    own = sizes if own_size is None else [own_size] * len(sizes)
                    matrix |= _choose(name, weigher, own, alpha, max_conditioning, test, by, run)
            else:
                matrix = candidate_matrix(method, weigher.variables, "method")
    kept = (matrix & weigher.allowed) | weigher.required
    return Candidates.from_matrix(weigher.variables, kept)


def _choose(
    name: str,
    weigher: FamilyWeigher,
    sizes: Sequence[int | None],
    alpha: float,
    max_conditioning: int | None,
    test: IndependenceTest | None,
    by: By,
    run: Stage,
) -> NDArray[np.bool_]:
    if name == "pc":
        return pc(weigher, sizes, alpha, max_conditioning, test, run)
    numbers = [DEFAULT_SIZE if size is None else size for size in sizes]
    if name == "gains":
        return gains(weigher, numbers, run)
    return greedy(weigher, numbers, by, run)


def _refuse(alpha: Any, max_conditioning: Any, test: Any, by: Any) -> None:
    open_fraction(alpha, "alpha")
    if max_conditioning is not None:
        whole_number(max_conditioning, "max_conditioning", at_least=0, at_most=MOST_INT)
    if test is not None and not (isinstance(test, str) and test in get_args(IndependenceTest)):
        raise ArgumentError(
            f"test is {shown(test)}; give one of {quoted(get_args(IndependenceTest))}, or None"
        )
    if not isinstance(by, str) or by not in get_args(By):
        raise ArgumentError(f"by is {shown(by)}; give 'sum' or 'best'")
