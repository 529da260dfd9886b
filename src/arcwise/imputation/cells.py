"""The missing cells of a table, drawn in blocks given a DAG and its parameters (Gibbs sampling).

Given a DAG and its parameters, rows are independent. So all cells of one column can be drawn at
once, as long as no row holds two of them; and where they are continuous, all those of a row have
one normal distribution. With residuals w_v'x - c_v of variance s_v for each continuous node v, what
is missing has the precision K = Σ w_v w_v' / s_v and, with x = 0 in place of it, K times its mean
is b = Σ w_v (c_v - w_v'x) / s_v.

A cell with copies in several rows ties these rows together: such cells are drawn in groups of which
no two share a row. A cell that stands in places of several rows has the law

    p(value | everything else)  ∝  Π_places  p(own family)  Π_children  p(family of the child),

over all families that hold it. A family counts for nothing in rows in which its node was set by an
intervention. Parent-only variables have no law in the model. A cell that stands nowhere but in such
columns, as a covariate or what was before the first slice of a time series, follows the
distribution of the values of its column that are there: their frequencies, or a normal one with
their mean and variance, once. It does not depend on other cells, so that DAGs, parameters and cells
have a joint law.

Chains start from cells filled in at random, by which edges look weaker than they are, and from
cells filled in by what else is in their rows, by which they look stronger: chains that come to the
same posterior from both have forgotten where they started.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data, IncompleteData
from arcwise.errors import ArgumentError
from arcwise.laws import Parameters, RegressionParameters, TableParameters
from arcwise.parameters.conditionals import Conditionals
from arcwise.support.arrays import logarithms, relative_weights

Indices = NDArray[np.int64]


class Places(NamedTuple):
    """Where the cells of a block stand in one column: a row for each of them."""

    variable: int
    rows: Indices


@dataclass(frozen=True, eq=False)
class Block:
    """Cells that stand in the same columns, no two of them in one row."""

    places: tuple[Places, ...]  # the columns, with the rows of the cells
    levels: int  # the number of levels; 0 if the cells are continuous

    def write(self, columns: Sequence[NDArray[np.generic]], values: NDArray[np.generic]) -> None:
        """Write values of the cells to all places of theirs."""
        for variable, rows in self.places:
            columns[variable][rows] = values


@dataclass(frozen=True, eq=False)
class NormalRows:
    """Rows with continuous cells that stand nowhere else, all of a row drawn at once."""

    rows: Indices
    variables: Indices  # the variables missing in each of them, as [row, place], filled up with -1


@dataclass(frozen=True, eq=False)
class CellBlocks:
    """All cells of a table: blocks, and rows with normal cells."""

    blocks: tuple[Block, ...]
    # The rows with continuous cells that have no copies; None if there are none.
    normal_rows: NormalRows | None

    def copied(self) -> CellBlocks:
        """Return the blocks of cells that stand in several places."""
        return CellBlocks(tuple(block for block in self.blocks if len(block.places) > 1), None)

    @classmethod
    def of(cls, data: IncompleteData) -> CellBlocks:
        """Return the blocks of a table."""
        table = data.table
        sizes = [column.size for column in table.columns]
        rows, variables = np.nonzero(data.missing)
        cells = data.cells[rows, variables]
        copied = np.bincount(cells, minlength=data.count)[cells] > 1
        alone = ~copied & (np.array(sizes)[variables] == 0)
        blocks: list[Block] = []
        for variable in np.unique(variables[~copied & ~alone]).tolist():
            own = ~copied & (variables == variable)
            blocks.append(Block((Places(variable, rows[own]),), sizes[variable]))
        blocks += _of_copies(table, sizes, cells[copied], rows[copied], variables[copied])
        return cls(tuple(blocks), _normal_rows(rows[alone], variables[alone]))


def _normal_rows(rows: Indices, variables: Indices) -> NormalRows | None:
    if not len(rows):
        return None
    distinct, of_cell = np.unique(rows, return_inverse=True)
    places = np.arange(len(rows)) - np.searchsorted(rows, rows)  # rows come in ascending order
    missing = np.full((len(distinct), int(places.max()) + 1), -1, dtype=np.int64)
    missing[of_cell.reshape(-1), places] = variables
    return NormalRows(distinct, missing)


def _of_copies(
    table: Data, sizes: Sequence[int], cells: Indices, rows: Indices, variables: Indices
) -> list[Block]:
    """Return the blocks of cells with copies: each goes to the first that has none of its rows."""
    order = np.lexsort((variables, cells))
    cells, rows, variables = cells[order], rows[order], variables[order]
    groups: dict[tuple[int, ...], list[tuple[set[int], list[list[int]]]]] = {}
    for own in np.split(np.arange(len(cells)), np.flatnonzero(np.diff(cells)) + 1):
        if not len(own):
            continue
        among = tuple(variables[own].tolist())
        if len({sizes[variable] for variable in among}) > 1:
            names = [table.variables[variable] for variable in among]
            raise ArgumentError(
                f"a cell stands in columns with different levels, {names}; give copies the same"
            )
        at = rows[own].tolist()
        blocks = groups.setdefault(among, [])
        for used, members in blocks:
            if used.isdisjoint(at):
                used.update(at)
                members.append(at)
                break
        else:
            blocks.append((set(at), [at]))
    return [
        Block(
            tuple(
                Places(variable, np.array(members, dtype=np.int64)[:, place])
                for place, variable in enumerate(among)
            ),
            sizes[among[0]],
        )
        for among, blocks in groups.items()
        for _, members in blocks
    ]


Array = NDArray[np.float64]


class NormalLaw(NamedTuple):
    """The law of what is missing, and the likelihood of what is not."""

    # K and b, as [row, place, place] and [row, place]; places that a row does not need have 1 and
    # 0.
    precision: Array
    linear: Array
    constant: Array  # the log density at 0 in place of what is missing, without the terms of K
    held: NDArray[np.bool_]  # which places each row needs

    def log_integral(self) -> Array:
        """Return the log of the density, summed over all that may be missing, in each row."""
        if not self.linear.shape[1]:
            return self.constant
        root = np.linalg.cholesky(self.precision)
        half = np.linalg.solve(root, self.linear[:, :, np.newaxis])[:, :, 0]
        diagonal = np.einsum("rii->ri", root)
        places = self.held.sum(axis=1)
        return np.asarray(
            self.constant
            + 0.5 * (half**2).sum(axis=1)
            - logarithms(diagonal).sum(axis=1)
            + 0.5 * math.log(math.tau) * places
        )

    def draw(self, random: np.random.Generator) -> Array:
        """Return draws, as [row, place]: K^-1 b + L^-T z, for K = L L'."""
        root = np.linalg.cholesky(self.precision)
        noise = random.standard_normal((*self.linear.shape, 1))
        half = np.linalg.solve(root, self.linear[:, :, np.newaxis])
        drawn: Array = np.linalg.solve(root.transpose(0, 2, 1), half + noise)[:, :, 0]
        return drawn


