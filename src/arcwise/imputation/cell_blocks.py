"""The missing cells of a table in blocks that are drawn at once, each given all the others.

Given a DAG and its parameters, rows are independent. So all cells of one column can be drawn at
once, as long as no row holds two of them; and where they are continuous, all those of a row have
one normal distribution. A cell with copies in several rows ties these rows together: such cells
are drawn in groups of which no two share a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data, IncompleteData
from arcwise.errors import ArgumentError

Indices = NDArray[np.int64]


class Places(NamedTuple):
    """Where the cells of a block stand in one column: a row for each of them."""

    variable: int
    rows: Indices


@dataclass(frozen=True, eq=False)
class Block:
    """Cells that stand in the same columns, no two of them in one row.

    Parameters
    ----------
    places
        The columns, with the rows of the cells.
    levels
        The number of levels; 0 if the cells are continuous.
    """

    places: tuple[Places, ...]
    levels: int

    def write(self, columns: Sequence[NDArray[np.generic]], values: NDArray[np.generic]) -> None:
        """Write values of the cells to all places of theirs."""
        for variable, rows in self.places:
            columns[variable][rows] = values


@dataclass(frozen=True, eq=False)
class NormalRows:
    """Rows with continuous cells that stand nowhere else, all of a row drawn at once.

    Parameters
    ----------
    rows
        The rows.
    variables
        The variables missing in each of them, as [row, place], filled up with -1.
    """

    rows: Indices
    variables: Indices


@dataclass(frozen=True, eq=False)
class CellBlocks:
    """All cells of a table: blocks, and rows with normal cells.

    Parameters
    ----------
    blocks
        The blocks.
    normal_rows
        The rows with continuous cells that have no copies; None if there are none.
    """

    blocks: tuple[Block, ...]
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
