"""`FunctionScore`: any Python function of a family as a score."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise import _core
from arcwise.data import Data
from arcwise.families.functions import FamilyFunction, evaluate, refuse_uncallable
from arcwise.scores.base import LocalScore


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
        """Return the score as the core computes it; the names of the variables suffice."""
        names = data.variables if isinstance(data, Data) else data

        def scores(_: int, children: list[int], parents: list[int]) -> list[float]:
            of = tuple(names[parent] for parent in parents)
            return [
                evaluate(self.function, names[child], of, "score", "a log likelihood")
                for child in children
            ]

        return _core.called_score(scores, [False] * len(names))
