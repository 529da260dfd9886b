"""Parquet files whose sizes lie are refused before memory is taken for them; sound ones never."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arcwise import read
from arcwise.data import files
from arcwise.data.files import DamagedError, check_sizes
from arcwise.errors import CapacityError, FileFormatError

ROWS = 700
COLUMNS: dict[str, list[Any]] = {
    "whole": [place % 5 for place in range(ROWS)],
    "gaps": [None if place % 3 else place for place in range(ROWS)],
    "real": [place / 7 for place in range(ROWS)],
    "text": [None if place % 4 == 0 else f"level {place % 6}" for place in range(ROWS)],
    "other": [f"row {place}" for place in range(ROWS)],
    "truth": [place % 2 == 0 for place in range(ROWS)],
    "constant": [1] * ROWS,
    "nothing": [None] * ROWS,
    "list": [list(range(place % 4)) for place in range(ROWS)],
    "record": [{"x": place, "y": [str(place)]} for place in range(ROWS)],
}


def by_arrow(**options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(COLUMNS), out, **options)
    return out.getvalue()


def by_polars(**options: Any) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(COLUMNS).write_parquet(out, **options)
    return out.getvalue()


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "gzip", "brotli", "lz4", "zstd"])
@pytest.mark.parametrize("size", [64, 2**20])
def test_sound_files_pass(compression: str, size: int) -> None:
    check_sizes("by polars", by_polars(compression=compression, data_page_size=size))
    check_sizes("in groups", by_polars(compression=compression, row_group_size=100))
    method = "none" if compression == "uncompressed" else compression
    for version in ("1.0", "2.0"):
        for dictionary in (True, False):
            content = by_arrow(
                compression=method,
                data_page_size=size,
                data_page_version=version,
                use_dictionary=dictionary,
                row_group_size=300,
                write_page_index=dictionary,
                write_page_checksum=dictionary,
            )
            check_sizes("by arrow", content)


@pytest.mark.parametrize("frame", [{"a": []}, {}, {"a": [None, None]}, {"a": [""]}])
def test_tables_of_nothing_pass(frame: dict[str, list[object]]) -> None:
    out = io.BytesIO()
    pl.DataFrame(frame).write_parquet(out)
    check_sizes("nothing", out.getvalue())


# The header of a data page: a structure of type DATA_PAGE and two sizes, then one that begins with
# the number of its values, 3 of them.
_THREE_VALUES = bytes([0x2C, 0x15, 3 << 1])
_MINUS_FOUR_VALUES = bytes([0x2C, 0x15, 7])


def test_a_page_of_a_negative_number_of_values_is_damaged(tmp_path: Path) -> None:
    """The reader of Polars takes it for one of 2^64 - 4, and ends the process."""
    out = io.BytesIO()
    pl.DataFrame({"t": [True, False, None], "n": [None, 1, 2]}).write_parquet(
        out, compression="uncompressed"
    )
    content = out.getvalue()
    assert content.count(_THREE_VALUES) == 2
    path = tmp_path / "lying.parquet"
    path.write_bytes(content.replace(_THREE_VALUES, _MINUS_FOUR_VALUES))
    with pytest.raises(FileFormatError, match=r"lying\.parquet' is damaged"):
        read(path)


def test_every_byte_of_the_headers_counts_or_is_harmless() -> None:
    """Whatever a byte says instead, nothing but the two errors comes of it."""
    content = by_arrow(compression="none", data_page_version="2.0")
    for place in range(len(content) - 3000, len(content)):
        byte = (0x00, 0x7F, 0xFF)[place % 3]
        changed = content[:place] + bytes([byte]) + content[place + 1 :]
        try:
            check_sizes("changed", changed)
        except (DamagedError, CapacityError):
            continue


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" * 3, b"PAR1" + b"\x80" * 500, b"\x19" * 400])
def test_what_is_no_parquet_file_is_damaged(content: bytes) -> None:
    whole = content + len(content[4:]).to_bytes(4, "little") + b"PAR1"
    with pytest.raises(DamagedError):
        check_sizes("other", whole)


def test_a_table_larger_than_the_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "long.parquet"
    pl.DataFrame({"a": range(100_000)}).write_parquet(path, compression="zstd")
    monkeypatch.setattr(files, "available_memory", lambda: 500_000)
    with pytest.raises(
        CapacityError, match=r"long\.parquet' holds a table of 78\d KiB, and 488 KiB of memory"
    ):
        read(path)
