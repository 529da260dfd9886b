"""`Plan`: the choices made before a run and the reasons, saved with it and added to its result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arcwise.diagnostics.diagnose import diagnose, keep_diagnosis
from arcwise.errors import FileFormatError, RunDirectoryError, Wording, worded
from arcwise.graphs.dag import Dag
from arcwise.posterior import Posterior
from arcwise.records.account import Account, Choices
from arcwise.records.runs import AnnealingRun, ChainRun, ExactRun, ImputationRun
from arcwise.support.clock import Deadline
from arcwise.support.descriptions import words_of
from arcwise.support.files import UNREADABLE, write_json
from arcwise.support.plain import plain
from arcwise.support.plain_dataclasses import PlainDataclasses
from arcwise.support.words import plural

FILE = "plan.json"


@dataclass(frozen=True)
class Plan:
    """The choices made before a run.

    Parameters
    ----------
    sentences
        How the data were read and which parent sets are considered, in words.
    reason
        Why this algorithm was chosen, as the end of a sentence.
    chosen
        The choices as values, for use in programs.
    request
        The request as plain values, to check that a resumed run has the same one.
    best, best_log_weight
        The edges of the best DAG that was found while candidates were grown, and its
        unnormalised log posterior. Chains seldom meet a DAG as good: those they draw have many
        edges that are improbable each.
    """

    sentences: tuple[str, ...]
    reason: str
    chosen: Choices
    request: Mapping[str, Any]
    best: tuple[tuple[str, str], ...] = ()
    best_log_weight: float | None = None

    def with_account(
        self, posterior: Posterior, seconds: float, sensitivity: tuple[str, ...] = ()
    ) -> Posterior:
        """Return the posterior with its account.

        Parameters
        ----------
        posterior
            The result of the run.
        seconds
            The time the whole computation took.
        sensitivity
            How much it moves under other assumptions, in sentences.
        """
        posterior = self._with_best_dag(posterior)
        account = Account(
            choices=(*self.sentences, *self._about_the_run(posterior)),
            chosen=self.chosen,
            verdict="unknown",
            trust=(),
            seconds=seconds,
            sensitivity=sensitivity,
        )
        # The verdict depends on what was chosen, too.
        diagnosis = diagnose(replace(posterior, account=account))
        judged = replace(
            account,
            verdict=diagnosis.verdict,
            trust=diagnosis.sentences,
            data_verdict=diagnosis.data_verdict,
            findings=diagnosis.findings,
        )
        result = replace(posterior, account=judged)
        keep_diagnosis(result, diagnosis)
        return result

    def _with_best_dag(self, posterior: Posterior) -> Posterior:
        """Return the posterior with the DAG that was found before, if it is better."""
        met = posterior.map_log_weight
        if self.best_log_weight is None or (met is not None and met >= self.best_log_weight):
            return posterior
        dag = Dag.from_edges(posterior.variables, self.best)
        # Its probability is unknown where that of another was estimated by how often it was met.
        return replace(
            posterior, map_dag=dag, map_log_weight=self.best_log_weight, map_probability=None
        )

    def after(self, deadline: Deadline) -> Plan:
        """Return the plan with all that was left out meanwhile for lack of time."""
        more = tuple(cut for cut in deadline.cuts if cut not in self.sentences)
        return replace(self, sentences=(*self.sentences, *more))

    def write(self, directory: Path) -> None:
        """Write the plan to a run directory, which is created if necessary."""
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
        except UNREADABLE:
            raise FileFormatError(
                f"'{file}' is damaged; restore it from a copy, or delete it and resume without it"
            ) from None
        return plan

    def refuse_other(self, request: Mapping[str, Any], directory: Path) -> None:
        """Refuse to continue a run that had a different request, and say where they differ."""
        here = plain(request)
        for name in {**self.request, **here}:
            old, new = self.request.get(name), here.get(name)
            if old != new:
                message = worded(
                    f"the run in '{directory}' has another {name} ({old!r}, not {new!r}); continue "
                    "it with ",
                    Wording("arcwise.resume", "arcwise resume"),
                    ", or use another directory",
                )
                raise RunDirectoryError(message)  # one argument: OSError reads more differently

    def _about_the_run(self, posterior: Posterior) -> list[str]:
        run = posterior.run
        if isinstance(run, ExactRun):
            drawn = f"; {run.dags:,} DAGs were drawn from it for other features" if run.dags else ""
            ordinary = len(posterior.variables) - len(posterior.parent_only)
            variables = plural(ordinary, "variable")
            if posterior.parent_only:
                variables += f", given {len(posterior.parent_only):,} that are parents only,"
            return [
                f"The {posterior.modularity} posterior over {variables} was computed exactly"
                f"{self.reason}{drawn}."
            ]
        if isinstance(run, ImputationRun):
            return [_about_completions(run, self.reason)]
        if isinstance(run, AnnealingRun):
            runs, steps = plural(run.runs, "particle"), run.settings.schedule.steps
            population = run.settings.population
            if population is not None:
                each = plural(population.particles, "particle")
                runs = f"{plural(run.runs, 'population')} of {each}, each"
                steps = 0 if run.plan is None else sum(run.plan.steps)
            return [
                f"The {posterior.modularity} posterior was sampled by {posterior.algorithm} on "
                f"{words_of(run.settings.space)}{self.reason}: {runs} of {steps:,} "
                "annealing steps."
            ]
        assert isinstance(run, ChainRun)
        steps = run.burn_in_steps + max(run.steps_after_burn_in)
        return [
            f"The {posterior.modularity} posterior was sampled by {posterior.algorithm} on "
            f"{words_of(run.settings.space)}{self.reason}: {plural(run.chains, 'chain')} of "
            f"{steps:,} steps, of which the first {run.burn_in_steps:,} are burn-in.",
            _ending(run),
        ]


def _about_completions(run: ImputationRun, reason: str) -> str:
    """Return in words what was averaged."""
    means = "" if run.steps is None else f", by {run.steps_on_a_table:,} steps over DAGs on each"
    ending = " The run was interrupted." if run.interrupted else ""
    return (
        f"The posterior is averaged over {run.completions} completed tables{reason}{means}, drawn "
        f"by {plural(run.chains, 'chain')} over DAGs, parameters and missing values, after a "
        f"burn-in of {plural(run.burn_in, 'sweep')}.{ending}"
    )


def _ending(run: ChainRun) -> str:
    if run.interrupted:
        return "The run was interrupted; the result is based on the draws made until then."
    rule = run.settings.budget.rule
    if rule is None:
        return "The run ended when its budget was spent."
    if run.rule_met:
        return f"The run ended when its stopping rule was met ({rule})."
    return f"The run ended when its budget was spent, before its stopping rule was met ({rule})."
