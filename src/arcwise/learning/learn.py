"""`learn`: from data to the posterior, with every choice made by fixed rules and explained.

`STEPS` are what it does, one after the other, to a `Study`; tables with missing values go through
the same steps. `resume` continues a run from its directory alone.
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from arcwise.algorithms.exact import exact
from arcwise.algorithms.growth import DEFAULT_MAX_SIZE
from arcwise.algorithms.growth_log import read_log
from arcwise.algorithms.resume import resume_run
from arcwise.algorithms.sample import SAMPLERS, posterior_of
from arcwise.comparison import sensitivity
from arcwise.constraints import gather
from arcwise.data import IncompleteData
from arcwise.data.arguments import ReadingArguments
from arcwise.errors import ArgumentError, TimeIsUpError, Wording
from arcwise.graphs.dag import Dag
from arcwise.imputation.checkpoint import FILE as COMPLETIONS
from arcwise.learning import costs
from arcwise.learning.choose_algorithm import (
    choose_algorithm,
    choose_settings,
    default_chains,
    try_chains,
)
from arcwise.learning.choose_parents import choose_parents
from arcwise.learning.forecast import say_sampling
from arcwise.learning.hyperparameters import by_evidence
from arcwise.learning.incomplete import (
    as_imputed,
    average_over_completions,
    by_rough_completion,
    refuse_with_missing_values,
)
from arcwise.learning.request import ArgumentGroups, FurtherArguments, Request, as_algorithm
from arcwise.learning.study import GROWTH, RESULT, SCORES, KeptStudy, Study, identity_of
from arcwise.model import Model, Question, ask
from arcwise.model.modularity import Modularity
from arcwise.model.question import table_to_learn
from arcwise.posterior import Posterior
from arcwise.records.algorithm import Algorithm
from arcwise.runs.directory import CHECKPOINT_SECONDS, SETTINGS
from arcwise.spaces import as_space
from arcwise.support.checks import folder_path
from arcwise.support.clock import Deadline
from arcwise.support.running import Progress, Run
from arcwise.support.signals import refuse_after_sigterm
from arcwise.support.words import plural

_SECONDS_FOR_SENSITIVITY = 4.0


def learn(
    data: Any,
    *,
    score: Any = None,
    prior: Any = None,
    edge_probabilities: Any = None,
    candidates: Any = None,
    max_candidates: int = DEFAULT_MAX_SIZE,
    plus_one: bool | None = None,
    modularity: Modularity = "modular",
    algorithm: Literal["exact", "mcmc", "mc3", "ais", "smc"] | None = None,
    space: Any = None,
    chains: int | None = None,
    particles: int | None = None,
    until: str | None = "auto",
    steps: int | None = None,
    seconds: float | Deadline | None = None,
    dags: int | None = None,
    completions: int | None = None,
    seed: int = 0,
    engine: Any = None,
    threads: int | None = None,
    device: object = None,
    progress: Progress = True,
    directory: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    **further: Unpack[FurtherArguments],
) -> Posterior:
    """Learn the posterior probability of each edge between the variables of a table.

    What is not given is chosen by fixed rules from the data and the arguments: the score
    by the kinds of the columns; the exact posterior where it is cheap (up to 20
    variables), otherwise Markov chains over DAGs with grown candidate parents, or up to
    32 variables coupled chains over canonical orders if short ones over DAGs stay apart; and
    the stopping rule. The account of the posterior says what was chosen and why
    (``account.choices``, and ``account.chosen`` for use in programs), and how reliable
    the result is (``account.verdict`` and ``account.trust``).

    Parameters
    ----------
    data
        Anything `arcwise.read` takes: a data frame, an array, a mapping, the path of a
        .csv or .parquet file. Also a `Model`, or precomputed scores. Columns that are
        constant or seem to identify rows are left out with a warning, unless `constant` and
        `identifiers`, arguments of `arcwise.read`, say otherwise. Missing values are imputed,
        unless `missing` does: see `completions`. Continuous columns that are far from normal are
        modelled as their logarithms or inverse hyperbolic sines if the evidence of the column
        alone prefers that by far, unless `transform` does; the account says so. A `Data` is
        taken as it was read.
    score, prior
        As for `Model`. By default `BDeu` for discrete data, `BGe` for continuous and
        `ConditionalGaussian` for mixed ones, and `Sparse`, the equivalent sample size and the
        expected number of parents by the evidence of the data; with a prior, the scores' own
        parameters.
    edge_probabilities
        Prior probabilities of edges, as in ``{("smoke", "lung"): 0.9}``, beside the prior; see
        `arcwise.priors.EdgeProbabilities`.
    candidates
        ``"all"``: every parent set; ``"grow"``: candidates by `arcwise.grow`, starting
        from those of ``"pc"``, or from another method as in ``"grow:greedy:6"``; a method
        of `arcwise.candidates` such as ``"greedy:8"``; or the candidates themselves. None:
        all parent sets if there are at most two million and they can be scored in a minute
        (or in half of the `seconds`), otherwise grown candidates.
    max_candidates
        The maximum number of candidates of a node when they are grown.
    plus_one
        With candidates that are chosen or given, whether a parent set may have one
        parent that is not a candidate; None for yes.
    modularity
        Which posterior to compute, see `exact`.
    algorithm
        ``"exact"``, ``"mcmc"``, ``"mc3"``, ``"ais"`` or ``"smc"``; None for exact where it is cheap
        and no argument calls for a sampler, otherwise mcmc, or mc3 after a trial.
    space
        The space that chains or particles move in; None for the usual one, see `sample`.
    chains
        The number of chains of ``"mcmc"`` and ``"mc3"``; by default 16 up to 32 variables, 8
        up to 128 and otherwise 4, and 4 coupled ones.
    particles
        The number of particles of ``"ais"``, 1,000 by default, or of each population of
        ``"smc"``, 256 by default.
    until
        The stopping rule of mcmc and mc3, see `mcmc`. ``"auto"``: ``"rhat<1.01, ess>400,
        edge_rhat<1.05, edge_ess>400, difference<0.05"``. None for no rule: the budget is spent
        in full.
    steps, seconds
        The maximum number of steps of each chain, or seconds for the whole call, reading the
        table included; by default the steps that take about a minute on one core, more for
        many variables. With a budget in steps, the same seed gives the same result
        everywhere. With seconds, stages that take too long are cut short and the next make
        do with what there is, which the account says; a `Deadline` counts from its own
        beginning.
    dags
        With ``"exact"``: the number of DAGs drawn from the posterior, from which
        causal effects and features other than edges and paths are estimated. None for
        10,000.
    completions
        Where values are missing: the number of completed tables that the posterior is averaged
        over. They are drawn by chains over DAGs, parameters and missing values, `chains` of them
        (4 by default), as if these were missing at random. None for as many as bring the
        standard error of every edge probability to 0.02, from 40 to 160. `steps` are then those
        over the DAGs of each table, where these are too many for exact computation.
    seed
        The seed; results do not depend on the number of threads.
    engine
        Where families are scored and chains run: None for threads of this process, or a
        cluster; see `mcmc`.
    threads
        The number of threads; None for all cores.
    device
        None for the processors; ``"gpu"`` for a graphics processor, or ``"auto"`` for one where
        there is one that can do it; see `exact` and `mcmc`. Families are scored there, too, where
        that is worth it; see `score`.
    progress
        True for a live progress bar, if there is a terminal or notebook to show it; a
        function of the fraction done; or None.
    directory
        The run directory, which also records the choices made; see `mcmc`. After an
        interruption, `resume` or the same call continues the run. Of an exact computation
        only the scores and the result are saved, and of completed tables only the result.
    checkpoint_seconds
        The time between checkpoints; it does not affect the result.
    **further
        Constraints, such as `max_indegree` and `required_edges` (see
        `ConstraintArguments`); arguments of `arcwise.read`, such as `missing` or `kinds`;
        and of the algorithm, such as `thinning` or `ladder` (see `SamplerOptions`).

    Returns
    -------
    Posterior
        Ctrl-C or SIGTERM while chains run ends them early and returns the draws made so far,
        with an `InterruptedWarning`. After SIGTERM no other call of this process begins.

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
    wanted = as_algorithm(algorithm)
    groups = ArgumentGroups.split(further, wanted, _OWN_ARGUMENTS)
    request = Request(
        score=score,
        prior=prior,
        edge_probabilities=edge_probabilities,
        constraints=gather(groups.constraints),
        candidates=candidates,
        max_candidates=max_candidates,
        plus_one=plus_one,
        modularity=modularity,
        algorithm=wanted,
        space=None if space is None else as_space(space),
        chains=chains,
        particles=particles,
        until=until,
        steps=steps,
        deadline=Deadline.of(seconds),
        dags=dags,
        completions=completions,
        seed=seed,
        engine=engine,
        threads=threads,
        device=device,
        progress=progress,
        directory=directory,
        checkpoint_seconds=checkpoint_seconds,
        options=groups.sampler,
    )
    study = begin(request, data, groups.reading)
    resumed = resumed_run(study)
    if resumed is not None:
        return resumed
    for step in STEPS:
        study = step(study)
    return account(study)


