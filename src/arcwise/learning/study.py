"""`Study`: the request of a call of `learn`, and every choice made so far with its reason.

`learn` is a sequence of steps. Each takes a study and returns it with one more choice and a
sentence about it. A run directory contains a `KeptStudy`, which refuses to resume with a different
request and adds the account to the result.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arcwise.algorithms.growth import Growth
from arcwise.data import IncompleteData
from arcwise.diagnostics.diagnose import diagnose, keep_diagnosis
from arcwise.errors import FileFormatError, RunDirectoryError, Wording, worded
from arcwise.graphs.dag import Dag
from arcwise.imputation.chain import Redraw
from arcwise.learning import costs
from arcwise.learning.request import Request
from arcwise.model import Model, Question
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import Posterior
from arcwise.records.account import Account, Choices
from arcwise.records.runs import AnnealingRun, ChainRun, ExactRun, ImputationRun
from arcwise.records.settings import Algorithm
from arcwise.spaces import Space
from arcwise.support.files import UNREADABLE, write_json
from arcwise.support.names import plural, words_of
from arcwise.support.plain import PlainDataclasses, attributes, digest, plain
from arcwise.support.running import Run

# Files of a run directory.
FILE = "study.json"  # the kept study
GROWTH = "growth.json"  # the rounds of growth, until candidates are chosen
SCORES = "scores.partial"  # the scores computed so far, until there is a result
RESULT = "posterior.npz"  # the result of a computation without checkpoints


@dataclass(frozen=True, eq=False)
class Study:
    """What is computed, and why."""

    request: Request
    run: Run
    # The question about the data, which each choice makes more definite; finally the model.
    asked: Model | Question
    # Request and question in plain values, which a resumed run must have, too.
    identity: Mapping[str, Any] = field(default_factory=dict)
    incomplete: IncompleteData | None = None  # the table with its missing values, if it has any
    # The algorithm, and why, as the end of a sentence. With missing values, it is the algorithm
    # that draws the DAGs given each completed table.
    algorithm: Algorithm | None = None
    reason: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)  # the arguments of the algorithm
    # The source of the parent sets: ``"all"``, ``"candidates"``, ``"grown"`` or ``"given"``.
    parents: str = "given"
    growth: Growth | None = None  # the result of growing the candidates, if they were grown
    sums: ScoreSums | None = None  # the score sums of the model, once they were needed
    # Draws score and prior along with the missing values; None if these are fixed.
    redraw: Redraw | None = None
    sentences: tuple[str, ...] = ()  # the steps taken so far, in words
    posterior: Posterior | None = None

    @property
    def question(self) -> Question:
        """The question, even if there is a model already."""
        return self.asked.question if isinstance(self.asked, Model) else self.asked

    @property
    def model(self) -> Model:
        """The model, once its parent sets are scored."""
        assert isinstance(self.asked, Model)
        return self.asked

    @property
    def families(self) -> int:
        """The number of parent sets."""
        asked = self.asked
        return len(asked.scores) if isinstance(asked, Model) else asked.number_of_families

    @property
    def directory(self) -> Path | None:
        """The run directory, if one was given."""
        return self.run.folder

    def file(self, name: str) -> Path | None:
        """Return a file of the run directory, which is created if necessary."""
        if self.directory is None:
            return None
        self.directory.mkdir(parents=True, exist_ok=True)
        return self.directory / name

    def saying(self, *sentences: str) -> Study:
        """Return the study with further sentences."""
        return replace(self, sentences=(*self.sentences, *sentences))

    def chosen(self) -> Choices:
        """Return the choices for programs."""
        request, question, n = self.request, self.question, len(self.asked.ordinary)
        imputed = self.incomplete is not None
        assert self.algorithm is not None
        arguments = {
            name: repr(value) if isinstance(value, Space) else plain(value)
            for name, value in self.settings.items()
            if name not in ("sums", "seconds")
        }
        if "seconds" in self.settings:
            arguments["seconds"] = self.run.deadline.seconds
        return Choices(
            score=repr(question.score),
            prior=repr(question.prior),
            modularity=request.modularity,
            parents=self.parents,
            families=self.families,
            algorithm=Algorithm.IMPUTATION if imputed else self.algorithm,
            exact_operations=costs.exact_operations(n, request.modularity),
            exact_limit=costs.EXACT_OPERATIONS_OF_A_TABLE
            if imputed
            else costs.exact_limit(self.run.deadline.seconds, self.run.threads),
            arguments=arguments,
            seed=self.run.seed,
            parents_left_out=(
                self.growth is not None
                and self.growth.unfinished
                and not any(self.growth.model.question.families.outside)
            ),
        )

    def kept(self) -> KeptStudy:
        """Return what a run directory keeps of the study."""
        found = None if self.growth is None else self.growth.best
        weight = -math.inf
        if found is not None and isinstance(self.asked, Model):
            weight = self.asked.log_weight_of(found.dag)
        cuts = [cut for cut in self.run.deadline.cuts if cut not in self.sentences]
        # A DAG with a parent set that the model does not have is not kept.
        known = found is not None and math.isfinite(weight)
        return KeptStudy(
            plain(self.identity),
            (*self.sentences, *cuts),
            self.reason,
            self.chosen(),
            best=tuple(found.dag.edges) if found is not None and known else (),
            best_log_weight=weight if known else None,
        )


@dataclass(frozen=True)
class KeptStudy:
    """The part of a study that is kept in the run directory."""

    request: Mapping[str, Any]  # request and question in plain values
    sentences: tuple[str, ...]  # the steps before the run, in words
    reason: str  # why this algorithm was chosen, as the end of a sentence
    chosen: Choices  # the choices for programs
    # The edges of the best DAG found while candidates were grown, and its unnormalised log
    # posterior. Chains seldom visit a DAG as good, as the DAGs they draw have many edges that are
    # improbable individually.
    best: tuple[tuple[str, str], ...] = ()
    best_log_weight: float | None = None

    def write(self, directory: Path) -> None:
        """Write the file in a run directory, which is created if necessary."""
        directory.mkdir(parents=True, exist_ok=True)
        write_json(PlainDataclasses().write(self), directory / FILE)

    @classmethod
    def read(cls, directory: Path) -> KeptStudy | None:
        """Return what a directory keeps, None if nothing; `FileFormatError` if it is damaged."""
        file = directory / FILE
        try:
            kept: KeptStudy = PlainDataclasses().read(cls, json.loads(file.read_text()))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except UNREADABLE:
            raise FileFormatError(
                f"'{file}' is damaged; restore it from a copy, or delete it and resume without it"
            ) from None
        return kept

    def refuse_other(self, identity: Mapping[str, Any], directory: Path) -> None:
        """Refuse to resume a run that had a different request, and name the difference."""
        here = plain(identity)
        for name in {**self.request, **here}:
            old, new = self.request.get(name), here.get(name)
            if old != new:
                message = worded(
                    f"the run in '{directory}' has another {name} ({old!r}, not {new!r}); continue "
                    "it with ",
                    Wording("arcwise.resume", "arcwise resume"),
                    ", or use another directory",
                )
                raise RunDirectoryError(message)  # OSError interprets further arguments

    def explained(
        self, posterior: Posterior, seconds: float, sensitivity: tuple[str, ...] = ()
    ) -> Posterior:
        """Return the result of a computation of these seconds, with its account."""
        posterior = self._with_best_dag(posterior)
        account = Account(
            choices=(*self.sentences, *_about_the_run(posterior, self.reason)),
            chosen=self.chosen,
            verdict="unknown",
            trust=(),
            seconds=seconds,
            sensitivity=sensitivity,
        )
        # The verdict depends on the choices, too.
        diagnosis = diagnose(replace(posterior, account=account))
        found = attributes(diagnosis, "verdict data_verdict findings")
        judged = replace(account, trust=diagnosis.sentences, **found)
        result = replace(posterior, account=judged)
        keep_diagnosis(result, diagnosis)
        return result

    def _with_best_dag(self, posterior: Posterior) -> Posterior:
        """Return the posterior with the DAG found during growth as its mode, if it is better."""
        visited = posterior.map_log_weight
        if self.best_log_weight is None or (
            visited is not None and visited >= self.best_log_weight
        ):
            return posterior
        dag = Dag.from_edges(posterior.variables, self.best)
        # The estimate by the frequency of visits is that of another DAG.
        return replace(
            posterior, map_dag=dag, map_log_weight=self.best_log_weight, map_probability=None
        )


def identity_of(
    request: Request, run: Run, asked: Model | Question, incomplete: IncompleteData | None = None
) -> dict[str, Any]:
    """Return request and question in plain values, which a resumed run must have as well."""
    names = "max_candidates plus_one modularity algorithm chains particles until steps dags"
    question = asked.question if isinstance(asked, Model) else asked
    table = question.table if incomplete is None else incomplete
    candidates = request.candidates
    if candidates is not None and not isinstance(candidates, str):
        candidates = digest(replace(question, candidates=candidates).families.candidates)
    scores = question.precomputed
    return {name: getattr(request, name) for name in (*names.split(), "completions")} | {
        "seconds": run.deadline.seconds,
        "seed": run.seed,
        "candidates": candidates,
        "space": None if request.space is None else repr(request.space),
        "options": {name: repr(value) for name, value in request.options.items()},
        "score": repr(question.score),
        "prior": repr(question.prior),
        "constraints": question.constraints.resolve(question.variables).as_dict(question.variables),
        "data": None if table is None else table.fingerprint,
        "scores": None if scores is None else digest(scores.table.values(0).tobytes()),
    }


def _about_the_run(posterior: Posterior, reason: str) -> list[str]:
    """Return in words how the posterior was computed."""
    run = posterior.run
    if isinstance(run, ExactRun):
        drawn = f"; {run.dags:,} DAGs were drawn from it for other features" if run.dags else ""
        ordinary = len(posterior.variables) - len(posterior.parent_only)
        variables = plural(ordinary, "variable")
        if posterior.parent_only:
            variables += f", given {len(posterior.parent_only):,} that are parents only,"
        return [
            f"The {posterior.modularity} posterior over {variables} was computed exactly"
            f"{reason}{drawn}."
        ]
    if isinstance(run, ImputationRun):
        return [_about_completions(run, reason)]
    if isinstance(run, AnnealingRun):
        runs, steps = plural(run.runs, "particle"), run.settings.cooling.steps
        if run.plan is not None:
            each = plural(run.settings.states_per_run, "particle")
            runs = f"{plural(run.runs, 'population')} of {each}, each"
            steps = sum(run.plan.steps)
        return [
            f"The {posterior.modularity} posterior was sampled by {posterior.algorithm} on "
            f"{words_of(run.settings.space)}{reason}: {runs} of {steps:,} annealing steps."
        ]
    assert isinstance(run, ChainRun)
    steps = run.burn_in_steps + max(run.steps_after_burn_in)
    return [
        f"The {posterior.modularity} posterior was sampled by {posterior.algorithm} on "
        f"{words_of(run.settings.space)}{reason}: {plural(run.chains, 'chain')} of "
        f"{steps:,} steps, of which the first {run.burn_in_steps:,} are burn-in.",
        _ending(run),
    ]


def _about_completions(run: ImputationRun, reason: str) -> str:
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
    rule = run.settings.rule
    if rule is None:
        return "The run ended when its budget was spent."
    if run.rule_met:
        return f"The run ended when its stopping rule was met ({rule})."
    return f"The run ended when its budget was spent, before its stopping rule was met ({rule})."
