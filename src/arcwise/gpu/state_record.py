"""What is kept of the states of chains on a device, in the form of `ChainRecord`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.gpu.batches import EdgeBatches
from arcwise.gpu.order_chains import OrderChains

FEWEST_BATCHES = 2


class StateRecord:
    """The states of all chains that were kept.

    Parameters
    ----------
    orders
        The chains.
    options
        What is kept.
    most
        The most batches of edge sums.
    """

    def __init__(self, orders: OrderChains, options: _core.RecordOptions, most: int) -> None:
        self._orders = orders
        self._options = options
        self._log_weights: list[NDArray[np.float64]] = []
        self._codes: list[NDArray[np.uint16]] = []
        self._dags: list[NDArray[np.uint64]] = []
        self._edges = EdgeBatches(orders.edges, most) if options.edges else None

    def keep(self) -> None:
        """Keep the states as they are."""
        dags = self._options.dags_per_state
        self._orders.observe(edges=self._options.edges, draw_dags=dags > 0)
        for number in range(dags):
            if number > 0:
                self._orders.observe(edges=False, draw_dags=True)
            self._dags.append(self._orders.dags())
        self._log_weights.append(self._orders.log_weights())
        self._codes.append(self._orders.codes())
        if self._edges is not None:
            self._edges.add()

    def of(self, chains: Sequence[int], threads: int) -> dict[str, Any]:
        """Return the record of a chain, or of a population of them, one after another."""
        columns = list(chains)
        n, kept = self._orders.tables.nodes, len(self._log_weights)
        states = kept * len(columns)
        dags = np.array([each[columns] for each in self._dags], dtype=np.uint64)
        if kept > 0 and self._options.dags_per_state > 0:
            # By chain, by state, by number of the DAG of a state.
            dags = np.moveaxis(dags, 1, 0)
        parents = dags.reshape(states * self._options.dags_per_state, n, (n + 63) // 64)
        extensions = np.zeros(len(parents))
        if self._options.count_extensions and len(parents) > 0:
            extensions = _core.log_linear_extensions(
                parents, self._options.extension_budget, threads, None
            )
        codes = np.array([each[columns] for each in self._codes], dtype=np.uint16)
        length = codes.shape[-1] if kept > 0 else 0
        logs = np.array([each[columns] for each in self._log_weights])
        found = {
            "log_weights": np.ascontiguousarray(logs.T).reshape(states),
            "codes": np.ascontiguousarray(np.moveaxis(codes, 1, 0)).reshape(states, length)
            if kept > 0
            else codes.reshape(0, 0),
            "dag_counts": np.full(states, self._options.dags_per_state, dtype=np.uint32),
            "parents": np.ascontiguousarray(parents),
            "log_extensions": np.asarray(extensions),
            "extension_errors": np.zeros(len(parents)),
        }
        return found if self._edges is None else found | self._edges.of(columns)