_OWN_ARGUMENTS = frozenset(inspect.signature(learn).parameters) - {"further"}


def begin(request: Request, data: Any, reading: ReadingArguments) -> Study:
    """Read the table, and return the study of it with nothing chosen yet."""
    table = None if isinstance(data, Model) else table_to_learn(data, reading)
    incomplete = table if isinstance(table, IncompleteData) else None
    if incomplete is not None:
        refuse_with_missing_values(request, incomplete)
        table = incomplete.table
    asked = ask(
        data if table is None else table,
        request.score,
        prior=request.prior if request.prior_given or isinstance(data, Model) else None,
        edge_probabilities=request.edge_probabilities,
        constraints=request.constraints,
        reading=reading if table is None else None,
    )
    if incomplete is not None:
        assert isinstance(asked, Question)
        asked, incomplete = as_imputed(asked, incomplete)
    return Study(request, asked, identity_of(request, asked, incomplete), incomplete)


def resumed_run(study: Study) -> Posterior | None:
    """Resume the run in the directory, or return its result, if it is one of the same study."""
    request, path = study.request, study.directory
    kept = None if path is None else KeptStudy.read(path)
    if path is None or kept is None:
        return None
    begun = [name for name in (SETTINGS, RESULT, COMPLETIONS) if (path / name).exists()]
    if begun:
        kept.refuse_other(study.identity, path)
    if not begun or begun == [COMPLETIONS]:
        return None
    return resume(
        path,
        engine=request.engine,
        threads=request.threads,
        progress=request.progress,
        checkpoint_seconds=request.checkpoint_seconds,
    )


