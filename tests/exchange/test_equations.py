"""Structural equations, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import Dag
from arcwise.errors import ArgumentError
from arcwise.exchange import from_equations, to_equations
from arcwise.networks import random_dag


@given(st.integers(1, 8), st.floats(0, 1), st.integers(0, 1000))
def test_there_and_back(n: int, edge_probability: float, seed: int) -> None:
    dag = random_dag(n, edge_probability=edge_probability, seed=seed)
    assert from_equations(to_equations(dag), dag.variables) == dag


def test_what_others_write_is_read() -> None:
    text = """
    # a comment
    y ~ 1 + b*m
        + c * x   # goes on
    m ~ a*x; indirect := a*b
    z ~ 0 + y
    """
    found = from_equations(text)
    assert set(found.edges) == {("m", "y"), ("x", "y"), ("x", "m"), ("y", "z")}
    assert found.variables == ("m", "y", "x", "z")
    assert from_equations("", ["a"]) == Dag(["a"], {})


@pytest.mark.parametrize(
    "part", ["f =~ x + y", "x ~~ y", "y ~ log(x)", "y ~", "y", "y ~ x:z", "y ~ x - z", "2 ~ x"]
)
def test_other_parts_are_refused(part: str) -> None:
    with pytest.raises(ArgumentError, match=r"equations holds .*; give equations such as 'y ~ x"):
        from_equations(f"a ~ b\n{part}")


def test_other_arguments_are_refused() -> None:
    with pytest.raises(ArgumentError, match="equations is 3; give a text"):
        from_equations(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="cycle"):
        from_equations("a ~ b; b ~ a")
    with pytest.raises(ArgumentError, match="that equations cannot name, 'blood pressure'"):
        to_equations(Dag(["blood pressure", "age"], {}))
    with pytest.raises(ArgumentError, match=r"give an arcwise\.Dag"):
        to_equations("a")  # type: ignore[arg-type]