def normal_law(
    conditionals: Conditionals,
    nodes: Iterable[int],
    columns: list[NDArray[Any]],
    places: NDArray[np.int64],
    width: int,
    counted: Callable[[int], NDArray[np.bool_] | None],
) -> NormalLaw:
    """Return the law of the continuous values that are missing, by the families of some nodes."""
    count = len(places)
    precision, linear = np.zeros((count, width, width)), np.zeros((count, width))
    constant = np.zeros(count)
    for node in nodes:
        there = counted(node)
        found = conditionals.regression(node, columns)
        if found is None:
            log = conditionals.log_probability(node, columns)
            constant += log if there is None else np.where(there, log, 0.0)
            continue
        weight = 1.0 / found.variance
        weight = weight if there is None else np.where(there, weight, 0.0)
        slopes = np.zeros((count, width))
        for member, slope in (
            (node, np.ones(count)),
            *((p, -found.coefficients[:, i]) for i, p in enumerate(found.parents)),
        ):
            rows = np.flatnonzero(places[:, member] >= 0)
            slopes[rows, places[rows, member]] = slope[rows]
        rest = found.mean(columns) - columns[node]
        precision += (weight[:, np.newaxis] * slopes)[:, :, np.newaxis] * slopes[:, np.newaxis]
        linear += (weight * rest)[:, np.newaxis] * slopes
        log = -0.5 * (logarithms(math.tau * found.variance) + rest**2 * weight)
        constant += log if there is None else np.where(there, log, 0.0)
    held = np.zeros((count, width), dtype=np.bool_)
    rows, variables = np.nonzero(places >= 0)
    held[rows, places[rows, variables]] = True
    precision[:, np.arange(width), np.arange(width)] += ~held
    return NormalLaw(precision, linear, constant, held)


