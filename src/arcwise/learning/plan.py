"""`Plan`: what was chosen before a run and why, kept beside it and told with its result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arcwise.diagnostics.diagnose import diagnose
from arcwise.errors import FileFormatError, RunDirectoryError
from arcwise.posterior import Posterior
from arcwise.records.account import Account, Choices
from arcwise.records.runs import AnnealingRun, ChainRun, ExactRun
from arcwise.spaces import Space
from arcwise.support.descriptions import Description
from arcwise.support.files import write_json
from arcwise.support.plain import plain
from arcwise.support.plain_dataclasses import PlainDataclasses
from arcwise.support.words import plural

FILE = "plan.json"


@dataclass(frozen=True)
class Plan:
    """What was chosen before a run.

    Parameters
    ----------
    sentences
        What the data were taken for and which parent sets are considered, in words.
    reason
        Why the algorithm is the one it is, as the end of a sentence.
    chosen
        The choices for programs.
    request
        What was asked for as plain values, by which a run is known again.
    """

    sentences: tuple[str, ...]
    reason: str
    chosen: Choices
    request: Mapping[str, Any]

    def told_with(self, posterior: Posterior, seconds: float) -> Posterior:
        """Return the posterior with its account.

        Parameters
        ----------
        posterior
            What the run gave.
        seconds
            The time all of it took.
        """
        diagnosis = diagnose(posterior)
        account = Account(
            choices=(*self.sentences, *self._about_the_run(posterior)),
            chosen=self.chosen,
            verdict=diagnosis.verdict,
            trust=diagnosis.sentences,
            seconds=seconds,
        )
        return replace(posterior, account=account)

    def write(self, directory: Path) -> None:
        """Write it to the directory of a run, which is made if it is not there."""
        directory.mkdir(parents=True, exist_ok=True)
        write_json(PlainDataclasses().write(self), directory / FILE)

    @classmethod
    def read(cls, directory: Path) -> Plan | None:
        """Return the plan in a directory, or None if there is none.

        Raises
        ------
        FileFormatError
            If it is damaged.
        """
        file = directory / FILE
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            plan: Plan = PlainDataclasses().read(Plan, values)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise FileFormatError(
                f"'{file}' is damaged; restore it from a copy, or delete it and resume without"
            ) from None
        return plan

    def refuse_other(self, request: Mapping[str, Any], directory: Path) -> None:
        """Refuse to go on with a run that was asked for differently, and say in what."""
        here = plain(request)
        for name in {**self.request, **here}:
            old, new = self.request.get(name), here.get(name)
            if old != new:
                raise RunDirectoryError(
                    f"the run in '{directory}' has another {name} ({old!r}, not {new!r}); go on "
                    "with arcwise resume, or use another directory"
                )

    def _about_the_run(self, posterior: Posterior) -> list[str]:
        run = posterior.run
        if isinstance(run, ExactRun):
            drawn = f"; {run.dags:,} DAGs were drawn from it for other features" if run.dags else ""
            variables = plural(len(posterior.variables), "variable")
            return [
                f"The {posterior.target} posterior of {variables} was computed exactly"
                f"{self.reason}{drawn}."
            ]
        if isinstance(run, AnnealingRun):
            return [
                f"The {posterior.target} posterior was sampled by "
                f"{plural(run.runs, 'annealed particle')} of {run.settings.schedule.steps:,} steps "
                f"on {_in_words(run.settings.space)}{self.reason}."
            ]
        assert isinstance(run, ChainRun)
        steps = run.burn_in_steps + max(run.steps_after_burn_in)
        return [
            f"The {posterior.target} posterior was sampled by {posterior.algorithm} on "
            f"{_in_words(run.settings.space)}{self.reason}: {plural(run.chains, 'chain')} of "
            f"{steps:,} steps, of which the first {run.burn_in_steps:,} do not count.",
            _ending(run),
        ]


def _in_words(space: Space) -> str:
    """Return a space by its class, with its settings if it has any that say something."""
    described = Description.of(space)
    return (described.call() or described.text).removesuffix("()")


def _ending(run: ChainRun) -> str:
    if run.interrupted:
        return "The run was interrupted, and the result rests on what there was by then."
    rule = run.settings.budget.rule
    if rule is None:
        return "The run ended when its budget was spent."
    if run.rule_met:
        return f"The run ended when its rule was met ({rule})."
    return f"The run ended when its budget was spent, before its rule was met ({rule})."
