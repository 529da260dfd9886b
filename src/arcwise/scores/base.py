"""`LocalScore`: the base class of scores, and their names."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.laws import Law
from arcwise.support.running import Stage
from arcwise.support.words import quoted

IndependenceTest = Literal["fisher-z", "g-squared", "degenerate-gaussian"]
"""The tests of conditional independence, by name."""

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

    surrogate: ClassVar[bool] = False
    """Whether it stands in for a marginal likelihood without being one."""

    uses_order: ClassVar[bool] = False
    """Whether it uses the order of the levels of ordinal columns."""

    def __init_subclass__(cls, name: str | None = None, **keywords: Any) -> None:
        """Register the class by name, if it has one."""
        super().__init_subclass__(**keywords)
        if "fill" in vars(cls):
            _refuse_other_arguments(cls)
        if name is not None:
            NAMED_SCORES[name] = cls

    def alternatives(self) -> tuple[LocalScore, ...]:
        """Return scores of this kind to compare by their evidence; only itself by default."""
        return (self,)

    def law(self, data: Data) -> Law | None:
        """Return what the parameters of a family are, and their prior; None if unknown.

        By it results are judged, and it chooses how effects and predictions are computed.

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

    def independence_test(self, data: Data) -> IndependenceTest:
        """Return the test of conditional independence that suits the score; by default the data.

        Parameters
        ----------
        data
            The data.
        """
        return usual_test(data)

    def visits_rows(self, data: Data) -> bool:
        """Return whether each family visits the rows, rather than moments taken once for all.

        Parameters
        ----------
        data
            The data.
        """
        return usual_test(data) != "fisher-z"

    def pushed_first(self, data: Data) -> list[int]:
        """Return the variables with which walks of the core over sets begin; see `by_sets`.

        Parameters
        ----------
        data
            The data.
        """
        return []

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

    def remarks(self, data: Data) -> tuple[str, ...]:
        """Return sentences on what the score means for these data, for accounts of results.

        Parameters
        ----------
        data
            The data.
        """
        result = []
        name, n = type(self).__name__, len(data.variables)
        impossible = self.impossible_edges(data)
        if impossible is not None:
            why = self.impossibility()
            result.append(
                f"{why[0].upper()}{why[1:]}, so {int(impossible.sum()):,} of the {n * (n - 1):,} "
                "possible edges are left out."
            )
        if self.surrogate:
            result.append(
                f"{name} is a surrogate of a marginal likelihood, so probabilities are "
                "approximations."
            )
        ordinal = [column for column, kind in data.kinds.items() if kind == "ordinal"]
        if ordinal and not self.uses_order:
            result.append(f"{name} treats the levels of {quoted(ordinal)} as unordered.")
        return tuple(result)

    @abstractmethod
    def fill(self, data: Data, table: _core.FamilyTable, run: Stage) -> None:
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


def usual_test(data: Data) -> IndependenceTest:
    """Return the test for columns of these kinds."""
    continuous = [kind == "continuous" for kind in data.kinds.values()]
    if all(continuous):
        return "fisher-z"
    return "degenerate-gaussian" if any(continuous) else "g-squared"


def _refuse_other_arguments(score: type[LocalScore]) -> None:
    """Refuse a method `fill` that cannot be called, before anything has taken time."""
    signature = inspect.signature(score.fill)
    try:
        signature.bind(None, None, None, None)
    except TypeError:
        raise ArgumentError(
            f"the method fill of {score.__name__} takes ({', '.join(signature.parameters)}); give "
            "it the arguments (self, data, table, run)"
        ) from None