def refuse_too_large(study: Study) -> Study:
    """Refuse at once what neither the memory nor the time given suffices for."""
    request, n = study.request, len(study.asked.variables)
    costs.refuse_too_many(n, request.chains or default_chains(Algorithm.MCMC, n))
    costs.refuse_too_short(request.deadline, n)
    return study


def choose_score_and_prior(study: Study) -> Study:
    """Choose score and prior by the evidence; with missing values, while these are imputed."""
    return by_evidence(study) if study.incomplete is None else by_rough_completion(study)


def compute(study: Study) -> Study:
    """Compute the posterior: exactly, by a sampler, or as an average over completed tables."""
    if study.incomplete is not None:
        return average_over_completions(study)
    if study.algorithm is not Algorithm.EXACT:
        return _sampled(study)
    try:
        return _exact(study)
    except TimeIsUpError:
        if study.request.algorithm is not None:
            raise
    study.request.deadline.cut("Exact computation was given up, as it took too long.")
    why = ", because exact computation took too long"
    chains = replace(study, algorithm=Algorithm.MCMC, reason=why, settings={})
    return _sampled(choose_settings(try_chains(chains)))


STEPS: tuple[Callable[[Study], Study], ...] = (
    refuse_too_large,
    choose_algorithm,
    choose_score_and_prior,
    choose_parents,
    try_chains,
    choose_settings,
    compute,
)
"""What `learn` does: each step makes a choice of a study definite, and the last has the result.

The algorithm comes before score and prior, as with missing values it draws the DAGs given which
these are chosen.
"""


def account(study: Study) -> Posterior:
    """Return the result with its account: what was done and why, and how reliable it is."""
    assert study.posterior is not None
    kept, deadline = study.kept(), study.request.deadline
    if study.directory is not None:
        kept.write(study.directory)  # with what was left out meanwhile for lack of time
        (study.directory / SCORES).unlink(missing_ok=True)
    moved = _under_other_assumptions(study.posterior, deadline)
    return kept.explained(study.posterior, deadline.spent, moved)


