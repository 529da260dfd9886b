"""`Question`: data, score, prior, constraints and candidates, checked in one place.

Data are a table, precomputed scores, or variable names alone if the score is a function;
together with a score, a prior, constraints and candidates they define a model.
"""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from arcwise import _core
from arcwise.data import Data, IncompleteData
from arcwise.data.reader import Reading, ReadingToLearn, read_table
from arcwise.errors import ArgumentError, ConstraintError, Wording, option
from arcwise.families import Families
from arcwise.families.families import ConstraintArguments, Constraints, in_time, parent_matrix
from arcwise.priors import EdgeProbabilities, Prior, Sparse, Uniform, as_prior
from arcwise.scores import FamilyScores, FunctionScore, LocalScore, as_score
from arcwise.scores.family_scores import FamilyScoring, as_family_scores
from arcwise.support.checks import true_or_false
from arcwise.support.names import quoted
from arcwise.support.settings import setting

BY_EVIDENCE = "by-evidence"
"""The name of the prior that maximises the evidence of the data, as `learn` chooses it."""


@dataclass(frozen=True)
class Definition(ConstraintArguments):
    """Score, prior, constraints and candidates of a model; `Model` describes them."""

    score: Any = None
    _: KW_ONLY
    prior: Any = None
    edge_probabilities: Any = None
    candidates: Any = None
    plus_one: bool = setting(
        False, "", check=lambda value, name: true_or_false(value, option("plus_one"))
    )

    @property
    def prior_by_evidence(self) -> bool:
        """Whether the prior is to be chosen by the evidence of the data."""
        return isinstance(self.prior, str) and self.prior == BY_EVIDENCE

    def refuse_beside(self, what: str) -> None:
        """Refuse anything specified beside something complete, such as a model."""
        parts = (self.score, self.prior, self.edge_probabilities, self.candidates)
        given = self.plus_one or any(part is not None for part in parts)
        if given or self.together != Constraints():
            raise ArgumentError(
                f"{what} already has its score, prior, constraints and candidates; leave them out, "
                "or give the data instead"
            )


