"""Spaces: the sets of states in which samplers move, such as orders, partitions and DAGs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.graphs.linear_extensions import as_partial_order
from arcwise.model.model import Modularity
from arcwise.model.score_sums import ScoreSums
from arcwise.support.checks import MOST_INT, real_numbers, whole_number
from arcwise.support.names import as_list, quoted, shown
from arcwise.support.plain import plain

__all__ = [
    "BucketOrders",
    "CanonicalOrders",
    "Dags",
    "Layerings",
    "LinearOrders",
    "PartialOrders",
    "Partitions",
    "Space",
    "as_space",
    "space_words",
]


NAMED_SPACES: dict[str, type[Space]] = {}
"""The spaces that have a name, which is also their name in the core."""


class Space(ABC):
    """A set of states to sample from, such as all orders of the variables.

    A space is a description, a frozen dataclass; `build` makes it for the score sums of a
    model. Declared as ``class Mine(Space, name="mine")``, it can also be given as ``"mine"``,
    and runs in it can be resumed.

    Examples
    --------
    >>> import math
    >>> import arcwise
    >>> model = arcwise.Model(["a", "b", "c"], lambda node, parents: 0.0)
    >>> space: Space = arcwise.spaces.LinearOrders()
    >>> round(math.exp(space.build(arcwise.model.ScoreSums(model)).log_size))
    6
    """

    name: ClassVar[str]
    """The name of the space, also in the core."""

    modularity: ClassVar[Modularity] = "order-modular"
    """The posterior of the states; weights 1 / (number of orders) convert to the modular one."""

    states_are_dags: ClassVar[bool] = False
    """Whether a state is one DAG, rather than a set of DAGs whose weights are summed."""

    first_steps: ClassVar[int] = 51_200
    """The number of steps before a stopping rule is first checked, which take a moment.

    Chains from independent starts may agree long before a rare transition to another mode."""

    has_bridge: ClassVar[bool] = False
    """Whether paths to its posterior can use the bridge from the order-modular one."""

    def __init_subclass__(cls, name: str | None = None, **keywords: Any) -> None:
        """Register the class by name, if it has one."""
        super().__init_subclass__(**keywords)
        if name is not None:
            cls.name = name
            NAMED_SPACES[name] = cls

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """Return the words by which it can be given, with the argument after a colon."""
        return (cls.name,)

    @classmethod
    def parse(cls, argument: str) -> Self | None:
        """Return the space for the argument after the colon, or None if it is invalid."""
        return None if argument else cls()

    @property
    def adapts_moves(self) -> bool:
        """Whether chains can adapt the probabilities of its kinds of moves."""
        return False

    def on(self, sums: ScoreSums) -> Space:
        """Return the space with its model-dependent defaults chosen, such as a layer's size."""
        return self

    @abstractmethod
    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""

    def build_named(
        self,
        sums: ScoreSums,
        moves: Mapping[str, float] | None = None,
        numbers: Mapping[str, int] | None = None,
        orders: Mapping[str, Sequence[int]] | None = None,
    ) -> _core.Space:
        """Return the core's space of this name, with settings by name."""
        given = {kind: list(masks) for kind, masks in (orders or {}).items()}
        shares = {kind: float(share) for kind, share in (moves or {}).items()}
        return _core.build_space(self.name, sums.core, shares, dict(numbers or {}), given)

    def advice(self, modularity: Modularity) -> list[str]:
        """Return what to try if chains in this space do not converge."""
        return ["the space partitions"] if modularity == "modular" else []

    def plain(self, variables: Sequence[str]) -> dict[str, Any]:
        """Return its settings as plain values, for files."""
        return plain(vars(self))  # type: ignore[no-any-return]

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> Self:
        """Return the space of plain values."""
        return cls(**values)


def is_size(text: str) -> bool:
    """Return whether a text is a number of variables."""
    return text.isdecimal() and len(text) < 10


