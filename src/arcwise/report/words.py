"""Numbers and settings in words, as the report page shows them."""

from __future__ import annotations

import re
from typing import Any

from arcwise.support.descriptions import Description

_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def log_value(value: float) -> str:
    """Return a logarithm with two decimals; more would not be meaningful.

    Examples
    --------
    >>> log_value(-1170.7545)
    '−1,170.75'
    """
    return f"{value:,.2f}".replace("-", "−")


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
