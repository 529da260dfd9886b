"""What commands that start from a table ask: the score, the parent sets, the model of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from arcwise.cli.composition import OptionGroup
from arcwise.cli.options import ClusterOptions, FamilyOptions, PriorName, ScoreOptions
from arcwise.cli.output import note_data
from arcwise.data import Data
from arcwise.engines import Engine, opened_engine
from arcwise.learning.choose_parents import scored
from arcwise.model import Model, Modularity
from arcwise.support.running import Run


@dataclass(frozen=True, kw_only=True)
class ScoreAndFamilies:
    """How parent sets are scored, and which of them are allowed."""

    score: ScoreOptions
    families: FamilyOptions

    @property
    def asked(self) -> dict[str, Any]:
        """What of them is part of a `Request`."""
        families = self.families
        # `learn` allows one more parent by default when it chooses the candidates itself.
        own = families.candidates is None or families.grow
        return {
            "score": self.score,
            "edge_probabilities": families.edge_probabilities,
            "candidates": families.method,
            "max_candidates": families.max_candidates,
            "plus_one": None if own else families.plus_one,
        }


@dataclass(frozen=True, kw_only=True)
class Scoring(ScoreAndFamilies):
    """The same, and where they are scored."""

    cluster: ClusterOptions


@dataclass(frozen=True, kw_only=True)
class Modelling(Scoring):
    """The model of a table."""

    prior: PriorName = None

    @contextmanager
    def model(
        self, data: Data, run: Mapping[str, Any], modularity: Modularity
    ) -> Iterator[tuple[Model, Engine]]:
        """Yield the model with its families scored, and the engine, which is open meanwhile."""
        note_data(data)
        with opened_engine(self.cluster) as engine:
            own = Run(**run, engine=engine)
            study = self.families.parents(data, self.score, self.prior, own, modularity)
            yield scored(study, own.deadline).model, engine


ScoringOptions = Annotated[Scoring, OptionGroup(Scoring)]

ModelOptions = Annotated[Modelling, OptionGroup(Modelling)]