def move_shares(space: type[Space], variables: int) -> dict[str, float]:
    """Return the default relative frequency of each kind of move of a space.

    Examples
    --------
    >>> from arcwise.spaces import Partitions
    >>> list(move_shares(Partitions, 8))
    ['split or join', 'swap adjacent', 'swap', 'relocate', 'reverse edge']
    """
    return dict(_core.space_moves(space.name, variables))


class MovedSpace(Space):
    """A space whose only setting is the probability of each kind of move."""

    moves: Mapping[str, float] | None

    def __post_init__(self) -> None:
        """Refuse unknown moves and invalid probabilities."""
        refuse_bad_moves(self, self.moves)

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""
        return self.build_named(sums, self.moves)


def refuse_bad_moves(space: Space, moves: Mapping[str, float] | None) -> None:
    """Refuse moves that a space does not have, and invalid probabilities."""
    if moves is None:
        return
    if not isinstance(moves, Mapping):
        raise ArgumentError(
            f"moves is {shown(moves)}; give a mapping from kinds of moves to numbers"
        )
    known = move_shares(type(space), 2)
    unknown = [name for name in moves if name not in known]
    if unknown:
        raise ArgumentError(
            f"moves names {quoted(unknown)}; {type(space).__name__} has {quoted(known)}"
        )
    shares = real_numbers(list(moves.values()), "moves")
    if shares.ndim != 1 or not ((shares >= 0) & (shares < np.inf)).all() or not shares.sum() > 0:
        raise ArgumentError(
            f"moves is {dict(moves)!r}; give numbers from 0 on, at least one above 0"
        )


@dataclass(frozen=True)
class LinearOrders(MovedSpace, name="linear"):
    """Linear orders; a variable's parents come before it.

    Parameters
    ----------
    moves
        The relative probability of each kind of move: ``"swap"`` of any two variables,
        ``"adjacent"`` swap, and ``"relocate"``, which removes a variable and draws its new
        position from the conditional distribution given the order of the others. Omitted kinds
        are not proposed. None for probabilities with which each kind takes the same time.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 300, seed=1)
    >>> model = arcwise.Model(data, prior="uniform", max_indegree=2)
    >>> space = LinearOrders(moves={"swap": 3, "relocate": 1})
    >>> arcwise.mcmc(model, space, steps=500, chains=2, seed=1).algorithm
    'mcmc'
    """

    moves: Mapping[str, float] | None = None

    first_steps: ClassVar[int] = 8 * Space.first_steps
    """More than in other spaces, as steps are fast. With as few steps, sixteen chains that had all
    missed a mode of 7 % agreed after a third of a second in one run of six."""

    def advice(self, modularity: Modularity) -> list[str]:
        """Return what to try: states that represent many orders."""
        return [*super().advice(modularity), "the space buckets:4"]


