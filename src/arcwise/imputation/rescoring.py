"""`Rescoring`: scores families again whenever the cells of a table have changed, and only those."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.engines import Threads
from arcwise.engines.engine import ScoringJob
from arcwise.scores.job import FamilyScoring
from arcwise.support.running import Run

# Below this share of families that stay as they are, a list of the others is not worth keeping.
_WORTH_A_LIST = 0.3


class Rescoring(Threads):
    """Threads of this process that score the same families again and again, of one table.

    Between two completions of a table, complete columns stay the same, and so do the scores of
    families among them.

    Parameters
    ----------
    incomplete
        Which columns may change.
    """

    def __init__(self, incomplete: NDArray[np.bool_]) -> None:
        self._incomplete = incomplete
        self._table: _core.FamilyTable | None = None
        self._part: _core.FamilyTable | None = None
        self._affected: list[NDArray[np.int64]] = []

    def __repr__(self) -> str:
        """Show how many columns may change."""
        return f"<Rescoring: {int(self._incomplete.sum())} columns may change>"

    def score(self, job: ScoringJob, run: Run, path: Path | None = None) -> _core.FamilyTable:
        """Return the scores of all families, of which those of complete columns are known."""
        assert isinstance(job, FamilyScoring)
        if self._table is None:
            self._table = job.score_all(run)
            self._list_affected(self._table)
        elif self._part is None:
            job.fill(self._table, run)
        else:
            job.fill(self._part, run)
            for node, affected in enumerate(self._affected):
                self._table.values(node)[affected] = self._part.values(node)
        return self._table.copy()

    def _list_affected(self, table: _core.FamilyTable) -> None:
        """Make a table of the families that hold a column that may change."""
        lists, total = [], 0
        for node in range(len(self._incomplete)):
            flat, offsets = table.parent_sets(node)
            starts = offsets.astype(np.int64)
            held = np.append(0, np.cumsum(self._incomplete[np.asarray(flat, dtype=np.int64)]))
            affected = (held[starts[1:]] > held[starts[:-1]]) | self._incomplete[node]
            affected[0] = True  # a node has one family at least
            lists.append((flat, starts, np.flatnonzero(affected)))
            total += table.count(node)
        if sum(len(affected) for _, _, affected in lists) > (1.0 - _WORTH_A_LIST) * total:
            return
        candidates, members, values = [], [], []
        for flat, starts, affected in lists:
            sets = [flat[starts[i] : starts[i + 1]].tolist() for i in affected.tolist()]
            among = sorted(set().union(*sets))
            place = {parent: position for position, parent in enumerate(among)}
            candidates.append(among)
            members.append([sorted(place[parent] for parent in each) for each in sets])
            values.append([0.0] * len(sets))
        self._part = _core.FamilyTable.from_lists(candidates, members, values)
        # The families of a list may be in another order.
        self._affected = [
            _order_of(self._part, table, node) for node in range(len(self._incomplete))
        ]


def _order_of(part: _core.FamilyTable, table: _core.FamilyTable, node: int) -> NDArray[np.int64]:
    """Return the place of each family of a part in the whole table."""
    flat, offsets = part.parent_sets(node)
    starts = offsets.astype(np.int64)
    return np.array(
        [
            table.find(node, flat[starts[i] : starts[i + 1]].tolist())
            for i in range(len(starts) - 1)
        ],
        dtype=np.int64,
    )
