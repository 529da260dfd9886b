"""`FamilyScoring`: families to score, in this process or on workers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcwise import _core
from arcwise.data import Data
from arcwise.families import Families
from arcwise.scores.base import LocalScore
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

    def fill(self, table: Any, run: Stage) -> None:
        """Set every value of a table to the score of its family."""
        run.deadline.check()  # as rows are prepared before the first family is scored
        if isinstance(self.data, Data):
            self.score.fill(self.data, table, run)
        else:
            assert isinstance(self.score, FunctionScore)
            self.score.fill_named(self.data, table, run)

    def score_all(self, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return a new table with the scores of all families, which a file may keep."""
        if path is not None:
            return score_in_parts(self, run, path)
        table = self.families.table()
        self.fill(table, run)
        return table
