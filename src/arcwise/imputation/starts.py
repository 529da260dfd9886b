"""Completions of a table that chains start from.

From cells filled in at random, edges look weaker than they are, and from cells filled in by what
else is in their rows, stronger: chains that come to the same posterior from both have forgotten
where they started.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import IncompleteData
from arcwise.imputation.cell_blocks import CellBlocks

# Pairs of values that were never seen together are as if they had been so often.
_UNSEEN = 0.5


def observed_start(
    columns: Sequence[NDArray[Any]],
    blocks: CellBlocks,
    data: IncompleteData,
    random: np.random.Generator,
) -> None:
    """Fill every cell with the value of a random row that has one, as a start.

    Parameters
    ----------
    columns
        All columns, with anything in the cells.
    blocks
        The cells.
    data
        The table that they are of.
    random
        The source of random numbers.
    """
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

    Parameters
    ----------
    columns
        All columns, with a start in the cells.
    blocks, data, random
        As for `observed_start`.
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
