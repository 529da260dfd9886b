"""Numbers and settings in words, as the report page shows them."""

from __future__ import annotations

import re

from arcwise.support.descriptions import Description, in_words

# A class in angle brackets, as it shows what it cannot write as code.
_SHOWN = re.compile(r"<[A-Z]\w*: (.+)>", re.DOTALL)


def log_value(value: float) -> str:
    """Return a logarithm with two decimals; more would not be meaningful.

    Examples
    --------
    >>> log_value(-1170.7545)
    '−1,170.75'
    """
    return f"{value:,.2f}".replace("-", "−")


def plain_words(text: str) -> str:
    """Return the words of a value whose text is written for Python, and other text unchanged.

    Examples
    --------
    >>> plain_words("Partitions(moves=None)"), plain_words("BucketOrders(size=5)")
    ('partitions', 'bucket orders (size 5)')
    >>> plain_words("<ScoreSums: 74 nodes by rows (tolerance 1e-09)>"), plain_words("a <b>")
    ('74 nodes by rows (tolerance 1e-09)', 'a <b>')
    """
    shown = _SHOWN.fullmatch(text)
    if shown:
        return shown.group(1)
    found = Description.parse(text)
    return text if found.name is None else in_words(found)
