"""Small generated tables, and generated rules for which families there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from arcwise import Data
from arcwise.data import ContinuousColumn, DiscreteColumn
from reference.dags import all_parent_sets
from reference.scores import Rows

NAMES = "abcdefgh"

WEIGHTS = ("none", "ones", "whole", "fractional", "with zeros")
INTERVENTIONS = ("none", "some", "one variable in every row")


@dataclass(frozen=True)
class Case:
    """The same table as the library takes it and as the reference takes it."""

    data: Data
    rows: Rows

    @property
    def variables(self) -> tuple[str, ...]:
        return self.data.variables

    def numbers(self, names: Any) -> tuple[int, ...]:
        return tuple(self.variables.index(name) for name in names)


def discrete_case(
    codes: np.ndarray,
    levels: Any,
    weights: np.ndarray | None = None,
    intervened: np.ndarray | None = None,
) -> Case:
    columns = [
        DiscreteColumn(NAMES[i], codes[:, i], tuple(range(levels[i]))) for i in range(len(levels))
    ]
    return Case(Data(columns, weights, intervened), _rows(codes, weights, intervened, levels))


def continuous_case(
    values: np.ndarray, weights: np.ndarray | None = None, intervened: np.ndarray | None = None
) -> Case:
    columns = [ContinuousColumn(NAMES[i], values[:, i]) for i in range(values.shape[1])]
    return Case(Data(columns, weights, intervened), _rows(values, weights, intervened))


def mixed_case(
    values: np.ndarray,
    levels: Any,
    weights: np.ndarray | None = None,
    intervened: np.ndarray | None = None,
    ordinal: Any = (),
) -> Case:
    """Return a table with codes in the columns that have levels, some of them ordinal."""
    columns = [
        DiscreteColumn(NAMES[i], values[:, i].astype(np.uint16), tuple(range(count)), i in ordinal)
        if count
        else ContinuousColumn(NAMES[i], values[:, i])
        for i, count in enumerate(levels)
    ]
    return Case(Data(columns, weights, intervened), _rows(values, weights, intervened, levels))


def _rows(
    values: np.ndarray, weights: np.ndarray | None, mask: np.ndarray | None, levels: Any = ()
) -> Rows:
    return Rows(
        values.tolist(),
        None if weights is None else weights.tolist(),
        None if mask is None else mask.tolist(),
        levels,
    )


@st.composite
def row_weights(draw: Any, rows: int, random: np.random.Generator) -> np.ndarray | None:
    match draw(st.sampled_from(WEIGHTS)):
        case "none":
            return None
        case "ones":
            return np.ones(rows)
        case "whole":
            return random.integers(1, 9, rows).astype(float)
        case "fractional":
            return random.uniform(0.05, 3.0, rows)
    weights = random.choice([0.0, 1.0, 2.5], rows)
    weights[random.integers(rows)] = 1.0
    return weights


@st.composite
def masks(draw: Any, rows: int, n: int, random: np.random.Generator) -> np.ndarray | None:
    match draw(st.sampled_from(INTERVENTIONS)):
        case "none":
            return None
        case "some":
            return random.random((rows, n)) < 0.25
    mask = random.random((rows, n)) < 0.1
    mask[:, random.integers(n)] = True
    return mask


@st.composite
def discrete_cases(draw: Any) -> Case:
    """Draw tables with constant columns, levels that no row has, weights and interventions."""
    n = draw(st.integers(1, 5))
    rows = draw(st.integers(2, 30))
    levels = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    # Each column copies an earlier one here and there, and may leave its last levels out.
    codes = np.empty((rows, n), dtype=np.uint16)
    for i in range(n):
        codes[:, i] = random.integers(0, random.integers(1, levels[i] + 1), rows)
        if i:
            copied = random.random(rows) < 0.5
            codes[copied, i] = codes[copied, random.integers(i)] % levels[i]
    weights = draw(row_weights(rows, random))
    return discrete_case(codes, levels, weights, draw(masks(rows, n, random)))


@st.composite
def continuous_cases(draw: Any, fewest_rows: int = 2) -> Case:
    """Draw linear tables of different scales and centres, with weights and interventions."""
    n = draw(st.integers(1, 5))
    rows = draw(st.integers(fewest_rows, 30))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = random.standard_normal((rows, n)) @ np.tril(random.uniform(-1, 1, (n, n)) + np.eye(n))
    values *= draw(st.sampled_from([0.1, 1.0, 30.0]))
    values += random.uniform(-5, 5, n)
    weights = draw(row_weights(rows, random))
    return continuous_case(values, weights, draw(masks(rows, n, random)))


@st.composite
def mixed_cases(draw: Any) -> Case:
    """Draw tables with discrete and continuous columns that depend on each other."""
    discrete = draw(discrete_cases())
    codes = np.array(discrete.rows.values)
    rows, count = codes.shape
    n = draw(st.integers(1, 5 - min(count, 4)))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = random.standard_normal((rows, n)) @ np.tril(random.uniform(-1, 1, (n, n)) + np.eye(n))
    values += codes[:, :1] * random.uniform(-1, 1, n)
    values *= draw(st.sampled_from([0.1, 1.0, 30.0]))
    values += random.uniform(-5, 5, n)
    if draw(st.booleans()):
        values[:, 0] = values[0, 0]
    table = np.hstack([codes[:, :4], values])
    levels = [*list(discrete.rows.levels)[:4], *[0] * n]
    order = random.permutation(len(levels))
    weights = draw(row_weights(rows, random))
    mask = draw(masks(rows, len(levels), random))
    ordinal = {i for i in range(len(levels)) if random.random() < 0.2}
    return mixed_case(table[:, order], [levels[i] for i in order], weights, mask, ordinal)


@dataclass(frozen=True)
class Rule:
    """Which families there are: keywords for the library, and the list they must lead to."""

    keywords: dict[str, Any]
    families: dict[str, set[tuple[str, ...]]]


@st.composite
def rules(
    draw: Any, variables: tuple[str, ...], possible: Callable[[int, int], bool] | None = None
) -> Rule:
    """Draw a bound on the parents, candidates and required edges.

    Parameters
    ----------
    possible
        Whether a node, the second argument, can have a parent, the first; None if all can.
    """
    n = len(variables)
    can_have = possible or (lambda parent, node: True)
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    bound = draw(st.none() | st.integers(0, n - 1))
    most = n - 1 if bound is None else bound
    order = random.permutation(n).tolist()
    required: list[set[int]] = [set() for _ in range(n)]
    if draw(st.booleans()):
        for place, node in enumerate(order):
            before = [parent for parent in order[:place] if random.random() < 0.4]
            required[node] = {parent for parent in before[:most] if can_have(parent, node)}
    candidates = [set(range(n)) - {node} for node in range(n)]
    given = draw(st.booleans())
    if given:
        candidates = [{parent for parent in of if random.random() < 0.5} for of in candidates]
    families = {
        variables[node]: {
            tuple(variables[parent] for parent in parents)
            for parents in all_parent_sets(n, node, most)
            if required[node] <= set(parents) <= required[node] | candidates[node]
            and all(can_have(parent, node) for parent in parents)
        }
        for node in range(n)
    }
    keywords: dict[str, Any] = {
        "max_indegree": bound,
        "required_edges": [
            (variables[parent], variables[node]) for node in range(n) for parent in required[node]
        ],
        "candidates": None,
    }
    if given:
        keywords["candidates"] = {
            variables[node]: [variables[parent] for parent in candidates[node]] for node in range(n)
        }
    return Rule(keywords, families)
