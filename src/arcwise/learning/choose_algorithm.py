"""The choice of the algorithm and its settings where none are given, with the reason in words.

Exact computation is chosen where it is cheap, otherwise chains over DAGs; short trial runs show
whether these mix or must be coupled to heated chains.

Where modes are well separated, plain chains stay in the mode they begin in for any practical run
length, and the share of each mode is that of the starting points. Chains over canonical orders
that are coupled to heated ones move between modes, but are many times slower. They are chosen only
if a pilot run finds an edge that hardly ever changes, and if chains over DAGs disagree about an
edge after part of the time (the trial): some keep it and others never have it. A slow edge alone
is not a sufficient reason: on discrete tables of strongly dependent variables, plain chains agree
in the time that coupled ones need for their first round trip.
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


def choose_algorithm(study: Study) -> Study:
    """Choose the algorithm requested, or exact where it is cheap, otherwise mcmc."""
    imputed = study.incomplete is not None
    algorithm, reason = _for_completed_tables(study) if imputed else _for_a_table(study)
    return replace(study, algorithm=algorithm, reason=reason)


def _for_a_table(study: Study) -> tuple[Algorithm, str]:
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


def _for_completed_tables(study: Study) -> tuple[Algorithm, str]:
    """Return the algorithm that draws DAGs given each of hundreds of completed tables."""
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


# The number of steps that the slowest edge takes to change, with windows of up to eight variables,
# beyond which there is a trial. Most tables take 5 to 100; at 350 to 580, plain chains do better
# than coupled ones; modes that differ in the parents of more variables than a window holds take
# more.
_SLOW = 1_000.0
# With more variables, coupled chains need so many temperatures that plain ones are better even
# where some edges are slow.
_MOST_VARIABLES = 32
# In less time than this, too little is left after a pilot for coupled chains.
_LEAST_SECONDS = 10.0


def try_chains(study: Study) -> Study:
    """Choose coupled chains if short trial chains over DAGs disagree.

    Pilot and trial have a fixed seed and a fixed number of steps, or, if seconds are given, as many
    steps as a share of these allows; with few seconds there are none.
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


# R-hat of the edge that trial chains agree on least. It is at most 2 for chains that mix slowly,
# and falls in the remaining time; for chains in different modes it is between 5 and infinity.
_APART = 3.0
_TRIAL_SHARE = 0.2  # of the remaining time, or of the default number of steps
_TRIAL_SEED = 0


def _stay_apart(study: Study) -> bool:
    """Return whether trial chains over DAGs keep to different edges."""
    run, n = study.run, len(study.asked.ordinary)
    chains = default_chains(Algorithm.MCMC, n)
    limited = run.deadline.limited
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArcwiseWarning)  # the trial run is discarded
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


def choose_settings(study: Study) -> Study:
    """Choose the arguments of the algorithm that were not given, such as the stopping rule."""
    if study.incomplete is not None:
        chosen = _imputation_settings(study.request)
    elif study.algorithm is Algorithm.EXACT:
        chosen = _exact_settings(study)
    else:
        chosen = _sampler_settings(study)
    return replace(study, settings=chosen)


def _imputation_settings(request: Request) -> dict[str, Any]:
    return {
        "completions": request.completions,
        "chains": DEFAULT_CHAINS if request.chains is None else request.chains,
        "dags": costs.DEFAULT_DAGS if request.dags is None else max(1, request.dags),
    }


def _exact_settings(study: Study) -> dict[str, Any]:
    request, run, asked = study.request, study.run, study.asked
    # Under the order-modular prior, paths take far longer than everything else; if they are left
    # out, they are estimated from sampled DAGs.
    paths = request.modularity == "modular" and costs.paths_are_cheap(
        len(asked.ordinary), len(asked.parent_only), run.deadline.seconds, run.threads
    )
    return {"dags": costs.DEFAULT_DAGS if request.dags is None else request.dags, "paths": paths}


def _sampler_settings(study: Study) -> dict[str, Any]:
    """Return the arguments: those given, those that follow from a trial, and the defaults."""
    request, algorithm, n = study.request, study.algorithm, len(study.asked.ordinary)
    assert algorithm is not None
    space = request.space or usual_space(algorithm, request.modularity)
    seconds = study.run.deadline if study.run.deadline.limited else None
    settings: dict[str, Any] = {"space": space, "steps": request.steps, "seconds": seconds}
    weighted = request.modularity == "modular" and space.modularity == "order-modular"
    if weighted:
        # Otherwise an exact count of orders that takes too long would end the run at its first DAG.
        settings["estimate_extensions"] = True
    if algorithm in (Algorithm.AIS, Algorithm.SMC):
        settings["particles"] = request.particles
        limits = {"effective_samples", "schedule"} & set(request.options)
        if algorithm is Algorithm.AIS and seconds is None and not limits:
            table = study.question.table
            rows = None if table is None else table.rows
            settings |= costs.annealing_budget(n, rows, request.particles, request.steps)
        if algorithm is Algorithm.SMC and weighted and seconds is None:
            # Orders are sampled quickly, but few of their DAGs have most of the weight.
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


def default_chains(algorithm: Algorithm, variables: int) -> int:
    """Return the default number of chains of mcmc or mc3.

    In a posterior of two modes, four chains are all in the same mode in one run of eight; more
    chains find modes that four miss. With many variables, the burn-in takes most of the time, and
    coupled chains visit several modes each.
    """
    if algorithm is Algorithm.MC3 or variables > 128:
        return 4
    return 16 if variables <= 32 else 8


def _rule(request: Request, chains: int) -> str | StoppingRule | None:
    """Return the stopping rule requested, or the applicable conditions of the default rule."""
    if request.until != "auto":
        return request.until
    if {"burn_in", "effective_samples"} & set(request.options):
        return None
    left_out = {"difference"} if chains == 1 else set()
    if request.options.get("dags_per_state") == 0:
        left_out |= {"edge_rhat", "edge_ess"}
    conditions = StoppingRule.parse(DEFAULT_RULE).conditions
    return ", ".join(str(each) for each in conditions if each.name not in left_out)
