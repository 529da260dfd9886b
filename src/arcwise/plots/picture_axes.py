"""`PictureAxes`: axes that a notebook shows as their picture.

A notebook does not show a figure that was made without `pyplot`. This module needs matplotlib, so
it is imported only after that.
"""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.figure import Figure


class PictureAxes(Axes):
    """The axes of a new figure, which notebooks show if the axes are the value of a cell."""

    def _repr_png_(self) -> bytes:
        """Return the picture of the whole figure."""
        whole = self.figure.figure  # the axes may be in a subfigure
        assert isinstance(whole, Figure)
        file = io.BytesIO()
        # The background is white on dark pages as well, as text and lines are black.
        whole.savefig(file, format="png", dpi=110.0, facecolor="white")
        return file.getvalue()