@dataclass(frozen=True)
class CanonicalOrders(Space, name="canonical"):
    """Canonical orders: each represents the DAGs of which it is the first topological order.

    The variables are numbered, and the next variable in the canonical order of a DAG is the one
    with the smallest number among those whose parents all precede it. Every DAG has exactly one
    canonical order, so the states follow the modular posterior, and DAGs need no weights. With
    `mc3` and the ladder ``"bridge"`` the chains are coupled to chains of linear orders, which
    mix better.

    Parameters
    ----------
    moves
        The relative probability of each kind of move: ``"swap"`` of any two variables,
        ``"adjacent"`` swap, ``"relocate"``, which removes a variable and draws its new position
        from the conditional distribution given the order of the others, and ``"renumber"``,
        which draws a DAG given the order, renumbers the variables at random, and moves to the
        DAG's new canonical order. Omitted kinds are not proposed. None for probabilities by
        which the first three kinds take about the same time, and few moves renumber.
    numbering
        The variables in the order of their numbers, which then remain fixed; any numbering is
        valid. None for random numberings, or for the order of the variables in the data if
        `moves` omits ``"renumber"``.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, CanonicalOrders(), steps=50_000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.1)
    True
    """

    modularity: ClassVar[Modularity] = "modular"
    has_bridge: ClassVar[bool] = True

    moves: Mapping[str, float] | None = None
    numbering: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Refuse invalid moves, and a fixed numbering that they would change."""
        refuse_bad_moves(self, self.moves)
        if self.numbering is None:
            return
        wanted = "a list of the names of all variables"
        names = as_list(self.numbering, "numbering", wanted)
        if not all(isinstance(name, str) for name in names):
            raise ArgumentError(f"numbering is {shown(names)}; give {wanted}")
        object.__setattr__(self, "numbering", tuple(names))
        if self.moves is not None and self.moves.get("renumber", 0) > 0:
            raise ArgumentError(
                "numbering was given and moves has 'renumber', which would change it; give only "
                "one of them"
            )

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model.

        Raises
        ------
        ArgumentError
            If the numbering does not name every variable once.
        """
        if self.numbering is None:
            return self.build_named(sums, self.moves)
        if sorted(self.numbering) != sorted(sums.variables):
            raise ArgumentError(
                f"numbering is {list(self.numbering)!r}; name each of the {len(sums.variables)} "
                "variables once"
            )
        numbers = [self.numbering.index(variable) for variable in sums.variables]
        return self.build_named(sums, self.moves, orders={"numbering": numbers})

    def advice(self, modularity: Modularity) -> list[str]:
        """Return what to try: the bridge from linear orders."""
        return [*super().advice(modularity), "mc3 with the ladder bridge"]


@dataclass(frozen=True)
class BucketOrders(Space, name="buckets"):
    """Balanced bucket orders: a sequence of buckets, with any order within each.

    One state represents all orders that are compatible with it, so there are fewer states
    than linear orders, and their weights are smoother; a step costs about ``size * 2**size``
    additional sums.

    Parameters
    ----------
    size
        The number of variables in a bucket, up to 20; the last bucket may have
        fewer. With all variables in one bucket the draws are independent.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, BucketOrders(4), steps=500, chains=2, seed=1)
    >>> posterior.run.settings.space
    BucketOrders(size=4)
    """

    size: int

    def __post_init__(self) -> None:
        """Refuse an invalid size."""
        whole_number(self.size, "size", at_least=1, at_most=MOST_INT)

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""
        return self.build_named(sums, numbers={"size": self.size})

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """Return its word, which requires a size."""
        return ("buckets:SIZE",)

    @classmethod
    def parse(cls, argument: str) -> Self | None:
        """Return the space for a size."""
        return cls(int(argument)) if is_size(argument) else None

    def advice(self, modularity: Modularity) -> list[str]:
        """Return what to try: states that represent more orders."""
        return [*super().advice(modularity), "larger buckets"]


