"""Errors of libraries become our own, but Ctrl-C stays what it is."""

from __future__ import annotations

import pytest

from arcwise.data.files import replace_errors
from arcwise.errors import DataError


class PanicException(BaseException):
    """As libraries written in Rust raise it."""


@pytest.mark.parametrize("cause", [ValueError("inner"), PanicException("index out of bounds")])
def test_what_a_library_raises_is_replaced(cause: BaseException) -> None:
    def read() -> None:
        with replace_errors(DataError("the file is damaged")):
            raise cause

    with pytest.raises(DataError, match="the file is damaged") as caught:
        read()
    assert caught.value.__cause__ is cause


@pytest.mark.parametrize("signal", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_gets_through(signal: type[BaseException]) -> None:
    with pytest.raises(signal), replace_errors(DataError("the file is damaged")):
        raise signal
