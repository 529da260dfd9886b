"""The methods of choosing candidate parents: by score gains, greedily, and by the PC algorithm.

`FamilyWeigher` computes the log weights of arbitrary families for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.data.table import IndicatorBlocks
from arcwise.errors import ArgumentError, DataError, TimeIsUpError, UnknownNameError
from arcwise.families.families import (
    SYNONYMS,
    ConstraintArguments,
    candidate_matrix,
    parent_matrix,
    parent_names,
)
from arcwise.model.model import Model, ask
from arcwise.model.question import Definition, Question
from arcwise.priors import PriorTerms
from arcwise.scores import FamilyScores, LocalScore
from arcwise.scores.base import IndependenceTest, usual_test
from arcwise.support.checks import MOST_INT, one_of, open_fraction, whole_number
from arcwise.support.edges import edges_between
from arcwise.support.names import checked_variables, index_of, positions, quoted, shown
from arcwise.support.running import Deadline, Stage, TimedRun
from arcwise.support.settings import Settings, keywords_of, setting

__all__ = ["Candidates", "candidates"]


Table = _core.FamilyTable | _core.PlusOneTable
Fill = Callable[[Any, Stage], None]


class Joined(NamedTuple):
    """The families of a node with all required parents, one other and up to `most` candidates."""

    candidates: list[int]
    required: list[int]
    others: list[int]
    most: int


@dataclass(frozen=True, eq=False)
class FamilyWeigher:
    """The allowed and required edges, and the log weights of families."""

    variables: tuple[str, ...]
    data: Data | None  # None if there are only scores, as for `score`
    score: LocalScore | None
    allowed: NDArray[np.bool_]  # [parent, node], as `required`
    required: NDArray[np.bool_]
    max_indegree: NDArray[np.int64]  # for each node the maximum number of parents
    fill: Fill  # sets the values of a table to the scores of its families
    prior: PriorTerms

    @classmethod
    def of(cls, asked: Model | Question) -> FamilyWeigher:
        """Return the weigher for the families of a model or of a question."""
        if isinstance(asked, Model):
            return cls._of_model(asked)
        if asked.precomputed is not None:
            return cls._of_model(Model(asked))
        resolved = asked.constraints.resolve(asked.variables)
        return cls(
            asked.variables,
            asked.table,
            asked.score,
            resolved.allowed,
            resolved.required,
            resolved.max_indegree,
            asked.scoring.fill,
            asked.prior.terms(asked.variables),
        )

    @classmethod
    def _of_model(cls, model: Model) -> FamilyWeigher:
        """Return the weigher for a model, whose candidates are a bound on those chosen here."""
        table, nodes = model.scores.table, range(len(model.variables))
        required = parent_matrix([table.required(node) for node in nodes])
        allowed = parent_matrix([table.candidates(node) for node in nodes]) | required
        max_indegree = np.full(len(nodes), len(nodes) - 1, dtype=np.int64)
        for node in nodes:
            if not table.listed(node):
                max_indegree[node] = table.max_free(node) + len(table.required(node))
        fill: Fill = partial(_look_up, model.scores)
        if model.data is not None:
            fill = model.question.scoring.fill
        prior = model.prior_terms
        table_and_score = (model.data, model.score)
        return cls(model.variables, *table_and_score, allowed, required, max_indegree, fill, prior)

    def weigh(self, table: Table, run: Stage) -> None:
        """Set every value of the table to the log weight of its family: score plus log prior."""
        self.fill(table, run)
        if self.prior.functions or isinstance(table, _core.PlusOneTable):
            self._add_prior_by_family(table)
        else:
            table.add_prior(self.prior.constant, self.prior.size, self.prior.edge)

    def _add_prior_by_family(self, table: Table) -> None:
        terms = self.prior
        flat_prior = not (terms.size.any() or terms.edge.any() or terms.functions)
        for node in range(len(self.variables)):
            values = table.values(node)
            if flat_prior or not len(values):
                values += terms.constant[node]
                continue
            flat, offsets = table.parent_sets(node)
            bounds = offsets.astype(np.int64)
            sizes = bounds[1:] - bounds[:-1]
            values += terms.constant[node] + terms.size[node, sizes]
            which = np.repeat(np.arange(len(sizes)), sizes)
            values += np.bincount(which, terms.edge[flat, node], len(sizes))
            if terms.functions:
                named = parent_names(cast(_core.FamilyTable, table), node, self.variables)
                for family, parents in enumerate(named):
                    values[family] += terms.log_weight_by_functions(self.variables[node], parents)

    def weighed(self, some: Mapping[int, Joined], run: Stage) -> _core.PlusOneTable:
        """Return the log weights of families of some nodes."""
        nothing = Joined([], [], [], 0)
        nodes = [some.get(node, nothing) for node in range(len(self.variables))]
        table = _core.PlusOneTable(
            [each.candidates for each in nodes],
            [sorted(each.required) for each in nodes],
            [each.others for each in nodes],
            [each.most for each in nodes],
        )
        self.weigh(table, run)
        return table

    def free(self, node: int) -> list[int]:
        """Return the optional parents of a node, ascending."""
        return list(np.flatnonzero(self.allowed[:, node] & ~self.required[:, node]).tolist())

    def must(self, node: int) -> list[int]:
        """Return the required parents of a node, ascending."""
        return list(np.flatnonzero(self.required[:, node]).tolist())

    def single_parents(self, run: Stage) -> NDArray[np.float64]:
        """Return the log weights of families with a single parent besides the required ones."""
        run.deadline.check()
        n = len(self.variables)
        free = [self.free(node) for node in range(n)]
        some = {v: Joined([], self.must(v), free[v], 0) for v in range(n)}
        table = self.weighed(some, run)
        weights = np.full((n, n), -np.inf)
        for node in range(n):
            weights[free[node], node] = table.values(node)
        return weights

    def room(self, node: int) -> int:
        """Return the maximum number of optional parents of a node."""
        return int(self.max_indegree[node]) - len(self.must(node))


def _look_up(scores: FamilyScores, table: Table, run: Stage) -> None:
    """Look up precomputed scores; families without one have minus infinity."""
    for node in range(len(scores.variables)):
        values = table.values(node)
        flat, offsets = table.parent_sets(node)
        known = scores.table.values(node)
        members, bounds = flat.tolist(), offsets.tolist()
        for family in range(len(values)):
            place = scores.table.find(node, members[bounds[family] : bounds[family + 1]])
            values[family] = -np.inf if place < 0 else known[place]


PARTNERS = 100
"""Pairs are formed among this many parents of each node, those of the largest single gains."""


def gains(weigher: FamilyWeigher, sizes: Sequence[int], run: Stage) -> NDArray[np.bool_]:
    """Return a matrix [candidate, node] with the parents of largest gain for each node.

    The gain of u is the maximum of w(S + u) - w(S) over sets S of at most one other parent,
    where w is the log weight of a family. When the time is up, only gains with the empty S
    are used.
    """
    n = len(weigher.variables)
    free = [weigher.free(node) for node in range(n)]
    try:
        singles = _gains(weigher, free, 1, run)
    except TimeIsUpError:
        run.deadline.cut("Candidates by gains were left out, as the time was up.")
        return np.zeros((n, n), dtype=np.bool_)
    partners = [
        sorted(free[node][place] for place in _best(singles[node], PARTNERS)) for node in range(n)
    ]
    try:
        pairs = _gains(weigher, partners, 2, run)
    except TimeIsUpError:
        run.deadline.cut("Candidates by gains are those of single parents: the time was up.")
        pairs = [np.full(len(of_node), -np.inf) for of_node in partners]
    matrix = np.zeros((n, n), dtype=np.bool_)
    for node in range(n):
        total = singles[node]
        places = np.searchsorted(free[node], partners[node])
        total[places] = np.maximum(total[places], pairs[node])
        matrix[[free[node][place] for place in _best(total, sizes[node])], node] = True
    return matrix


def _gains(
    weigher: FamilyWeigher, parents: Sequence[Sequence[int]], most: int, run: Stage
) -> list[NDArray[np.float64]]:
    """Return the gain of each parent in families of at most this many parents."""
    n = len(weigher.variables)
    table = _core.FamilyTable(
        [list(of_node) for of_node in parents],
        [weigher.must(node) for node in range(n)],
        [min(most, max(0, weigher.room(node)), len(parents[node])) for node in range(n)],
    )
    weigher.weigh(table, run)
    return [_gains_of(table.values(node), table, node, len(parents[node])) for node in range(n)]


def _gains_of(
    values: NDArray[np.float64], table: _core.FamilyTable, node: int, count: int
) -> NDArray[np.float64]:
    """Return the gains for one node; families are ordered by their sets as bit masks."""
    most = table.max_free(node)
    if most == 0:
        return np.full(count, -np.inf)
    # The set {i} comes after all sets of smaller members, and before the pairs {i, j}, j < i.
    if most == 1:
        start = np.arange(1, count + 1)
    else:
        below = np.arange(count)
        start = 1 + below + below * (below - 1) // 2
    single = values[start]
    with np.errstate(invalid="ignore"):
        result: NDArray[np.float64] = _gain(single, values[0])
        if most == 1:
            return result
        for i in range(1, count):
            pair = values[start[i] + 1 : start[i] + 1 + i]
            result[i] = max(result[i], _gain(pair, single[:i]).max())
            result[:i] = np.maximum(result[:i], _gain(pair, single[i]))
    return result


def _gain(
    weights: NDArray[np.float64], without: NDArray[np.float64] | np.float64
) -> NDArray[np.float64]:
    """Return the difference of log weights; minus infinity for a family of weight 0."""
    return np.where(weights == -np.inf, -np.inf, weights - without)


def _best(merits: NDArray[np.float64], count: int) -> list[int]:
    """Return the positions of the largest finite values; ties go to the first."""
    order = np.argsort(-merits, kind="stable")[:count]
    return [int(place) for place in order if merits[place] > -np.inf]


By = Literal["sum", "best"]

OUTSIDE = 300
"""After the first step, only this many parents of each node are considered, the best singly."""

_MOST_VALUES = 2**24  # 128 MiB of families at a time


def greedy(weigher: FamilyWeigher, sizes: Sequence[int], by: By, run: Stage) -> NDArray[np.bool_]:
    """Return a matrix [candidate, node] with up to the given number of candidates per node.

    Given the candidates C so far, the next is the u whose families S + u, S a subset of C,
    have the largest maximum or sum; ties go to the first. Families without the latest
    candidate were computed in earlier steps, so each step computes only those with it.
    If there are very many parents, only the best single ones remain after the first step. When
    the time is up, the candidates chosen so far are returned.
    """
    n = len(weigher.variables)
    chosen: list[list[int]] = [[] for _ in range(n)]
    outside = [weigher.free(node) for node in range(n)]
    merits = [np.full(len(others), -np.inf) for others in outside]
    active = [
        node for node in range(n) if outside[node] and sizes[node] > 0 and weigher.room(node) > 0
    ]
    first = True
    while active:
        try:
            for block in _blocks(active, chosen, outside):
                for node, fresh in _weigh_new(weigher, block, chosen, outside, by, run).items():
                    together = np.maximum if by == "best" else np.logaddexp
                    merits[node] = together(merits[node], fresh)
        except TimeIsUpError:
            most = max(map(len, chosen))
            run.deadline.cut(f"Greedy candidates are {most} for each variable: the time was up.")
            break
        if first:
            first = False
            for node in active:
                kept = np.sort(np.argsort(-merits[node], kind="stable")[:OUTSIDE])
                outside[node] = [outside[node][place] for place in kept]
                merits[node] = merits[node][kept]
        still = []
        for node in active:
            place = int(np.argmax(merits[node]))
            if merits[node][place] == -np.inf:
                continue
            chosen[node].append(outside[node].pop(place))
            merits[node] = np.delete(merits[node], place)
            if outside[node] and len(chosen[node]) < sizes[node]:
                still.append(node)
        active = still
    return parent_matrix(chosen)


def _weigh_new(
    weigher: FamilyWeigher,
    nodes: Sequence[int],
    chosen: Sequence[Sequence[int]],
    outside: Sequence[Sequence[int]],
    by: By,
    run: Stage,
) -> dict[int, NDArray[np.float64]]:
    """Return for each outside parent the maximum or log sum of its new families."""
    asked: dict[int, Joined] = {}
    for node in nodes:
        known, last = list(chosen[node][:-1]), chosen[node][-1:]
        room = weigher.room(node) - len(last) - 1
        if room < 0:
            continue  # all families within the bound are known
        must = [*weigher.must(node), *last]
        asked[node] = Joined(known, must, list(outside[node]), min(room, len(known)))
    table = weigher.weighed(asked, run)
    return {
        node: _merit(table.values(node).reshape(-1, len(own.others)), by)
        for node, own in asked.items()
    }


def _merit(weights: NDArray[np.float64], by: By) -> NDArray[np.float64]:
    largest: NDArray[np.float64] = weights.max(axis=0)
    if by == "best" or not weights.size:
        return largest
    # In a column of minus infinities, subtracting the maximum would give NaN.
    shift = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        total: NDArray[np.float64] = shift + np.log(np.exp(weights - shift).sum(axis=0))
    return total


def _blocks(
    active: Sequence[int], chosen: Sequence[Sequence[int]], outside: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Split the nodes into blocks whose families fit into memory together."""
    blocks: list[list[int]] = [[]]
    room = _MOST_VALUES
    for node in active:
        values = len(outside[node]) << max(0, len(chosen[node]) - 1)
        if values > room and blocks[-1]:
            blocks.append([])
            room = _MOST_VALUES
        blocks[-1].append(node)
        room -= values
    return blocks


