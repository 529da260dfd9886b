"""Something else among numbers: words for missing, slips and codes are told; copies are noted."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from arcwise.data import DiscreteColumn, describe, read
from arcwise.data.encoding import likely_code
from arcwise.errors import DataError, DataWarning

ROWS = 60
NUMBERS = np.random.default_rng(1).normal(size=ROWS).round(3)
WHOLE = np.random.default_rng(2).permutation(ROWS) * 7 + 3


def among(word: str, values: np.ndarray = NUMBERS, rows: int = 3) -> list[str]:
    return [word] * rows + [str(value) for value in values[rows:]]


@pytest.mark.parametrize("word", [".", "-", "n/a", "None", "missing"])
@pytest.mark.parametrize("values", [NUMBERS, WHOLE])
def test_a_word_for_missing_among_numbers_is_read_as_that(word: str, values: np.ndarray) -> None:
    table = {"x": among(word, values), "y": [0, 1] * (ROWS // 2)}
    with pytest.warns(DataWarning) as told:
        data = read(table, missing="drop", kinds={"x": "continuous"})
    sentence = f"read '{word}' in 'x' as missing, since the other values are numbers"
    assert any(sentence in str(warning.message) for warning in told)
    assert data.rows == ROWS - 3
    assert data.kinds == {"x": "continuous", "y": "discrete"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = read(table, kinds={"x": "discrete"})
    column = labels.columns[0]
    assert isinstance(column, DiscreteColumn)
    assert word in column.levels


def test_such_a_column_is_not_left_out_as_an_identifier() -> None:
    table = {"x": among("."), "y": among("."), "z": [0, 1] * (ROWS // 2)}
    said = describe(table, identifiers="drop", missing="drop")
    assert "identify" not in said
    assert "read '.' in 'x' and 'y' as missing" in said


@pytest.mark.parametrize("slip", ["abc", "<0.1", "1.2.3", "12 mg"])
def test_a_slip_among_numbers_is_an_error_that_names_it(slip: str) -> None:
    table = {"x": among(slip, rows=1), "y": [0, 1] * (ROWS // 2)}
    with pytest.raises(DataError, match=r"column 'x' holds numbers, but '.*' in 1 row; correct"):
        read(table, identifiers="drop")
    said = describe(table, identifiers="drop")
    assert "To be mended before the table can be used:" in said
    assert "identify" not in said
    assert "numbers, but for a few" in said
    assert "--drop x, or read all values as labels with --discrete x" in said.in_shell
    assert read(table, drop="x").variables == ("y",)


@pytest.mark.parametrize(
    "labels",
    [
        [f"{i}" for i in range(30)] + [f"PC {i}" for i in range(30)],  # tickets, some of a series
        ["1", "2", "3", "none"] * 15,  # few numbers: levels, and none may be one
        ["a", "b"] * 30,
    ],
)
def test_labels_of_which_some_look_like_numbers_are_labels(labels: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = read({"x": labels, "y": [0, 1] * 30}, identifiers="keep")
    column = data.columns[0]
    assert isinstance(column, DiscreteColumn)
    assert set(column.levels) == set(labels)


@pytest.mark.parametrize("written", ["{}%", "{} kg", "$ {}", "€{}", "{} mg/dl"])
def test_numbers_with_a_unit_are_refused_not_left_out(written: str) -> None:
    table = {"x": [written.format(number) for number in WHOLE], "y": [0, 1] * (ROWS // 2)}
    with pytest.raises(DataError, match=r"column 'x' holds numbers, with '.*' in every row; corr"):
        read(table, identifiers="drop")


@pytest.mark.parametrize("letters", ["A", "B", "AB"])
def test_seats_and_cabins_are_labels_all_the_same(letters: str) -> None:
    labels = [f"{letters[i % len(letters)]}{i}" for i in range(ROWS)]
    with pytest.warns(DataWarning, match="left out 'x' \\(60 of its 60 values are different\\)"):
        read({"x": labels, "y": [0, 1] * (ROWS // 2)}, identifiers="drop")


def test_dates_are_told_as_such_with_what_to_do_about_them() -> None:
    days = [f"{1 + i % 28:02d}/{1 + i % 12:02d}/2020 10:{i:02d}" for i in range(ROWS)]
    with pytest.warns(DataWarning) as told:
        read({"day": days, "y": NUMBERS}, identifiers="drop")
    (warning,) = told
    assert "left out 'day' (it has 60 dates)" in str(warning.message)
    assert "give arcwise.time_series(..., time='day')" in str(warning.message)
    assert isinstance(warning.message, DataWarning)
    assert "give --time day" in warning.message.in_shell()


def test_a_code_for_missing_is_pointed_out() -> None:
    numbers = NUMBERS.copy()
    numbers[:4] = -999
    with pytest.warns(DataWarning, match="'x' holds -999 in 4 rows, far from all other values; if"):
        data = read({"x": numbers, "y": NUMBERS[::-1]})
    with warnings.catch_warnings():  # once
        warnings.simplefilter("error")
        read(data, drop="y")


@pytest.mark.parametrize(
    "values",
    [
        np.arange(1000.0),  # 999 is next to 998
        np.append(NUMBERS, 50.0),  # far away, but no code
        np.append(NUMBERS * 1000, -999.0),
        np.array([-999.0, 1.0, 2.0]),
        np.array([0.0, 999.0] * 30),
    ],
)
def test_other_numbers_are_no_codes(values: np.ndarray) -> None:
    assert likely_code(values) is None


def test_copies_are_noted() -> None:
    sex = ["m", "f", "f"] * (ROWS // 3)
    celsius = NUMBERS
    table = {
        "sex": sex,
        "male": [int(label == "m") for label in sex],
        "celsius": celsius,
        "fahrenheit": celsius * 1.8 + 32,
        "minus": -celsius,
        "other": NUMBERS[::-1],
    }
    (note,) = read(table).notes
    assert note.startswith(
        "'male' is a copy of 'sex', 'fahrenheit' is a copy of 'celsius' and 'minus' is a copy of "
        "'celsius', perhaps in other words or units"
    )
    assert note in describe(table)
    assert read({"a": [0, 1, 1], "b": [0, 1, 1]}).notes == ()


def test_levels_in_two_spellings_are_noted() -> None:
    table = {"x": ["yes", "Yes", "no", "NO", "n o", "maybe"] * 10, "y": ["a", "b"] * 30}
    (note,) = read(table).notes
    assert note == (
        "Levels differ in capitals or blanks alone in 'x' ('NO', 'n o' and 'no', 'Yes' and 'yes'); "
        "write them alike if they are the same."
    )
    assert note in describe(table)


def test_missing_values_are_no_hindrance_to_learn_and_said_to_be_none() -> None:
    said = describe({"x": [None, *NUMBERS[1:]], "y": NUMBERS[::-1]})
    assert "To be mended for anything but learn:\n  - values are missing in 'x' (1)" in said
    assert "before the table can be used" not in said
