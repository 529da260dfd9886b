"""Draws the missing cells of a table given a DAG and its parameters (Gibbs sampling).

A cell that stands in places of several rows has the law

    p(value | everything else)  ∝  Π_places  p(own family)  Π_children  p(family of the child),

over all families that hold it. Nodes that are conditioned on have no family of their own; a cell
that stands nowhere else has the law of its column (`conditioned_laws`), once. A family counts for
nothing in rows in which its node was set by an intervention.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.imputation.cell_blocks import Block, CellBlocks, NormalRows, Places
from arcwise.imputation.normal_law import normal_law
from arcwise.parameters.conditionals import Conditionals
from arcwise.support.log_space import relative_weights

Array = NDArray[np.float64]
Columns = list[NDArray[Any]]


class CellSampler:
    """Draws cells of a table in place, given a DAG and its parameters.

    Parameters
    ----------
    blocks
        The cells.
    conditionals
        The DAG and its parameters.
    intervened
        Where variables were intervened on, as [row, variable]; None if nowhere.
    conditioned
        The nodes that are conditioned on and so have no law.
    """

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

    def draw(self, columns: Columns, random: np.random.Generator) -> None:
        """Draw every cell once, block by block, into the columns.

        Parameters
        ----------
        columns
            All columns, complete: codes of levels, or numbers.
        random
            The source of random numbers.
        """
        for block in self._blocks.blocks:
            if block.levels:
                logs = self.log_laws(block, columns)
                block.write(columns, _drawn_levels(logs, random))
            else:
                precision, linear = self._normal_laws(block, columns)
                noise = random.standard_normal(len(precision))
                block.write(columns, linear / precision + noise / np.sqrt(precision))
        if self._blocks.normal_rows is not None:
            self._draw_normal_rows(self._blocks.normal_rows, columns, random)

    def log_laws(self, block: Block, columns: Columns) -> Array:
        """Return the unnormalised log probability of each level of discrete cells, by cell."""
        logs = np.zeros((len(block.places[0].rows), block.levels))
        for places in block.places:
            for node in self._families(block, places):
                counted = self._counted(node, places.rows)
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

    def _counted(self, node: int, rows: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """Return in which rows a node was not intervened on; None for all of them."""
        if self._intervened is None or not self._intervened[rows, node].any():
            return None
        return np.asarray(~self._intervened[rows, node])

    def _rows_of(self, node: int, columns: Columns, rows: NDArray[np.int64]) -> Columns:
        """Return the columns of a family in these rows; nothing for others."""
        nothing = np.empty(0)
        chosen = [nothing] * len(columns)
        for member in (*self._conditionals.parents[node], node):
            chosen[member] = columns[member][rows]
        return chosen

    def _normal_laws(self, block: Block, columns: Columns) -> tuple[Array, Array]:
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
                counted = self._counted(node, places.rows)
                weight = 1.0 / found.variance
                weight = weight if counted is None else np.where(counted, weight, 0.0)
                precision += weight * slope**2
                linear += weight * slope * rest
        return precision, linear

    def _draw_normal_rows(
        self, among: NormalRows, columns: Columns, random: np.random.Generator
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
            lambda node: self._counted(node, rows),
        )
        drawn = law.draw(random)
        for variable in np.unique(variables).tolist():
            own = variables == variable
            columns[variable][rows[at[own]]] = drawn[at[own], place[own]]


def _drawn_levels(logs: Array, random: np.random.Generator) -> NDArray[np.int64]:
    """Return a level of each cell, drawn with these unnormalised log probabilities."""
    weights = relative_weights(logs - logs.max(axis=1, keepdims=True), 0.0)
    sums = np.cumsum(weights, axis=1)
    thresholds = random.random(len(logs)) * sums[:, -1]
    levels: NDArray[np.int64] = (sums <= thresholds[:, np.newaxis]).sum(axis=1)
    inside: NDArray[np.int64] = np.minimum(levels, logs.shape[1] - 1)
    return inside
