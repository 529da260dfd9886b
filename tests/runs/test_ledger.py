"""The ledger: whole checkpoints or none, damage noticed wherever it is, and what is left used."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise.errors import RunDirectoryError
from arcwise.runs.ledger import Ledger, is_blank, pack, read_all, repair, unpack


def _content(number: int) -> tuple[dict[str, Any], bytes, bytes]:
    random = np.random.default_rng(number)
    facts: dict[str, Any] = {"number": number, "controller": {"draws": number}}
    return facts, random.bytes(3000), random.bytes(2000)


def _written(path: Path, checkpoints: int) -> bytes:
    with closing(Ledger(path)) as ledger:
        for number in range(1, checkpoints + 1):
            ledger.append(*_content(number))
    return path.read_bytes()


def _assert_goes_on(path: Path, most: int) -> int:
    """Check that all that is there is as it was written, and that it can be added to."""
    with closing(Ledger(path)) as ledger:
        last = ledger.last()
        count = 0 if last is None else last.number
        assert count <= most
        assert list(ledger.draws()) == [_content(i)[1] for i in range(1, count + 1)]
        if last is not None:
            assert (last.facts, last.state) == (_content(count)[0], _content(count)[2])
        for number in range(count + 1, most + 2):
            ledger.append(*_content(number))
    assert repair(path) is None
    return count


def test_records_come_back_as_they_were() -> None:
    record = {
        "log_weights": np.array([-np.inf, 0.5]),
        "codes": np.zeros((0, 3), dtype=np.uint16),
        "parents": np.arange(12, dtype=np.uint64).reshape(2, 3, 2),
    }
    (found, empty) = unpack(pack([record, {}]))
    assert empty == {}
    for name, values in record.items():
        np.testing.assert_array_equal(found[name], values)
        assert found[name].dtype == values.dtype


def test_states_kept_are_few_and_never_far_apart(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    checkpoints = 100
    _written(path, checkpoints)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT number FROM checkpoints WHERE state IS NOT NULL")
        kept = [number for (number,) in rows]
    assert kept[-2:] == [checkpoints - 1, checkpoints]
    assert len(kept) <= 14
    for number in range(1, checkpoints):
        # Where damage comes after this one, the run goes back not much further.
        before = max(k for k in [0, *kept] if k <= number)
        assert checkpoints - before <= 4 * (checkpoints - number) + 2


def test_what_is_whole_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    Ledger(path).close()
    assert repair(path) is None
    content = _written(path, 5)
    assert repair(path) is None
    assert path.read_bytes() == content
    assert _assert_goes_on(path, 5) == 5


def test_flipped_bits_are_noticed_and_never_get_into_a_result(tmp_path: Path) -> None:
    whole = _written(tmp_path / "whole.sqlite", 9)
    random = np.random.default_rng(7)
    path = tmp_path / "ledger.sqlite"
    # The header and the root pages, where damage does most, and places all over the file.
    places = [*range(100), *random.integers(100, len(whole), 200).tolist()]
    left = []
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(random.integers(8))
        path.write_bytes(bytes(damaged))
        said = repair(path)
        count = _assert_goes_on(path, 9)
        # A bit that nobody reads may be flipped; where something was lost, that was said.
        assert count == 9 or said is not None
        assert said is None or ("damaged" in said and str(path) in said)
        left.append(count)
        for file in tmp_path.glob("ledger.sqlite*"):
            file.unlink()
    assert sum(count < 9 for count in left) > 100
    assert sum(count >= 4 for count in left) > 150


def test_a_file_cut_off_loses_its_end(tmp_path: Path) -> None:
    whole = _written(tmp_path / "whole.sqlite", 9)
    path = tmp_path / "ledger.sqlite"
    for length in [0, 1, 100, 4096, *range(5000, len(whole), 4999), len(whole) - 1]:
        path.write_bytes(whole[:length])
        said = repair(path)
        assert _assert_goes_on(path, 9) == 9 or length == 0 or said is not None
        for file in tmp_path.glob("ledger.sqlite*"):
            file.unlink()


def test_rows_that_are_gone_or_changed_places_are_noticed(tmp_path: Path) -> None:
    for statement in (
        "DELETE FROM checkpoints WHERE number = 3",
        "UPDATE checkpoints SET draws = x'00' WHERE number = 3",
        "UPDATE checkpoints SET facts = '{' WHERE number = 3",
        "UPDATE checkpoints SET number = number + 10 WHERE number > 2",
        "UPDATE checkpoints SET digest = NULL WHERE number = 3",
    ):
        path = tmp_path / "ledger.sqlite"
        _written(path, 6)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(
                "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE type = 'table'"
            )
            connection.commit()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()
        said = repair(path)
        assert said is not None
        assert "after checkpoint 2; the run continues from checkpoint 2" in said
        assert _assert_goes_on(path, 6) == 2
        for file in tmp_path.glob("ledger.sqlite*"):
            file.unlink()


def test_mending_can_itself_be_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ledger.sqlite"
    whole = bytearray(_written(path, 6))
    whole[whole.index(_content(6)[1][:100])] ^= 1
    replace = os.replace
    for stop in range(3):
        path.write_bytes(bytes(whole))
        left = [stop]

        def replacing(old: Path, new: Path, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            replace(old, new)

        monkeypatch.setattr(os, "replace", replacing)
        with suppress(KeyboardInterrupt):
            repair(path)
        monkeypatch.setattr(os, "replace", replace)
        repair(path)
        assert _assert_goes_on(path, 6) == 5
        for file in tmp_path.glob("ledger.sqlite*"):
            file.unlink()


def test_no_room_is_one_sentence_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with closing(Ledger(path)) as ledger:
        for number in range(1, 4):
            ledger.append(*_content(number))
        ledger._connection.execute("PRAGMA max_page_count = 1")  # as it is, and no more
        with pytest.raises(RunDirectoryError, match=r"disk is full.*arcwise\.resume\(") as caught:
            ledger.append({}, bytes(100_000), b"")
    assert "\n" not in str(caught.value)
    assert repair(path) is None
    assert _assert_goes_on(path, 3) == 3


def test_a_reader_sees_whole_checkpoints_while_the_writer_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with closing(Ledger(path)) as ledger:
        assert read_all(path) == ([], [])
        for number in range(1, 6):
            ledger.append(*_content(number))
            facts, draws = read_all(path)
            assert [fact["number"] for fact in facts] == list(range(1, number + 1))
            assert draws[-1] == _content(number)[1]


def test_a_ledger_that_is_gone_or_empty_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    said = repair(path)
    assert said is not None
    assert "missing; the run starts again from the beginning" in said
    for size in (0, 4096):
        _written(path, 5)
        with open(path, "r+b") as file:
            file.truncate(size)
        said = repair(path)
        assert said is not None
        assert "damaged after checkpoint 0; the run continues from the beginning" in said
        assert is_blank(path)
        path.unlink()


def test_a_file_that_is_no_ledger_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"something else" * 500)
    with pytest.raises(RunDirectoryError, match=r"repair it with arcwise\.resume\("):
        read_all(path)
