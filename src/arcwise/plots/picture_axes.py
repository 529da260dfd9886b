"""`PictureAxes`: axes that a notebook shows as their picture.

A figure made without `pyplot` has no picture of its own in a notebook. This module needs
matplotlib, so it is imported where that is known to be there.
"""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_DOTS_PER_INCH = 110.0


class PictureAxes(Axes):
    """The axes of a figure of their own, which notebooks show where these are a cell's value."""

    def _repr_png_(self) -> bytes:
        """Return the picture of the whole figure."""
        whole = self.figure.figure  # axes may be those of a part of it
        assert isinstance(whole, Figure)
        file = io.BytesIO()
        # White also on a dark page: text and lines of plots are black.
        whole.savefig(file, format="png", dpi=_DOTS_PER_INCH, facecolor="white")
        return file.getvalue()
