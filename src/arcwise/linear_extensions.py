"""`linear_extensions`: the number of topological orders of a DAG."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise._checks import whole_number
from arcwise._running import running
from arcwise.dag import Dag


@overload
def linear_extensions(dag: Dag, *, log: Literal[False] = False, budget: int = ...) -> int: ...
@overload
def linear_extensions(dag: Dag, *, log: Literal[True], budget: int = ...) -> float: ...
def linear_extensions(
    dag: Dag, *, log: bool = False, budget: int = _core.LINEAR_EXTENSIONS_BUDGET
) -> int | float:
    """Count the linear extensions of a DAG: the orders with every node after its parents.

    Parameters
    ----------
    dag
        The DAG.
    log
        True for the natural logarithm, a float, which is faster.
    budget
        How many sets of nodes may be remembered for one connected component;
        the time and the memory grow with it.

    Returns
    -------
    int or float
        The number, exactly, or its logarithm.

    Raises
    ------
    CapacityError
        If the count takes more than the budget.

    Examples
    --------
    >>> import arcwise
    >>> arcwise.linear_extensions(arcwise.Dag(list("abcd"), {"c": ["a", "b"], "d": ["b"]}))
    5
    """
    most = whole_number(budget, "budget", at_least=1)
    packed = packed_parents(dag)
    with running(1, None, "Linear extensions") as run:
        logarithm = float(_core.log_linear_extensions(packed, most, run.threads, run.progress)[0])
    if log:
        return logarithm
    # Two bits to spare: the logarithm is rounded, and the product must be larger than the count.
    primes = _primes_above_product(logarithm / math.log(2.0) + 2.0)
    return _from_remainders(primes, _core.linear_extensions_modulo(packed, most, primes))


def packed_parents(dag: Dag) -> NDArray[np.uint64]:
    """Return the parents of one DAG as bits, in the shape (1, nodes, words)."""
    n = len(dag.variables)
    packed = np.zeros((1, n, (n + 63) // 64), dtype=np.uint64)
    for node, parents in enumerate(dag.parent_indices):
        for parent in parents:
            packed[0, node, parent // 64] |= np.uint64(1 << parent % 64)
    return packed


def _primes_above_product(bits: float) -> list[int]:
    """Return primes below 2^61, the largest first, whose product is above 2^bits."""
    return [_prime(index) for index in range(int(bits / 60.9) + 1)]


@cache
def _prime(index: int) -> int:
    """Return a prime by its place below 2^61."""
    candidate = (1 << 61) - 1 if index == 0 else _prime(index - 1) - 2
    while not _is_prime(candidate):
        candidate -= 2
    return candidate


def _is_prime(number: int) -> bool:
    """Say whether an odd number below 2^64 is prime: Miller and Rabin with bases that decide it."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        power = pow(base, odd, number)
        if power not in (1, number - 1) and number - 1 not in _squares(power, twos, number):
            return False
    return True


def _squares(power: int, count: int, modulus: int) -> Iterator[int]:
    for _ in range(count - 1):
        power = power * power % modulus
        yield power


def _from_remainders(primes: list[int], remainders: list[int]) -> int:
    """Return the number below the product of the primes that has these remainders."""
    result, product = 0, 1
    for prime, remainder in zip(primes, remainders, strict=True):
        result += product * ((remainder - result) * pow(product, -1, prime) % prime)
        product *= prime
    return result
