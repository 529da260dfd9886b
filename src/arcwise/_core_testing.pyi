"""
The C++ core of arcwise as tests see it; a package for users does not have it.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

import arcwise._core


def space_names() -> list[str]:
    """The names of all spaces of the core."""

def log_weight(space: arcwise._core.Space, code: Sequence[int], bridge: float = 1.0) -> tuple[float, int]:
    """The log weight of a state, and its nodes without a parent set."""

def step_kernel(space: arcwise._core.Space, from_codes: Sequence[Sequence[int]], to_codes: Sequence[Sequence[int]], point: float | tuple[float, float]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    The probability of a step from each state to each other; all that can be reached are listed.
    """

def tempered_law(space: arcwise._core.Space, path: Sequence[float | tuple[float, float]], odd: bool, codes: Sequence[Sequence[int]]) -> list[tuple[list[int], float]]:
    """
    Where a step of every level and exchanges of the even or odd pairs lead.
    """

def exchange_law(space: arcwise._core.Space, path: Sequence[float | tuple[float, float]], odd: bool, codes: Sequence[Sequence[int]]) -> list[tuple[list[int], float]]:
    """Where exchanges of the even or odd pairs alone lead."""

def annealing_law(space: arcwise._core.Space, path: Sequence[float | tuple[float, float]], population: int = 1, starts: Sequence[Sequence[int]] = []) -> list[tuple[list[int], float, float]]:
    """
    The last states, log weights and probabilities of all annealing runs that are possible.
    """

def uniform_law(space: arcwise._core.Space) -> list[tuple[list[int], float]]:
    """The probability of each state to be a uniform draw."""

def draw_law(weights: arcwise._core.FamilyTable, order_modular: bool) -> dict[tuple[int, ...], float]:
    """
    The probability of each DAG, by its parents as bits, to be drawn: for a few nodes.
    """

def log_sums_over(sums: arcwise._core.ScoreSums, node: int, base: Sequence[int], places: Sequence[int], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def parent_probabilities(sums: arcwise._core.ScoreSums, node: int, base: Sequence[int], places: Sequence[int], log_factors: Sequence[float]) -> list[float]: ...

def families_kept(sums: arcwise._core.ScoreSums, node: int) -> int: ...

def forward_recursion(weights: arcwise._core.FamilyTable) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """ln F of every set by its bits, relative to the heaviest families."""

def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]: ...

def random_bits(seed: int, stream: int, out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]) -> None: ...

def log_add_into(larger: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], smaller: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def log_sum_over_subsets(table: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], elements: int) -> None: ...

def max_over_subsets(table: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], elements: int) -> None: ...
