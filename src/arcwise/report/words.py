"""Numbers and settings in words, as the report page shows them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from arcwise.support.descriptions import Description

_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def number(value: Any, digits: int = 4) -> str:
    """Return a number as people write it.

    Examples
    --------
    >>> number(12345), number(0.123456), number(-1170.7545, 6), number(None)
    ('12,345', '0.1235', '−1,170.75', 'unknown')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and math.isinf(value):
        return "infinite" if value > 0 else "minus infinity"
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):
        return f"{int(value):,}".replace("-", "−")
    return f"{value:,.{digits}g}".replace("-", "−")


def log_value(value: float) -> str:
    """Return a logarithm with two decimals, which is as much as bears a meaning.

    Examples
    --------
    >>> log_value(-1170.7545)
    '−1,170.75'
    """
    return f"{value:,.2f}".replace("-", "−")


def count(value: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "chain"), count(1200, "chain"), count(0, "category", "categories")
    ('1 chain', '1,200 chains', 'no categories')
    """
    noun = one if value == 1 else many or one + "s"
    return f"{number(value) if value else 'no'} {noun}"


def enumeration(parts: Sequence[str]) -> str:
    """Return a list as in running text.

    Examples
    --------
    >>> enumeration(["a", "b", "c"])
    'a, b and c'
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def score_in_words(score: Description) -> str:
    """Return a score in words.

    Examples
    --------
    >>> from arcwise.scores import BDeu
    >>> score_in_words(Description.of(BDeu(1.0)))
    'BDeu (equivalent sample size 1)'
    """
    return _with_settings(score.name, score) if score.name else score.text


def in_words(thing: Description) -> str:
    """Return a space or a prior in words.

    Examples
    --------
    >>> from arcwise.spaces import BucketOrders, LinearOrders
    >>> in_words(Description.of(BucketOrders(5))), in_words(Description.of(LinearOrders()))
    ('bucket orders (size 5)', 'linear orders')
    """
    if thing.name is None:
        return thing.text
    # An abbreviation stays one.
    noun = "DAGs" if thing.name == "Dags" else _BETWEEN_WORDS.sub(" ", thing.name).lower()
    return _with_settings(noun, thing)


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
