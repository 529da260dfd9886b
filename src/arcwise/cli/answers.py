"""Answers that average over parameters: effects, responses, predictions and forecasts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from arcwise.cli.composition import group_of
from arcwise.cli.output import Result, with_verdicts
from arcwise.data import Data, IncompleteData
from arcwise.posterior import Posterior
from arcwise.support.checks import open_fraction
from arcwise.support.running import Run
from arcwise.support.settings import Settings, setting, setting_like


@dataclass(frozen=True, kw_only=True)
class Answer(Settings):
    """How an answer is averaged over parameters, and where its table is written."""

    level: float = setting(
        0.95, "Probability of the intervals.", check=open_fraction, metavar="PROBABILITY"
    )
    draws: int | None = setting(
        None,
        "Number of parameter draws for each DAG, for continuous data (default: 2,000 in all).",
        metavar="N",
    )
    seed: int = setting_like(Run, "seed", 0, "Seed of the random numbers.")
    out: Path | None = setting(None, "The .csv file to write.", metavar="FILE")

    @property
    def averaging(self) -> Mapping[str, Any]:
        """The arguments about draws of parameters."""
        return {"draws": self.draws, "seed": self.seed}

    def tell(self, posterior: Posterior, name: str, found: Any, *level: float) -> Result:
        """Print an answer with the verdicts on its posterior, and write its table.

        Its intervals are of a level, if one is given; otherwise it has them already.
        """
        print(found.describe(*level) if level else found)
        result = with_verdicts(
            posterior, lambda: {"level": self.level, name: found.table(*level).to_dicts()}
        )
        if self.out is not None:
            found.write(self.out, *level)
            print(f"The table was written to {self.out}")
        return result


@dataclass(frozen=True, kw_only=True)
class _OfSource(Settings):
    """What an effect is compared with."""

    reference: str | None = setting(
        None,
        "The level of a discrete source to compare the others with (default: the first).",
        metavar="LEVEL",
    )

    def reference_level(self, source: str, given: Data | IncompleteData) -> object:
        """Return the level of a source that is written so; the text itself if there is none."""
        data = given.table if isinstance(given, IncompleteData) else given
        for column in data.columns:
            if column.name == source:
                levels = (level for level in column.kind.levels if str(level) == self.reference)
                return next(levels, self.reference)
        return self.reference


@dataclass(frozen=True, kw_only=True)
class EffectAnswer(Answer, _OfSource):
    """How an effect is averaged over parameters, what it is compared with, and its table."""

    draws: int | None = setting(
        None, "Number of parameter draws for each DAG (default: 4,000 in all).", metavar="N"
    )


AnswerOptions = Annotated[Answer, group_of(Answer)]

EffectOptions = Annotated[EffectAnswer, group_of(EffectAnswer)]
