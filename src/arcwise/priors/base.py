"""`Prior`, the base class of structure priors, and the priors that treat all edges alike."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.families.constraints import Constraints
from arcwise.families.families import FamilyFunction, evaluate, refuse_uncallable
from arcwise.support.checks import positive_number, real_number, real_numbers
from arcwise.support.names import as_list, checked_variables, positions
from arcwise.support.words import quoted, shown


@dataclass(frozen=True, eq=False)
class PriorTerms:
    """The log prior weight of each family, as a sum of terms.

    For the node v with the parents P the log weight is ::

        constant[v] + size[v, |P|] + sum of edge[u, v] over u in P + sum of f(v, P)

    Weights matter only up to a factor for each node, so they are not normalised.

    Parameters
    ----------
    constant
        One number for each node.
    size
        Indexed [node, number of parents], the number from 0 to n - 1.
    edge
        Indexed [parent, node]; the diagonal is never read.
    functions
        Functions of a node and its parents, called once for each family.

    Examples
    --------
    >>> terms = PriorTerms.zero(2)
    >>> (terms + terms).log_weight(1, [0], ["a", "b"])
    0.0
    """

    constant: NDArray[np.float64]
    size: NDArray[np.float64]
    edge: NDArray[np.float64]
    functions: tuple[FamilyFunction, ...] = ()

    def __post_init__(self) -> None:
        """Check the shapes and the numbers, and make the arrays read-only copies."""
        arrays = {
            name: np.array(real_numbers(getattr(self, name), name))
            for name in ("constant", "size", "edge")
        }
        n = arrays["constant"].size
        for name, shape in (("constant", (n,)), ("size", (n, n)), ("edge", (n, n))):
            array = arrays[name]
            if array.shape != shape:
                raise ArgumentError(
                    f"{name} has the shape {array.shape}; for {n} nodes give the shape {shape}"
                )
            read = array[~np.eye(n, dtype=np.bool_)] if name == "edge" else array
            if np.isnan(read).any() or np.isposinf(read).any():
                raise ArgumentError(
                    f"{name} contains nan or inf; give finite log weights, or -inf to exclude"
                )
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @classmethod
    def zero(cls, n: int) -> PriorTerms:
        """Return the terms of the uniform prior over n nodes: every log weight is 0."""
        return cls(np.zeros(n), np.zeros((n, n)), np.zeros((n, n)))

    def __add__(self, other: PriorTerms) -> PriorTerms:
        """Return the terms of the product of the two priors."""
        if not isinstance(other, PriorTerms):
            return NotImplemented
        if len(self.constant) != len(other.constant):
            raise ArgumentError(
                f"terms for {len(self.constant)} and for {len(other.constant)} nodes "
                "cannot be added; make both for the same variables"
            )
        return PriorTerms(
            self.constant + other.constant,
            self.size + other.size,
            self.edge + other.edge,
            self.functions + other.functions,
        )

    def log_weight(self, node: int, parents: Sequence[int], variables: Sequence[str]) -> float:
        """Return the log weight of one family, given by positions among the variables."""
        members = list(parents)
        total = float(
            self.constant[node] + self.size[node, len(members)] + self.edge[members, node].sum()
        )
        if self.functions:
            named = tuple(variables[parent] for parent in members)
            total += self.log_weight_by_functions(variables[node], named)
        return total

    def log_weight_by_functions(self, node: str, parents: tuple[str, ...]) -> float:
        """Return the part of a family's log weight that comes from the functions."""
        return sum(
            evaluate(function, node, parents, "prior", "the logarithm of a weight")
            for function in self.functions
        )


NAMED_PRIORS: dict[str, type[Prior]] = {}
"""The priors that can be given by name, as in ``prior="fair"``."""


