"""`Feature`: an event or a number that is defined on DAGs, and combinations of features."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.support.checks import real_number, true_or_false
from arcwise.support.names import as_list, positions, shown

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample


class Feature(ABC):
    """A feature of a DAG: an event, which holds or does not hold, or a number.

    Events are combined by ``&``, ``|`` and ``~``. A numeric feature compared with a
    number by ``<``, ``<=``, ``>`` or ``>=`` is an event.
    """

    @property
    def is_event(self) -> bool:
        """Whether it is an event rather than a number."""
        return True

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that it refers to, if they are known."""
        return ()

    @abstractmethod
    def values(self, sample: DagSample) -> NDArray[Any]:
        """Return its value in each DAG of a sample: a boolean or a number."""

    @property
    def decided_by(self) -> str | None:
        """The node whose parent set determines the event; None if there is no such node."""
        return None

    def places(self, sample: DagSample) -> list[int]:
        """Return the positions of `names` among the variables of a sample."""
        return positions(self.names, sample.variables, "feature")

    def refuse_unknown(self, variables: Iterable[str]) -> None:
        """Refuse names that are not among the variables."""
        positions(self.names, list(variables), "feature")

    def __and__(self, other: Feature) -> Feature:
        """Return the event that both hold."""
        return And((self, other))

    def __or__(self, other: Feature) -> Feature:
        """Return the event that at least one holds."""
        return Or((self, other))

    def __invert__(self) -> Feature:
        """Return the event that it does not hold."""
        return self.feature if isinstance(self, Not) else Not(self)

    def __lt__(self, number: float) -> Feature:
        """Return the event that the feature is less than a number."""
        return Comparison(self, "<", number)

    def __le__(self, number: float) -> Feature:
        """Return the event that the feature is at most a number."""
        return Comparison(self, "<=", number)

    def __gt__(self, number: float) -> Feature:
        """Return the event that the feature is greater than a number."""
        return Comparison(self, ">", number)

    def __ge__(self, number: float) -> Feature:
        """Return the event that the feature is at least a number."""
        return Comparison(self, ">=", number)


class FeatureOfNodes(Feature):
    """An event about different nodes, whose names are its fields of type str."""

    what: ClassVar[str] = "an edge"
    """Its name in messages."""

    form: ClassVar[str]
    """The text that `parse` reads, with braces in place of the names."""

    def __post_init__(self) -> None:
        refuse_same(self.names, self.what)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that it refers to."""
        own = fields(self)  # type: ignore[arg-type]
        return tuple(getattr(self, each.name) for each in own if each.type == "str")

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return self.form.format(*map(written, self.names))


def checked_feature(feature: Any) -> Feature:
    """Return the feature, or refuse any other object."""
    if not isinstance(feature, Feature):
        raise ArgumentError(
            f"{shown(feature)} is not a feature; give one, such as arcwise.features.Edge('a', 'b')"
        )
    return feature


def checked_event(feature: Any) -> Feature:
    """Return the feature if it is an event, or refuse it."""
    checked_feature(feature)
    if not feature.is_event:
        raise ArgumentError(
            f"'{feature}' is a number, not an event; compare it first, as in '{feature} >= 1'"
        )
    return cast(Feature, feature)


class _Combined(Feature):
    parts: tuple[Feature, ...]
    joined: ClassVar[np.ufunc]

    def __post_init__(self) -> None:
        flat: list[Feature] = []
        for part in as_list(self.parts, "parts", "two or more events"):
            event = checked_event(part)
            flat += event.parts if type(event) is type(self) else [event]
        if len(flat) < 2:
            raise ArgumentError(f"parts has length {len(flat)}; give two or more events")
        object.__setattr__(self, "parts", tuple(flat))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part.names))

    @property
    def decided_by(self) -> str | None:
        nodes = {part.decided_by for part in self.parts}
        return nodes.pop() if len(nodes) == 1 else None

    def values(self, sample: DagSample) -> NDArray[Any]:
        """Return whether it holds in each DAG."""
        return np.asarray(self.joined.reduce([part.values(sample) for part in self.parts]))


@dataclass(frozen=True)
class And(_Combined):
    """The event that all of several events hold.

    Parameters
    ----------
    parts
        Two events or more.

    Examples
    --------
    >>> from arcwise.features import Edge
    >>> str(Edge("a", "b") & ~Edge("b", "c"))
    'a -> b and not b -> c'
    """

    parts: tuple[Feature, ...]
    joined: ClassVar[np.ufunc] = np.logical_and

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return " and ".join(_within(part, Or) for part in self.parts)


def all_of(features: Sequence[Feature]) -> Feature:
    """Return the event that all of one or more events hold."""
    return features[0] if len(features) == 1 else And(tuple(features))


@dataclass(frozen=True)
class Or(_Combined):
    """The event that at least one of several events holds.

    Parameters
    ----------
    parts
        Two events or more.

    Examples
    --------
    >>> from arcwise.features import Edge
    >>> str((Edge("a", "b") | Edge("b", "a")) & Edge("b", "c"))
    '(a -> b or b -> a) and b -> c'
    """

    parts: tuple[Feature, ...]
    joined: ClassVar[np.ufunc] = np.logical_or

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return " or ".join(str(part) for part in self.parts)


class _OfOneFeature(Feature):
    feature: Feature

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that it refers to."""
        return self.feature.names