@dataclass(frozen=True, eq=False)
class Question:
    """The definition of a model, before anything is scored.

    Examples
    --------
    >>> question = Question.of({"a": [0, 1, 1], "b": [0, 1, 0]}, Definition(prior="fair"))
    >>> question.variables, question.score
    (('a', 'b'), BDeu(equivalent_sample_size=1.0))
    """

    data: Data | FamilyScores | tuple[str, ...]  # a table, precomputed scores, or names
    score: LocalScore | None  # None if the scores are precomputed
    prior: Prior = field(default_factory=Uniform)
    constraints: Constraints = field(default_factory=Constraints)
    candidates: Any = None  # see `Families.of`
    plus_one: bool = False

    def __post_init__(self) -> None:
        """Refuse contradictory arguments."""
        if self.precomputed is not None and self.plus_one:
            raise ArgumentError(
                option("plus_one"),
                " needs data to score further families, but the scores are precomputed; leave it "
                "out",
            )

    @classmethod
    def of(cls, data: Any, definition: Definition | None = None) -> Question:
        """Return the question that data and definition state."""
        given = definition or Definition()
        if isinstance(data, Question):
            given.refuse_beside("a question")
            return data
        precomputed = as_family_scores(data)
        if precomputed is None and not _are_names(data):
            return cls._of_table(data, given)
        if given.prior_by_evidence:
            raise ArgumentError(
                option("prior"),
                f" is {BY_EVIDENCE!r}, which needs a table; give the table, or another prior",
            )
        if precomputed is not None:
            if given.score is not None:
                raise ArgumentError(
                    "the data are precomputed scores, which have their own; leave out the score"
                )
            return cls._stated(precomputed, None, given, given.together)
        chosen = as_score(given.score)
        if not isinstance(chosen, FunctionScore):
            raise ArgumentError(
                f"data is a list of names, from which {type(chosen).__name__} cannot be "
                "computed; give the data, or a function as the score"
            )
        return cls._stated(tuple(data), chosen, given, given.together)

    @classmethod
    def _of_table(cls, data: Any, given: Definition) -> Question:
        table = data if isinstance(data, Data) else read_table(data, Reading())
        if isinstance(table, IncompleteData):
            raise ArgumentError(
                f"{sum(table.missing_counts().values()):,} values of the table are missing, which "
                "only learn imputes; use ",
                Wording("arcwise.learn", "arcwise learn"),
                ", or give ",
                option("missing", "drop"),
            )
        rules = given.together if table.slices is None else in_time(given.together, table.slices)
        score = as_score(given.score, table)
        question = cls._stated(table, score, given, _with_impossible(rules, score, table))
        if given.prior is None or given.prior_by_evidence:
            question = replace(question, prior=question.prior.on(Sparse()))
        if not given.prior_by_evidence:
            return question
        from arcwise.learning.hyperparameters import question_by_evidence

        return question_by_evidence(question, score=given.score is None)[0]

    @classmethod
    def _stated(
        cls, data: Any, score: LocalScore | None, given: Definition, rules: Constraints
    ) -> Question:
        prior = as_prior(None if given.prior_by_evidence else given.prior)
        if given.edge_probabilities is not None:
            prior = EdgeProbabilities(given.edge_probabilities, prior)
        return cls(data, score, prior.under(rules), rules, given.candidates, given.plus_one)

    @property
    def table(self) -> Data | None:
        """The data table, or None if there are only scores or names."""
        return self.data if isinstance(self.data, Data) else None

    @property
    def precomputed(self) -> FamilyScores | None:
        """The precomputed scores, or None."""
        return self.data if isinstance(self.data, FamilyScores) else None

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return self.data if isinstance(self.data, tuple) else self.data.variables

    @property
    def parent_only(self) -> tuple[str, ...]:
        """The variables that have children only, in the order of the variables."""
        chosen = set(self.constraints.parent_only)
        return tuple(name for name in self.variables if name in chosen)

    @property
    def ordinary(self) -> tuple[str, ...]:
        """The variables that are not parent-only: those that have a position in the order."""
        chosen = set(self.constraints.parent_only)
        return tuple(name for name in self.variables if name not in chosen)

    def condition(self, table: _core.FamilyTable) -> None:
        """Set the log weights of parent-only variables to 0: the model is conditional on them."""
        chosen = set(self.constraints.parent_only)
        for node, name in enumerate(self.variables):
            if name in chosen:
                table.values(node)[:] = 0.0

    @property
    def has_interventions(self) -> bool:
        """Whether any variable was intervened on in any row."""
        table = self.table
        return table is not None and table.intervened is not None and bool(table.intervened.any())

    @cached_property
    def families(self) -> Families:
        """The families allowed by constraints and candidates."""
        return Families.of(
            self.variables,
            candidates=self.candidates,
            plus_one=self.plus_one,
            constraints=self.constraints,
        )

    @property
    def number_of_families(self) -> int:
        """The number of families to score, or of precomputed scores."""
        return self.families.total if self.precomputed is None else len(self.precomputed)

    @property
    def scoring(self) -> FamilyScoring:
        """The families to score, with the score and the data."""
        assert self.score is not None
        assert not isinstance(self.data, FamilyScores)
        return FamilyScoring(self.score, self.data, self.families)

    def restricted_scores(self) -> FamilyScores:
        """Return the precomputed scores of the families that constraints and candidates allow."""
        scores = self.precomputed
        assert scores is not None
        alone = Constraints(parent_only=self.constraints.parent_only)
        if self.constraints == alone and self.candidates is None and self._is_conditional(scores):
            return scores
        resolved = self.constraints.resolve(scores.variables)
        allowed = resolved.allowed
        if self.candidates is not None:
            rule = self.families
            allowed = parent_matrix(rule.candidates) | parent_matrix(rule.required)
        table: _core.FamilyTable = scores.table.restricted(
            np.ascontiguousarray(allowed, dtype=np.uint8),
            np.ascontiguousarray(resolved.required, dtype=np.uint8),
            resolved.max_indegree,
        )
        self.condition(table)
        return FamilyScores(scores.variables, table)

    def _is_conditional(self, scores: FamilyScores) -> bool:
        """Return whether each parent-only variable has only the empty parent set, of score 0."""
        table = scores.table
        places = [scores.variables.index(name) for name in self.parent_only]
        return all(
            not table.candidates(place) and table.values(place).tolist() == [0.0]
            for place in places
        )


def table_to_learn(data: Any, reading: ReadingToLearn) -> Data | IncompleteData | None:
    """Return the table given to `learn`; None for a model, scores or names."""
    unread = isinstance(data, Question | FamilyScores) or _are_names(data)
    if unread or (isinstance(data, str | os.PathLike) and as_family_scores(data) is not None):
        if reading.specified:
            raise ArgumentError(
                f"there is no table to read, so {quoted(reading.specified)} cannot be used; leave "
                "it out, or give data"
            )
        return None
    return read_table(data, reading.of(data))


def _with_impossible(rules: Constraints, score: LocalScore, table: Data) -> Constraints:
    """Return the constraints with the edges forbidden that the score excludes."""
    impossible = score.impossible_edges(table)
    if impossible is None:
        return rules
    names = table.variables
    required = rules.resolve(names).required & impossible
    if required.any():
        parent, child = np.argwhere(required)[0]
        raise ConstraintError(
            option("required_edges"),
            f" contains {names[parent]!r} -> {names[child]!r}, but {score.impossibility()}; "
            "remove this edge, or give another score",
        )
    pairs = [(names[parent], names[child]) for parent, child in np.argwhere(impossible)]
    return rules & Constraints(forbidden_edges=pairs)


def _are_names(data: Any) -> bool:
    return (
        isinstance(data, list | tuple)
        and bool(data)
        and all(isinstance(name, str) for name in data)
    )
