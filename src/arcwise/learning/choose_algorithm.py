"""Chooses the algorithm and its settings where none is given, and gives the reason in words.

The algorithm is exact where that is cheap, otherwise chains over DAGs, of which a trial shows
whether longer ones mix, or have to be coupled.

Where modes are separate, plain chains stay in the one they begin in for as long as anybody waits,
and their share of the modes is that of their starts. Coupled to heated ones, chains over canonical
orders pass between them. They are many times slower, so they are chosen only where a pilot
has seen an edge that hardly ever changes, and where chains over DAGs, given a part of the time
(the trial), have an edge that some of them keep and others never have. An edge that seldom
changes is no reason by itself: on discrete tables of strongly dependent variables plain chains
agree in the time that coupled ones take for their first round trip.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from arcwise.algorithms.mcmc import mcmc
from arcwise.algorithms.sample import usual_space
from arcwise.algorithms.sampling_session import sums_for
from arcwise.diagnostics.findings import DEFAULT_RULE
from arcwise.errors import ArcwiseWarning, ArgumentError, option
from arcwise.imputation.averaging import DEFAULT_CHAINS
from arcwise.learning import costs
from arcwise.learning.request import Request
from arcwise.learning.study import Study
from arcwise.records.budget import Algorithm, StoppingRule
from arcwise.records.ladders import FIRST_TEMPERATURES
from arcwise.records.settings import usual_order_steps
from arcwise.spaces import CanonicalOrders, Dags
from arcwise.support.words import rounded

_MOST_FOR_SIXTEEN, _MOST_FOR_EIGHT = 32, 128

# The steps that the slowest edge takes to change, with windows of up to eight variables: beyond,
# there is a trial. Most tables take 5 to 100; at 350 to 580, plain chains do better than coupled
# ones; modes that differ in the parents of more variables than a window holds take more.
_SLOW = 1_000.0
# R-hat of the edge that chains of the trial agree on least. Chains that mix slowly have up to 2,
# and come down in the rest of the time; those that stay in different modes have 5 to infinity.
_APART = 3.0
# The trial's part of what is left of the time, or of the usual number of steps.
_TRIAL_SHARE = 0.2
_TRIAL_SEED = 0
# With more variables, coupled chains need so many temperatures that plain ones are better even
# where some edges are slow.
_MOST_VARIABLES = 32
# In less time than this, what is left after a pilot is too short for coupled chains.
_LEAST_SECONDS = 10.0


def choose_algorithm(study: Study) -> Study:
    """Choose the algorithm requested, or exact where it is cheap, otherwise mcmc."""
    imputed = study.incomplete is not None
    algorithm, reason = _of_completed_tables(study) if imputed else _of_a_table(study)
    return replace(study, algorithm=algorithm, reason=reason)


def choose_settings(study: Study) -> Study:
    """Choose those arguments of the algorithm that were not given, such as the stopping rule."""
    if study.incomplete is not None:
        chosen = _of_completions(study.request)
    elif study.algorithm is Algorithm.EXACT:
        chosen = _of_exact_computation(study)
    else:
        chosen = _of_a_sampler(study)
    return replace(study, settings=chosen)


def default_chains(algorithm: Algorithm, variables: int) -> int:
    """Return the number of chains of mcmc or mc3.

    Four chains in a posterior of two modes are all in the same one in a run of eight; more
    of them show modes that four miss. With many variables, settling takes most of the
    time, and coupled chains visit several modes.
    """
    if algorithm is Algorithm.MC3 or variables > _MOST_FOR_EIGHT:
        return 4
    return 16 if variables <= _MOST_FOR_SIXTEEN else 8


def _of_a_table(study: Study) -> tuple[Algorithm, str]:
    """Return the algorithm and the reason, as the end of a sentence."""
    request, run, n = study.request, study.run, len(study.asked.ordinary)
    if request.algorithm is not None:
        exact = request.algorithm is Algorithm.EXACT
        return Algorithm(request.algorithm), "" if exact else ", as requested"
    if request.wants_a_sampler:
        return Algorithm.MCMC, ", as requested"
    operations = costs.exact_operations(n, request.modularity)
    if operations is None:
        return Algorithm.MCMC, ", because there are too many variables for exact computation"
    how = run.deadline.seconds, run.threads
    took, limit = rounded(operations), rounded(costs.exact_limit(*how))
    if costs.exact_is_cheap(n, study.families, request.modularity, *how):
        reason = f" (exact is the default up to {limit} operations; this took {took})"
        return Algorithm.EXACT, reason
    return Algorithm.MCMC, (
        f", because exact computation would take {took} operations (it is the default up to "
        f"{limit})"
    )


def _of_completed_tables(study: Study) -> tuple[Algorithm, str]:
    """Return how DAGs are drawn given a completed table: hundreds of times."""
    request, asked = study.request, study.question
    exact = Algorithm.EXACT, ", each with its exact posterior"
    chains = Algorithm.MCMC, ""
    if request.algorithm is not None:
        return exact if request.algorithm is Algorithm.EXACT else chains
    if request.steps is not None or request.space is not None:
        return chains
    cheap = costs.exact_is_cheap_each_table(asked, request.modularity)
    if not asked.parent_only:
        few = costs.scoring_is_cheap_each_table(asked)
        cheap = cheap and few and request.candidates is None
    if not cheap and request.modularity == "order-modular":
        raise ArgumentError(
            option("modularity"),
            " is 'order-modular', but values are missing, and chains over the DAGs of so many "
            "variables follow the modular posterior; leave it out, or give ",
            option("algorithm", "exact"),
            " or ",
            option("missing", "drop"),
        )
    return exact if cheap else chains


def try_chains(study: Study) -> Study:
    """Choose coupled chains where short ones over DAGs, which are tried, stay apart.

    Pilot and trial have a fixed seed and a fixed number of steps; if seconds are given, as many
    as they allow, and none if these are few.
    """
    request, run, n = study.request, study.run, len(study.asked.ordinary)
    plain = study.algorithm is Algorithm.MCMC and request.modularity == "modular"
    seconds = run.deadline.left if run.deadline.limited else None
    short = seconds is not None and seconds < _LEAST_SECONDS
    settled = request.settles_the_sampler or study.incomplete is not None
    if not plain or settled or n > _MOST_VARIABLES or short:
        return study
    study = replace(study, sums=sums_for(study.model, None, run.threads))
    assert study.sums is not None
    steps = Dags().build(study.sums).slowest_edge(usual_order_steps(n, seconds))
    if steps < _SLOW or not _stay_apart(study):
        return replace(study, reason=f"{study.reason} and short chains did not stay apart")
    return replace(
        study,
        algorithm=Algorithm.MC3,
        reason=f"{study.reason} and short chains over DAGs stayed apart",
        settings={"space": CanonicalOrders(), "ladder": "adapted"},
    )


def _stay_apart(study: Study) -> bool:
    """Return whether chains over DAGs, in a trial, keep to different edges."""
    run, n = study.run, len(study.asked.ordinary)
    chains = default_chains(Algorithm.MCMC, n)
    limited = run.deadline.limited
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArcwiseWarning)  # of a trial, whose result nobody gets
        trial = mcmc(
            study.model,
            Dags(),
            chains=chains,
            steps=None if limited else round(_TRIAL_SHARE * costs.default_steps(n, chains)),
            seconds=run.deadline.part(_TRIAL_SHARE) if limited else None,
            seed=_TRIAL_SEED,
            sums=study.sums,
            threads=run.threads,
            progress=None,
        )
    if trial.run.interrupted:
        raise KeyboardInterrupt
    found = trial.run.convergence.edge_rhat
    return found is not None and found > _APART


def _of_completions(request: Request) -> dict[str, Any]:
    return {
        "completions": request.completions,
        "chains": DEFAULT_CHAINS if request.chains is None else request.chains,
        "dags": costs.DEFAULT_DAGS if request.dags is None else max(1, request.dags),
    }


def _of_exact_computation(study: Study) -> dict[str, Any]:
    request, run, asked = study.request, study.run, study.asked
    # Under the order-modular prior, paths take far longer than everything else; where they are
    # left out, DAGs that are drawn estimate them.
    paths = request.modularity == "modular" and costs.paths_are_cheap(
        len(asked.ordinary), len(asked.parent_only), run.deadline.seconds, run.threads
    )
    return {"dags": costs.DEFAULT_DAGS if request.dags is None else request.dags, "paths": paths}


def _of_a_sampler(study: Study) -> dict[str, Any]:
    """Return the arguments: those given, those that a trial called for, and the usual ones."""
    request, algorithm, n = study.request, study.algorithm, len(study.asked.ordinary)
    assert algorithm is not None
    space = request.space or usual_space(algorithm, request.modularity)
    seconds = study.run.deadline if study.run.deadline.limited else None
    settings: dict[str, Any] = {"space": space, "steps": request.steps, "seconds": seconds}
    weighted = request.modularity == "modular" and space.modularity == "order-modular"
    if weighted:
        # A count of orders that takes too long would otherwise end the run at its first DAG.
        settings["estimate_extensions"] = True
    if algorithm in (Algorithm.AIS, Algorithm.SMC):
        settings["particles"] = request.particles
        limits = {"effective_samples", "schedule"} & set(request.options)
        if algorithm is Algorithm.AIS and seconds is None and not limits:
            table = study.question.table
            rows = None if table is None else table.rows
            settings |= costs.annealing_budget(n, rows, request.particles, request.steps)
        if algorithm is Algorithm.SMC and weighted and seconds is None:
            # Orders are quick, but few of their DAGs carry the weight.
            settings["runs"] = costs.POPULATIONS_OF_ORDERS
        return settings | dict(request.options)
    chains = default_chains(algorithm, n) if request.chains is None else request.chains
    settings |= {"chains": chains, "until": _rule(request, chains)}
    if request.steps is None and seconds is None and "effective_samples" not in request.options:
        # A step of a coupled chain moves all its temperatures.
        coupled = algorithm is Algorithm.MC3
        temperatures = request.options.get("temperatures") or FIRST_TEMPERATURES
        settings["steps"] = costs.default_steps(n, chains * (temperatures if coupled else 1))
    return settings | dict(study.settings) | dict(request.options)


def _rule(request: Request, chains: int) -> str | StoppingRule | None:
    """Return the stopping rule requested, or the usual one as far as it applies."""
    if request.until != "auto":
        return request.until
    if {"burn_in", "effective_samples"} & set(request.options):
        return None
    left_out = {"difference"} if chains == 1 else set()
    if request.options.get("dags_per_state") == 0:
        left_out |= {"edge_rhat", "edge_ess"}
    conditions = StoppingRule.parse(DEFAULT_RULE).conditions
    return ", ".join(str(each) for each in conditions if each.name not in left_out)
