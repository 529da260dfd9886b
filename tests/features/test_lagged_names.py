"""Names with a time, such as x(t-1), are written and read once and for all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import ArgumentError
from arcwise.features import Edge, parse
from arcwise.features.feature import written

NAMES = ["x(t)", "x(t-1)", "blood pressure(t-1)", "parents(t)", "t", "x(0)", "f(x)"]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x(t-1) -> x(t)", "x(t-1) -> x(t)"),
        ("x (t − 1) ~> x( t )", "x(t-1) ~> x(t)"),
        ('"blood pressure"(t-1) -> x(t)', '"blood pressure(t-1)" -> x(t)'),
        ('"blood pressure(t-1)" -> x(t)', '"blood pressure(t-1)" -> x(t)'),
        ("parents(t) = {x(0)}", "parents(t) = {x(0)}"),
        ('"parents(t)" -> t', '"parents(t)" -> t'),
        ("parents(x(t)) = {x(t-1), t}", "parents(x(t)) = {t, x(t-1)}"),
        ("not (t -> x(t)) and (x(t-1) -> x(t))", "not t -> x(t) and x(t-1) -> x(t)"),
        ('x(t) -> "f(x)"', 'x(t) -> "f(x)"'),
    ],
)
def test_times_are_parts_of_names(text: str, meaning: str) -> None:
    found = parse(text, NAMES)
    assert found == parse(meaning, NAMES)
    assert parse(str(found), NAMES) == found


def test_a_lag_that_is_not_there_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"names 'x\(t-2\)'"):
        parse("x(t-2) -> x(t)", NAMES)


@given(st.text(st.sampled_from('xt(0)-1 "\\'), min_size=1), st.booleans())
def test_any_name_is_read_as_it_is_written(name: str, lagged: bool) -> None:
    full = f"{name}(t-1)" if lagged else name
    other = "other"
    edge = Edge(full, other)
    assert written(full) in str(edge)
    assert parse(str(edge), [full, other]) == edge
