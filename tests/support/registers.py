"""Scores, priors and spaces that a test enters by name, and takes back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arcwise.priors.base import NAMED_PRIORS
from arcwise.scores.base import NAMED_SCORES
from arcwise.spaces import NAMED_SPACES


@contextmanager
def names_taken_back() -> Iterator[None]:
    """Forget the names that are entered within."""
    registers: list[dict[str, Any]] = [NAMED_SCORES, NAMED_PRIORS, NAMED_SPACES]
    before = [dict(names) for names in registers]
    try:
        yield
    finally:
        for names, known in zip(registers, before, strict=True):
            names.clear()
            names.update(known)
