"""Logarithms and settings in words, as the report page shows them."""

from __future__ import annotations

import re

_CALL = re.compile(r"([A-Z]\w*)\((.*)\)", re.DOTALL)
_SETTING = re.compile(r"(\w+)=([^=]+?)(?:, (?=\w+=)|$)")
_WORD_IN_NAME = re.compile(r"(?<=[a-z])(?=[A-Z])")


def log_value(value: float) -> str:
    """Return a logarithm with two decimals, which is as much as bears a meaning.

    Examples
    --------
    >>> log_value(-1170.7545)
    '−1,170.75'
    """
    return f"{value:,.2f}".replace("-", "−")


def setting(text: str) -> str:
    """Return the repr of a score in words.

    Examples
    --------
    >>> setting("BDeu(equivalent_sample_size=1.0)"), setting("a table")
    ('BDeu (equivalent sample size 1)', 'a table')
    """
    name, details = _parts(text)
    if name is None:
        return text
    return f"{name} ({details})" if details else name


def class_words(text: str) -> str:
    """Return the repr of a space or prior in words.

    Examples
    --------
    >>> class_words("BucketOrders(size=5)"), class_words("LinearOrders(moves=None)")
    ('bucket orders (size 5)', 'linear orders')
    """
    name, details = _parts(text)
    if name is None:
        return text
    plain = "DAGs" if name == "Dags" else _WORD_IN_NAME.sub(" ", name).lower()
    return f"{plain} ({details})" if details else plain


def is_call(text: str) -> bool:
    """Say whether a repr reads as the Python expression that makes the thing again."""
    return _CALL.fullmatch(text) is not None and "<" not in text


def _parts(text: str) -> tuple[str | None, str]:
    found = _CALL.fullmatch(text)
    if found is None:
        return None, text
    name, inside = found.groups()
    settings = _SETTING.findall(inside)
    if inside and not settings:
        return name, inside
    words = [
        f"{key.replace('_', ' ')} {value.removesuffix('.0')}"
        for key, value in settings
        if value != "None"
    ]
    return name, ", ".join(words)
