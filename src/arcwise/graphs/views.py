"""What other modules make of a DAG: its methods call these slots."""

from __future__ import annotations

from typing import Any

from arcwise.support.slots import Slot

to_pgmpy: Slot[..., Any] = Slot()  # graphs.foreign
to_causal_learn: Slot[..., Any] = Slot()
