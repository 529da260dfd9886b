"""`Prior`: the base class of structure priors, their names, and products of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from arcwise.constraints import Constraints
from arcwise.errors import ArgumentError
from arcwise.priors.terms import PriorTerms
from arcwise.support.names import as_list, checked_variables, positions
from arcwise.support.words import shown

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
        """Return the prior as it is within constraints, on which few priors depend."""
        return self

    def on(self, base: Prior) -> Prior:
        """Return another prior with what this one states beside its own base prior, if anything."""
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
