"""Turn whatever a data frame library raises into one sentence of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arcwise.errors import ArcwiseError


@contextmanager
def refusing(error: ArcwiseError) -> Iterator[None]:
    """Raise the given error in place of any that the library raises inside.

    A damaged file can make a library written in Rust panic, and such a panic is no
    Exception; Ctrl-C is none either, and must pass.
    """
    try:
        yield
    except BaseException as cause:
        if isinstance(cause, Exception) or type(cause).__name__ == "PanicException":
            raise error from cause
        raise
