"""The number of linear extensions of a DAG, by who can come first; and posets with known numbers.

A DAG is a tuple with, for each node, the ascending tuple of its parents.
"""

from __future__ import annotations

from functools import cache
from math import comb

from reference.dags import Parents


@cache
def count_linear_extensions(dag: Parents) -> int:
    """Return how many orders of the nodes have every node after its parents."""
    bits = [1 << node for node in range(len(dag))]
    parents = [sum(bits[parent] for parent in of_node) for of_node in dag]

    @cache
    def count(left: int) -> int:
        if not left:
            return 1
        return sum(
            count(left ^ bit)
            for bit, above in zip(bits, parents, strict=True)
            if left & bit and not left & above
        )

    return count(sum(bits))


def parallel(first: Parents, second: Parents) -> Parents:
    """Return both DAGs side by side."""
    shifted = tuple(tuple(len(first) + parent for parent in of_node) for of_node in second)
    return first + shifted


def series(first: Parents, second: Parents) -> Parents:
    """Return both DAGs with all of the first before all of the second."""
    before = tuple(range(len(first)))
    shifted = tuple(before + tuple(len(first) + parent for parent in of_node) for of_node in second)
    return first + shifted


def parallel_count(first: int, first_size: int, second: int, second_size: int) -> int:
    """Return the number for two DAGs side by side: any interleaving of any two orders."""
    return first * second * comb(first_size + second_size, first_size)


def boolean_lattice(dimension: int) -> Parents:
    """Return all subsets of a set, each above those with one element less."""
    return tuple(
        tuple(sorted(subset ^ 1 << bit for bit in range(dimension) if subset >> bit & 1))
        for subset in range(1 << dimension)
    )


def grid(rows: int, columns: int) -> Parents:
    """Return the product of two chains: each place after those to the left and above."""
    return tuple(
        tuple(
            sorted(
                ([columns * (row - 1) + column] if row else [])
                + ([columns * row + column - 1] if column else [])
            )
        )
        for row in range(rows)
        for column in range(columns)
    )


def crown(size: int) -> Parents:
    """Return nodes 0 .. size - 1, and as many above all of them but one each."""
    return ((),) * size + tuple(
        tuple(other for other in range(size) if other != node) for node in range(size)
    )
