"""Packing of records into bytes, and back.

Packed records are compressed; they contain the length of a header, the header as JSON, and
the arrays one after another in little-endian order. The header holds the name, type and
shape of the arrays of each record.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.support.memory import available_memory

Arrays = Mapping[str, NDArray[Any]]

_LENGTH = 8
_FASTEST = 1


def pack(records: Sequence[Arrays]) -> bytes:
    """Return the arrays of all records as one byte string.

    Examples
    --------
    >>> (record,) = unpack(pack([{"log_weights": np.array([-1.5, -2.0])}]))
    >>> record["log_weights"]
    array([-1.5, -2. ])
    """
    header, contents = [], []
    for record in records:
        entry = []
        for name, values in record.items():
            array = np.ascontiguousarray(values)
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            entry.append([name, little.dtype.str, list(array.shape)])
            contents.append(little.tobytes())
        header.append(entry)
    text = json.dumps(header).encode()
    whole = b"".join([len(text).to_bytes(_LENGTH, "little"), text, *contents])
    return zlib.compress(whole, _FASTEST)


def decompressed(content: bytes) -> bytes:
    """Return what was compressed; what would not fit into memory is refused, as damage.

    Raises
    ------
    ValueError or zlib.error
        If so, or if it is cut off.
    """
    reader = zlib.decompressobj()
    whole = reader.decompress(content, max(1, available_memory() // 2))
    if not reader.eof:
        raise ValueError("the compressed bytes have no end")
    return whole


def unpack(content: bytes) -> list[dict[str, NDArray[Any]]]:
    """Return the records `pack` was given.

    Raises
    ------
    One of `UNREADABLE`
        If the bytes are something else.
    """
    whole = memoryview(decompressed(content))
    start = _LENGTH + int.from_bytes(whole[:_LENGTH], "little")
    records = []
    for entry in json.loads(bytes(whole[_LENGTH:start])):
        record = {}
        for name, kind, shape in entry:
            dtype = np.dtype(kind)
            if dtype.kind not in "biuf":
                raise ValueError(f"{kind!r} is no type of numbers")
            count = int(np.prod(shape, dtype=np.int64))
            values = np.frombuffer(whole, dtype, count, start).reshape(shape)
            record[name] = values.astype(dtype.newbyteorder("="))
            start += count * dtype.itemsize
        records.append(record)
    return records
