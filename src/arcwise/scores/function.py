"""`FunctionScore`: any Python function of a family as a score."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise import _core
from arcwise.data import Data
from arcwise.families.functions import FamilyFunction, evaluate, parent_names, refuse_uncallable
from arcwise.scores.base import LocalScore
from arcwise.support.running import Stage

_FAMILIES_PER_REPORT = 1024


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

    def fill(self, data: Data, table: _core.FamilyTable, run: Stage) -> None:
        """Set every value of the table to the score of its family."""
        self.fill_named(data.variables, table, run)

    def fill_named(self, variables: tuple[str, ...], table: _core.FamilyTable, run: Stage) -> None:
        """Set the values as `fill` does, given only the names of the variables."""
        total = sum(table.count(node) for node in range(len(variables)))
        done = 0
        for node, name in enumerate(variables):
            values = table.values(node)
            for family, parents in enumerate(parent_names(table, node, variables)):
                values[family] = evaluate(self.function, name, parents, "score", "a log likelihood")
                done += 1
                if run.progress is not None and (done % _FAMILIES_PER_REPORT == 0 or done == total):
                    run.progress(done / total)
