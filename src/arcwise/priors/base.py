"""`Prior`, the base class of structure priors, and the priors that treat all edges alike."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from functools import cache, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.families import Families
from arcwise.families.families import Constraints, FamilyFunction, evaluate, refuse_uncallable
from arcwise.support.checks import positive_number, real_number, real_numbers
from arcwise.support.names import as_list, checked_variables, positions, quoted, shown


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


# --- Constant -------------------------------------------------------------------------------------

# The normalising constant of a structure prior, which is the total weight of all DAGs.
#
# Under a prior with the same odds for every edge, given an order, each of the n (n - 1) / 2
# possible edges is present with the probability odds / (1 + odds), independently of the others.
# Without an order, DAGs G have the weight ``odds ** edges(G)``, and an adjacency of two variables
# has two possible directions: among sparse DAGs, where acyclicity hardly matters, the odds of an
# adjacency are twice those of an edge. Odds that suit orders therefore imply too many adjacencies
# of DAGs.
#
# The sum Z_n of the weights of all DAGs follows from Robinson's recurrence (1973), here divided
# by n! (1 + odds)^(n (n - 1) / 2) ::
#
#     b_n = sum_{k = 1}^n  (-1)^(k + 1)  b_{n - k}  /  (k! (1 + odds)^(k (k - 1) / 2))


def log_constant_by_size(
    log_weights: Sequence[float], n: int, order_modular: bool, *, parent_only: int = 0
) -> float:
    """Return the log of the total prior weight of all DAGs on n nodes.

    The weight of a family depends on its number of parents only. With a(m) the total
    weight of the parent sets within m nodes and all parent-only ones, the modular constant
    satisfies the recurrence ::

        A(0) = 1,  A(n) = sum over j of (-1)^(j+1) C(n, j) a(n - j)^j A(n - j)

    and the order-modular one is n! a(0) a(1) ... a(n - 1).

    Examples
    --------
    >>> round(math.exp(log_constant_by_size([0.0, 0.0, 0.0], 3, order_modular=False)))
    25
    """
    with localcontext() as context:
        # The terms of the alternating sum are less than 2^n times the sum.
        context.prec = 60 + n
        context.Emax, context.Emin = 10**9, -(10**9)
        weights = [Decimal(weight).exp() for weight in log_weights]
        within = [
            sum(
                (math.comb(m + parent_only, size) * each for size, each in enumerate(weights)),
                Decimal(0),
            )
            for m in range(n)
        ]
        if order_modular:
            return math.lgamma(n + 1) + float(sum(a.ln() for a in within))
        counts = [Decimal(1)]
        for m in range(1, n + 1):
            counts.append(
                sum(
                    (
                        (1 if j % 2 else -1) * math.comb(m, j) * within[m - j] ** j * counts[m - j]
                        for j in range(1, m + 1)
                    ),
                    Decimal(0),
                )
            )
        return float(counts[n].ln())


def weights_by_size(
    terms: PriorTerms, families: Families | None, parent_only: Sequence[str] = ()
) -> list[float] | None:
    """Return the log weights of families by size, or None if they depend on more than the size.

    Parent-only nodes, which have no parents, and constants of nodes are ignored.
    """
    if families is None or terms.functions:
        return None
    n = len(families.variables)
    ordinary = [node for node in range(n) if families.variables[node] not in parent_only]
    everyone = all(len(families.candidates[node]) == n - 1 for node in ordinary)
    if not everyone or len({families.max_free[node] for node in ordinary}) > 1:
        return None
    off_diagonal = terms.edge[:, ordinary][~np.eye(n, dtype=bool)[:, ordinary]]
    if not np.isfinite(off_diagonal).all() or np.unique(off_diagonal).size > 1:
        return None
    largest = families.max_free[ordinary[0]]
    sizes = terms.size[ordinary, : largest + 1]
    if (sizes != sizes[0]).any() or not np.isfinite(sizes).all():
        return None
    per_edge = float(off_diagonal[0]) if off_diagonal.size else 0.0
    return [float(sizes[0, size]) + per_edge * size for size in range(largest + 1)]


# The recurrence subtracts numbers that agree in about n log10(n) digits.
_DIGITS = 120
MOST_VARIABLES = 32
"""Up to this number the recurrence has enough digits; beyond, the ratio of odds hardly changes."""
_STEP = 1e-6
_ROUNDS = 60


def odds_of_dags(odds: float, variables: int) -> float:
    """Return the odds of DAGs with the same expected number of edges as orders under other odds.

    Examples
    --------
    >>> round(odds_of_dags(0.001, 10), 5)  # sparse: half of them
    0.0005
    >>> round(odds_of_dags(1.0, 2), 5)  # one half none, one quarter each direction
    0.5
    """
    if variables < 2:
        return odds
    n = min(variables, MOST_VARIABLES)
    own = odds * (variables - 1) / (n - 1)  # the same expected number of parents
    wanted = own / (1.0 + own) * n * (n - 1) / 2.0
    low, high = math.log(own) - math.log(2.0) - 0.1, math.log(own) + math.log(2.0)
    for _ in range(_ROUNDS):
        middle = (low + high) / 2.0
        if expected_edges(math.exp(middle), n) < wanted:
            low = middle
        else:
            high = middle
        if high - low < 1e-6:
            break
    return math.exp((low + high) / 2.0) * (n - 1) / (variables - 1)


def expected_edges(odds: float, variables: int) -> float:
    """Return the expected number of edges of a DAG under weights ``odds ** edges``.

    Examples
    --------
    >>> round(expected_edges(1.0, 3), 4)  # 25 DAGs with 48 edges in total
    1.92
    """
    low, high = (log_sum_of_weights(odds * (1.0 + sign * _STEP), variables) for sign in (-1, 1))
    return (high - low) / math.log((1.0 + _STEP) / (1.0 - _STEP))


@cache
def log_sum_of_weights(odds: float, variables: int) -> float:
    """Return the log of the sum of the weights ``odds ** edges`` of all DAGs.

    Examples
    --------
    >>> round(log_sum_of_weights(1.0, 3), 6) == round(math.log(25), 6)
    True
    """
    with localcontext() as context:
        context.prec = _DIGITS
        step = 1 + Decimal(odds)
        terms = [
            (-1) ** (k + 1) / (math.factorial(k) * step ** (k * (k - 1) // 2))
            for k in range(1, variables + 1)
        ]
        sums = [Decimal(1)]
        for n in range(1, variables + 1):
            sums.append(sum((terms[k - 1] * sums[n - k] for k in range(1, n + 1)), Decimal(0)))
        pairs = variables * (variables - 1) // 2
        total = sums[variables] * math.factorial(variables) * step**pairs
        return float(total.ln())
