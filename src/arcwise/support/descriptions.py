"""`Description`: a score, prior or space by its class, its settings and its repr, and in words."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from arcwise.support.plain import plain

_LITERALS = (bool, int, float, str, type(None))
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Description:
    """A description of an object that may no longer be available.

    Parameters
    ----------
    text
        Its repr.
    name
        The name of its class; None if the text is all that is known.
    settings
        Its settings, by the names of its class.
    complete
        Whether name and settings are enough to construct it.

    Examples
    --------
    >>> from arcwise.scores import BDeu
    >>> Description.of(BDeu(2.0))
    Description(text='BDeu(equivalent_sample_size=2.0)', name='BDeu', \
settings={'equivalent_sample_size': 2.0}, complete=True)
    """

    text: str
    name: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    complete: bool = False

    @classmethod
    def of(cls, thing: object) -> Description:
        """Return the description of an object."""
        if not is_dataclass(thing):
            return cls(repr(thing))
        found = {each.name: getattr(thing, each.name) for each in fields(thing) if each.init}
        settings = {name: plain(value) for name, value in found.items() if _is_literal(value)}
        complete = len(settings) == len(found)
        return cls(repr(thing), type(thing).__name__, settings, complete=complete)

    @classmethod
    def parse(cls, text: str) -> Description:
        """Return the description of the object with this repr.

        Examples
        --------
        >>> Description.parse("Fair()").complete, Description.parse("<a table>").name
        (True, None)
        """
        try:
            call = ast.parse(text, mode="eval").body
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
                return cls(text)
            settings = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        except (SyntaxError, ValueError):
            return cls(text)
        values = {str(name): plain(value) for name, value in settings.items()}
        return cls(text, call.func.id, values, complete=True)

    def call(self) -> str | None:
        """Return the Python expression that constructs the object, or None if unknown."""
        if self.name is None or not self.complete:
            return None
        given = (f"{key}={value!r}" for key, value in self.settings.items() if value is not None)
        return f"{self.name}({', '.join(given)})"


def _is_literal(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(_is_literal(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple):
        return all(_is_literal(part) for part in value)
    return isinstance(value, _LITERALS)


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
    noun = _BETWEEN_WORDS.sub(" ", thing.name).lower()
    for small, usual in (("dags", "DAGs"), ("gaussian", "Gaussian")):
        noun = noun.replace(small, usual)
    return _with_settings(noun, thing)


def words_of(thing: object) -> str:
    """Return a score, a prior or a space in words, as sentences tell it.

    Examples
    --------
    >>> from arcwise.priors import Sparse
    >>> from arcwise.spaces import Dags
    >>> words_of(Sparse(1.5)), words_of(Dags())
    ('sparse (expected parents 1.5)', 'DAGs')
    """
    return in_words(Description.of(thing))


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
