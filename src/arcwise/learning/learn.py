"""`learn`: from data to the posterior, with every choice made by fixed rules and explained.

It takes a `Study` through `STEPS` one by one, with missing values or without. `resume` continues a
run given only its directory.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arcwise.algorithms.exact import Exact, exactly
from arcwise.algorithms.growth_state import read_log
from arcwise.algorithms.sample import SAMPLED_BY, SAMPLERS, SamplerOptions, resume_run
from arcwise.comparison import sensitivity
from arcwise.data import IncompleteData
from arcwise.data.reader import ReadingToLearn
from arcwise.errors import ArgumentError, TimeIsUpError, Wording
from arcwise.families.families import SYNONYMS, ConstraintArguments
from arcwise.graphs.dag import Dag
from arcwise.imputation.averaging import FILE as COMPLETIONS
from arcwise.learning import costs
from arcwise.learning.choices import (
    choose_algorithm,
    choose_parents,
    choose_settings,
    default_chains,
    try_chains,
)
from arcwise.learning.hyperparameters import by_evidence
from arcwise.learning.incomplete import (
    as_imputed,
    average_over_completions,
    by_rough_completion,
    refuse_with_missing_values,
)
from arcwise.learning.request import Request
from arcwise.learning.run_time import say_sampling
from arcwise.learning.study import GROWTH, RESULT, SCORES, KeptStudy, Study, identity_of
from arcwise.model import Definition, Model, Question, ask
from arcwise.model.question import table_to_learn
from arcwise.posterior import Posterior
from arcwise.records.settings import Algorithm, SamplerSettings
from arcwise.runs.directory import CHECKPOINT_SECONDS, SETTINGS
from arcwise.support.checks import folder_path
from arcwise.support.names import plural
from arcwise.support.running import Deadline, Progress, Run, refuse_after_sigterm
from arcwise.support.settings import keywords_of, setting_like

_SECONDS_FOR_SENSITIVITY = 4.0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(Run, Request, ReadingToLearn, ConstraintArguments):
    """The arguments of `learn`."""

    data: Any = field(kw_only=False)
    seconds: float | Deadline | None = setting_like(
        Run,
        "seconds",
        None,
        "Wall-clock time for the whole call, reading the table included, as the budget or the "
        "limit. Stages that take too long are cut short and the next make do with what there is, "
        "which the account says; a `Deadline` counts from its own beginning.",
    )
    progress: Progress = setting_like(
        Run,
        "progress",
        True,
        "True for a live progress bar, if there is a terminal or notebook to show it; a function "
        "of the fraction done; or None.",
    )
    directory: str | os.PathLike[str] | None = setting_like(
        Run,
        "directory",
        None,
        "The run directory, which also records the choices made; see `mcmc`. After an "
        "interruption, `resume` or the same call continues the run. Of an exact computation only "
        "the scores and the result are saved, and of completed tables only the result.",
    )


@keywords_of(
    _Arguments,
    other_words=SYNONYMS,
    described_by=(SamplerOptions, ReadingToLearn, ConstraintArguments),
)
def learn(
    data: Any, request: Request, reading: ReadingToLearn, constraints: ConstraintArguments, run: Run
) -> Posterior:
    """Learn the posterior probability of each edge between the variables of a table.

    Whatever is not given is chosen by fixed rules from the data and the arguments: the score by
    the kinds of the columns; the algorithm, which is exact where that is cheap (up to 20
    variables), and otherwise runs Markov chains over DAGs with grown candidate parents, or, with
    up to 32 variables, coupled chains over canonical orders if short chains over DAGs disagree;
    and the stopping rule. The account of the posterior lists the choices and their reasons
    (``account.choices``, and ``account.chosen`` for use in programs), and how reliable the result
    is (``account.verdict`` and ``account.trust``).

    Besides the arguments described here, it takes constraints, such as `max_indegree` and
    `required_edges` (see `ConstraintArguments`); those of `arcwise.read`, such as `missing` or
    `kinds`; and those of the algorithm, such as `thinning` or `ladder` (see `sample`).

    Parameters
    ----------
    data
        Anything `arcwise.read` takes: a data frame, an array, a mapping, the path of a
        .csv or .parquet file. Also a `Model`, or precomputed scores. Columns that are
        constant or seem to identify rows are left out with a warning, unless `constant` and
        `identifiers`, arguments of `arcwise.read`, specify otherwise. Missing values are imputed
        (see `completions`), unless `missing` specifies otherwise. Continuous columns that are far
        from normal are modelled as their logarithms or inverse hyperbolic sines if the evidence of
        the column alone strongly favours that, unless `transform` is given; the account reports
        it. A `Data` is used unchanged.

    Returns
    -------
    Posterior
        Ctrl-C or SIGTERM while chains run ends them early and returns the draws made so far,
        with an `InterruptedWarning`. After SIGTERM, this process begins no further call.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 500, seed=1)
    >>> posterior = arcwise.learn(data, seed=1)
    >>> posterior.account.verdict
    'exact'
    >>> print(posterior.account.choices[0])
    The table has 500 rows, 8 discrete variables.
    """
    refuse_after_sigterm()
    request.refuse_two_budgets(run.deadline.seconds)
    study = begin(request, run, data, constraints, reading)
    resumed = resumed_run(study)
    if resumed is not None:
        return resumed
    for step in STEPS:
        study = step(study)
    if study.posterior is None:
        study, settings, run = ready_to_sample(study)
        posterior = SAMPLED_BY[settings.sampler](study.model, settings, run)
        study = replace(study, posterior=posterior)
    return account(study)


def begin(
    request: Request, run: Run, data: Any, constraints: ConstraintArguments, reading: ReadingToLearn
) -> Study:
    """Read the table, and return the study of it with nothing chosen yet."""
    table = table_to_learn(data.question if isinstance(data, Model) else data, reading)
    incomplete = table if isinstance(table, IncompleteData) else None
    if incomplete is not None:
        refuse_with_missing_values(request, run, incomplete)
        table = incomplete.table
    definition = Definition(
        request.score,
        prior=request.prior if request.prior_given or isinstance(data, Model) else None,
        edge_probabilities=request.edge_probabilities,
        constraints=constraints.together,
    )
    asked = ask(data if table is None else table, definition)
    if incomplete is not None:
        assert isinstance(asked, Question)
        asked, incomplete = as_imputed(asked, incomplete)
    return Study(request, run, asked, identity_of(request, run, asked, incomplete), incomplete)


def resumed_run(study: Study) -> Posterior | None:
    """Resume the run in the directory, or return its result, if it is one of the same study."""
    run, path = study.run, study.directory
    kept = None if path is None else KeptStudy.read(path)
    if path is None or kept is None:
        return None
    begun = [name for name in (SETTINGS, RESULT, COMPLETIONS) if (path / name).exists()]
    if begun:
        kept.refuse_other(study.identity, path)
    if not begun or begun == [COMPLETIONS]:
        return None
    return _resumed(path, run)


def refuse_too_large(study: Study) -> Study:
    """Refuse at once a table that is too large for the memory or for the time given."""
    request, n = study.request, len(study.asked.variables)
    costs.refuse_too_many(n, request.chains or default_chains(Algorithm.MCMC, n))
    costs.refuse_too_short(study.run.deadline, n)
    return study


def choose_score_and_prior(study: Study) -> Study:
    """Choose score and prior by the evidence, with missing values while these are imputed."""
    return by_evidence(study) if study.incomplete is None else by_rough_completion(study)


def compute_exactly(study: Study) -> Study:
    """Compute the posterior if exact computation was chosen; choose chains if it takes too long."""
    if study.incomplete is not None or study.algorithm is not Algorithm.EXACT:
        return study
    try:
        return _exact(study)
    except TimeIsUpError:
        if study.request.algorithm is not None:
            raise
    study.run.deadline.cut("Exact computation was given up, as it took too long.")
    why = ", because exact computation took too long"
    chains = replace(study, algorithm=Algorithm.MCMC, reason=why, settings={})
    return choose_settings(try_chains(chains))


STEPS: tuple[Callable[[Study], Study], ...] = (
    refuse_too_large,
    choose_algorithm,
    choose_score_and_prior,
    choose_parents,
    try_chains,
    choose_settings,
    compute_exactly,
    average_over_completions,
)
"""The steps of `learn` before it samples: each makes one choice, and the last two compute the
posterior if it is exact or an average over completed tables.

