"""Conversions that other modules provide and methods of `Dag` call."""

from __future__ import annotations

from typing import Any

from arcwise.support.slots import Slot

to_pgmpy: Slot[..., Any] = Slot()  # graphs.foreign
to_causal_learn: Slot[..., Any] = Slot()
