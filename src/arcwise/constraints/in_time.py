"""`in_time`: the constraints of a table of a time series.

A user names a variable ``x`` where its present slice is meant, and ``x(t-1)`` for an earlier
one. Columns of earlier slices and static ones are parents only.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

from arcwise.constraints.constraints import Constraints
from arcwise.constraints.edges import Edge, Endpoint
from arcwise.data.slices import Slices
from arcwise.support.lagged_names import canonical_name


def in_time(rules: Constraints, slices: Slices) -> Constraints:
    """Return constraints by the names of columns, and those that time itself imposes.

    Parameters
    ----------
    rules
        The constraints, in which the own name of a variable is its present slice.
    slices
        Which column is of which time.

    Examples
    --------
    >>> from arcwise.data.slices import Place
    >>> slices = Slices((Place("x", 0), Place("y", 0), Place("x", 1)))
    >>> rules = in_time(Constraints(required_edges=[("x (t - 1)", "y")]), slices)
    >>> rules.required_edges
    (('x(t-1)', 'y(t)'),)
    >>> rules.resolve(["x(t)", "y(t)", "x(t-1)"]).allowed[:, 2]
    array([False, False, False])
    """
    present = slices.present_names()
    columns = {place.name for place in slices.places}

    def column(name: str) -> str:
        if name in columns:
            return name
        return present.get(name) or canonical_name(name)

    limits = rules.max_indegree
    if isinstance(limits, tuple):
        limits = tuple((None if name is None else column(name), most) for name, most in limits)
    tiers = rules.tiers
    renamed = Constraints(
        _renamed(rules.required_edges, column),
        _renamed(rules.forbidden_edges, column),
        None if tiers is None else [[column(name) for name in tier] for tier in tiers],
        limits,
        None if rules.search_space is None else _renamed(rules.search_space, column),
        [column(name) for name in rules.parent_only],
    )
    within = () if slices.within else permutations(slices.present, 2)
    return renamed & Constraints(forbidden_edges=within, parent_only=slices.parent_only)


def _renamed(edges: tuple[Edge, ...], column: Callable[[str], str]) -> list[Edge]:
    def end(given: Endpoint) -> Endpoint:
        return column(given) if isinstance(given, str) else given

    return [(end(source), end(target)) for source, target in edges]