# Added to the count of each level, so that one that is declared can be imputed.
_COUNT_OF_A_LEVEL = 0.5


def conditioned_laws(data: IncompleteData, nodes: Iterable[int]) -> Conditionals:
    """Return the laws of some columns, whatever else is in a row."""
    laws: dict[int, Parameters] = {}
    for node in nodes:
        column, there = data.table.columns[node], data.present(node)
        if column.size:
            counts = np.bincount(there, minlength=column.size) + _COUNT_OF_A_LEVEL
            laws[node] = TableParameters(node, (), (), (counts / counts.sum())[np.newaxis])
            continue
        if len(there) < 2 or not np.ptp(there) > 0.0:
            there = column.computable()
        normal = float(there.mean()), (), max(float(there.var()), math.ulp(1.0))
        laws[node] = RegressionParameters.single(node, (), (), normal)
    return Conditionals(((),) * len(data.variables), laws)


WritableColumns = list[NDArray[Any]]


class CellSampler:
    """Draws cells of a table in place, given a DAG and its parameters."""

    def __init__(
        self,
        blocks: CellBlocks,
        conditionals: Conditionals,
        intervened: NDArray[np.bool_] | None = None,
        conditioned: frozenset[int] = frozenset(),
    ) -> None:
        self._blocks = blocks
        self._conditionals = conditionals
        self._intervened = intervened
        self._conditioned = conditioned
        self._children: list[list[int]] = [[] for _ in conditionals.parents]
        for node, parents in enumerate(conditionals.parents):
            for parent in parents:
                self._children[parent].append(node)

    def draw(self, columns: WritableColumns, random: np.random.Generator) -> None:
        """Draw every cell once, block by block, into the columns."""
        for block in self._blocks.blocks:
            if block.levels:
                logs = self.log_laws(block, columns)
                block.write(columns, drawn_levels(logs, random))
            else:
                precision, linear = self._normal_laws(block, columns)
                noise = random.standard_normal(len(precision))
                block.write(columns, linear / precision + noise / np.sqrt(precision))
        if self._blocks.normal_rows is not None:
            self._draw_normal_rows(self._blocks.normal_rows, columns, random)

    def log_laws(self, block: Block, columns: WritableColumns) -> Array:
        """Return the unnormalised log probability of each level of discrete cells, by cell."""
        logs = np.zeros((len(block.places[0].rows), block.levels))
        for places in block.places:
            for node in self._families(block, places):
                counted = rows_that_count(self._intervened, node, places.rows)
                rows = self._rows_of(node, columns, places.rows)
                for level in range(block.levels):
                    rows[places.variable] = np.full(len(places.rows), level, dtype=np.int64)
                    found = self._conditionals.log_probability(node, rows)
                    logs[:, level] += found if counted is None else np.where(counted, found, 0.0)
        return logs

    def _families(self, block: Block, places: Places) -> list[int]:
        """Return the nodes whose families hold the cells in these places."""
        own: tuple[int, ...] = (places.variable,)
        if places.variable in self._conditioned:
            nowhere_else = all(variable in self._conditioned for variable, _ in block.places)
            own = own if nowhere_else and places is block.places[0] else ()
        return [*own, *self._children[places.variable]]

    def _rows_of(
        self, node: int, columns: WritableColumns, rows: NDArray[np.int64]
    ) -> WritableColumns:
        """Return the columns of a family in these rows; nothing for others."""
        nothing = np.empty(0)
        chosen = [nothing] * len(columns)
        for member in (*self._conditionals.parents[node], node):
            chosen[member] = columns[member][rows]
        return chosen

    def _normal_laws(self, block: Block, columns: WritableColumns) -> tuple[Array, Array]:
        """Return the precision of continuous cells, and their mean times it."""
        precision, linear = np.zeros((2, len(block.places[0].rows)))
        for places in block.places:
            for node in self._families(block, places):
                rows = self._rows_of(node, columns, places.rows)
                found = self._conditionals.regression(node, rows)
                assert found is not None  # a discrete node has no continuous parent
                slope: Array | float = 1.0
                rest = found.mean(rows)
                if node != places.variable:
                    slope = found.coefficients[:, found.parents.index(places.variable)]
                    rest = rows[node] - (rest - slope * rows[places.variable])
                counted = rows_that_count(self._intervened, node, places.rows)
                weight = 1.0 / found.variance
                weight = weight if counted is None else np.where(counted, weight, 0.0)
                precision += weight * slope**2
                linear += weight * slope * rest
        return precision, linear

    def _draw_normal_rows(
        self, among: NormalRows, columns: WritableColumns, random: np.random.Generator
    ) -> None:
        """Draw all lone continuous cells of each row at once."""
        rows, missing = among.rows, among.variables
        at, place = np.nonzero(missing >= 0)
        variables = missing[at, place]
        places = np.full((len(rows), len(columns)), -1, dtype=np.int64)
        places[at, variables] = place
        for variable in np.unique(variables).tolist():
            columns[variable][rows[at[variables == variable]]] = 0.0
        touched = [
            node
            for node, parents in enumerate(self._conditionals.parents)
            if (places[:, [node, *parents]] >= 0).any()
        ]
        law = normal_law(
            self._conditionals,
            touched,
            [column[rows] for column in columns],
            places,
            missing.shape[1],
            lambda node: rows_that_count(self._intervened, node, rows),
        )
        drawn = law.draw(random)
        for variable in np.unique(variables).tolist():
            own = variables == variable
            columns[variable][rows[at[own]]] = drawn[at[own], place[own]]