The algorithm is chosen before score and prior, as with missing values these are chosen given DAGs
that the algorithm draws.
"""


def account(study: Study) -> Posterior:
    """Return the result with its account: what was done and why, and how reliable it is."""
    assert study.posterior is not None
    kept, deadline = study.kept(), study.run.deadline
    if study.directory is not None:
        kept.write(study.directory)  # with the stages that were cut short meanwhile
        (study.directory / SCORES).unlink(missing_ok=True)
    moved = _under_other_assumptions(study.posterior, deadline)
    return kept.explained(study.posterior, deadline.spent, moved)


def _exact(study: Study) -> Study:
    if study.directory is not None:
        study.kept().write(study.directory)
    # The rest of the time is for chains, if exact computation does not finish.
    run = study.run.within(costs.SHARE_OF_EXACT)
    settings = Exact(study.request.modularity, **study.settings)
    posterior = exactly(study.model, settings, run)
    if study.directory is not None:
        posterior.save(study.directory / RESULT)
    return replace(study, posterior=posterior)


def ready_to_sample(study: Study) -> tuple[Study, SamplerSettings, Run]:
    """Announce the sampling; return the study, the settings of the sampler, and the run."""
    kept = study.kept()
    if study.directory is not None:
        kept.write(study.directory)
    study = say_sampling(study)
    model, settings = study.model, dict(study.settings)
    assert study.algorithm is not None
    of_chains = study.algorithm in (Algorithm.MCMC, Algorithm.MC3)
    if of_chains and kept.best_log_weight is not None and "known_dag" not in settings:
        settings["known_dag"] = Dag.from_edges(model.variables, kept.best)
    run = replace(study.run, seconds=settings.pop("seconds", None))
    options = {"modularity": study.request.modularity, "sums": study.sums} | settings
    return study, SAMPLERS[study.algorithm](**options), run


def _under_other_assumptions(posterior: Posterior, deadline: Deadline) -> tuple[str, ...]:
    """Return how much the posterior changes under other priors and scores, if that is known."""
    model = posterior.model
    if model is None or model.data is None or len(model.variables) < 2:
        return ()
    if deadline.limited and deadline.left < _SECONDS_FOR_SENSITIVITY:
        return ()
    try:
        return tuple(str(sensitivity(posterior)).splitlines())
    except ArgumentError:  # a prior that is a function, or no DAGs were drawn
        return ()


def resume(
    directory: str | os.PathLike[str],
    *,
    engine: Any = None,
    threads: int | None = None,
    progress: Progress = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Resume a run that was stopped, or return its result if it is complete.

    For a budget in steps or in particles, the result is the same to the last bit as if the run had
    never been stopped. A budget in seconds includes the time before the stop, up to the last
    checkpoint. The result of a run started by `learn` has its account of the choices and their
    reasons.

    Parameters
    ----------
    directory
        The run directory, given by ``directory=`` of `learn`, `sample`, `mcmc`, `mc3` or
        `ais`, or by ``--run`` of ``arcwise learn`` and ``arcwise sample``.
    engine, threads, progress
        As for `mcmc`; they may differ from those of the run so far.
    checkpoint_seconds
        The time between checkpoints.

    Returns
    -------
    Posterior
        The result that the run would have had; its `model` is None, as the data are not stored.

    Raises
    ------
    RunDirectoryError
        If another process is using the directory, or another version started the run.

    Examples
    --------
    >>> import tempfile
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = arcwise.mcmc(model, "partitions", steps=4000, seed=1, directory=folder)
    ...     again = arcwise.resume(folder)
    >>> bool((first.edges == again.edges).all())
    True
    """
    run = Run(
        engine=engine, threads=threads, progress=progress, checkpoint_seconds=checkpoint_seconds
    )
    return _resumed(folder_path(directory, "directory"), run)


