"""Signals that end a run: SIGTERM acts like Ctrl-C, and neither interrupts a checkpoint.

After SIGTERM no other run is begun: a script that goes from run to run would otherwise keep what
each of them has so far and go on with the next, and could not be ended but by force.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_told_to_end = False


def refuse_after_sigterm() -> None:
    """Raise KeyboardInterrupt if SIGTERM has ended a run of this process before."""
    if _told_to_end:
        raise KeyboardInterrupt


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Make SIGTERM raise KeyboardInterrupt within the context, unless it has a handler.

    Only the main thread receives signals; in other threads nothing is changed.
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
    """Defer Ctrl-C and SIGTERM until the end of the context."""
    if not _in_main_thread():
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []
    handlers: dict[int, Any] = {}
    for number in map(int, (signal.SIGINT, signal.SIGTERM)):
        handler = signal.getsignal(number)
        # A signal that ends the process or is ignored cannot be deferred.
        if callable(handler):
            handlers[number] = handler
            signal.signal(number, lambda *received: waiting.append(received))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for number, frame in waiting:
        handlers[number](number, frame)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _told_to_end  # by one signal for the whole process
    _told_to_end = True
    raise KeyboardInterrupt


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
