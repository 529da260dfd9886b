"""`FamilyScoring`: families to score, in this process or on workers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arcwise import _core
from arcwise.data import Data
from arcwise.families import Families
from arcwise.scores.base import LocalScore
from arcwise.scores.filling import FillingPlan
from arcwise.scores.function import FunctionScore
from arcwise.scores.kept_scores import score_in_parts
from arcwise.support.running import Stage


@dataclass(frozen=True)
class FamilyScoring:
    """A score, data and families; the names suffice as data if the score is a function.

    Parameters
    ----------
    score
        The score.
    data
        The data, or the names of the variables.
    families
        The families of all nodes.
    """

    score: LocalScore
    data: Data | tuple[str, ...]
    families: Families

    @cached_property
    def in_core(self) -> _core.FamilyScore | None:
        """The score as the core computes it; None if it fills tables itself."""
        if isinstance(self.score, FunctionScore):
            return self.score.in_core(self.data)
        assert isinstance(self.data, Data)
        fills = type(self.score).fill is not LocalScore.fill
        return None if fills else self.score.in_core(self.data)

    @cached_property
    def plan(self) -> _core.ScoringPlan | FillingPlan:
        """The units in which all families are scored, here or elsewhere."""
        if self.in_core is not None:
            plan: _core.ScoringPlan = self.in_core.plan(self.families.table(with_values=False))
            return plan
        assert isinstance(self.data, Data)
        return FillingPlan(self.score, self.data, self.families)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what the core made, which each process makes for itself."""
        return {"score": self.score, "data": self.data, "families": self.families}

    def fill(self, table: Any, run: Stage) -> None:
        """Set every value of a table to the score of its family."""
        run.deadline.check()  # as rows are prepared before the first family is scored
        if self.in_core is not None:
            self.in_core.score(table, run.threads, run.progress)
        else:
            assert isinstance(self.data, Data)
            self.score.fill(self.data, table, run)

    def score_all(self, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return a new table with the scores of all families, which a file may keep."""
        if path is not None:
            return score_in_parts(self, run, path)
        table = self.families.table()
        self.fill(table, run)
        return table