def _resumed(path: Path, run: Run) -> Posterior:
    """Return what the run in a directory would have returned, with its account."""
    start = time.perf_counter()
    kept = KeptStudy.read(path)
    rounds = read_log(path / GROWTH).get("rounds")
    if kept is None and rounds and not (path / SETTINGS).exists():
        raise _to_begin_again(
            f"the computation in '{path}' was stopped while candidate parents were grown, and "
            f"{plural(len(rounds), 'round')} of that are kept; continue by calling "
        )
    if kept is not None and not (path / SETTINGS).exists():
        return kept.explained(_exact_result(path), time.perf_counter() - start)
    posterior = resume_run(path, run)
    if kept is None:
        return posterior
    return kept.explained(posterior, time.perf_counter() - start)


def _to_begin_again(fact: str) -> ArgumentError:
    call = Wording("arcwise.learn", "arcwise learn")
    return ArgumentError(fact, call, " again with the same arguments")


def _exact_result(path: Path) -> Posterior:
    if (path / RESULT).is_file():
        return Posterior.load(path / RESULT)
    if (path / COMPLETIONS).exists():
        raise _to_begin_again(
            f"the computation in '{path}' was stopped while missing values were imputed, and the "
            "tables completed so far are kept; continue by calling "
        )
    raise _to_begin_again(
        f"the computation in '{path}' was stopped before sampling began, or was exact and so has "
        "no checkpoints; call "
    )
