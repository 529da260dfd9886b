"""Names of variables at a time, such as ``x(t-1)``, in the one way they are written."""

from __future__ import annotations

import re

TIME_SUFFIX = r"\(\s*(?:t(?:\s*[-−]\s*\d{1,9})?|0)\s*\)"
"""A regular expression for what follows the name of a variable: (t), (t-1), or (0)."""

_NAME = re.compile(rf"(.*\S)\s*({TIME_SUFFIX})", re.DOTALL)


def canonical_name(name: str) -> str:
    """Return a name without blanks in its time, and with the minus of the keyboard.

    Examples
    --------
    >>> canonical_name("rain (t − 2)"), canonical_name("rain( t )"), canonical_name("f(x)")
    ('rain(t-2)', 'rain(t)', 'f(x)')
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return name
    return found[1] + re.sub(r"\s", "", found[2]).replace("−", "-")