def rows_that_count(
    intervened: NDArray[np.bool_] | None, node: int, rows: Indices
) -> NDArray[np.bool_] | None:
    """Return in which rows a node was not intervened on; None for all of them."""
    if intervened is None or not intervened[rows, node].any():
        return None
    return np.asarray(~intervened[rows, node])


def drawn_levels(logs: Array, random: np.random.Generator) -> NDArray[np.int64]:
    """Return a level of each cell, drawn with these unnormalised log probabilities."""
    weights = relative_weights(logs - logs.max(axis=1, keepdims=True), 0.0)
    sums = np.cumsum(weights, axis=1)
    thresholds = random.random(len(logs)) * sums[:, -1]
    levels: NDArray[np.int64] = (sums <= thresholds[:, np.newaxis]).sum(axis=1)
    inside: NDArray[np.int64] = np.minimum(levels, logs.shape[1] - 1)
    return inside


# Pairs of values that were never seen together are as if they had been so often.
_UNSEEN = 0.5


def observed_start(
    columns: Sequence[NDArray[Any]],
    blocks: CellBlocks,
    data: IncompleteData,
    random: np.random.Generator,
) -> None:
    """Fill every cell with the value of a random row that has one, as a start."""
    for block in blocks.blocks:
        variable, rows = block.places[0]
        block.write(columns, random.choice(_values(data, variable), len(rows)))
    if blocks.normal_rows is not None:
        rows, missing = blocks.normal_rows.rows, blocks.normal_rows.variables
        for variable in np.unique(missing[missing >= 0]).tolist():
            own = rows[(missing == variable).any(axis=1)]
            columns[variable][own] = random.choice(_values(data, variable), len(own))


def associated_start(
    columns: Sequence[NDArray[Any]],
    blocks: CellBlocks,
    data: IncompleteData,
    random: np.random.Generator,
) -> None:
    """Fill cells of discrete columns by what else is there in their rows, as a start.

    As if all other columns were independent given the column of a cell: all associations of pairs
    are kept, and many of them counted several times.
    """
    discrete = [
        (variable, column.size) for variable, column in enumerate(data.table.columns) if column.size
    ]
    known = ~data.missing
    codes = {variable: data.table.columns[variable].computable() for variable, _ in discrete}
    for block in blocks.blocks:
        if not block.levels:
            continue
        variable, rows = block.places[0]
        own = np.where(known[:, variable], codes[variable], 0)
        weights = np.bincount(own[known[:, variable]], minlength=block.levels) + _UNSEEN
        logs = np.tile(np.log(weights), (len(rows), 1))
        for other, levels in discrete:
            if other == variable:
                continue
            both = known[:, variable] & known[:, other]
            counts = np.full((block.levels, levels), _UNSEEN)
            np.add.at(counts, (own[both], codes[other][both]), 1.0)
            given = np.log(counts / counts.sum(axis=1, keepdims=True))
            there = known[rows, other]
            logs[there] += given[:, codes[other][rows[there]]].T
        block.write(columns, np.argmax(logs + random.gumbel(size=logs.shape), axis=1))


def _values(data: IncompleteData, variable: int) -> NDArray[Any]:
    """Return the values of a column that are there, or its placeholders where none is."""
    there = data.present(variable)
    return there if len(there) else data.table.columns[variable].computable()
