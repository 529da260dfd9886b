"""`Network`: a DAG with parameters, and sampling from it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.columns import NUMBERS, Kind, Labels
from arcwise.errors import ArgumentError, option
from arcwise.graphs.dag import Dag
from arcwise.laws import Parameters
from arcwise.support.checks import real_number, refuse_beyond_memory, whole_number
from arcwise.support.edges import topological_order
from arcwise.support.names import positions, quoted, shown
from arcwise.support.random import Purpose, generator


class Network(ABC):
    """A DAG with a conditional distribution for each node."""

    dag: Dag
    levels: Mapping[str, tuple[Hashable, ...]]

    def sample(
        self, rows: int, seed: int = 0, interventions: Mapping[str, Any] | None = None
    ) -> Data:
        """Draw rows, each node after its parents.

        Each node has its own random numbers, one for each row in turn: the same seed gives
        the same noise whatever is intervened on, and the first rows of a longer sample are
        those of a shorter one.

        Parameters
        ----------
        rows
            The number of rows.
        seed
            The same arguments and seed give the same data.
        interventions
            For each variable that is intervened on, the value it is set to in every row
            (Pearl's do-operator); its parents have no effect. The data mark these cells as
            intervened on.
        """
        count = whole_number(rows, option("rows"), at_least=1)
        variables = self.dag.variables
        # A column is drawn and kept as numbers of 8 bytes; drawing it takes temporary arrays.
        refuse_beyond_memory(count, option("rows"), 8 * (len(variables) + 3))
        if interventions is not None and not isinstance(interventions, Mapping):
            raise ArgumentError(
                f"interventions is {shown(interventions)}; give a mapping from variables to values"
            )
        settings = dict(interventions or {})
        intervened = positions(settings, variables, "interventions")
        values: dict[int, NDArray[Any]] = {
            node: np.full(count, self._setting(node, settings[variables[node]]))
            for node in intervened
        }
        for node in topological_order(self.dag.parent_indices):
            if node not in values:
                values[node] = self._drawn(node, values, count, seed)
        mask = None
        if intervened:
            mask = np.zeros((count, len(variables)), dtype=np.bool_)
            mask[:, intervened] = True
        columns = [
            self._kind(node).column(name, values[node]) for node, name in enumerate(variables)
        ]
        return Data(columns, intervened=mask)

    def _drawn(
        self, node: int, values: dict[int, NDArray[Any]], rows: int, seed: int
    ) -> NDArray[Any]:
        random = generator(seed, Purpose.ROWS, item=node)
        with np.errstate(over="ignore", invalid="ignore"):
            found: NDArray[Any] = self._parameters(node).sample(values, rows, random)[0]
        if not np.isfinite(found).all():
            raise ArgumentError(
                f"the values of {self.dag.variables[node]!r} are beyond any number; give smaller "
                "coefficients, intercepts or variances"
            )
        return found

    def __repr__(self) -> str:
        """Show the DAG."""
        return f"{type(self).__name__}({self.dag!r})"

    def _setting(self, node: int, value: Any) -> Any:
        """Check the value of an intervention and return it as stored in a drawn array."""
        name = self.dag.variables[node]
        if name not in self.levels:
            source = f"interventions[{name!r}]"
            return real_number(value, source, math.isfinite, "a finite number")
        levels = self.levels[name]
        if not any(value is level or _equal(value, level) for level in levels):
            raise ArgumentError(
                f"interventions sets {name!r} to {shown(value)}; its levels are {quoted(levels)}"
            )
        return np.uint16(levels.index(value))

    @abstractmethod
    def _parameters(self, node: int) -> Parameters:
        """Return the parameters of a node given its parents, as a single draw."""

    def _kind(self, node: int) -> Kind:
        """Return the kind of a node's values."""
        name = self.dag.variables[node]
        return Labels(self.levels[name]) if name in self.levels else NUMBERS


def _equal(value: Any, level: Hashable) -> bool:
    """Return whether a value equals a level; arrays and other containers do not."""
    same = value == level
    return isinstance(same, bool | np.bool_) and bool(same)
