"""The colours of the report page and of plots: the same quantity has the same colour in both."""

from __future__ import annotations

# Okabe and Ito (2008), "Color universal design": distinguishable with any colour vision; without
# their yellow, which is too pale for a line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1b1f24")

SHADES = (
    (0.0, "#ffffff"),
    (0.02, "#eef4f9"),
    (0.25, "#bcd7ea"),
    (0.5, "#6aaed6"),
    (0.75, "#2474b0"),
    (1.0, "#08306b"),
)
"""The shades of probabilities, from white to dark blue.

They fall in lightness throughout, so that they read the same with any colour vision and in print
without colours. A probability that is not quite 0 can be told from 0.
"""
GREY = "#777777"


def colour(number: int) -> str:
    """Return the colour of a chain or a curve by its number; after seven they repeat."""
    return COLOURS[number % len(COLOURS)]
