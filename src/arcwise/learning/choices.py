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

from arcwise.algorithms.chains import sums_for
from arcwise.algorithms.growth import grow
from arcwise.algorithms.growth_state import model_within
from arcwise.algorithms.mcmc import mcmc
from arcwise.algorithms.sample import usual_space
from arcwise.diagnostics.findings import DEFAULT_RULE
from arcwise.errors import ArcwiseWarning, ArgumentError, InterruptedWarning, TimeIsUpError, option
from arcwise.imputation.averaging import DEFAULT_CHAINS
from arcwise.learning import costs
from arcwise.learning.request import Request
from arcwise.learning.run_time import say_preparation
from arcwise.learning.study import GROWTH, SCORES, Study
from arcwise.model import Definition, Model, Question, model_of
from arcwise.model.candidates import Candidates
from arcwise.model.candidates import candidates as choose_candidates
from arcwise.records.settings import FIRST_TEMPERATURES, Algorithm, StoppingRule, usual_order_steps
from arcwise.spaces import CanonicalOrders, Dags
from arcwise.support.devices import where_worthwhile
from arcwise.support.names import quoted, rounded
from arcwise.support.running import Deadline


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


# --- Choose parents -------------------------------------------------------------------------------

# The choice of the parent sets, and their scoring within the available time.
#
# These are all parent sets, or those among candidate parents that are given, chosen or grown.


_SHARE_OF_CANDIDATES = 0.6  # of the remaining time, for the choice of candidates
_SHARE_OF_SCORING = 0.5  # of the remaining time, for all parent sets


def choose_parents(study: Study) -> Study:
    """Choose and score the parent sets; with missing values, they are scored for each completion.

    If scoring all parent sets takes too long for exact computation, or longer than expected,
    chains run on the parent sets of candidates.
    """
    if study.incomplete is not None:
        return _parents_for_completed_tables(study)
    by_default = study.request.algorithm is None
    if study.algorithm is Algorithm.EXACT and by_default and not _scoring_fits(study):
        why = ", because scoring all parent sets, for exact computation, would take too long"
        study = replace(study, algorithm=Algorithm.MCMC, reason=why)
    method = _method(study)
    say_preparation(study, method)
    deadline = costs.before_sampling(study.run.deadline, len(study.asked.variables))
    chosen = with_parents(study, method, plus_one=_one_more(study, method), deadline=deadline)
    if chosen.parents == "all" and study.request.candidates is None and deadline.limited:
        try:
            return scored(chosen, deadline.part(_SHARE_OF_SCORING), in_full=True)
        except TimeIsUpError:
            if by_default:
                why = ", because scoring all parent sets took too long"
                study = replace(study, algorithm=Algorithm.MCMC, reason=why)
            one_more = _one_more(study, "grow")
            chosen = with_parents(study, "grow", plus_one=one_more, deadline=deadline)
    return scored(chosen, deadline)


def with_parents(
    study: Study,
    method: Any,
    *,
    plus_one: bool | None,
    deadline: Deadline,
    keep_interrupted: bool = False,
) -> Study:
    """Return the study with the parent sets that a method chooses."""
    asked = study.asked
    if isinstance(asked, Model):
        Definition(candidates=method, plus_one=bool(plus_one)).refuse_beside("a model")
        return study
    if method is None:
        return study
    if isinstance(method, str) and method == "all":
        every = replace(asked, plus_one=bool(plus_one))
        words = f"All {every.number_of_families:,} allowed parent sets are considered."
        return replace(study, asked=every, parents="all").saying(words)
    if isinstance(method, str) and method.partition(":")[0] == "grow":
        start = method.partition(":")[2] or start_of_growth(asked)
        return _grown(study, asked, start, deadline, keep_interrupted)
    given, how = method, "Candidate parents were given"
    if isinstance(method, str):
        seconds = deadline.part(_SHARE_OF_CANDIDATES)
        given = choose_candidates(asked, method, seconds=seconds, threads=study.run.threads)
        how = f"Candidate parents were chosen by {method!r}"
    among = replace(asked, candidates=given, plus_one=bool(plus_one))
    if asked.precomputed is not None:
        return replace(study, asked=among)
    sizes = f", {_sizes(given)}" if isinstance(given, Candidates) else ""
    words = f"{how}{sizes}{_and_one_more(among)}: {_count(among.number_of_families)} parent sets."
    return replace(study, asked=among, parents="candidates").saying(words)


