"""Names of variables as labels: in lines, broken between words and nowhere else."""

from __future__ import annotations

import re

LONGEST_LINE = 16
# After a joint, or where a small letter or digit meets a capital.
_PIECES = re.compile(r".+?(?:[ _\-./:,;|+]+|(?<=[a-z0-9])(?=[A-Z])|$)", re.DOTALL)


def pieces(name: str) -> list[str]:
    """Return the parts of a name between which a line may end.

    Examples
    --------
    >>> pieces("credit_amount"), pieces("totalSerumIron"), pieces("x")
    (['credit_', 'amount'], ['total', 'Serum', 'Iron'], ['x'])
    """
    return _PIECES.findall(name) or [name]


def lines_of(name: str, longest: int = LONGEST_LINE) -> list[str]:
    """Return a name in lines of at most so many letters, where its words allow it.

    Nothing is left out, and no word is broken: a longer word has a line of its own.

    Examples
    --------
    >>> lines_of("personal_status_and_sex", 16), lines_of("checking_status", 16)
    (['personal_status_', 'and_sex'], ['checking_status'])
    """
    lines = [""]
    for piece in pieces(name):
        if lines[-1] and len((lines[-1] + piece).rstrip()) > longest:
            lines.append("")
        lines[-1] += piece
    # A blank at which a line ends is not seen; those at the ends of a name may tell two apart.
    return [*(line.rstrip() for line in lines[:-1]), lines[-1]]