def _exact(study: Study) -> Study:
    request, model = study.request, study.model
    if study.directory is not None:
        study.kept().write(study.directory)
    posterior = exact(
        model,
        modularity=request.modularity,
        seed=request.seed,
        # What is left then is for chains, if it takes longer.
        seconds=request.deadline.part(costs.SHARE_OF_EXACT),
        threads=request.threads,
        device=request.device,
        progress=request.progress,
        **study.settings,
    )
    if study.directory is not None:
        posterior.save(study.directory / RESULT)
    return replace(study, posterior=posterior)


def _sampled(study: Study) -> Study:
    kept = study.kept()
    if study.directory is not None:
        kept.write(study.directory)
    study = say_sampling(study)
    request, model, settings = study.request, study.model, dict(study.settings)
    assert study.algorithm is not None
    of_chains = study.algorithm in (Algorithm.MCMC, Algorithm.MC3)
    if of_chains and kept.best_log_weight is not None and "known_dag" not in settings:
        settings["known_dag"] = Dag.from_edges(model.variables, kept.best)
    run = Run(
        seconds=settings.pop("seconds", None),
        seed=request.seed,
        engine=request.engine,
        threads=request.threads,
        device=request.device,
        progress=request.progress,
        directory=request.directory,
        checkpoint_seconds=request.checkpoint_seconds,
    )
    options = {"modularity": request.modularity, "sums": study.sums} | settings
    posterior = posterior_of(model, SAMPLERS[study.algorithm](**options), run)
    return replace(study, posterior=posterior)


def _under_other_assumptions(posterior: Posterior, deadline: Deadline) -> tuple[str, ...]:
    """Return how much the posterior moves under other priors and scores, if that is known."""
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

    For a budget in steps (or in particles) the result is the same, to the last bit, as if
    the run had never been stopped. A budget in seconds counts the time before the stop, up
    to the last checkpoint. A run started by `learn` still has its account of what was chosen
    and why.

    Parameters
    ----------
    directory
        The run directory, given by ``directory=`` of `learn`, `sample`, `mcmc`, `mc3` or
        `ais`, or by ``--run`` of ``arcwise learn`` and ``arcwise sample``.
    engine, threads, progress
        As for `mcmc`; they may differ from those before.
    checkpoint_seconds
        The time between checkpoints.

    Returns
    -------
    Posterior
        What the run would have returned; its `model` is None, as the data are not stored.

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
    start = time.perf_counter()
    path = folder_path(directory, "directory")
    kept = KeptStudy.read(path)
    rounds = read_log(path / GROWTH).get("rounds")
    if kept is None and rounds and not (path / SETTINGS).exists():
        raise ArgumentError(
            f"the computation in '{path}' was stopped while candidate parents were grown, and "
            f"{plural(len(rounds), 'round')} of that are kept; continue by calling ",
            Wording("arcwise.learn", "arcwise learn"),
            " again with the same arguments",
        )
    if kept is not None and not (path / SETTINGS).exists():
        return kept.explained(_exact_result(path), time.perf_counter() - start)
    run = Run(
        engine=engine, threads=threads, progress=progress, checkpoint_seconds=checkpoint_seconds
    )
    posterior = resume_run(path, run)
    if kept is None:
        return posterior
    return kept.explained(posterior, time.perf_counter() - start)


def _exact_result(path: Path) -> Posterior:
    if not (path / RESULT).is_file() and (path / COMPLETIONS).exists():
        raise ArgumentError(
            f"the computation in '{path}' was stopped while missing values were imputed, and the "
            "tables completed so far are kept; continue by calling ",
            Wording("arcwise.learn", "arcwise learn"),
            " again with the same arguments",
        )
    if not (path / RESULT).is_file():
        raise ArgumentError(
            f"the computation in '{path}' was stopped before sampling began, or was exact and so "
            "has no checkpoints; call ",
            Wording("arcwise.learn", "arcwise learn"),
            " again with the same arguments",
        )
    return Posterior.load(path / RESULT)