# Row visits, or equal work, beyond which a level of the algorithm is left out: several minutes.
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
    """Return a matrix [candidate, node] of neighbours in the skeleton of the PC algorithm.

    A pair with both directions forbidden is never adjacent, and one with a required edge
    always is. If a node has more neighbours than its size, those with the largest maximum
    p-value are left out. When the time is up, the skeleton found so far is returned, which
    contains all edges of the complete one.
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
    data: Data, possible: NDArray[np.bool_], fixed: NDArray[np.bool_], settings: Testing, run: Stage
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
    if found.conditioned < 0:  # an incomplete first level depends on the order of the variables
        return np.zeros_like(fixed), np.zeros(fixed.shape)
    return np.asarray(found.joined(), dtype=np.bool_), found.log_p()


def _tested(conditioned: int) -> str:
    if conditioned < 0:
        return "was left out"
    if conditioned == 0:
        return "tested pairs of variables given no others"
    others = "one other variable" if conditioned == 1 else f"up to {conditioned} other variables"
    return f"tested pairs of variables given {others}"


# --- Candidates -----------------------------------------------------------------------------------

# `Candidates`: the candidate parents of each node; `candidates` chooses them from data.


@dataclass(frozen=True, kw_only=True)
class Choosing(Testing):
    """How candidates are chosen; `candidates` describes it."""

    by: By = setting("sum", "", check=one_of(By))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
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
    are never included. The result does not depend on the number of threads, nor on the order
    of the variables, except that ties are resolved in favour of the first variable.

    Besides the arguments described here, it takes constraints, such as `max_indegree` and
    `required_edges`, which say which families are considered; see `ConstraintArguments`.

    Parameters
    ----------
    data
        A `Model`, whose score, prior and constraints are used; or anything
        `arcwise.read` takes, or precomputed `FamilyScores`.
    method
        ``"greedy"``: candidates are added one by one; the next is the one with the largest
        total weight of the families that it forms with those before it (or the best such family,
        see `by`). With more than 300 variables, only the 300 best single parents are
        considered after the first. ``"gains"``: those that add most to the log weight of a
        family with at most one other parent; with more than 100 variables, only the 100 best
        single parents are paired. ``"pc"``: the neighbours in the skeleton of the
        order-independent (stable) PC algorithm, whatever their number. Methods joined by
        ``+`` give the union of their candidates, and each may have its own size, as in
        ``"pc+greedy:6"``. Or known candidates, as edges in any form that `Constraints` takes, or
        a mapping from names to lists of names.
    size
        The number of candidates of a node besides the required ones: a number, or a
        mapping from names to numbers. None, and names omitted from a mapping, mean 8, and
        with ``"pc"`` all neighbours. It applies to each of several methods; known candidates
        are all kept.
    score, prior
        As for `Model`.
    alpha
        The significance level of the tests of ``"pc"``; the larger, the more
        neighbours.
    max_conditioning
        The size of the largest conditioning set of ``"pc"``; None for no bound, except that a
        level that would take many minutes is left out, with a `CutShortWarning`.
    test
        ``"fisher-z"`` of partial correlations, ``"g-squared"`` of contingency tables, or
        ``"degenerate-gaussian"``, a likelihood ratio of partial correlations in which a
        discrete variable is a block of indicators; None for the test that suits the score: for
        most scores, these three for continuous, discrete and mixed tables. Rows may have weights.
    by
        Whether ``"greedy"`` compares the sum of all families or the best family.
    seconds
        The time limit: a number, or a `Deadline` that this call shares with others. When it is
        reached, the candidates found so far are returned, with a `CutShortWarning`.
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
    name: str, weigher: FamilyWeigher, sizes: Sequence[int | None], settings: Choosing, run: Stage
) -> NDArray[np.bool_]:
    if name == "pc":
        return pc(weigher, sizes, settings, run)
    numbers = [DEFAULT_SIZE if size is None else size for size in sizes]
    if name == "gains":
        return gains(weigher, numbers, run)
    return greedy(weigher, numbers, settings.by, run)


DEFAULT_SIZE = 8
"""The default number of candidates of a node for `greedy` and `gains`."""
_PART = r"(pc|greedy|gains)(?::([0-9]{1,6}))?"


def is_method(text: str) -> bool:
    """Return whether a text names methods, rather than a file."""
    return re.fullmatch(rf"{_PART}(\+{_PART})*", text) is not None


def read_methods(text: str) -> list[tuple[str, int | None]]:
    """Return the methods and their sizes in ``"pc+greedy:6"``, None for a size not given."""
    if not is_method(text):
        raise ArgumentError(
            f"method is {shown(text)}; give 'pc', 'greedy', 'gains' or several joined by +, such "
            "as 'pc+greedy:6'"
        )
    parts = [part.partition(":") for part in text.split("+")]
    return [(name, int(size) if size else None) for name, _, size in parts]


def read_sizes(size: Any, variables: Sequence[str]) -> list[int | None]:
    """Return the size for each node, or None if it is not given."""
    if isinstance(size, Mapping):
        sizes: list[int | None] = [None] * len(variables)
        for node, (name, number) in zip(
            positions(size, variables, "size"), size.items(), strict=True
        ):
            sizes[node] = whole_number(number, f"size[{name!r}]", at_least=0)
        return sizes
    number = None if size is None else whole_number(size, "size", at_least=0)
    return [number] * len(variables)


class Candidates(Mapping[str, tuple[str, ...]]):
    """A mapping from each node to its candidate parents, both by name.

    It can be given as ``candidates=``, as in `Model` and `score`. ``first | second`` has
    the candidates of both.

    Parameters
    ----------
    variables
        The names of the nodes; their order is the order of every array.
    parents
        For each name its candidates. An omitted name has none.

    Examples
    --------
    >>> chosen = Candidates(["a", "b", "c"], {"c": ["b", "a"], "a": ["b"]})
    >>> chosen["c"]
    ('a', 'b')
    >>> chosen.sizes()
    {'a': 1, 'b': 0, 'c': 2}
    >>> chosen | Candidates(["a", "b", "c"], {"b": ["c"]})
    <Candidates: 3 variables, 1 to 2 candidates each, 4 in all>
    """

    __slots__ = ("_parents",)

    _parents: dict[str, tuple[str, ...]]

    def __init__(self, variables: Iterable[str], parents: Mapping[str, Iterable[str]]) -> None:
        names = checked_variables(variables)
        index = index_of(names)
        positions(parents, index, "parents")
        chosen: dict[str, tuple[str, ...]] = {}
        for name in names:
            of_node = parents.get(name, ())
            if isinstance(of_node, str):
                raise ArgumentError(
                    f"parents[{name!r}] is the single string {of_node!r}; "
                    "give a list of names instead"
                )
            places = sorted(set(positions(of_node, index, f"parents[{name!r}]")))
            if index[name] in places:
                raise ArgumentError(f"{name!r} is a candidate parent of itself; take it out")
            chosen[name] = tuple(names[place] for place in places)
        self._parents = chosen

    @classmethod
    def from_matrix(cls, variables: Iterable[str], matrix: ArrayLike) -> Candidates:
        """Build candidates from a matrix of 0 and 1 indexed [candidate, node], with diagonal 0.

        Examples
        --------
        >>> Candidates.from_matrix(["a", "b"], [[0, 1], [0, 0]])["b"]
        ('a',)
        """
        names = checked_variables(variables)
        edges = edges_between(names, matrix)
        chosen = {
            name: [names[place] for place in np.flatnonzero(edges[:, node])]
            for node, name in enumerate(names)
        }
        return cls(names, chosen)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return tuple(self._parents)

    def __getitem__(self, name: str) -> tuple[str, ...]:
        """Return the candidates of a node, in the order of the variables."""
        if not isinstance(name, str) or name not in self._parents:
            raise UnknownNameError(
                f"{shown(name)} has no candidates; the variables are {quoted(self._parents)}"
            )
        return self._parents[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the nodes."""
        return iter(self._parents)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self._parents)

    def sizes(self) -> dict[str, int]:
        """Return the number of candidates of each node."""
        return {name: len(parents) for name, parents in self._parents.items()}

    def matrix(self) -> NDArray[np.bool_]:
        """Return a new matrix with True at [candidate, node].

        Examples
        --------
        >>> Candidates(["a", "b"], {"b": ["a"]}).matrix()
        array([[False,  True],
               [False, False]])
        """
        index = index_of(self._parents)
        matrix = np.zeros((len(index),) * 2, dtype=np.bool_)
        for name, parents in self._parents.items():
            matrix[[index[parent] for parent in parents], index[name]] = True
        return matrix

    def __or__(self, other: object) -> Candidates:
        """Return the union of the candidates, in the variable order of the first."""
        if not isinstance(other, Candidates):
            return NotImplemented
        if set(other) != set(self):
            raise ArgumentError(
                "the candidates are for different variables; give both for the same ones"
            )
        return Candidates(self.variables, {name: (*self[name], *other[name]) for name in self})

    def __repr__(self) -> str:
        """Show the number of candidates."""
        sizes = self.sizes().values()
        each = f"{min(sizes)} to {max(sizes)}" if min(sizes) < max(sizes) else f"{max(sizes)}"
        return (
            f"<Candidates: {len(self)} variable{'s' if len(self) > 1 else ''}, "
            f"{each} candidates each, {sum(sizes)} in all>"
        )
