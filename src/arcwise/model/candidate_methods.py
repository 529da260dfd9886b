"""The methods of choosing candidate parents: by score gains, greedily, and by the PC algorithm.

`FamilyWeigher` computes the log weights of arbitrary families for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.data.table import IndicatorBlocks
from arcwise.errors import ArgumentError, DataError, TimeIsUpError
from arcwise.families.families import parent_matrix, parent_names
from arcwise.model.model import Model
from arcwise.model.question import Question
from arcwise.priors import PriorTerms
from arcwise.scores import FamilyScores, LocalScore
from arcwise.scores.base import IndependenceTest, usual_test
from arcwise.support.checks import MOST_INT, one_of, open_fraction, whole_number
from arcwise.support.running import Stage
from arcwise.support.settings import Settings, setting

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