class Prior(ABC):
    """A modular structure prior: the weight of a DAG is the product of its families' weights.

    A user-defined prior is a subclass with one method, `terms`. Declared as
    ``class Mine(Prior, name="mine")``, it can also be given as ``"mine"``, provided that
    ``Mine()`` needs no arguments.

    Examples
    --------
    >>> class OnlySmallFamilies(Prior):
    ...     def terms(self, variables):
    ...         terms = PriorTerms.zero(len(variables))
    ...         size = terms.size.copy()
    ...         size[:, 3:] = float("-inf")
    ...         return PriorTerms(terms.constant, size, terms.edge)
    >>> OnlySmallFamilies().log_weight(["a", "b", "c"], "c", ["a", "b"])
    0.0
    """

    def __init_subclass__(cls, name: str | None = None, **keywords: Any) -> None:
        """Register the class by name, if it has one."""
        super().__init_subclass__(**keywords)
        if name is not None:
            NAMED_PRIORS[name] = cls

    @abstractmethod
    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights over these variables."""

    def under(self, constraints: Constraints) -> Prior:
        """Return the prior within constraints, on which few priors depend; by default itself."""
        return self

    def on(self, base: Prior) -> Prior:
        """Return this prior with another base prior, or the base itself if it does not have one."""
        return base

    def log_weight(self, variables: Sequence[str], node: str, parents: Iterable[str]) -> float:
        """Return the log weight of one family, given by names."""
        names = checked_variables(variables)
        (index,) = positions([node], names, "node")
        parent_indices = sorted(set(positions(parents, names, "parents")))
        if index in parent_indices:
            raise ArgumentError(
                f"parents contains the node {node!r} itself; give only other variables"
            )
        return self.terms(names).log_weight(index, parent_indices, names)

    def __mul__(self, other: Prior) -> Product:
        """Return the prior whose weights are the products of the two priors' weights."""
        if not isinstance(other, Prior):
            return NotImplemented
        return Product((self, other))


@dataclass(frozen=True)
class Product(Prior):
    """The prior whose weights are the products of its factors' weights.

    Examples
    --------
    >>> from arcwise.priors import EdgePenalty, Fair
    >>> prior = Fair() * EdgePenalty(log_penalty=1.0)
    >>> round(prior.log_weight(["a", "b", "c"], "c", ["a"]), 6)  # -log 2 - 1
    -1.693147
    """

    factors: tuple[Prior, ...]

    def __post_init__(self) -> None:
        """Flatten products of products, so that equal products compare equal."""
        flat: list[Prior] = []
        for factor in as_list(self.factors, "factors", "a list of priors"):
            if not isinstance(factor, Prior):
                raise ArgumentError(
                    f"a factor is {shown(factor)}; give a prior, such as arcwise.priors.Fair()"
                )
            flat.extend(factor.factors if isinstance(factor, Product) else (factor,))
        object.__setattr__(self, "factors", tuple(flat))

    def under(self, constraints: Constraints) -> Prior:
        """Return the product of the factors within constraints."""
        return Product(tuple(factor.under(constraints) for factor in self.factors))

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the sum of the factors' log weights."""
        each = (factor.terms(variables) for factor in self.factors)
        return reduce(add, each, PriorTerms.zero(len(variables)))


@dataclass(frozen=True)
class Uniform(Prior, name="uniform"):
    """All DAGs have the same weight.

    Examples
    --------
    >>> Uniform().log_weight(["a", "b"], "b", ["a"])
    0.0
    """

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return log weights of 0."""
        return PriorTerms.zero(len(variables))


@dataclass(frozen=True)
class Sparse(Prior, name="sparse"):
    """All edges have the same odds, so a set of k parents has the weight ``odds ** k``.

    With n variables the odds are ``expected_parents / (n - 1)``: if every other variable could
    be a parent of a node, it would have about that many. Acyclicity leaves about half of them.
    The expected number of edges per variable does not depend on n, whereas under the uniform
    prior it grows with n.

    Parameters
    ----------
    expected_parents
        The expected number of parents of a node, before acyclicity.

    Examples
    --------
    >>> round(Sparse(0.5).log_weight(["a", "b", "c"], "c", ["a", "b"]), 6)  # 2 log (0.5 / 2)
    -2.772589
    """

    expected_parents: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a number that is not positive."""
        number = positive_number(self.expected_parents, "expected_parents")
        object.__setattr__(self, "expected_parents", number)

    def log_odds(self, variables: int) -> float:
        """Return the log odds of an edge among this many variables."""
        return math.log(self.expected_parents) - math.log(max(1, variables - 1))

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights, which depend on the number of parents only."""
        n = len(variables)
        by_size = self.log_odds(n) * np.arange(n)
        return PriorTerms(np.zeros(n), np.tile(by_size, (n, 1)), np.zeros((n, n)))


@dataclass(frozen=True)
class Fair(Prior, name="fair"):
    """A set of k parents has weight 1 / C(n - 1, k), so each size k has the same total weight.

    Examples
    --------
    >>> round(Fair().log_weight(["a", "b", "c", "d"], "d", ["a", "b"]), 6)  # -log 3
    -1.098612
    """

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights, which depend on the number of parents only."""
        n = len(variables)
        by_size = [-math.log(math.comb(n - 1, size)) for size in range(n)]
        return PriorTerms(np.zeros(n), np.tile(by_size, (n, 1)), np.zeros((n, n)))


