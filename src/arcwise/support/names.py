"""Formatting of numbers, lists and amounts in messages, tables and pages."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from typing import Any

from arcwise.errors import ArcwiseError, ArgumentError, Wording
from arcwise.support.plain import plain

_LISTED_AT_MOST = 20
_SHOWN_AT_MOST = 80  # characters
_UNITS = ((10**12, " trillion"), (10**9, " billion"), (10**6, " million"))
_MOST_IN_WORDS = 10**15
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def listing(items: Iterable[str], limit: int | None = _LISTED_AT_MOST) -> str:
    """Join items as in a sentence; those beyond the limit are only counted.

    Examples
    --------
    >>> listing(["a", "b", "c"]), listing("abcdef", limit=2)
    ('a, b and c', 'a, b and 4 more')
    """
    words = list(items)
    if limit is not None and len(words) > limit:
        words = [*words[:limit], f"{len(words) - limit} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def quoted(names: Iterable[object], limit: int | None = _LISTED_AT_MOST) -> str:
    """Join names as in a sentence, each in quotation marks."""
    return listing((shown(name) for name in names), limit)


def worded_listing(items: Iterable[Wording]) -> Wording:
    """Join wordings as in a sentence."""
    wordings = list(items)
    return Wording(
        listing(wording.python for wording in wordings),
        listing(wording.shell for wording in wordings),
    )


def counted(counts: Mapping[str, int], limit: int | None = None) -> str:
    """List every name with its count; without a limit, as users may need all of them.

    Examples
    --------
    >>> counted({"age": 3, "sex": 1})
    "'age' (3) and 'sex' (1)"
    """
    return listing((f"{name!r} ({count})" for name, count in counts.items()), limit)


def plural(number: int, noun: str, nouns: str | None = None, *, zero: str = "0") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "row"), plural(1200, "row"), plural(0, "category", "categories", zero="no")
    ('1 row', '1,200 rows', 'no categories')
    """
    return f"{f'{number:,}' if number else zero} {noun if number == 1 else nouns or noun + 's'}"


