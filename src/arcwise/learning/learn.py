"""`learn`: from data to the posterior, with every choice made by fixed rules and explained."""

from __future__ import annotations

import inspect
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from arcwise.algorithms.exact import exact
from arcwise.algorithms.growth import DEFAULT_MAX_SIZE
from arcwise.algorithms.sample import SAMPLERS
from arcwise.comparison import sensitivity
from arcwise.constraints import gather
from arcwise.data import IncompleteData
from arcwise.data.arguments import ReadingArguments
from arcwise.errors import ArgumentError, TimeIsUpError
from arcwise.graphs.dag import Dag
from arcwise.learning import costs
from arcwise.learning.choices import (
    AlgorithmChoice,
    choose_algorithm,
    data_sentences,
    default_chains,
    make_plan,
    plain_request,
    settings_for,
)
from arcwise.learning.forecast import say_sampling
from arcwise.learning.hyperparameters import by_evidence
from arcwise.learning.incomplete import learn_incomplete
from arcwise.learning.pilot import after_pilot
from arcwise.learning.plan import Plan
from arcwise.learning.preparation import Prepared, prepare
from arcwise.learning.request import ArgumentGroups, FurtherArguments, Request, as_algorithm
from arcwise.learning.resume import RESULT, SCORES, resume
from arcwise.model import Model, Question, ask
from arcwise.model.modularity import Modularity
from arcwise.model.question import BY_EVIDENCE, table_to_learn
from arcwise.posterior import Posterior
from arcwise.records.algorithm import Algorithm
from arcwise.runs.directory import CHECKPOINT_SECONDS, SETTINGS
from arcwise.spaces import as_space
from arcwise.support.clock import Deadline
from arcwise.support.running import Progress
from arcwise.support.signals import refuse_after_sigterm


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
    deadline = Deadline.of(seconds)
    if isinstance(prior, str) and prior == BY_EVIDENCE and not isinstance(data, Model):
        prior = None  # which is what is done here
    wanted = as_algorithm(algorithm)
    groups = ArgumentGroups.split(further, wanted, _OWN_ARGUMENTS)
    request = Request(
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
        deadline=deadline,
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
    constraints = gather(groups.constraints)

    def question(table: Any, reading: ReadingArguments | None = None) -> Model | Question:
        return ask(
            table,
            score,
            prior=prior,
            edge_probabilities=edge_probabilities,
            constraints=constraints,
            reading=reading,
        )

    table = None if isinstance(data, Model) else table_to_learn(data, groups.reading)
    if isinstance(table, IncompleteData):
        return learn_incomplete(
            request,
            table,
            question,
            completions=request.completions,
            score_by_user=score is not None,
            prior_by_user=prior is not None,
        )
    asked = question(data, groups.reading) if table is None else question(table)
    resumed = _resumed_run(request, asked)
    if resumed is not None:
        return resumed
    n = len(asked.variables)
    costs.refuse_too_many(n, request.chains or default_chains(Algorithm.MCMC, n))
    costs.refuse_too_short(deadline, n)
    definite, how = by_evidence(request, asked, score=score is None, prior=prior is None)
    about = (*data_sentences(definite, score_by_user=score is not None), *how)
    choice = choose_algorithm(request, definite)
    prepared = prepare(request, definite, choice)
    try:
        plan, posterior = _computed(request, asked, about, prepared)
    except TimeIsUpError:
        if request.algorithm is not None:
            raise
        deadline.cut("Exact computation was given up, as it took too long.")
        why = ", because exact computation took too long"
        choice = AlgorithmChoice(Algorithm.MCMC, why)
        plan, posterior = _computed(request, asked, about, replace(prepared, choice=choice))
    if request.directory is not None:
        (Path(request.directory) / SCORES).unlink(missing_ok=True)
    moved = _under_other_assumptions(posterior, deadline)
    return plan.with_account(posterior, deadline.spent, moved)


def _under_other_assumptions(posterior: Posterior, deadline: Deadline) -> tuple[str, ...]:
    """Return how much the posterior moves under other priors and scores, if that can be told."""
    model = posterior.model
    if model is None or model.data is None or len(model.variables) < 2:
        return ()
    if deadline.limited and deadline.left < _SECONDS_FOR_SENSITIVITY:
        return ()
    try:
        return tuple(str(sensitivity(posterior)).splitlines())
    except ArgumentError:  # a prior that is a function, or no DAGs were drawn
        return ()


_SECONDS_FOR_SENSITIVITY = 4.0
_OWN_ARGUMENTS = frozenset(inspect.signature(learn).parameters) - {"further"}


def _resumed_run(request: Request, asked: Model | Question) -> Posterior | None:
    """Resume the run in the directory, if there is one of the same request."""
    if request.directory is None:
        return None
    path = Path(request.directory)
    plan = Plan.read(path)
    if plan is None or not any((path / name).exists() for name in (SETTINGS, RESULT)):
        return None
    plan.refuse_other(plain_request(request, asked), path)
    return resume(
        path,
        engine=request.engine,
        threads=request.threads,
        progress=request.progress,
        checkpoint_seconds=request.checkpoint_seconds,
    )


def _computed(
    request: Request, asked: Model | Question, about: tuple[str, ...], prepared: Prepared
) -> tuple[Plan, Posterior]:
    """Run the algorithm on the model that was prepared, and return its plan and its result."""
    model = prepared.model
    choice, sums = after_pilot(request, prepared.choice, model)
    algorithm = choice.algorithm
    rows = None if model.data is None else model.data.rows
    settings = settings_for(request, choice, len(model.ordinary), rows)
    if settings.get("paths") and not costs.paths_are_cheap(
        len(model.ordinary), len(model.parent_only), request.seconds, request.threads
    ):
        settings["paths"] = False  # DAGs that are drawn tell them
    plan = make_plan(request, asked, about, prepared.parents, model, choice, settings)
    if request.directory is not None:
        plan.write(Path(request.directory))
    common: dict[str, Any] = {
        "modularity": request.modularity,
        "seed": request.seed,
        "threads": request.threads,
        "progress": request.progress,
    }
    if algorithm is Algorithm.EXACT:
        # What is left then is for chains, if it takes longer.
        posterior = exact(
            model,
            **common,
            **settings,
            seconds=request.deadline.part(costs.SHARE_OF_EXACT),
            device=request.device,
        )
        if request.directory is not None:
            posterior.save(Path(request.directory) / RESULT)
        return plan.after(request.deadline), posterior
    common |= {
        "engine": request.engine,
        "directory": request.directory,
        "checkpoint_seconds": request.checkpoint_seconds,
        "device": request.device,
    }
    sums = say_sampling(request, algorithm, model, settings, sums)
    of_chains = algorithm in (Algorithm.MCMC, Algorithm.MC3)
    if of_chains and plan.best_log_weight is not None and "known_dag" not in settings:
        common["known_dag"] = Dag.from_edges(model.variables, plan.best)
    return plan, SAMPLERS[algorithm](model, **common, **settings, sums=sums)
