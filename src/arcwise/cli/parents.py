"""Chooses the parent sets that the options of the shell call for, as `arcwise.learn` does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arcwise.algorithms.growth_state import DEFAULT_MAX_SIZE, growth_memory
from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.learning.choose_parents import with_parents
from arcwise.learning.hyperparameters import question_by_evidence
from arcwise.learning.request import Request
from arcwise.learning.study import Study
from arcwise.model import Definition, Modularity, Question
from arcwise.model.question import BY_EVIDENCE
from arcwise.scores import LocalScore
from arcwise.support.progress import tell
from arcwise.support.running import Run
from arcwise.support.words import byte_size


@dataclass(frozen=True)
class FamilyChoice:
    """The options of the group "Families".

    Parameters
    ----------
    constraints
        The constraints, as keyword arguments.
    candidates
        Edges, a method, or None.
    plus_one, grow, max_candidates, edge_probabilities
        The options of these names.
    """

    constraints: dict[str, Any]
    candidates: Any = None
    plus_one: bool = False
    grow: bool = False
    max_candidates: int = DEFAULT_MAX_SIZE
    edge_probabilities: Path | None = None

    @property
    def method(self) -> Any:
        """The argument `candidates` of `arcwise.learn`; None if no candidates are asked for."""
        if not self.grow:
            return self.candidates
        if not isinstance(self.candidates, str | None):
            raise ArgumentError(
                "--grow starts from a method, not from a file; give --candidates pc or another "
                "method"
            )
        return "grow" if self.candidates is None else f"grow:{self.candidates}"

    def parents(
        self,
        data: Data,
        score: LocalScore | None,
        prior: str | None,
        run: Run,
        modularity: Modularity = "modular",
        *,
        keep_interrupted: bool = False,
    ) -> Study:
        """Return the parent sets, all unless there are candidates, and print how they arose.

        A prior that is not given is chosen as `learn` does, so that one table has one answer.
        """
        if self.grow:
            size = byte_size(growth_memory(len(data.variables), self.max_candidates))
            tell(
                f"Growing candidate parents, up to {self.max_candidates} per node; a node with "
                f"that many takes {size}."
            )
        fixed = None if prior == BY_EVIDENCE else prior
        beliefs = self.edge_probabilities
        definition = Definition(score, prior=fixed, edge_probabilities=beliefs, **self.constraints)
        asked = Question.of(data, definition)
        if fixed is None:
            asked, words = question_by_evidence(asked, modularity, score=score is None, run=run)
            if words:
                tell("\n".join(words))
        request = Request(max_candidates=self.max_candidates, modularity=modularity)
        study = with_parents(
            Study(request, replace(run, progress=True), asked),
            "all" if self.method is None else self.method,
            plus_one=self.plus_one,
            deadline=run.deadline,
            keep_interrupted=keep_interrupted,
        )
        if self.method is not None:
            tell("\n".join(study.sentences))
        return study