@dataclass(frozen=True)
class EdgePenalty(Prior):
    """Each edge multiplies the weight of a DAG by exp(-log_penalty).

    Parameters
    ----------
    log_penalty
        The penalty of an edge, in nats. A positive penalty favours fewer edges (log 2
        halves the weight with each edge), a negative one favours more, and 0 is the uniform
        prior.

    Examples
    --------
    >>> EdgePenalty(log_penalty=1.5).log_weight(["a", "b", "c"], "c", ["a", "b"])
    -3.0
    """

    log_penalty: float

    def __post_init__(self) -> None:
        """Refuse a penalty that is not a finite number."""
        wanted = "a finite number, and use forbidden_edges to exclude edges"
        penalty = real_number(self.log_penalty, "log_penalty", math.isfinite, wanted)
        object.__setattr__(self, "log_penalty", penalty)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights, which depend on the number of parents only."""
        n = len(variables)
        return PriorTerms(np.zeros(n), np.zeros((n, n)), np.full((n, n), -self.log_penalty))


@dataclass(frozen=True)
class FunctionPrior(Prior):
    """A Python function as a prior: it returns the log weight of a family.

    Parameters
    ----------
    function
        Called once for each family, as ``function(node, parents)``, with the name of the
        node and the tuple of its parents' names in the order of the variables. It returns
        the natural logarithm of the weight; -inf excludes the family.

    Examples
    --------
    >>> prior = FunctionPrior(lambda node, parents: -2.0 if "age" in parents else 0.0)
    >>> prior.log_weight(["age", "height"], "height", ["age"])
    -2.0
    """

    function: FamilyFunction

    def __post_init__(self) -> None:
        """Refuse an object that is not callable."""
        refuse_uncallable(self.function)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return terms that contain the function."""
        return replace(PriorTerms.zero(len(variables)), functions=(self.function,))


def as_prior(value: Prior | str | FamilyFunction | None) -> Prior:
    """Return a prior from any accepted form.

    Parameters
    ----------
    value
        A prior; None for the uniform one; a name such as "fair", or "sparse:0.5" with its
        expected number of parents; or a function of the name of a node and those of its
        parents that returns a log weight.

    Examples
    --------
    >>> as_prior("fair")
    Fair()
    >>> as_prior(None)
    Uniform()
    """
    if isinstance(value, Prior):
        return value
    if value is None:
        return Uniform()
    if isinstance(value, str):
        name, _, number = value.partition(":")
        if number and name == "sparse":
            return Sparse(_expected_parents(number))
        if value in NAMED_PRIORS:
            return NAMED_PRIORS[value]()
        raise ArgumentError(
            f"prior is {shown(value)}; give one of {quoted(sorted(NAMED_PRIORS))}, a Prior or a "
            "function"
        )
    # A class is also callable, and would be mistaken for a function of families.
    if isinstance(value, type):
        raise ArgumentError(
            f"prior is the class {value.__name__}; give an instance of it, as in {value.__name__}()"
        )
    if callable(value):
        return FunctionPrior(value)
    raise ArgumentError(
        f"prior is of type {type(value).__name__}; give a Prior, "
        f"one of {quoted(sorted(NAMED_PRIORS))}, or a function"
    )


def _expected_parents(number: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise ArgumentError(
            f"prior is {shown('sparse:' + number)}; after the colon give the expected number of "
            "parents, as in 'sparse:0.5'"
        ) from None
