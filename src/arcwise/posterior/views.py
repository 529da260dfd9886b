"""Methods of a posterior that are implemented in higher packages: it calls these slots.

Each is filled by the module named beside it when `arcwise` is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arcwise.support.slots import Slot

if TYPE_CHECKING:
    from pathlib import Path

    from arcwise.comparison import PosteriorComparison
    from arcwise.diagnostics.diagnosis import Diagnosis

diagnose: Slot[..., Diagnosis] = Slot()  # diagnostics.diagnose
compare_with_graph: Slot[..., PosteriorComparison] = Slot()  # comparison.known_graph
report: Slot[..., Path] = Slot()  # report.page
draw: Slot[..., Path] = Slot()  # plots.draw
to_networkx: Slot[..., Any] = Slot()  # exchange.graphs
to_pandas: Slot[..., Any] = Slot()  # exchange.tables
to_polars: Slot[..., Any] = Slot()
to_arviz: Slot[..., Any] = Slot()  # exchange.arviz
to_dot: Slot[..., str] = Slot()  # exchange.texts
to_gml: Slot[..., str] = Slot()
