"""`Rescoring`: scores families again whenever the cells of a table have changed, and only those."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.engines import Threads
from arcwise.engines.engine import ScoringJob
from arcwise.scores.job import FamilyScoring
from arcwise.support.running import Stage


class Rescoring(Threads):
    """Threads of this process that score the same families again and again, of one table.

    Between two completions of a table, complete columns stay the same, and so do the families of
    nodes that neither are incomplete nor may have an incomplete parent.

    Parameters
    ----------
    incomplete
        Which columns may change.
    """

    def __init__(self, incomplete: NDArray[np.bool_]) -> None:
        self._incomplete = incomplete
        self._table: _core.FamilyTable | None = None

    def __repr__(self) -> str:
        """Show how many columns may change."""
        return f"<Rescoring: {int(self._incomplete.sum())} columns may change>"

    def score(self, job: ScoringJob, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return the scores of all families, of which those of complete columns are known."""
        assert isinstance(job, FamilyScoring)
        if self._table is None:
            self._table = job.score_all(run)
            return self._table.copy()
        affected = [node for node in range(len(self._incomplete)) if self._affects(job, node)]
        if len(affected) == len(self._incomplete):
            job.fill(self._table, run)
        elif affected:
            part = replace(job, families=job.families.only(affected)).score_all(run)
            for node in affected:
                self._table.values(node)[:] = part.values(node)
        return self._table.copy()

    def _affects(self, job: FamilyScoring, node: int) -> bool:
        """Return whether some family of a node holds a column that may change."""
        families = job.families
        parents = (*families.candidates[node], *families.required[node], *families.outside[node])
        return bool(self._incomplete[[node, *parents]].any())
