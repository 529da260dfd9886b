"""The members of a saved posterior, to look at and to damage."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_members(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def array_in(content: bytes) -> Any:
    return np.load(BytesIO(content), allow_pickle=False)


def bytes_of(array: Any) -> bytes:
    buffer = BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def with_header(members: dict[str, bytes], /, **changes: Any) -> dict[str, bytes]:
    header = json.loads(array_in(members["header.npy"]).tobytes().decode()) | changes
    text = json.dumps(header).encode()
    return members | {"header.npy": bytes_of(np.frombuffer(text, dtype=np.uint8))}