def scored(study: Study, deadline: Deadline, *, in_full: bool = False) -> Study:
    """Return the study with the model on its parent sets, or on fewer if the time is too short.

    A graphics processor, if it is the device, scores the parent sets if that is worthwhile.
    """
    asked = study.asked
    if isinstance(asked, Model):
        return study
    device = where_worthwhile(study.run.device)
    run, file = replace(study.run, seconds=deadline, device=device), study.file(SCORES)
    if in_full:
        return replace(study, asked=model_of(asked, run, file))
    return replace(study, asked=model_within(asked, None, run, file))


def start_of_growth(question: Question) -> str:
    """Return the default method whose candidates growth starts from."""
    # The tests of the PC algorithm assume that every row is observational.
    return "greedy:4" if question.has_interventions or question.table is None else "pc"


def _scoring_fits(study: Study) -> bool:
    """Return whether all families can be scored in a minute, or in half of the available time."""
    asked, run = study.asked, study.run
    if isinstance(asked, Model):
        return True
    return costs.scoring_fits(asked, run.deadline, run.threads)


def _method(study: Study) -> Any:
    """Return the candidates or the method requested, or the default method."""
    asked, given = study.asked, study.request.candidates
    if given is not None or isinstance(asked, Model) or asked.precomputed is not None:
        return given
    if study.algorithm is Algorithm.EXACT:
        return "all"
    fit = costs.all_families_fit(asked.number_of_families) and _scoring_fits(study)
    return "all" if fit else "grow"


def _one_more(study: Study, method: Any) -> bool | None:
    """Return whether a parent set may have one parent that is not a candidate: yes by default."""
    plus_one = study.request.plus_one
    if isinstance(study.asked, Model):
        return plus_one
    # If every node is a candidate, there is no further parent to allow.
    among = study.asked.precomputed is None and not (isinstance(method, str) and method == "all")
    return among and plus_one is not False


def _parents_for_completed_tables(study: Study) -> Study:
    """Choose parent sets that are few enough to be scored for every completed table."""
    request, asked = study.request, study.question
    assert study.incomplete is not None
    exact = study.algorithm is Algorithm.EXACT
    method = request.candidates
    if method is None:
        fit = costs.all_families_fit_each_table(asked, exact=exact)
        method = "all" if fit else "grow"
    every = isinstance(method, str) and method == "all"
    found = with_parents(
        study,
        method,
        plus_one=False if every else request.plus_one,
        deadline=study.run.deadline.part(costs.SHARE_OF_PARENTS_OF_TABLES),
    )
    # The rough completion by which they were chosen is not used again.
    question = replace(found.question, data=study.incomplete.table)
    if found.growth is None or request.plus_one or costs.further_parents_fit_each_table(question):
        return replace(found, asked=question)
    fewer = replace(question, plus_one=False)
    first, *rest = found.sentences[len(study.sentences) :]
    return replace(found, asked=fewer, sentences=study.sentences).saying(
        f"{first} For every completed table, the {fewer.number_of_families:,} without a further "
        "parent are considered.",
        *rest,
    )


def _grown(
    study: Study, asked: Question, start: str, deadline: Deadline, keep_interrupted: bool
) -> Study:
    """Return the study with candidates that are grown."""
    most, run = study.request.max_candidates, study.run
    if study.incomplete is not None:
        most = min(most, costs.MOST_CANDIDATES_OF_TABLES)
    with warnings.catch_warnings():
        if not keep_interrupted:
            warnings.simplefilter("ignore", InterruptedWarning)
        growth = grow(
            asked,
            start,
            max_size=most,
            seed=run.seed,
            seconds=deadline.part(_SHARE_OF_CANDIDATES),
            threads=run.threads,
            progress=run.progress,
            file=study.file(GROWTH),
        )
    if growth.best is not None and growth.best.interrupted and not keep_interrupted:
        raise KeyboardInterrupt  # nothing is known about the posterior yet
    words = [
        f"Candidate parents were grown from {start!r} in {len(growth.rounds)} rounds, to "
        f"{_sizes(growth.candidates)}{_and_one_more(growth.model.question)}: "
        f"{len(growth.model.scores):,} of {rounded(asked.number_of_families)} possible parent "
        "sets."
    ]
    if growth.full:
        words.append(
            f"{quoted(growth.full)} needed more candidates than the maximum; some true parents may "
            "be missing there."
        )
    return replace(study, asked=growth.model, parents="grown", growth=growth).saying(*words)


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else rounded(number)


def _sizes(chosen: Candidates) -> str:
    sizes = chosen.sizes().values()
    few, many = min(sizes), max(sizes)
    return f"{few if few == many else f'{few} to {many}'} for each variable"


def _and_one_more(question: Question) -> str:
    return ", and at most one other parent" if any(question.families.outside) else ""
