"""Announces the plan of `learn` and its estimated run time.

The estimates are based on timings of actual families and steps; no choice depends on them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from arcwise import _core
from arcwise.algorithms.chains import sums_for
from arcwise.algorithms.growth_state import final_size
from arcwise.learning import costs
from arcwise.learning.study import Study
from arcwise.model import Model, Question
from arcwise.model.score_sums import ScoreSums
from arcwise.model.scoring import scoring_seconds
from arcwise.records.settings import (
    USUAL_TEMPERATURES,
    Algorithm,
    Budget,
    ChainSettings,
    Recording,
    filled,
    usual_order_steps,
)
from arcwise.support.names import duration, plural, words_of
from arcwise.support.running import Run, is_hidden, tell

# The measured time of the searches that grow candidates, for up to 300 variables and for more:
# seconds, number of variables, and the power of the number of variables that the time scales with.
_GROWTH_SECONDS = 94.0, 200, 2.4
_GROWTH_SECONDS_OF_MANY = 130.0, 1_000, 2.0
_MANY = 300


_WORTH_SAYING = 5.0  # seconds


def _announce(seconds: float, sentence: str) -> None:
    """Print a sentence on standard error, if what it announces takes more than a moment."""
    if seconds >= _WORTH_SAYING:
        tell(sentence)


def say_preparation(study: Study, method: Any) -> None:
    """Announce the parent sets that will be scored, the next stage, and the estimated time."""
    request, run, asked = study.request, study.run, study.asked
    if run.progress is not True or isinstance(asked, Model) or asked.precomputed is not None:
        return
    assert study.algorithm is not None
    exact = study.algorithm is Algorithm.EXACT
    how = "computed exactly" if exact else f"sampled by {study.algorithm.value}"
    then = f"the posterior is {how}"
    if run.deadline.seconds is not None:
        sentence = f"{_what(asked, method)}, then {then}; all in {run.deadline.seconds:g} s."
        _announce(run.deadline.seconds, sentence)
        return
    seconds = _preparation_seconds(run, asked, method)
    n = len(asked.ordinary)
    later = costs.exact_seconds(n, request.modularity, run.threads) if exact else 0.0
    after = f" ({_about(later)})" if exact else ""
    bound = "; to bound the time, give a budget of seconds" if seconds + later > 600.0 else ""
    stages = f"{_what(asked, method)} ({_about(seconds)}), then {then}{after}{bound}."
    _announce(seconds + later, stages)


def say_sampling(study: Study) -> Study:
    """Announce the maximum time of the chains after a short trial; return the study with sums."""
    run, model, settings = study.run, study.model, study.settings
    steps, chains = settings.get("steps"), settings.get("chains")
    silent = run.progress is not True or is_hidden()
    if silent or run.deadline.limited or steps is None or chains is None:
        return study
    sums = sums_for(model, study.sums, run.threads)
    burn_in, thinning = _burn_in_and_thinning(steps, len(model.ordinary), settings)
    begin, step, draw = _trial(study, sums, thinning)
    temperatures = 1
    if study.algorithm is Algorithm.MC3:
        temperatures = settings.get("temperatures") or USUAL_TEMPERATURES
    sampling = burn_in * step + (steps - burn_in) / thinning * draw
    cores = run.processors.threads
    rounds = -(-chains // min(cores, chains))  # of chains in parallel
    seconds = rounds * (begin + temperatures * sampling)
    until = ", fewer once the stopping rule is met" if settings.get("until") else ""
    _announce(
        seconds,
        f"{plural(chains, 'chain')} on {words_of(settings['space'])} make at most {steps:,} "
        f"steps each ({_about(seconds)}{until}).",
    )
    return replace(study, sums=sums)


def _what(asked: Question, method: Any) -> str:
    if not isinstance(method, str):
        return "The parent sets among the given candidates are scored"
    if method == "all":
        return f"All {asked.number_of_families:,} parent sets are scored"
    if method.partition(":")[0] == "grow":
        return "Candidate parents are grown"
    return f"Candidate parents are chosen by {method!r}"


def _preparation_seconds(run: Run, asked: Question, method: Any) -> float:
    if not isinstance(method, str):
        return scoring_seconds(replace(asked, candidates=method), run.threads)
    if method == "all":
        return scoring_seconds(asked, run.threads)
    n = len(asked.variables)
    # The final search of growth, in which each node has this many candidates, scores the most.
    size = min(n - 1, final_size(asked))
    filled = np.zeros((n, n), dtype=np.int64)
    for node in range(n):
        filled[[(node + 1 + i) % n for i in range(size)], node] = 1
    plus_one = n <= _MANY
    scoring = scoring_seconds(replace(asked, candidates=filled, plus_one=plus_one), run.threads)
    if method.partition(":")[0] != "grow":
        return scoring
    seconds, reference, power = _GROWTH_SECONDS if plus_one else _GROWTH_SECONDS_OF_MANY
    return float(scoring + seconds * (n / reference) ** power)


def _burn_in_and_thinning(steps: int, nodes: int, settings: Mapping[str, Any]) -> tuple[int, int]:
    """Return the numbers of steps that are discarded, and between draws, for a trial."""
    budget = Budget(steps=steps, thinning=settings.get("thinning"))
    burn_in = int(steps * budget.discarded)
    thinning = budget.thinned(steps - burn_in, nodes)
    if settings.get("until"):
        # Every stage is sampled, as the rule may be met in it, and keeps up to 16,384 states.
        burn_in = 0
        thinning = budget.thinning or max(2 * nodes, nodes**2 // 50, steps // 16_384)
    # With more than 64 steps per variable between draws, the draws take hardly any of the time.
    return burn_in, min(thinning, 64 * nodes)


def _trial(study: Study, sums: ScoreSums, thinning: int) -> tuple[float, float, float]:
    """Return the seconds that the start, a step, and a draw with the steps before it take."""
    settings = study.settings
    space = settings["space"].on(sums)
    recording = Recording(
        space,
        modularity=study.request.modularity,
        estimate_extensions=settings.get("estimate_extensions", False),
    )
    record = recording.record_options(edge_batches=8)
    core_space = space.build(sums)

    def begun(order_steps: int) -> _core.Chains:
        options = filled(_core.ChainOptions(), record=record, order_steps=order_steps)
        chain = _core.Chains(core_space, options, study.run.seed, 0, 1)
        chain.start(0, 1, None)
        return chain

    order_steps = ChainSettings(space, start=settings.get("start", "orders")).order_steps
    if order_steps is None:
        order_steps = usual_order_steps(len(sums.variables), None)
    begin = 0.0
    if order_steps > 0:
        each, tried = _rate(begun, most=order_steps)
        begin, order_steps = order_steps * each, tried
    # The time of a step depends on the state, so steps are timed in the bulk of the posterior, and
    # those between draws by themselves, as edges are averaged over them.
    chain = begun(order_steps)
    step, _ = _rate(lambda count: chain.burn_in(count, 1, None))
    chain.set_thinning(thinning)
    draw, _ = _rate(lambda count: chain.sample(count, 1, None))
    return begin, step, draw


def _rate(make: Callable[[int], object], most: int | None = None) -> tuple[float, int]:
    """Return the time per call, and the number of calls timed, which is at most `most`."""
    count = 1
    while True:
        # Processor time is measured, as wall-clock time depends on what else is running.
        began = time.process_time()
        make(count)
        seconds = time.process_time() - began
        if seconds >= 0.1 or count == most:
            return seconds / count, count
        count = 2 * count if most is None else min(2 * count, most)


def _about(seconds: float) -> str:
    return "less than a second" if seconds < 1.0 else f"about {duration(seconds)}"
