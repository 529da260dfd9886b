"""`LocalScore`: the base class of scores, and their names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.scores.parametrization import Parametrization
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
        """Return what the parameters of a family are, and their prior; None if unknown.

        By it results are judged, and it chooses how effects and predictions are computed.

        Parameters
        ----------
        data
            The data.
        """
        return None

    def impossible_edges(self, data: Data) -> NDArray[np.bool_] | None:
        """Return the edges [parent, child] that no DAG of this score can have; None for none.

        Parameters
        ----------
        data
            The data.
        """
        return None

    def impossibility(self) -> str:
        """Return in a clause why edges are impossible, as "a score ... cannot have ..."."""
        return f"{type(self).__name__} does not define them"

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
