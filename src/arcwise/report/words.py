"""Numbers and settings in words, as the report page shows them."""

from __future__ import annotations

import re
from typing import Any

from arcwise.support.descriptions import Description

# A class in angle brackets, as it shows what it cannot write as code.
_SHOWN = re.compile(r"<[A-Z]\w*: (.+)>", re.DOTALL)
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def log_value(value: float) -> str:
    """Return a logarithm with two decimals; more would not be meaningful.

    Examples
    --------
    >>> log_value(-1170.7545)
    '−1,170.75'
    """
    return f"{value:,.2f}".replace("-", "−")


def in_words(thing: Description) -> str:
    """Return a space, a prior or a score in words.

    Examples
    --------
    >>> from arcwise.spaces import BucketOrders, LinearOrders
    >>> in_words(Description.of(BucketOrders(5))), in_words(Description.of(LinearOrders()))
    ('bucket orders (size 5)', 'linear orders')
    >>> from arcwise.scores import BDeu
    >>> in_words(Description.of(BDeu(1.0)))
    'BDeu (equivalent sample size 1)'
    """
    if thing.name is None:
        return thing.text
    # An abbreviation stays one.
    if thing.name[:2].isupper():
        return _with_settings(thing.name, thing)
    noun = "DAGs" if thing.name == "Dags" else _BETWEEN_WORDS.sub(" ", thing.name).lower()
    return _with_settings(noun, thing)


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


def _with_settings(noun: str, thing: Description) -> str:
    details = [
        f"{name.replace('_', ' ')} {_setting(value)}"
        for name, value in thing.settings.items()
        if value is not None
    ]
    if not details and not thing.complete:
        return thing.text
    return f"{noun} ({', '.join(details)})" if details else noun


def _setting(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
