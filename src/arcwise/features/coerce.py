"""`as_feature`: the forms in which a feature may be asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.features.edges import Edge
from arcwise.features.feature import Conditional, Feature, checked_event
from arcwise.features.functions import FunctionOfDag
from arcwise.features.grammar import parse
from arcwise.graphs.dag import Dag

AnyFeature = str | tuple[str, str] | Feature | Conditional | Callable[[Dag], float | bool]
"""Text, an edge (source, target), a feature, or any function of a DAG."""


def as_feature(
    asked: AnyFeature, variables: Sequence[str], given: AnyFeature | None = None
) -> Feature | Conditional:
    """Return what is asked for as a feature, with what is given, if anything.

    Parameters
    ----------
    asked
        Text for `parse`, a pair (source, target) for an edge, a feature, or a
        function of a `Dag` that gives a truth value or a number.
    variables
        The names it may use.
    given
        An event in one of the same forms; None for none. One that `asked` has
        already must hold too.

    Examples
    --------
    >>> str(as_feature(("a", "b"), ["a", "b", "c"], given="b ~> c"))
    'a -> b given b ~> c'
    """
    feature = _one(asked, variables)
    if given is None:
        return feature
    condition = _one(given, variables)
    if isinstance(condition, Conditional):
        raise ArgumentError(f"given is '{condition}', a condition itself; give an event")
    if isinstance(condition, FunctionOfDag):
        condition = FunctionOfDag(condition.function, is_event=True)
    if isinstance(feature, Conditional):
        return Conditional(feature.feature, feature.given & condition)
    return Conditional(feature, checked_event(condition))


def _one(asked: Any, variables: Sequence[str]) -> Feature | Conditional:
    if isinstance(asked, str):
        return parse(asked, variables)
    if isinstance(asked, Conditional):
        asked.feature.refuse_unknown(variables)
        asked.given.refuse_unknown(variables)
        return asked
    if isinstance(asked, Feature):
        asked.refuse_unknown(variables)
        return asked
    if callable(asked):
        return FunctionOfDag(asked)
    if isinstance(asked, tuple | list) and len(asked) == 2:
        edge = Edge(*asked)
        edge.refuse_unknown(variables)
        return edge
    raise ArgumentError(
        f"feature is {asked!r}; give text such as 'a ~> b', a pair (source, target), "
        "a feature, or a function of a Dag"
    )
