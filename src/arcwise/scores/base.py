"""`LocalScore`: the base class of scores, and their names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from arcwise import _core
from arcwise.data import Data
from arcwise.data.profile import Parametrization
from arcwise.support.running import Run

NAMED_SCORES: dict[str, type[LocalScore]] = {}
"""The scores that can be given by name, as in ``score="bdeu"``."""


class LocalScore(ABC):
    """A local score: the log marginal likelihood of each family (natural logarithm).

    A user-defined score is a subclass with one method, `fill`. Declared as
    ``class Mine(LocalScore, name="mine")``, it can also be given as ``"mine"``, provided
    that ``Mine()`` needs no arguments.
    """

    by_sets: ClassVar[bool] = False
    """Whether the core computes it, as a difference between two sets of variables."""

    def __init_subclass__(cls, name: str | None = None, **keywords: Any) -> None:
        """Register the class by name, if it has one."""
        super().__init_subclass__(**keywords)
        if name is not None:
            NAMED_SCORES[name] = cls

    def alternatives(self) -> tuple[LocalScore, ...]:
        """Return scores of this kind to compare by their evidence; only itself by default."""
        return (self,)

    def parametrization(self, data: Data) -> Parametrization | None:
        """Return what the parameters of a family are, by which results are judged; None if unknown.

        Parameters
        ----------
        data
            The data.
        """
        return None

    def fixed_by(self, data: Data) -> LocalScore:
        """Return the score with all that it takes from the data fixed; itself by default.

        A prior that is chosen by the data must not change with every completion of a table.

        Parameters
        ----------
        data
            The data that decide.
        """
        return self

    @abstractmethod
    def fill(self, data: Data, table: _core.FamilyTable, run: Run) -> None:
        """Set every value of the table to the score of its family.

        Parameters
        ----------
        data
            The data; node numbers of the table are positions among its variables.
        table
            The families; overwrite ``table.values(node)``.
        run
            The number of threads, and the progress function.
        """
