"""`PriorTerms`: a modular prior over given variables, as arrays for the core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.families.functions import FamilyFunction, evaluate
from arcwise.support.checks import real_numbers


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
