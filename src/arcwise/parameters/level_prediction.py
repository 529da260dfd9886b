"""The joint probability of a discrete target and the known values of a row, under any law.

With the parameters of a DAG integrated out, the probability of a row is the product of the mean
conditional probabilities of its families. Families whose values are all known, except the target's,
are looked up for all DAGs and rows at once. Unknown values are summed over by variable elimination,
component by component. Two unknown variables are in one component if they share a family, or are
linked by such pairs; the target and known variables do not link. A component is computed once for
all DAGs with the same families there, and for all rows with the same unknown values. Unknown
variables that have neither the target nor a known variable as a descendant sum to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import CapacityError, option
from arcwise.laws import FamilyPosteriors
from arcwise.laws.tables import MAX_CELLS
from arcwise.parameters.new_rows import PartialRows
from arcwise.parameters.sampled import DagBits, SampledFamilies, members_of

Array = NDArray[np.float64]
Scope = tuple[int, ...]

Family = tuple[int, tuple[int, ...]]
Component = tuple[tuple[Family, ...], int]
"""Families that share unknown variables, and these variables as bits."""

# The most numbers held at one time: for some rows of all families or DAGs, and in one table.
_PIECE = 1 << 24
_CELLS = 1 << 21


def elimination_order(
    scopes: Sequence[Scope], levels: Sequence[int], kept: Scope
) -> tuple[list[int], int]:
    """Return an elimination order, and the number of cells of the largest table it needs.

    The order is greedy: the next variable is the first one with the smallest table.
    """
    left = [frozenset(scope) for scope in scopes]
    largest = max((math.prod(map(levels.__getitem__, scope)) for scope in left), default=1)
    order: list[int] = []
    # For each variable, the scope of the product of all tables that contain it.
    joined = {v: frozenset((v,)) for v in sorted(frozenset().union(*left) - frozenset(kept))}
    for scope in left:
        for v in scope & joined.keys():
            joined[v] |= scope
    cells = {v: math.prod(map(levels.__getitem__, scope)) for v, scope in joined.items()}
    while joined:
        chosen = min(joined, key=cells.__getitem__)
        largest = max(largest, cells[chosen])
        rest = joined.pop(chosen) - {chosen}
        for v in rest & joined.keys():
            joined[v] = (joined[v] | rest) - {chosen}
            cells[v] = math.prod(map(levels.__getitem__, joined[v]))
        order.append(chosen)
    return order, largest


def eliminate(factors: Sequence[tuple[Scope, Array]], order: Sequence[int], kept: Scope) -> Array:
    """Return the sum over the variables of `order` of the product of all tables.

    The first axis of each table holds draws or rows, of a common length or of length 1; the
    others are the variables of its scope. The result is [draw, *kept]; a kept variable
    that is in no table has an axis of length 1.
    """
    left = list(factors)
    for variable in order:
        touched = [factor for factor in left if variable in factor[0]]
        left = [factor for factor in left if variable not in factor[0]]
        members = {member for scope, _ in touched for member in scope} - {variable}
        scope = tuple(sorted(members))
        left.append((scope, _product(touched, (variable, *scope)).sum(axis=1)))
    return _product(left, kept)


def _product(factors: Sequence[tuple[Scope, Array]], scope: Scope) -> Array:
    """Return the product of tables, with the axes in the order of the scope."""
    result: Array | None = None
    for own, table in factors:
        factor = aligned(table, own, scope)
        result = factor if result is None else result * factor
    return np.ones((1,) * (1 + len(scope))) if result is None else result


def aligned(table: Array, own: Scope, scope: Scope) -> Array:
    """Return a table with the axes in the order of a scope, of length 1 for absent variables."""
    axes = [own.index(variable) for variable in scope if variable in own]
    lengths = iter(axes)
    shape = [table.shape[1 + next(lengths)] if v in own else 1 for v in scope]
    return table.transpose(0, *(1 + a for a in axes)).reshape(len(table), *shape)


def log_joint(
    families: SampledFamilies, posteriors: FamilyPosteriors, rows: PartialRows, target: int
) -> Array:
    """Return log P(target = level, known values of the row), as [row, level].

    DAGs are averaged by their weights. A continuous variable with an unknown value must have
    neither the target nor a known variable as a descendant.
    """
    places, which = families.distinct()
    shares = np.bincount(which, weights=families.shares, minlength=len(places))
    with np.errstate(divide="ignore"):
        log_shares = np.log(shares)
    levels = posteriors.levels[target]
    numbers = max(len(places), sum(map(len, families.parents))) * levels
    step = max(1, _PIECE // numbers)
    found = np.empty((len(rows), levels))
    for first in range(0, len(rows), step):
        piece = slice(first, first + step)
        block = _Block(families, posteriors, rows.take(piece).without(target), target)
        found[piece] = block.averaged(places, log_shares)
    return found


@dataclass(eq=False)
class _Block:
    """Some of the rows, with the terms that DAGs share."""

    families: SampledFamilies
    posteriors: FamilyPosteriors
    rows: PartialRows
    target: int

    def averaged(self, places: NDArray[np.int32], log_shares: Array) -> Array:
        """Return the log of the weighted average over DAGs, as [row, level]."""
        levels = self.posteriors.levels[self.target]
        total = np.zeros((len(places), len(self.rows), levels))
        total += log_shares[:, np.newaxis, np.newaxis]
        for node, parents in enumerate(self.families.parents):
            total += self._known_terms(node, parents)[places[:, node]]
        self._add_components(total)
        top = total.max(axis=(0, 2))
        top = np.where(np.isfinite(top), top, 0.0)
        total -= top[:, np.newaxis]
        with np.errstate(divide="ignore"):
            averaged: Array = np.log(np.exp(total, out=total).sum(axis=0)) + top[:, np.newaxis]
        return averaged

    def _known_terms(self, node: int, parents: tuple[tuple[int, ...], ...]) -> Array:
        """Return the log probabilities of a node given each parent set, as [set, row, level].

        They are 0 in rows in which a value is unknown or the node was intervened on. The last axis
        has length 1 if the target is in none of the families.
        """
        target, rows = self.target, self.rows
        levels = self.posteriors.levels[target]
        with_target = node == target or any(target in members for members in parents)
        terms = np.zeros((len(parents), len(rows), levels if with_target else 1))
        for place, members in enumerate(parents):
            family = (*members, node)
            others = [member for member in family if member != target]
            whole = np.flatnonzero(rows.known[:, others].all(axis=1) & ~rows.intervened[:, node])
            if len(whole) == 0:
                continue
            asked, posterior = rows.values[whole].T, self.posteriors.of(node, members)
            if target not in family:
                terms[place, whole] = posterior.log_mean(asked)[:, np.newaxis]
                continue
            for level in range(levels):
                asked[target] = level
                terms[place, whole, level] = posterior.log_mean(asked)
        return terms

    def _add_components(self, total: Array) -> None:
        """Add the terms of the unknown variables to the total, [DAG, row, level]."""
        numbers: dict[Component, int] = {}
        uses: list[list[NDArray[np.int64]]] = []
        of_pattern = []
        for known, intervened, rows in self.rows.patterns():
            if known.sum() + 1 == len(known):  # all but the target
                continue
            index = self._indices(known, intervened, self.families.bits, numbers)
            for number in np.unique(index[index >= 0]).tolist():
                while len(uses) <= number:
                    uses.append([])
                uses[number].append(rows)
            of_pattern.append((rows, index))
        logs = [
            self._eliminated(component, np.concatenate(rows))
            for component, rows in zip(numbers, uses, strict=True)
        ]
        places = [dict[int, int]() for _ in numbers]
        for number, rows_of in enumerate(uses):
            first = 0
            for rows in rows_of:
                places[number][int(rows[0])] = first
                first += len(rows)
        for rows, index in of_pattern:
            used = np.unique(index[index >= 0])
            stacked = np.zeros((len(used) + 1, len(rows), total.shape[2]))
            for row, number in enumerate(used.tolist()):
                first = places[number][int(rows[0])]
                stacked[row] = logs[number][first : first + len(rows)]
            new = np.searchsorted(used, index)
            new[index < 0] = len(used)
            for column in new.T:
                total[:, rows] += stacked[column]

    def _indices(
        self,
        known: NDArray[np.bool_],
        intervened: NDArray[np.bool_],
        dags: DagBits,
        numbers: dict[Component, int],
    ) -> NDArray[np.int64]:
        """Return the number of each component of each DAG, -1 for none, as [DAG, place]."""
        n = len(known)
        target = 1 << self.target
        seen = [node for node in range(n) if known[node] or node == self.target]
        unknown = ((1 << n) - 1) & ~sum(1 << node for node in seen)
        free = [not each for each in intervened.tolist()]
        found: list[list[int]] = []
        same: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for parents, ancestors in zip(dags.parents, dags.ancestors, strict=True):
            relevant = 0
            for node in seen:
                # The ancestors of a variable that was intervened on are irrelevant to it.
                relevant |= ancestors[node] if free[node] else 1 << node
            hidden = unknown & relevant
            touching = tuple(
                (node, parents[node])
                for node in range(n)
                if free[node] and (parents[node] | 1 << node) & hidden and relevant >> node & 1
            )
            if touching not in same:
                same[touching] = [
                    numbers.setdefault(component, len(numbers))
                    for component in _components(touching, hidden, target)
                ]
            found.append(same[touching])
        width = max(map(len, found))
        padded = [row + [-1] * (width - len(row)) for row in found]
        return np.array(padded, dtype=np.int64).reshape(len(found), width)

    def _eliminated(self, component: Component, rows: NDArray[np.int64]) -> Array:
        """Return the log of the sum over a component's unknown variables, as [row, level]."""
        members, hidden = component
        unknown = {*members_of(hidden), self.target}
        scopes = [tuple(v for v in (*parents, node) if v in unknown) for node, parents in members]
        levels, kept = self.posteriors.levels, (self.target,)
        order, largest = elimination_order(scopes, levels, kept)
        if largest > MAX_CELLS:
            raise CapacityError(
                f"to sum over unknown values needs a table of {largest} cells in one of the DAGs, "
                f"but at most {MAX_CELLS} are allowed; give more of the values, merge levels or "
                "lower ",
                option("max_indegree"),
            )
        found = np.empty((len(rows), levels[self.target]))
        step = max(1, _CELLS // largest)
        for first in range(0, len(rows), step):
            values = self.rows.values[rows[first : first + step]]
            factors = []
            scale = np.zeros(len(values))
            for (node, parents), scope in zip(members, scopes, strict=True):
                sizes = [levels[v] for v in scope]
                factor, logs_of_scale = self.posteriors.of(node, parents).scaled_factor(
                    values.T, scope, sizes
                )
                scale += logs_of_scale
                factors.append((scope, factor))
            with np.errstate(divide="ignore"):
                logs = np.log(eliminate(factors, order, kept))
            found[first : first + step] = logs + scale[:, np.newaxis]
        return found


def _components(touching: tuple[tuple[int, int], ...], hidden: int, target: int) -> list[Component]:
    """Group families by the hidden variables they share; families and parents are bits."""
    groups: list[tuple[int, list[tuple[int, int]]]] = []
    for node, parents in touching:
        own = (parents | 1 << node) & hidden
        joined = [(node, parents)]
        separate = []
        for variables, members in groups:
            if variables & own:
                own |= variables
                joined += members
            else:
                separate.append((variables, members))
        groups = [*separate, (own, joined)]
    return [
        (tuple((node, tuple(members_of(parents))) for node, parents in sorted(members)), own)
        for own, members in groups
    ]
