"""Values, texts and bytes that nobody should have to expect: what the targets draw from."""

from __future__ import annotations

import math
import random
import string
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

WHOLE = [
    *(0, 1, 2, 3, 7, -1, -2, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62),
    *(2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**12, 10**18, 10**30, -(2**31), -(2**63), -(10**30)),
    10**4400,
]
REAL = [
    *(0.0, -0.0, 0.5, 1.0, -1.0, 1e-320, 1e-300, 1e-9, 0.999999, 1.0000001, 1e9, 1e300, 1e308),
    *(math.inf, -math.inf, math.nan),
]
_PIECES = [
    *("a", "b", "->", "<-", "~>", "--", " ", ",", ";", ":", "(", ")", "{", "}", "[", "]", '"', "'"),
    *(
        "\\",
        "\n",
        "\r",
        "\t",
        "\0",
        "=",
        "<",
        ">",
        "!",
        "&",
        "|",
        "+",
        "-",
        "*",
        "/",
        "%",
        "0",
        "1",
    ),
    *("9", "1e9", "-1", "nan", "inf", "NA", "true", "None", "null", "é", "☂", "\u202e", "\ud800"),
    *("\U0001f600", "\x7f", "\ufeff", "and", "or", "not", "given", "edges", "parents", "blanket"),
]
# Short strings are the rule, long ones come up now and then.
_LENGTHS = [0, 1, 1, 2, 3, 5, 8, 13, 30, 100, 1_000]


def text(draw: random.Random) -> str:
    """Return any text."""
    return "".join(draw.choice(_PIECES) for _ in range(draw.choice(_LENGTHS)))


def word(draw: random.Random) -> str:
    """Return a short word of letters."""
    return "".join(draw.choices(string.ascii_lowercase, k=draw.randint(1, 6)))


def raw(draw: random.Random, most: int = 200) -> bytes:
    """Return any bytes."""
    return draw.randbytes(draw.randint(0, most))


def number(draw: random.Random) -> Any:
    """Return a number of any size and type."""
    kinds: list[list[Any]] = [WHOLE, REAL, [draw.randint(-5, 20)], [draw.random()]]
    value = draw.choice(draw.choice(kinds))
    kind = draw.random()
    if kind < 0.8:
        return value
    if kind < 0.9 and isinstance(value, float):
        return draw.choice([np.float64, np.float32])(value if abs(value) < 1e38 else 1.0)
    if kind < 0.9 and -(2**63) <= value < 2**63:
        return np.int64(value)
    if kind < 0.95 and isinstance(value, int):
        return draw.choice([Fraction(value, 3), Decimal(value % 1000), float(value % 10**9)])
    return draw.choice([True, False, np.bool_(True), complex(1, 2), Decimal("NaN")])


class Odd:
    """An object of no use, which shows itself at length."""

    def __repr__(self) -> str:
        """Say nothing with many words."""
        return "odd " * 10_000


def value(draw: random.Random, depth: int = 0) -> Any:
    """Return any value, most often a number or a text."""
    kind = draw.random()
    if kind < 0.45:
        return number(draw)
    if kind < 0.65:
        return text(draw)
    if kind < 0.7:
        return draw.choice([None, ..., object(), Odd(), b"ab", bytearray(b"x"), {1, 2}])
    if kind < 0.78 or depth > 2:
        return array(draw)
    several = [value(draw, depth + 1) for _ in range(draw.choice([0, 1, 2, 2, 3, 5]))]
    if kind < 0.86:
        return several
    if kind < 0.92:
        return tuple(several)
    return {(text(draw) if draw.random() < 0.9 else draw.randint(0, 9)): each for each in several}


