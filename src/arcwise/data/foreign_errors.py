"""Errors of data frame libraries, replaced by ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arcwise.errors import ArcwiseError


@contextmanager
def replace_errors(error: ArcwiseError) -> Iterator[None]:
    """Raise the given error in place of whatever a library raises in the block.

    A damaged file can make a library written in Rust panic, and such a panic is not an
    Exception. Neither is Ctrl-C, which must get through.
    """
    try:
        yield
    except BaseException as cause:
        if isinstance(cause, Exception) or type(cause).__name__ == "PanicException":
            raise error from cause
        raise
