"""Signals that end a run: SIGTERM does what Ctrl-C does, and neither cuts a checkpoint short."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt for a while, unless the program has a use for it.

    Only the main thread hears of signals; elsewhere nothing is changed.
    """
    if not _in_main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until what is done here is done."""
    if not _in_main_thread():
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []
    handlers: dict[int, Any] = {}
    for number in map(int, (signal.SIGINT, signal.SIGTERM)):
        handler = signal.getsignal(number)
        # What ends the process at once or is ignored needs no waiting.
        if callable(handler):
            handlers[number] = handler
            signal.signal(number, lambda *told: waiting.append(told))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for number, frame in waiting:
        handlers[number](number, frame)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
