"""Where chains begin: at a random state, or where a chain of linear orders has settled."""

from __future__ import annotations

import math

from arcwise.errors import ArgumentError, option
from arcwise.support.checks import whole_number
from arcwise.support.words import shown

# Chains of linear orders settle within a few times n^2 ln n steps. Of these, so many a second are
# made even with many variables; they may take a tenth of the time there is.
_TIMES = 4
_MOST_STEPS = 10_000_000
_MOST_ASKED = 1 << 62
_MOST_DIGITS = 30  # beyond, Python may refuse to read them
_STEPS_PER_SECOND = 30_000


def as_order_steps(start: str | int) -> int | None:
    """Return the steps of the chains of linear orders, None for the usual ones.

    Examples
    --------
    >>> as_order_steps("random"), as_order_steps(1000), as_order_steps("1000")
    (0, 1000, 1000)
    """
    if isinstance(start, str):
        if start == "orders":
            return None
        if start == "random":
            return 0
        if start.isascii() and start.isdigit() and len(start) <= _MOST_DIGITS:
            start = int(start)
    if isinstance(start, str):
        raise ArgumentError(
            option("start"),
            f" is {shown(start)}; give 'orders', 'random', or the number of steps of the chains of "
            "linear orders that the others begin from",
        )
    return whole_number(start, option("start"), at_least=0, at_most=_MOST_ASKED)


def usual_order_steps(nodes: int, seconds: float | None) -> int:
    """Return the usual length of the chains of linear orders that others begin from.

    Parameters
    ----------
    nodes
        The number of variables.
    seconds
        The time there is for the whole run, if it is limited.

    Examples
    --------
    >>> usual_order_steps(20, None), usual_order_steps(400, 10.0)
    (4871, 300000)
    """
    steps = min(_MOST_STEPS, round(_TIMES * nodes**2 * math.log(nodes + 1)))
    if seconds is not None:
        steps = round(min(steps, seconds * _STEPS_PER_SECOND))
    return max(1, steps)
