"""Checks the sizes that a Parquet file tells of itself, before memory is taken for them.

The reader of the data frame library believes them, and ends the process if they are more than the
machine can hold. Sizes are in the footer of the file, for each column of each group of rows, and in
the header of each page of it. Both are written in the compact protocol of Thrift; what the numbers
mean is in ``parquet.thrift`` of the format, whose field numbers are used here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from arcwise.errors import CapacityError
from arcwise.support.memory import available_memory
from arcwise.support.words import byte_size

_MAGIC = b"PAR1"
_LENGTH = struct.Struct("<I")

# Bytes of a value in memory, at least, by its physical type: BOOLEAN, INT32, INT64, INT96, FLOAT,
# DOUBLE. The others are texts, of which dictionaries may leave one byte.
_BYTES = {0: 1 / 8, 1: 1, 2: 8, 3: 8, 4: 4, 5: 8}
_TEXT_BYTES = 1

_Fields = dict[int, Any]


class DamagedError(ValueError):
    """The file contradicts itself, or is no Parquet file."""


def check_sizes(name: str, content: bytes) -> None:
    """Check all sizes of a file.

    Parameters
    ----------
    name
        How to call the file.
    content
        Its bytes.

    Raises
    ------
    DamagedError
        If sizes contradict each other or the bytes there are.
    CapacityError
        If the table is larger than the memory that is free.
    """
    try:
        needed = max(_claims(content), default=0.0)
    except (IndexError, KeyError, TypeError, AttributeError, RecursionError, struct.error):
        raise DamagedError("it cannot be read") from None
    free = available_memory()
    if needed > free:
        raise CapacityError(
            f"the file {name!r} holds a table of {byte_size(needed)}, and {byte_size(free)} of "
            "memory are free; give fewer rows or columns, or write the file again if it should be "
            "smaller"
        )


def _claims(content: bytes) -> Iterator[float]:
    """Yield bytes that will be taken at once: for the table, and for each page."""
    if len(content) < 2 * len(_MAGIC) + _LENGTH.size or not content.endswith(_MAGIC):
        raise DamagedError("it does not end like a Parquet file")
    end = len(content) - len(_MAGIC) - _LENGTH.size
    length = _LENGTH.unpack_from(content, end)[0]
    if length > end:
        raise DamagedError("its footer is longer than the file")
    footer, _ = _read_struct(content, end - length)
    yield _count(footer, 3) * min(_BYTES.values())
    table = 0.0
    for group in footer[4]:
        rows = _count(group, 3)
        for column in group[1]:
            if 3 not in column or 1 in column:
                continue  # encrypted, or in another file
            described = column[3]
            values = _count(described, 5)
            table += max(rows, values) * _BYTES.get(described[1], _TEXT_BYTES)
            yield from _pages(content, described, values)
    yield table


def _pages(content: bytes, described: _Fields, values: int) -> Iterator[float]:
    """Walk over the pages of one column of one group of rows."""
    place, dictionary = _count(described, 9), described.get(11, 0)
    if dictionary > place:
        raise DamagedError("a dictionary comes after the values")
    if dictionary > 0:
        place = dictionary
    end = place + _count(described, 7)
    seen = 0
    # Writers differ in what they count, so whatever comes first is the end.
    while seen < values and place < end:
        page, place = _read_struct(content, place)
        stored, size = _count(page, 3), _count(page, 2)
        place += stored
        if place > len(content):
            raise DamagedError("a page is longer than the file")
        yield size
        if 7 in page:
            yield _count(page[7], 1)
        data = page.get(5) or page.get(8)
        if data is None:
            continue  # an index or a dictionary
        seen += _count(data, 1)
        if seen > values:
            raise DamagedError("a page has more values than its column")
        if 8 in page and _count(data, 5) + _count(data, 6) > stored:
            raise DamagedError("levels are longer than their page")


def _count(fields: _Fields, number: int) -> int:
    """Return a field that counts something."""
    count = fields[number]
    if not isinstance(count, int) or count < 0:
        raise DamagedError("a number is negative")
    return count


def _read_struct(content: bytes, place: int) -> tuple[_Fields, int]:
    """Read a structure of Thrift's compact protocol, and say where it ends.

    Parameters
    ----------
    content
        The bytes.
    place
        Where it begins.

    Returns
    -------
    tuple
        Its fields by their numbers, texts left out, and the place after it.
    """
    fields: _Fields = {}
    number = 0
    while True:
        head = content[place]
        place += 1
        kind = head & 0x0F
        if kind == _STOP:
            return fields, place
        if head >> 4:
            number += head >> 4
        else:
            number, place = _zigzag(content, place)
        if kind in _INTEGERS:
            # Most numbers are small, and there are tens of them for each column.
            value: Any = content[place]
            if value < _MORE:
                value = value >> 1 ^ -(value & 1)
                place += 1
            else:
                value, place = _zigzag(content, place)
        elif kind in _BOOLEANS:
            value = kind
        else:
            value, place = _read_value(content, place, kind)
        fields[number] = value


def _read_value(content: bytes, place: int, kind: int) -> tuple[Any, int]:
    """Read a value of some type, and say where it ends."""
    if kind == _BINARY:
        length, place = _varint(content, place)
        if length > len(content) - place:
            raise DamagedError("a text is longer than the file")
        return None, place + length
    if kind == _STRUCT:
        return _read_struct(content, place)
    if kind in _LISTS:
        head = content[place]
        count, place = head >> 4, place + 1
        if count == _LONG:
            count, place = _varint(content, place)
        values = []
        for _ in range(_sized(count, content, place)):
            value, place = _read_value(content, place, head & 0x0F)
            values.append(value)
        return values, place
    if kind == _MAP:
        count, place = _varint(content, place)
        if count:
            kinds, place = content[place], place + 1
        for _ in range(_sized(count, content, place)):
            _, place = _read_value(content, place, kinds >> 4)
            _, place = _read_value(content, place, kinds & 0x0F)
        return None, place
    if kind in _INTEGERS:
        return _zigzag(content, place)
    if kind in _BOOLEANS or kind == _BYTE:
        return content[place], place + 1
    if kind == _DOUBLE:
        return None, place + 8
    raise DamagedError("a value is of no known type")


def _sized(count: int, content: bytes, place: int) -> int:
    """Return the number of values of a list, each of which has a byte at least."""
    if count > len(content) - place:
        raise DamagedError("a list is longer than the file")
    return count


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < _MORE:
            return value, place
        shift += 7
        if shift > _WIDEST:
            raise DamagedError("a number has more than 64 bits")


def _zigzag(content: bytes, place: int) -> tuple[int, int]:
    value, place = _varint(content, place)
    return value >> 1 ^ -(value & 1), place


_STOP, _BYTE, _DOUBLE, _BINARY, _MAP, _STRUCT = 0, 3, 7, 8, 11, 12
_BOOLEANS = (1, 2)
_INTEGERS = (4, 5, 6)
_LISTS = (9, 10)
_LONG = 15  # a list whose length follows
_WIDEST = 63
_MORE = 0x80  # another byte of a number follows
