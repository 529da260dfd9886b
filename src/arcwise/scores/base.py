"""`LocalScore`, the base class of scores, and scores computed by a function or by a law."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.families.families import FamilyFunction, evaluate, refuse_uncallable
from arcwise.laws import Law
from arcwise.support.names import quoted, shown
from arcwise.support.running import Stage

IndependenceTest = Literal["fisher-z", "g-squared", "degenerate-gaussian"]
"""The tests of conditional independence, by name."""

NAMED_SCORES: dict[str, type[LocalScore]] = {}
"""The scores that can be given by name, as in ``score="bdeu"``."""


class LocalScore:
    """A local score: the log marginal likelihood of each family (natural logarithm).

    A user-defined score is a subclass with one method: `log_scores`, which scores all children
    of a parent set, or `fill`, which sets all values of a table of families. Declared as
    ``class Mine(LocalScore, name="mine")``, it can also be given as ``"mine"``, provided
    that ``Mine()`` needs no arguments.

    Examples
    --------
    >>> import arcwise
    >>> class PenaltyOnly(LocalScore):
    ...     def log_scores(self, data, children, parents):
    ...         return [-2.0 * len(parents) for _ in children]
    >>> data = {"a": [0, 1, 1], "b": [0, 1, 0], "c": [1, 1, 0]}
    >>> arcwise.score(data, PenaltyOnly()).log_score("a", ["b", "c"])
    -4.0
    """

    surrogate: ClassVar[bool] = False
    """Whether it approximates a marginal likelihood without being one."""

    uses_order: ClassVar[bool] = False
    """Whether it uses the order of the levels of ordinal columns."""

    def __init_subclass__(cls, name: str | None = None, **keywords: Any) -> None:
        """Register the class by name, if it has one."""
        super().__init_subclass__(**keywords)
        for method, wanted in _METHODS.items():
            if method in vars(cls):
                _refuse_other_arguments(cls, method, wanted)
        if name is not None:
            NAMED_SCORES[name] = cls

    def alternatives(self) -> tuple[LocalScore, ...]:
        """Return scores of this kind to compare by their evidence; by default only itself."""
        return (self,)

    def law(self, data: Data) -> Law | None:
        """Return the conditional distribution of a node and the prior of its parameters, or None.

        It determines how results are judged, and how effects and predictions are computed. None
        if it is unknown.

        Parameters
        ----------
        data
            The data.
        """
        return None

    def fixed_by(self, data: Data) -> LocalScore:
        """Return the score with its data-dependent prior fixed; by default itself.

        A prior that is chosen from the data must not change with every completion of a table.

        Parameters
        ----------
        data
            The data from which the prior is chosen.
        """
        return self

    def independence_test(self, data: Data) -> IndependenceTest:
        """Return the test of conditional independence that suits the score, or else the data.

        Parameters
        ----------
        data
            The data.
        """
        return usual_test(data)

    def visits_rows(self, data: Data) -> bool:
        """Return whether scoring a family reads the rows, rather than moments computed once.

        Parameters
        ----------
        data
            The data.
        """
        return usual_test(data) != "fisher-z"

    def impossible_edges(self, data: Data) -> NDArray[np.bool_] | None:
        """Return the edges [parent, child] that this score excludes; None if it excludes none.

        Parameters
        ----------
        data
            The data.
        """
        return None

    def impossibility(self) -> str:
        """Return a clause that explains impossible edges, such as "a score ... cannot have ..."."""
        return f"{type(self).__name__} does not define them"

    def remarks(self, data: Data) -> tuple[str, ...]:
        """Return sentences on the implications of the score for these data, for accounts.

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

    def log_scores(self, data: Data, children: Sequence[int], parents: Sequence[int]) -> ArrayLike:
        """Return the score of each child with the same parents.

        Parameters
        ----------
        data
            The rows in which none of these children was intervened on.
        children, parents
            Positions among the variables of the data, ascending; no child is a parent.
        """
        raise ArgumentError(
            f"the score {type(self).__name__} computes nothing; give its class a method "
            "log_scores(self, data, children, parents)"
        )

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as an object of the core; by default it calls `log_scores`.

        Parameters
        ----------
        data
            The data.
        """
        set_in = data.intervened

        @lru_cache(maxsize=1)
        def counting(node: int) -> Data | None:
            if node < 0:
                return data
            assert set_in is not None
            return None if set_in[:, node].all() else data.take_rows(~set_in[:, node])

        def scores(node: int, children: list[int], parents: list[int]) -> list[float]:
            rows = counting(node)
            if rows is None:  # the likelihood of no rows is 1
                return [0.0] * len(children)
            given = self.log_scores(rows, children, parents)
            found = np.asarray(given, dtype=np.float64)
            if found.shape != (len(children),):
                raise ArgumentError(
                    f"log_scores of {type(self).__name__} returned {shown(given)} for "
                    f"{len(children)} children; give one number for each"
                )
            return list(found.tolist())

        nodes = range(len(data.variables))
        intervened = [set_in is not None and bool(set_in[:, node].any()) for node in nodes]
        return _core.called_score(scores, intervened)

    def fill(self, data: Data, table: _core.FamilyTable, run: Stage) -> None:
        """Set every value of a table to the score of its family.

        Parameters
        ----------
        data
            The data; node numbers of the table are positions among its variables.
        table
            The families; overwrite ``table.values(node)``.
        run
            The number of threads, and the progress function.
        """
        self.in_core(data).score(table, run.threads, run.progress)


def usual_test(data: Data) -> IndependenceTest:
    """Return the usual test of conditional independence for columns of these kinds."""
    continuous = [kind == "continuous" for kind in data.kinds.values()]
    if all(continuous):
        return "fisher-z"
    return "degenerate-gaussian" if any(continuous) else "g-squared"


# The methods by which a user-defined class computes scores, and their arguments.
_METHODS = {"log_scores": "(self, data, children, parents)", "fill": "(self, data, table, run)"}


def _refuse_other_arguments(score: type[LocalScore], method: str, wanted: str) -> None:
    """Refuse a method with other arguments when the class is defined, not after a long run."""
    signature = inspect.signature(getattr(score, method))
    try:
        signature.bind(None, None, None, None)
    except TypeError:
        raise ArgumentError(
            f"the method {method} of {score.__name__} takes ({', '.join(signature.parameters)}); "
            f"give it the arguments {wanted}"
        ) from None


@dataclass(frozen=True)
class FunctionScore(LocalScore):
    """A Python function as a score: ``function(node, parents)`` returns a log likelihood.

    The function is called once for each family, with the node's name and the
    tuple of its parents' names in the order of the variables. It may return
    minus infinity to exclude a family.

    Examples
    --------
    >>> import arcwise
    >>> score = FunctionScore(lambda node, parents: -2.0 * len(parents))
    >>> arcwise.score(["a", "b", "c"], score).log_score("a", ["b", "c"])
    -4.0
    """

    function: FamilyFunction

    def __post_init__(self) -> None:
        """Refuse an object that is not callable."""
        refuse_uncallable(self.function)

    def in_core(self, data: Data | tuple[str, ...]) -> _core.FamilyScore:
        """Return the score as an object of the core; the names of the variables suffice."""
        names = data.variables if isinstance(data, Data) else data

        def scores(_: int, children: list[int], parents: list[int]) -> list[float]:
            of = tuple(names[parent] for parent in parents)
            return [
                evaluate(self.function, names[child], of, "score", "a log likelihood")
                for child in children
            ]

        return _core.called_score(scores, [False] * len(names))


class LawScore(LocalScore, ABC):
    """The log marginal likelihoods of a law, which is all that a subclass must define.

    The law is evaluated for all children of a parent set at once, and only for families that it
    allows.
    """

    @abstractmethod
    def law(self, data: Data) -> Law:
        """Return the law of each node given its parents, with its prior."""

    def impossible_edges(self, data: Data) -> NDArray[np.bool_] | None:
        """Return the edges [parent, child] that the law does not allow; None if it allows all."""
        law, kinds = self.law(data), [column.kind for column in data.columns]
        edges = np.array([[not law.allows(child, parent) for child in kinds] for parent in kinds])
        np.fill_diagonal(edges, False)
        return edges if edges.any() else None

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as an object of the core that calls the law, which knows the rows."""
        posteriors = self.law(data).given(data)

        def scores(_: int, children: list[int], parents: list[int]) -> list[float]:
            return list(posteriors.log_marginals(tuple(parents), children).tolist())

        return _core.called_score(scores, [False] * len(data.variables))
