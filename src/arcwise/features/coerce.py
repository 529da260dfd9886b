"""`as_feature`: a feature from any of the forms in which it may be given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.features.edges import Edge
from arcwise.features.feature import Conditional, Feature, checked_event
from arcwise.features.functions import FunctionOfDag
from arcwise.features.grammar import parse
from arcwise.graphs.dag import Dag
from arcwise.support.words import shown

AnyFeature = str | tuple[str, str] | Feature | Conditional | Callable[[Dag], float | bool]
"""Text, an edge (source, target), a feature, or a function of a DAG."""


def as_feature(
    feature: AnyFeature, variables: Sequence[str], given: AnyFeature | None = None
) -> Feature | Conditional:
    """Return a feature from any accepted form, conditional on an event if one is given.

    Parameters
    ----------
    feature
        Text for `parse`, a pair (source, target) for an edge, a feature, or a
        function of a `Dag` that returns a boolean or a number.
    variables
        The names it may use.
    given
        The event to condition on, in one of the same forms; None for none. If `feature`
        is already conditional, both conditions must hold.

    Examples
    --------
    >>> str(as_feature(("a", "b"), ["a", "b", "c"], given="b ~> c"))
    'a -> b given b ~> c'
    """
    result = _one(feature, variables)
    if given is None:
        return result
    condition = _one(given, variables)
    if isinstance(condition, Conditional):
        raise ArgumentError(f"given is '{condition}', which is itself conditional; give an event")
    if isinstance(condition, FunctionOfDag):
        condition = FunctionOfDag(condition.function, is_event=True)
    if isinstance(result, Conditional):
        return Conditional(result.feature, result.given & condition)
    return Conditional(result, checked_event(condition))


def _one(feature: Any, variables: Sequence[str]) -> Feature | Conditional:
    if isinstance(feature, str):
        return parse(feature, variables)
    if isinstance(feature, Conditional):
        feature.feature.refuse_unknown(variables)
        feature.given.refuse_unknown(variables)
        return feature
    if isinstance(feature, Feature):
        feature.refuse_unknown(variables)
        return feature
    if callable(feature):
        return FunctionOfDag(feature)
    if isinstance(feature, tuple | list) and len(feature) == 2:
        edge = Edge(*feature)
        edge.refuse_unknown(variables)
        return edge
    raise ArgumentError(
        f"feature is {shown(feature)}; give text such as 'a ~> b', a pair (source, target), "
        "a feature, or a function of a Dag"
    )
