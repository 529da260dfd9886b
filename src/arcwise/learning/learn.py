"""`sample`: data in, posterior out; what is not told is chosen by fixed rules, and said."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

from arcwise.algorithms.growth import DEFAULT_MAX_SIZE
from arcwise.constraints import Constraints
from arcwise.learning import costs
from arcwise.learning.account import told_of
from arcwise.learning.preparation import Problem, prepared, understood
from arcwise.learning.request import ALGORITHMS, Request
from arcwise.model import Model
from arcwise.model.targets import Target
from arcwise.posterior import Posterior
from arcwise.spaces import LinearOrders, Partitions, Space
from arcwise.support.running import Progress

USUAL_RULE = "rhat<1.01, ess>400, edge_rhat<1.1, difference<0.1"
_CHAINS = 4
_SHORTEST_SHARE = 0.25  # of the seconds, for sampling, however long came before


def sample(
    data: Any,
    *,
    score: Any = None,
    prior: Any = None,
    max_indegree: int | Mapping[str, int] | None = None,
    candidates: Any = None,
    max_candidates: int = DEFAULT_MAX_SIZE,
    plus_one: bool | None = None,
    required_edges: Any = (),
    forbidden_edges: Any = (),
    temporal_order: Any = None,
    constraints: Any = None,
    target: Target = "modular",
    algorithm: Literal["exact", "mcmc", "mc3", "ais"] | None = None,
    space: Any = None,
    chains: int | None = None,
    until: str | None = "auto",
    steps: int | None = None,
    seconds: float | None = None,
    dags: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = True,
    **options: Any,
) -> Posterior:
    """Find out which edges there are between the variables of a table, and how sure that is.

    All that is not told is chosen, by fixed rules of the data and the arguments: the
    score by the kinds of the columns; the exact posterior where it costs little (up to
    20 variables), else Markov chains over partitions among candidate parents that are
    grown; and when to stop. The account of the posterior says what was chosen and why
    (``account.choices``, and ``account.chosen`` for programs), and how far the result
    can be trusted (``account.verdict`` and ``account.trust``).

    Parameters
    ----------
    data
        Anything `arcwise.read` takes: a data frame, an array, a mapping, the path of a
        .csv or .parquet file. Also a `Model`, or ready scores.
    score, prior
        As for `Model`; by default `BDeu` for discrete data, `BGe` for others, and the
        uniform prior.
    max_indegree, required_edges, forbidden_edges, temporal_order, constraints
        As for `Model`; no constraints by default.
    candidates
        ``"all"``: every parent set; ``"grow"``: candidates by `arcwise.grow`, or
        ``"grow:greedy:6"`` to begin with others than those of ``"pc"``; a method of
        `arcwise.candidates` such as ``"greedy:8"``; or candidates themselves. None: all
        where there are up to two million, else grow them, or if the seconds are too few
        for that, those of ``"pc"``.
    max_candidates
        The most candidates of a node that grow.
    plus_one
        With candidates that are chosen or given, whether a parent set may have one
        more parent; None for yes.
    target
        Which posterior is wanted, see `exact`.
    algorithm
        ``"exact"``, ``"mcmc"``, ``"mc3"`` or ``"ais"``; None for exact where it costs
        little and nothing else is asked for that only samplers have, else mcmc.
    space
        Where chains move; None for partitions, or linear orders if the target is
        order-modular.
    chains
        The number of chains, 4 by default; with ``"ais"`` the number of runs.
    until
        The rule that ends mcmc and mc3, see `mcmc`. ``"auto"``: ``"rhat<1.01, ess>400,
        edge_rhat<1.1, difference<0.1"``. None for no rule: steps or seconds are spent.
    steps, seconds
        The most steps of each chain, or seconds for all there is to do; by default
        as many steps as take about a minute on one core, more for many variables.
        With a budget in steps, the same seed gives the same answer anywhere.
    dags
        With ``"exact"``: the number of DAGs drawn from the posterior, from which
        paths, effects and the like are found. None for 10,000, fewer for more than
        16 variables, as each draw then takes longer.
    seed
        The seed; results do not depend on the number of threads.
    threads
        The number of threads; None for all cores.
    progress
        True for a live progress bar if there is a terminal or notebook to show it on; a
        function of the share done, or None.
    options
        Further arguments of `arcwise.read`, such as ``missing`` or ``kinds``, and of the
        algorithm, such as ``thinning`` or ``ladder``.

    Returns
    -------
    Posterior
        Ctrl-C while chains run ends them early and returns what there is, with an
        `InterruptedWarning`.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate.asia().sample(500, seed=1)
    >>> posterior = arcwise.sample(data, seed=1)
    >>> posterior.account.verdict
    'exact'
    >>> print(posterior.account.choices[0])
    The table has 500 rows, 8 discrete variables.
    """
    start = time.perf_counter()
    told = Constraints(required_edges, forbidden_edges, temporal_order, max_indegree)
    request = Request.of(
        data,
        told=told,
        constraints=constraints,
        space=space,
        score=score,
        prior=prior,
        candidates=candidates,
        max_candidates=max_candidates,
        plus_one=plus_one,
        target=target,
        algorithm=algorithm,
        chains=chains,
        until=until,
        steps=steps,
        seconds=seconds,
        dags=dags,
        seed=seed,
        threads=threads,
        progress=progress,
        options=options,
    )
    problem = understood(request)
    chosen = _chosen_algorithm(request, problem)
    ready = prepared(request, problem, chosen)
    settings = _settings(request, chosen, len(problem.variables), time.perf_counter() - start)
    posterior = _run(request, chosen, ready.model, settings)
    return told_of(posterior, request, problem, ready, settings, time.perf_counter() - start)


def _chosen_algorithm(request: Request, problem: Problem) -> str:
    if request.algorithm is not None:
        return request.algorithm
    n, families = len(problem.variables), problem.families
    cheap = costs.exact_is_cheap(n, families, request.target, request.seconds)
    return "exact" if cheap and not request.wants_a_sampler and not request.options else "mcmc"


def _settings(request: Request, algorithm: str, n: int, spent: float) -> dict[str, Any]:
    """Return the arguments of the algorithm, and so all that was chosen about the run."""
    if algorithm == "exact":
        dags = costs.usual_dags(n, request.target) if request.dags is None else request.dags
        # Under the order-modular prior paths take far longer than all else.
        return {"dags": dags, "paths": request.target == "modular"}
    modular = request.target == "modular"
    space: Space = request.space or (Partitions() if modular else LinearOrders())
    seconds = request.seconds
    if seconds is not None:
        seconds = max(seconds - spent, _SHORTEST_SHARE * seconds)
    settings: dict[str, Any] = {"space": space, "steps": request.steps, "seconds": seconds}
    if modular and space.target == "order-modular":
        # Counts of orders that take too long would end the run at its first DAG.
        settings["estimate_extensions"] = True
    if algorithm == "ais":
        return settings | {"runs": request.chains} | dict(request.options)
    chains = _CHAINS if request.chains is None else request.chains
    settings |= {"chains": chains, "until": _rule(request, chains)}
    if request.steps is None and seconds is None and "effective_samples" not in request.options:
        settings["steps"] = costs.usual_steps(n, chains)
    return settings | dict(request.options)


def _rule(request: Request, chains: int) -> str | None:
    if request.until != "auto":
        return request.until
    if {"burn_in", "effective_samples"} & set(request.options):
        return None
    rule = USUAL_RULE.split(", ")
    if chains == 1:
        rule.remove("difference<0.1")
    if request.options.get("dags_per_state") == 0:
        rule.remove("edge_rhat<1.1")
    return ", ".join(rule)


def _run(request: Request, algorithm: str, model: Model, settings: dict[str, Any]) -> Posterior:
    return ALGORITHMS[algorithm](
        model,
        target=request.target,
        seed=request.seed,
        threads=request.threads,
        progress=request.progress,
        **settings,
    )
