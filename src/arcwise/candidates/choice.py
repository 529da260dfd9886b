"""`candidates`: chooses candidate parents by tests, by the score, or takes given ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.candidates.coerce import DEFAULT_SIZE, read_methods, read_sizes
from arcwise.candidates.family_weigher import FamilyWeigher
from arcwise.candidates.gains import gains
from arcwise.candidates.greedy import By, greedy
from arcwise.candidates.pc import Test, pc
from arcwise.candidates.result import Candidates
from arcwise.constraints import ConstraintArguments, gather, takes_constraints
from arcwise.errors import ArgumentError
from arcwise.families.families import candidate_matrix
from arcwise.model import ask
from arcwise.support.checks import whole_number
from arcwise.support.running import Run, running


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
    test: Literal["fisher-z", "g-squared"] | None = None,
    by: Literal["sum", "best"] = "sum",
    threads: int | None = None,
    **constraints: Unpack[ConstraintArguments],
) -> Candidates:
    """Choose for each node the few others worth considering as its parents.

    The default is the method that covers most of the exact posterior for its
    number of candidates and needs no more than scores; ``"pc+greedy"`` adds a few
    candidates, and covers more, where there are data without interventions
    (benchmarks/README.md has the shares).

    Required edges are always among them and do not count for `size`; forbidden
    ones never are. Nothing depends on the number of threads, nor on the order of
    the variables but for ties, which go to the variable that comes first.

    Parameters
    ----------
    data
        A `Model`, whose score, prior and constraints are used; or anything
        `arcwise.read` takes, or precomputed `FamilyScores`.
    method
        ``"greedy"``: candidates are added one by one; the next is the one with
        the largest sum of families out of it and those before it (or the best
        one, see `by`); of more than 300 variables, only the 300 best on their own are
        considered after the first. ``"gains"``: those that add most to the log weight of no parent
        or of one; with more than 100 variables, only the 100 best single ones
        are paired. ``"pc"``: the neighbours in the skeleton of the PC
        algorithm in its order-independent form, which are not as many as
        wished but as many as are found. Several joined by ``+`` are united, and
        a part may have a size of its own, as in ``"pc+greedy:6"``. Or
        candidates known already, as edges in any form `Constraints` takes, or a
        mapping from names to lists of names.
    size
        How many candidates of a node, besides the required ones: a number, or a
        mapping from names to numbers. None, and names a mapping leaves out,
        stand for 8, and for all neighbours with ``"pc"``. Each of several
        methods gets as many; candidates that are given are not cut.
    score, prior
        As for `Model`.
    alpha
        The significance level of the tests of ``"pc"``; the larger, the more
        neighbours.
    max_conditioning
        The largest set ``"pc"`` conditions on; None for no bound.
    test
        ``"fisher-z"`` or ``"g-squared"``; None for the latter if all columns are
        discrete, else the former. Rows may have weights.
    by
        Whether ``"greedy"`` goes by the sum of all families or by the best one.
    threads
        The number of threads; None for all cores.
    **constraints
        Which families there are: `max_indegree`, which bounds those that are weighed,
        `required_edges`, `forbidden_edges`, `temporal_order`, `constraints`; see
        `ConstraintArguments`.

    Returns
    -------
    Candidates
        For `Model`, `score` and all else that takes ``candidates=``.

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
    weigher = FamilyWeigher.of(ask(data, score, prior=prior, constraints=gather(constraints)))
    _refuse(alpha, max_conditioning, test, by)
    sizes = read_sizes(size, weigher.variables)
    with running(threads, None, "Choosing candidates") as run:
        if isinstance(method, str):
            matrix = np.zeros_like(weigher.allowed)
            for name, own_size in read_methods(method):
                own = sizes if own_size is None else [own_size] * len(sizes)
                matrix |= _by(name, weigher, own, alpha, max_conditioning, test, by, run)
        else:
            matrix = candidate_matrix(method, weigher.variables, "method")
    kept = (matrix & weigher.allowed) | weigher.required
    return Candidates.from_matrix(weigher.variables, kept)


def _by(
    name: str,
    weigher: FamilyWeigher,
    sizes: Sequence[int | None],
    alpha: float,
    max_conditioning: int | None,
    test: Test | None,
    by: By,
    run: Run,
) -> NDArray[np.bool_]:
    if name == "pc":
        return pc(weigher, sizes, alpha, max_conditioning, test, run)
    numbers = [DEFAULT_SIZE if size is None else size for size in sizes]
    if name == "gains":
        return gains(weigher, numbers, run)
    return greedy(weigher, numbers, by, run)


def _refuse(alpha: Any, max_conditioning: Any, test: Any, by: Any) -> None:
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise ArgumentError(f"alpha is {alpha!r}; give a number between 0 and 1")
    if max_conditioning is not None:
        whole_number(max_conditioning, "max_conditioning", at_least=0)
    if test is not None and test not in get_args(Test):
        raise ArgumentError(f"test is {test!r}; give 'fisher-z', 'g-squared' or None")
    if by not in get_args(By):
        raise ArgumentError(f"by is {by!r}; give 'sum' or 'best'")
