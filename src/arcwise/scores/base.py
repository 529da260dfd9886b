"""`LocalScore`: what every score is, and how it gets a name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from arcwise import _core
from arcwise.data import Data
from arcwise.support.running import Run

NAMED_SCORES: dict[str, type[LocalScore]] = {}
"""The scores that go by a name alone, as in ``score="bdeu"``."""


class LocalScore(ABC):
    """The log marginal likelihood of each family, as natural logarithms.

    A score of one's own is a subclass with one method, `fill`. Written
    ``class Mine(LocalScore, name="mine")``, it can also be asked for as
    ``"mine"``, provided that ``Mine()`` needs no arguments.
    """

    by_sets: ClassVar[bool] = False
    """Whether the core scores it, by sets of variables that families are differences of."""

    def __init_subclass__(cls, name: str | None = None, **keywords: Any) -> None:
        """Enter the class among the named scores if it gives a name."""
        super().__init_subclass__(**keywords)
        if name is not None:
            NAMED_SCORES[name] = cls

    @abstractmethod
    def fill(self, data: Data, table: _core.FamilyTable, run: Run) -> None:
        """Set every value of the table to the score of its family.

        Parameters
        ----------
        data
            The data; node numbers of the table are positions among its variables.
        table
            The families; ``table.values(node)`` is to be overwritten.
        run
            Threads to use, and whom to tell of progress.
        """