def array(draw: random.Random) -> np.ndarray:
    """Return an array of any type and shape, small ones as a rule."""
    shape = tuple(
        draw.choice([0, 1, 2, 3, 4, 5, 8]) for _ in range(draw.choice([0, 1, 1, 2, 2, 3]))
    )
    kind = draw.choice("bBiIqQfdD?OUS")
    size = math.prod(shape)
    if kind == "O":
        made = np.array([draw.choice([1, "a", None, 2.5]) for _ in range(size)], dtype=object)
        return made.reshape(shape)
    if kind in "US":
        return np.array([draw.choice(["", "a", "1"]) for _ in range(size)], dtype=kind).reshape(
            shape
        )
    rng = np.random.default_rng(draw.randrange(2**32))
    if draw.random() < 0.3 and kind not in "dfD":
        return (
            np.frombuffer(rng.bytes(size * np.dtype(kind).itemsize), dtype=np.uint8)
            .view(kind if kind != "?" else np.uint8)
            .reshape(shape)
            .copy()
        )
    made = rng.integers(0, 3, size=shape)
    result = made.astype(kind)
    if kind == "d" and result.ndim and size and draw.random() < 0.3:
        result.flat[draw.randrange(size)] = draw.choice(
            [math.nan, math.inf, -math.inf, -1.0, 1e300]
        )
    return result


def damaged(draw: random.Random, content: bytes) -> bytes:
    """Return bytes with a few of them changed, removed, repeated or put in."""
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 1, 2, 3, 8])):
        if not changed:
            return raw(draw)
        place = draw.randrange(len(changed))
        length = min(draw.choice([1, 1, 2, 4, 8, 16, 100]), len(changed) - place)
        kind = draw.random()
        if kind < 0.35:
            changed[place] ^= 1 << draw.randrange(8)
        elif kind < 0.5:
            changed[place : place + length] = draw.randbytes(length)
        elif kind < 0.6:
            changed[place : place + length] = draw.choice([b"\0", b"\xff"]) * length
        elif kind < 0.7:
            del changed[place : place + length]
        elif kind < 0.8:
            changed[place:place] = changed[place : place + length]
        elif kind < 0.9:
            changed[place:place] = draw.randbytes(draw.choice([1, 2, 8]))
        else:
            del changed[place:]
    return bytes(changed)


def edited(draw: random.Random, tree: Any) -> Any:
    """Return plain values for JSON with one of them changed, removed or put in."""
    if isinstance(tree, dict) and tree and draw.random() < 0.9:
        key = draw.choice(list(tree))
        kind = draw.random()
        if kind < 0.1:
            return {name: item for name, item in tree.items() if name != key}
        if kind < 0.15:
            return tree | {word(draw): plain(draw)}
        return tree | {key: edited(draw, tree[key])}
    if isinstance(tree, list) and tree and draw.random() < 0.85:
        place = draw.randrange(len(tree))
        kind = draw.random()
        if kind < 0.1:
            return tree[:place] + tree[place + 1 :]
        if kind < 0.2:
            return tree[:place] + [tree[place]] * 2 + tree[place + 1 :]
        return [*tree[:place], edited(draw, tree[place]), *tree[place + 1 :]]
    return plain(draw)


def plain(draw: random.Random) -> Any:
    """Return a value that JSON can hold, be it as NaN or as a number of hundreds of digits."""
    choices: list[Any] = [
        None,
        True,
        False,
        "",
        "nan",
        "inf",
        "-inf",
        "a",
        "mcmc",
        "exact",
        [],
        {},
        [[]],
    ]
    kind = draw.random()
    if kind < 0.35:
        return draw.choice([each for each in WHOLE if abs(each) < 10**400])
    if kind < 0.55:
        return draw.choice(REAL)
    if kind < 0.7:
        return "".join(c for c in text(draw) if not "\ud800" <= c <= "\udfff")
    if kind < 0.73:
        return 10**399
    if kind < 0.76:
        deep: Any = []
        for _ in range(50):
            deep = [deep]
        return deep
    return draw.choice([*choices, [draw.choice(WHOLE[:10])], {"kind": "other", "text": "x"}])
