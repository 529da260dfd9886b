"""Fingerprint a table: a hash of its content that does not depend on where it came from."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from arcwise.data.table import Data

FORMAT = "arcwise data 1"


def fingerprint(data: Data) -> str:
    """Return the SHA-256 of names, kinds, levels, contents, weights and interventions."""
    # The header is JSON, so that different tables cannot concatenate to the same bytes;
    # a level is written with its type, since 1, True and "1" are different labels.
    header: dict[str, Any] = {
        "format": FORMAT,
        "rows": data.rows,
        "columns": [
            [
                column.name,
                [[type(level).__name__, str(level)] for level in column.kind.levels]
                if column.size
                else "continuous",
            ]
            for column in data.columns
        ],
        "weights": data.weights is not None,
        "interventions": data.intervened is not None,
    }
    ordinal = [column.name for column in data.columns if column.kind.name == "ordinal"]
    if ordinal:
        header["ordinal"] = ordinal
    digest = hashlib.sha256(json.dumps(header).encode())
    for column in data.columns:
        if column.size:
            digest.update(column.stored.astype("<u2").tobytes())
        else:
            # Adding zero turns -0.0 into 0.0, which it equals.
            digest.update((column.stored + 0.0).astype("<f8").tobytes())
    if data.weights is not None:
        digest.update((data.weights + 0.0).astype("<f8").tobytes())
    if data.intervened is not None:
        digest.update(np.packbits(data.intervened.ravel(order="C")).tobytes())
    return digest.hexdigest()
