"""Costs and limits of computations, as functions of their size alone unless there is a deadline."""

from __future__ import annotations

import math

from arcwise.algorithms.ais import steps_per_second
from arcwise.algorithms.exact_computation import MOST_FAMILIES
from arcwise.algorithms.exact_computation import SHARE_OF_EXACT as SHARE_OF_EXACT
from arcwise.algorithms.exact_computation import exact_is_cheap as exact_is_cheap
from arcwise.algorithms.exact_computation import exact_limit as exact_limit
from arcwise.algorithms.exact_computation import exact_operations as exact_operations
from arcwise.algorithms.exact_computation import exact_seconds as exact_seconds
from arcwise.errors import ArgumentError, CapacityError, option
from arcwise.model import Modularity, Question
from arcwise.model.scoring import scoring_seconds, scoring_work
from arcwise.support.checks import available_memory
from arcwise.support.names import byte_size, plural
from arcwise.support.running import Deadline

DEFAULT_DAGS = 10_000  # drawn from an exact posterior
POPULATIONS_OF_ORDERS = 32  # for smc over orders whose DAGs are weighted

# The maximum number of visits to rows for which all families are scored: about a minute on one
# core.
_MOST_SCORING_WORK = 6 * 10**10
# The work for a family of continuous variables, whose moments are computed once, and for a call of
# a scoring function, in visits to rows.
_WORK_OF_MOMENTS = 64
_WORK_OF_A_CALL = 4_000


def scoring_fits(question: Question, deadline: Deadline, threads: int | None) -> bool:
    """Return whether all families can be scored in a minute, or in half of the remaining time."""
    if question.precomputed is not None:
        return True
    if deadline.limited:
        if question.number_of_families > MOST_FAMILIES:
            return False
        return scoring_seconds(question, threads) <= deadline.left / 2
    return scoring_work(question) * _work(question) <= _MOST_SCORING_WORK


def _work(question: Question) -> int:
    table = question.table
    if table is None:
        return _WORK_OF_A_CALL
    return _WORK_OF_MOMENTS if "continuous" in table.kinds.values() else table.rows


# Limits for completed tables: hundreds of these are scored, and summed over where DAGs are drawn
# exactly.
EXACT_OPERATIONS_OF_A_TABLE = 6 * 10**6
_MOST_VISITS_OF_A_TABLE = 2 * 10**7
_MOST_FAMILIES_OF_A_TABLE = 60_000
_MOST_FAMILIES_PLUS_ONE_OF_A_TABLE = 150_000
MOST_CANDIDATES_OF_TABLES = 8
SHARE_OF_PARENTS_OF_TABLES = 0.4  # of a limited time, for the pilot and the growth of candidates


def exact_is_cheap_each_table(question: Question, modularity: Modularity) -> bool:
    """Return whether DAGs can be drawn from the exact posterior of every completed table."""
    operations = exact_operations(len(question.ordinary), modularity)
    return operations is not None and operations <= EXACT_OPERATIONS_OF_A_TABLE


def paths_are_cheap_each_table(question: Question) -> bool:
    """Return whether exact paths, including those from parent-only variables, are cheap as well."""
    cost = _path_operations(len(question.ordinary), len(question.parent_only))
    return cost <= EXACT_OPERATIONS_OF_A_TABLE


def scoring_is_cheap_each_table(question: Question) -> bool:
    """Return whether all families can be scored in every sweep over the missing values."""
    # Each set of variables is counted once for all families that consist of it.
    sets = 2.0 * question.number_of_families / max(1, len(question.ordinary))
    table = question.table
    assert table is not None
    each = table.rows if "discrete" in table.kinds.values() else _WORK_OF_MOMENTS
    return each * sets <= _MOST_VISITS_OF_A_TABLE


def all_families_fit_each_table(question: Question, *, exact: bool) -> bool:
    """Return whether all families are few enough for every completed table."""
    if exact and scoring_is_cheap_each_table(question):
        return True
    return question.number_of_families <= _MOST_FAMILIES_OF_A_TABLE


def further_parents_fit_each_table(question: Question) -> bool:
    """Return whether families with a parent outside the grown candidates are few enough."""
    return question.number_of_families <= _MOST_FAMILIES_PLUS_ONE_OF_A_TABLE


def paths_are_cheap(
    variables: int, parent_only: int, seconds: float | None, threads: int | None
) -> bool:
    """Return whether exact paths fit into the limit of the exact posterior.

    Paths between ordinary variables come with the modular posterior; each parent-only variable
    requires a further computation with one variable more.
    """
    operations = _path_operations(variables, parent_only)
    return parent_only == 0 or operations <= exact_limit(seconds, threads)


def _path_operations(variables: int, parent_only: int) -> float:
    further = exact_operations(variables + 1, "modular")
    return math.inf if further is None else parent_only * further


# Seconds per pair of variables after parents are scored: for the start of chains, edge
# probabilities with their standard errors, and the diagnosis.
_SECONDS_PER_PAIR = 3e-6
_LEAST_BEFORE_SAMPLING = 0.4  # the least share of the time for parents


def before_sampling(deadline: Deadline, variables: int) -> Deadline:
    """Return the deadline for parents and scores that leaves enough time for sampling."""
    if not deadline.limited or deadline.passed:
        return deadline
    after = deadline.slowness * _SECONDS_PER_PAIR * variables**2
    share = 1.0 - after / deadline.left
    return deadline.part(max(_LEAST_BEFORE_SAMPLING, share))


def all_families_fit(families: int) -> bool:
    """Return whether chains can use all families: sums over their subsets are tabulated."""
    return families <= 2**21


def refuse_too_short(deadline: Deadline, variables: int) -> None:
    """Refuse a time that the edge probabilities of all pairs would exceed by themselves."""
    least = _SECONDS_PER_PAIR * variables**2
    if deadline.seconds is not None and least > deadline.seconds:
        raise ArgumentError(
            option("seconds"),
            f" is {deadline.seconds:g}, and the probabilities of {variables:,} variables take "
            f"about {least:.0f} s whatever is done before; give more, or learn from fewer columns",
        )


def refuse_too_many(variables: int, chains: int) -> None:
    """Refuse variables whose edge probabilities do not fit into memory."""
    # A chain keeps about 70 matrices: sums of edge probabilities for standard errors, and copies.
    needed = chains * 70 * 8 * variables**2
    free = available_memory()
    if needed > free:
        raise CapacityError(
            f"the table has {variables:,} variables, and the edges between them take "
            f"{byte_size(needed)} in {plural(chains, 'chain')}, with {byte_size(free)} free; leave "
            "out columns, or use fewer ",
            option("chains"),
        )


def default_steps(variables: int, chains: int) -> int:
    """Return the default maximum number of steps of each chain.

    They take about a minute on one core; for many variables there are 4 n^2 ln n, the number that
    chains needed for convergence in benchmarks.
    """
    in_a_minute = 60.0 * steps_per_second(variables) / chains
    needed = 4 * variables**2 * math.log(max(2, variables))
    return int(max(in_a_minute, needed))


def annealing_budget(
    variables: int, rows: int | None, particles: int | None, steps: int | None
) -> dict[str, int]:
    """Return the numbers of annealed particles and of their steps, by default where not given.

    With a hundred particles, hardly any edge probability has an error below 0.025. Fewer steps make
    the weights more variable. Each variable gets one step per row, but at least 300, as fewer are
    not enough in short tables, and at most 1,000.
    """
    each = 1_000 if rows is None else min(max(rows, 300), 1_000)
    return {
        "particles": 1_000 if particles is None else particles,
        "steps": variables * each if steps is None else steps,
    }