def number(value: Any, digits: int = 4) -> str:
    """Return a number formatted for people.

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


def rounded(count: float) -> str:
    """Return a number of things that may be beyond all bounds, to two digits, for people.

    Examples
    --------
    >>> rounded(81), rounded(19_700), rounded(85_899_345_920), rounded(2**5000)
    ('81', '20,000', '86 billion', '1.4 × 10¹⁵⁰⁵')
    """
    if count < _MOST_IN_WORDS:
        digits = round(count, 1 - math.floor(math.log10(count))) if count >= 1 else count
        unit, name = next((one for one in _UNITS if digits >= one[0]), (1, ""))
        return f"{digits / unit:,.15g}{name}"
    power = math.log10(count)
    return f"{10 ** (power % 1):.1f} × 10{str(int(power)).translate(_RAISED)}"


def shown(value: object, limit: int = _SHOWN_AT_MOST) -> str:
    """Return the repr of what a user gave, without the middle if it is long.

    Examples
    --------
    >>> shown("abc"), shown("a" * 1000, limit=12), shown(10**5000)
    ("'abc'", "'aaaa...aaa'", 'a number of more than 4,300 digits')
    """
    if isinstance(value, str) and len(value) > 2 * limit:
        value = value[:limit] + value[-limit:]  # the middle would be left out anyway
    try:
        text = repr(value)
    except ValueError:  # Python writes out no more digits
        return "a number of more than 4,300 digits"
    except Exception:  # an object of the user's may do anything
        text = f"an object of the type {type(value).__name__}"
    if len(text) <= limit:
        return text
    half = (limit - 3) // 2
    return f"{text[: limit - 3 - half]}...{text[-half:] if half else ''}"


def byte_size(count: float) -> str:
    """Return a number of bytes in suitable units.

    Examples
    --------
    >>> byte_size(2048), byte_size(3 * 2**20)
    ('2 KiB', '3.0 MiB')
    """
    amount = min(count, 2.0**100)  # whole numbers may be beyond all floats
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            return f"{amount:,.{0 if unit in ('bytes', 'KiB') else 1}f} {unit}"
        amount /= 1024
    return f"{amount:,.1f} PiB" if amount < 1e9 else "more than 10^24 bytes"


def duration(seconds: float) -> str:
    """Return a duration in suitable units.

    Examples
    --------
    >>> duration(90), duration(600), duration(9000)
    ('90 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def near_miss(name: str, known: Iterable[str]) -> str:
    """Return the closest known name as a question in parentheses, or an empty string.

    Examples
    --------
    >>> near_miss("max_indegre", ["max_indegree", "prior"]), near_miss("x", ["prior"])
    (" (did you mean 'max_indegree'?)", '')
    """
    close = get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


# --- Descriptions ---------------------------------------------------------------------------------

# `Description`: a score, prior or space by its class, its settings and its repr, and in words.


_LITERALS = (bool, int, float, str, type(None))
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Description:
    """A description of an object that may no longer be available.

    Examples
    --------
    >>> from arcwise.scores import BDeu
    >>> Description.of(BDeu(2.0))
    Description(text='BDeu(equivalent_sample_size=2.0)', name='BDeu', \
settings={'equivalent_sample_size': 2.0}, complete=True)
    """

    text: str  # its repr
    name: str | None = None  # the name of its class; None if the text is all that is known
    # Its settings, by the names of its class.
    settings: Mapping[str, Any] = field(default_factory=dict)
    complete: bool = False  # whether name and settings are enough to construct it

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


# --- Names ----------------------------------------------------------------------------------------

# Checks of variable names, with messages about unknown ones.


def checked_variables(variables: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple, after checking that they can name variables."""
    if isinstance(variables, str):
        raise ArgumentError(
            f"variables is the single string {shown(variables)}; give a list of names instead"
        )
    try:
        names = tuple(variables)
    except TypeError:
        raise ArgumentError(
            f"variables is {shown(variables)}; give a list of names instead"
        ) from None
    if not names:
        raise ArgumentError("variables is empty; give at least one name")
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong:
        raise ArgumentError(f"variables holds {quoted(wrong)}; give nonempty strings as names")
    unwritable = [name for name in names if not is_writable(name)]
    if unwritable:
        raise ArgumentError(
            f"variables holds {quoted(unwritable)}, with a character that no file can hold; give "
            "other names"
        )
    if len(set(names)) < len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ArgumentError(
            f"variables contains {quoted(repeated)} more than once; give every name once"
        )
    return names


def as_list(value: Any, source: str | Wording, wanted: str) -> list[Any]:
    """Return the items of a list or another collection, or refuse what is none."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        try:
            return list(value)
        except TypeError:  # as arrays without dimensions, which look like collections
            pass
    raise ArgumentError(source, f" is {shown(value)}; give {wanted}")


def is_writable(text: str) -> bool:
    r"""Return whether files can hold a text: a NUL or half a surrogate pair is in no text file.

    Examples
    --------
    >>> is_writable("naïve\n☂"), is_writable("\ud800"), is_writable("\0")
    (True, False, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def index_of(variables: Iterable[str]) -> dict[str, int]:
    """Return the position of each variable by name."""
    return {variable: position for position, variable in enumerate(variables)}


def positions(
    names: Iterable[Any],
    variables: Sequence[str] | Mapping[str, int],
    source: str | Wording,
    error: type[ArcwiseError] = ArgumentError,
) -> list[int]:
    """Return the position of each name among the variables.

    For many calls, give the result of `index_of` for the variables.
    """
    index = variables if isinstance(variables, Mapping) else index_of(variables)
    try:
        names = list(names)
    except TypeError:
        raise error(source, f" is {shown(names)}; give names of variables") from None
    unknown: dict[str, None] = {}  # keyed by text, since a wrong name need not be hashable
    for name in names:
        if not isinstance(name, str):
            unknown[shown(name)] = None
        elif name not in index:
            unknown[f"{shown(name)}{near_miss(name, index)}"] = None
    if unknown:
        known = f"the variables are {quoted(index)}" if index else "there are no such variables"
        raise error(source, f" names {listing(unknown)}; {known}")
    return [index[name] for name in names]


def refuse_other_names(names: Collection[str], variables: Sequence[str], source: str) -> None:
    """Refuse `source` unless its names are exactly the variables, in any order."""
    positions(names, variables, source)
    missing = [variable for variable in variables if variable not in names]
    if missing:
        raise ArgumentError(f"{source} lacks {quoted(missing)}; include every variable")


# --- Lagged names ---------------------------------------------------------------------------------

# Names of variables at a time, such as ``x(t-1)``, in the one way they are written.


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
