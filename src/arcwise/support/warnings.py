"""`warn`: warnings that point at the user's line, however deep they are issued."""

from __future__ import annotations

import sys
import warnings

from arcwise.errors import ArcwiseWarning


def warn(message: str | ArcwiseWarning, category: type[ArcwiseWarning] | None = None) -> None:
    """Issue a warning at the innermost line outside the package."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level + 1)


def _is_ours(module: str) -> bool:
    return module == "arcwise" or module.startswith("arcwise.")
