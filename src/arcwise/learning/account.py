"""`Account`: what was chosen and why, kept beside a run and told with its result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arcwise.diagnostics.diagnose import diagnose
from arcwise.errors import FileFormatError, RunDirectoryError
from arcwise.posterior import Posterior
from arcwise.support.files import write_json
from arcwise.support.plain import plain
from arcwise.support.words import plural

FILE = "account.json"


@dataclass(frozen=True)
class Account:
    """What was chosen before a run.

    Parameters
    ----------
    sentences
        What the data were taken for and which parent sets are considered, in words.
    reason
        Why the algorithm is the one it is, as the end of a sentence.
    chosen
        The choices for programs; nothing in them depends on the machine.
    request
        What was asked for, by which a run is known again.
    """

    sentences: tuple[str, ...]
    reason: str
    chosen: Mapping[str, Any]
    request: Mapping[str, Any]

    def told_with(self, posterior: Posterior, seconds: float | None = None) -> Posterior:
        """Return the posterior with the account and the verdict on it in its summary.

        Parameters
        ----------
        posterior
            What the run gave.
        seconds
            The time all of it took, if that is known.
        """
        diagnosis = diagnose(posterior)
        summary = dict(posterior.summary) | {
            "choices": [*self.sentences, *self._about_the_run(posterior)],
            "chosen": dict(self.chosen),
            "verdict": diagnosis.verdict,
            "trust": list(diagnosis.sentences),
        }
        if seconds is not None:
            summary["seconds_in_all"] = seconds
        return replace(posterior, summary=summary)

    def write(self, directory: Path) -> None:
        """Write it to the directory of a run, which is made if it is not there."""
        directory.mkdir(parents=True, exist_ok=True)
        write_json(asdict(self), directory / FILE)

    @classmethod
    def read(cls, directory: Path) -> Account | None:
        """Return the account in a directory, or None if there is none.

        Raises
        ------
        FileFormatError
            If it is damaged.
        """
        file = directory / FILE
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            return cls(
                tuple(values["sentences"]), values["reason"], values["chosen"], values["request"]
            )
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError):
            raise FileFormatError(
                f"'{file}' is damaged; put it back from a copy, or take it away and resume without"
            ) from None

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
        if posterior.algorithm == "exact":
            count = 0 if posterior.dags is None else len(posterior.dags)
            drawn = f"; {count:,} DAGs were drawn from it for other features" if count else ""
            variables = plural(len(posterior.variables), "variable")
            return [
                f"The {posterior.target} posterior of {variables} was computed exactly"
                f"{self.reason}{drawn}."
            ]
        summary = posterior.summary
        where = str(summary["space"]).removesuffix("(moves=None)")
        if posterior.algorithm == "ais":
            return [
                f"The {posterior.target} posterior was sampled by "
                f"{plural(summary['runs'], 'annealed particle')} of "
                f"{summary['annealing_steps']:,} steps on {where}{self.reason}."
            ]
        steps = summary["burn_in_steps"] + max(summary["steps_after_burn_in"])
        return [
            f"The {posterior.target} posterior was sampled by {posterior.algorithm} on {where}"
            f"{self.reason}: {plural(summary['chains'], 'chain')} of {steps:,} steps, of which the "
            f"first {summary['burn_in_steps']:,} do not count.",
            _ending(summary),
        ]


def _ending(summary: Mapping[str, Any]) -> str:
    if summary["interrupted"]:
        return "The run was interrupted, and the result rests on what there was by then."
    rule = summary.get("until")
    if rule is None:
        return "The run ended when its budget was spent."
    if summary["until_met"]:
        return f"The run ended when its rule was met ({rule})."
    return f"The run ended when its budget was spent, before its rule was met ({rule})."
