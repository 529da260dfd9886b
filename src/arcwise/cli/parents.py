"""The parent sets that the options of the shell ask for, chosen as `arcwise.learn` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcwise.algorithms.growth import DEFAULT_MAX_SIZE
from arcwise.algorithms.growth_steps import growth_memory
from arcwise.constraints import ConstraintArguments, gather
from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.learning.parents import Parents, choose_parents
from arcwise.model import Question
from arcwise.scores import LocalScore
from arcwise.support.words import byte_size


@dataclass(frozen=True)
class FamilyChoice:
    """What the options of the group "Families" say.

    Parameters
    ----------
    constraints
        The constraints, as functions take them.
    candidates
        Edges, a method, or None.
    plus_one, grow, max_candidates
        As the options of these names.
    """

    constraints: ConstraintArguments
    candidates: Any = None
    plus_one: bool = False
    grow: bool = False
    max_candidates: int = DEFAULT_MAX_SIZE

    @property
    def method(self) -> Any:
        """The way to candidates, in the words of `arcwise.learn`; None if none is asked for."""
        if not self.grow:
            return self.candidates
        if not isinstance(self.candidates, str | None):
            raise ArgumentError("--grow begins with a method, not a file; give --candidates pc")
        return "grow" if self.candidates is None else f"grow:{self.candidates}"

    def question(self, data: Data, score: LocalScore | None, prior: str | None = None) -> Question:
        """Return what is asked about the data."""
        return Question.of(data, score, prior=prior, constraints=gather(self.constraints))

    def parents(
        self,
        data: Data,
        score: LocalScore | None,
        prior: str | None = None,
        *,
        seed: int = 0,
        threads: int | None = None,
        keep_interrupted: bool = False,
    ) -> Parents:
        """Return the parent sets, all unless candidates are asked for, and say how they came."""
        if self.grow:
            size = byte_size(growth_memory(len(data.variables), self.max_candidates))
            print(
                f"Growing candidates, up to {self.max_candidates} of a node, where a node takes "
                f"{size}"
            )
        found = choose_parents(
            self.question(data, score, prior),
            "all" if self.method is None else self.method,
            plus_one=self.plus_one,
            max_candidates=self.max_candidates,
            seed=seed,
            threads=threads,
            progress=True,
            keep_interrupted=keep_interrupted,
        )
        if self.method is not None:
            print(*found.sentences, sep="\n")
        return found