@dataclass(frozen=True)
class Not(_OfOneFeature):
    """The event that an event does not hold.

    Parameters
    ----------
    feature
        The event.

    Examples
    --------
    >>> from arcwise.features import Edge
    >>> str(Not(Edge("a", "b")))
    'not a -> b'
    """

    feature: Feature

    def __post_init__(self) -> None:
        checked_event(self.feature)

    @property
    def decided_by(self) -> str | None:
        """The node whose parent set determines the event."""
        return self.feature.decided_by

    def values(self, sample: DagSample) -> NDArray[Any]:
        """Return whether the event does not hold in each DAG."""
        return np.asarray(np.logical_not(self.feature.values(sample)))

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"not {_within(self.feature, (And, Or))}"


_OPERATORS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "=": np.equal,
    "!=": np.not_equal,
}


@dataclass(frozen=True)
class Comparison(_OfOneFeature):
    """The event that a numeric feature compares with a number in a given way.

    Parameters
    ----------
    feature
        A numeric feature, such as `NumberOfEdges`.
    operator
        One of ``<``, ``<=``, ``>``, ``>=``, ``=`` and ``!=``.
    number
        The number to compare it with.

    Examples
    --------
    >>> from arcwise.features import NumberOfEdges
    >>> str(NumberOfEdges() >= 5)
    'edges >= 5'
    """

    feature: Feature
    operator: str
    number: float

    def __post_init__(self) -> None:
        if checked_feature(self.feature).is_event:
            raise ArgumentError(
                f"'{self.feature}' is an event, not a number; leave the comparison out"
            )
        if not isinstance(self.operator, str) or self.operator not in _OPERATORS:
            raise ArgumentError(
                f"operator is {shown(self.operator)}; give one of {', '.join(_OPERATORS)}"
            )
        number = real_number(self.number, "number", lambda x: True, "a number to compare with")
        object.__setattr__(self, "number", number)

    def values(self, sample: DagSample) -> NDArray[Any]:
        """Return whether it holds in each DAG."""
        compared: NDArray[Any] = _OPERATORS[self.operator](self.feature.values(sample), self.number)
        return compared

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        whole = self.number.is_integer() and abs(self.number) < 1e15
        return f"{self.feature} {self.operator} {int(self.number) if whole else self.number!r}"


@dataclass(frozen=True)
class Conditional:
    """A feature conditional on an event: its probability or mean given that event.

    Parameters
    ----------
    feature
        The feature, an event or a number.
    given
        The event to condition on.

    Examples
    --------
    >>> from arcwise.features import Edge, Path
    >>> str(Conditional(Edge("a", "b"), given=Path("a", "c")))
    'a -> b given a ~> c'
    """

    feature: Feature
    given: Feature

    def __post_init__(self) -> None:
        checked_feature(self.feature)
        checked_event(self.given)

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"{self.feature} given {self.given}"


def _within(part: Feature, kinds: Any) -> str:
    return f"({part})" if isinstance(part, kinds) else str(part)


@dataclass(frozen=True)
class FunctionOfDag(Feature):
    """A function of a `Dag` that returns a boolean or a number.

    It is called once for each distinct DAG of a sample.

    Parameters
    ----------
    function
        The function.
    is_event
        True if its values are booleans, which is required to combine the feature with others.
        If False, they are numbers unless all of them are booleans.

    Examples
    --------
    >>> import arcwise
    >>> sparse = FunctionOfDag(lambda dag: dag.number_of_edges < 2, is_event=True)
    >>> sparse.values(arcwise.results.DagSample(["a", "b"], np.array([[0, 1], [0, 0]])))
    array([ True,  True])
    """

    function: Callable[[Dag], Any]
    is_event: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"function is {shown(self.function)}; give a function of a Dag")
        true_or_false(self.is_event, "is_event")

    def values(self, sample: DagSample) -> NDArray[Any]:
        """Return the value of the function for each DAG."""
        distinct, place = sample.distinct()
        found = [self.function(dag) for dag in distinct]
        boolean = self.is_event or all(isinstance(value, bool | np.bool_) for value in found)
        values = np.array([bool(v) if boolean else float(v) for v in found])
        return values[place]

    def __str__(self) -> str:
        """Return the name of the function."""
        return f"function {getattr(self.function, '__name__', type(self.function).__name__)}"


KEYWORDS = frozenset({"and", "or", "not", "given", "has", "parents", "blanket", "edges", "cpdag"})
PLAIN = re.compile(r"\w[\w.]*(?:\((?:t(?:-[0-9]{1,9})?|0)\))?")
"""A name that needs no quotes: letters, digits, underscores and dots, and optionally a time."""


def written(name: str) -> str:
    """Return a name as `parse` reads it: quoted if it is a keyword or has special characters."""
    if PLAIN.fullmatch(name) and name.partition("(")[0] not in KEYWORDS:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def written_set(names: tuple[str, ...]) -> str:
    """Return a set of names in braces."""
    return "{" + ", ".join(written(name) for name in names) + "}"


def refuse_same(names: tuple[str, ...], what: str) -> None:
    """Refuse a feature that names a variable twice."""
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ArgumentError(f"{what} names {shown(wrong[0])}; give names of variables as strings")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(f"{what} names {repeated!r} twice; give different variables")