@dataclass(frozen=True)
class PartialOrders(Space, name="partial orders"):
    """The reorderings of a parallel bucket order.

    A parallel bucket order has one or more parts that are mutually unordered; within each
    part, buckets follow each other. Its reorderings result from swapping variables within a
    part, and every linear order of all variables is compatible with exactly one of them. Other
    partial orders lack this property and are refused.

    Parameters
    ----------
    order
        One of the reorderings: a list of pairs (first, second), or a `Dag` or
        networkx DiGraph with such pairs as edges; see `GivenOrder`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> space = PartialOrders([("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc")])
    >>> posterior = arcwise.mcmc(model, space, steps=200, chains=2, seed=1)
    >>> sorted(posterior.run.acceptance)
    ['swap']
    """

    order: Any

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model.

        Raises
        ------
        ArgumentError
            If the reorderings do not cover every order exactly once.
        """
        predecessors = as_partial_order(self.order, sums.variables)
        witness = _ambiguous_pair(predecessors)
        if witness is not None:
            names = quoted(sums.variables[node] for node in witness)
            raise ArgumentError(
                f"order leaves open which of {names} comes first, yet they do not come before and "
                "after the same variables, so its reorderings do not cover every order exactly "
                "once; give parts of buckets that follow each other"
            )
        return self.build_named(sums, orders={"order": predecessors})

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """Return no words, because an order must be given as an object."""
        return ()

    @classmethod
    def parse(cls, argument: str) -> Self | None:
        """Return None, because an order must be given as an object."""
        return None

    def plain(self, variables: Sequence[str]) -> dict[str, Any]:
        """Return the pairs of the order, in whatever form it was given."""
        before = as_partial_order(self.order, tuple(variables))
        pairs = [
            [variables[u], variables[v]]
            for v, mask in enumerate(before)
            for u in range(len(variables))
            if mask >> u & 1
        ]
        return {"order": pairs}

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> Self:
        """Return the space of the pairs of an order."""
        return cls([tuple(pair) for pair in values["order"]])


def _ambiguous_pair(predecessors: list[int]) -> tuple[int, int] | None:
    """Return two unordered variables of one part with different predecessors or successors.

    If there are none, every linear order is compatible with exactly one reordering; the core's
    space of partial orders has the proof.
    """
    n = len(predecessors)
    before = np.array([[mask >> u & 1 for u in range(n)] for mask in predecessors], dtype=bool)
    for middle in range(n):
        before |= before[:, [middle]] & before[[middle], :]
    comparable = before | before.T
    connected = comparable | np.eye(n, dtype=bool)
    for middle in range(n):
        connected |= connected[:, [middle]] & connected[[middle], :]
    for u in range(n):
        for v in range(u + 1, n):
            if connected[u, v] and not comparable[u, v]:
                same = (before[u] == before[v]).all() and (before[:, u] == before[:, v]).all()
                if not same:
                    return u, v
    return None


@dataclass(frozen=True)
class Partitions(MovedSpace, name="partitions"):
    """Ordered partitions: sources first, every other variable in the part after its last parent.

    Every DAG belongs to exactly one partition, so the states follow the modular
    posterior, and DAGs need no weights.

    Parameters
    ----------
    moves
        The relative probability of each kind of move: ``"split or join"`` of parts,
        ``"swap adjacent"`` and ``"swap"`` of two variables, ``"relocate"``, which draws a
        variable's position from the conditional distribution given the others, and
        ``"reverse edge"``, which draws a DAG, reverses an edge and draws new parents for both of
        its ends. Omitted kinds are not proposed. None for probabilities that mixed best in
        experiments.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, Partitions(), steps=20_000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.1)
    True
    """

    modularity: ClassVar[Modularity] = "modular"

    moves: Mapping[str, float] | None = None

    def advice(self, modularity: Modularity) -> list[str]:
        """Return nothing, because no other space is preferable."""
        return []


@dataclass(frozen=True)
class Layerings(Space, name="layerings"):
    """Layerings: partitions whose neighbouring parts are merged up to a maximum size.

    One state represents all partitions that are merged into it, so there are fewer states
    than partitions, and their weights are smoother; a step costs about ``4**max_size``
    additional products. The states follow the modular posterior.

    Parameters
    ----------
    max_size
        The maximum number of variables in a layer of several parts, up to 12. With
        1 layerings are partitions; with all variables there is one state, and
        the draws are independent. None for the largest from 4 to 8 for which the
        dynamic programming over all layers costs no more than one pass over all families:
        ``4**max_size * n / max_size`` products compared with their number.
    moves
        The relative probability of each kind of move: ``"relocate"`` of some
        variables of a layer into another or between two, ``"swap adjacent"`` and
        ``"swap"`` of two variables, ``"re-partition"``, which draws a partition and
        moves in the space of partitions, ``"reverse edge"``, which draws a DAG and reverses an
        edge of it, and ``"stay"``. Omitted kinds are not proposed. None for probabilities that
        mixed best in experiments.
    partition_moves
        The number of moves of a ``"re-partition"`` before it returns to a layering,
        at the temperature of the posterior; at other temperatures it makes one.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, Layerings(4), steps=5_000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.1)
    True
    """

    modularity: ClassVar[Modularity] = "modular"

    max_size: int | None = None
    moves: Mapping[str, float] | None = None
    partition_moves: int = 10

    def __post_init__(self) -> None:
        """Refuse invalid sizes and moves."""
        if self.max_size is not None:
            whole_number(self.max_size, "max_size", at_least=1, at_most=MOST_INT)
        whole_number(self.partition_moves, "partition_moves", at_least=1, at_most=MOST_INT)
        refuse_bad_moves(self, self.moves)

    def on(self, sums: ScoreSums) -> Layerings:
        """Return the space with the maximum size chosen, if it was not given."""
        if self.max_size is not None:
            return self
        return replace(self, max_size=_core.space_numbers(self.name, sums.core)["max_size"])

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""
        numbers = {"partition_moves": self.partition_moves}
        if self.max_size is not None:
            numbers["max_size"] = self.max_size
        return self.build_named(sums, self.moves, numbers)

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """Return its word, with an optional size."""
        return ("layerings[:MAX_SIZE]",)

    @classmethod
    def parse(cls, argument: str) -> Self | None:
        """Return the space for a maximum size, which may be left out."""
        if not argument:
            return cls()
        return cls(int(argument)) if is_size(argument) else None


@dataclass(frozen=True)
class Dags(MovedSpace, name="dags"):
    """DAGs: structure MCMC.

    A state is one DAG, so the states follow the modular posterior, and DAGs need no weights.

    Parameters
    ----------
    moves
        The relative probability of each kind of move: ``"add or delete"`` and ``"reverse"``
        change one edge, and all neighbours of the kind are equally probable; ``"reverse path"``
        reverses a path (often a single edge) if that preserves the conditional independences;
        ``"redraw parents"`` draws the parents of a variable from their conditional distribution
        given all other edges; ``"reverse and redraw"`` reverses an edge and draws new parents
        for both of its ends; ``"window"`` draws the parents of three to six neighbouring
        variables from their joint conditional distribution given all other edges. If chains
        start from orders, a short pilot of four chains first finds the uncertain edges that
        rarely change, and windows are more often opened around these; if some hardly ever
        change and score sums are tabulated, windows have up to eight variables, and large ones
        are as frequent as small ones. ``"class jump"`` moves to any DAG of the same equivalence
        class, all equally probable; ``"Markov blanket"`` draws new parents for a variable and
        then, for each of its children, new parents besides it. These two kinds showed no clear
        gain in experiments and are proposed only on request. Omitted kinds are not proposed,
        except that at temperatures other than the posterior's half of the moves change one
        edge, and none opens a window. None for probabilities that mixed best in experiments.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, Dags(), steps=20_000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.1)
    True
    """

    modularity: ClassVar[Modularity] = "modular"
    states_are_dags: ClassVar[bool] = True

    moves: Mapping[str, float] | None = None

    @property
    def adapts_moves(self) -> bool:
        """Whether chains can adapt the probabilities of its kinds of moves: if none are given."""
        return self.moves is None


def as_space(value: Any) -> Space:
    """Return a space from a `Space` or its word, such as ``"linear"`` or ``"buckets:5"``.

    Examples
    --------
    >>> as_space("buckets:5")
    BucketOrders(size=5)
    """
    if isinstance(value, Space):
        return value
    if isinstance(value, str):
        word, colon, argument = value.partition(":")
        named = NAMED_SPACES.get(word)
        parsed = named.parse(argument) if named and bool(colon) == bool(argument) else None
        if parsed is not None:
            return parsed
    raise ArgumentError(
        f"space is {shown(value)}; give one of {quoted(space_words())}, or a space such "
        "as Partitions()"
    )


def space_words() -> list[str]:
    """Return the words by which spaces can be given, with the argument after a colon.

    Examples
    --------
    >>> {'buckets:SIZE', 'layerings[:MAX_SIZE]', 'partitions'} <= set(space_words())
    True
    """
    return sorted(word for kind in NAMED_SPACES.values() for word in kind.words())
