"""Small HTML tables, as notebooks show them in place of a repr.

They stand on their own: no script, no style sheet, and no colour but that of the text around them,
so that they are legible on light and dark pages alike. All text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np

from arcwise.support.names import number, plural

Cell = object
"""A `Html`, a number, or anything else, which is shown as text."""

_LEFT = "text-align: left; padding: 0.1em 0.8em 0.1em 0"
_RIGHT = "text-align: right; padding: 0.1em 0.8em 0.1em 0; font-variant-numeric: tabular-nums"


class Html(str):
    """Text that is HTML already."""


def card(title: str, *parts: str) -> str:
    """Return what a notebook shows of an object: its title, and below it parts made as below.

    Examples
    --------
    >>> card("a < b", paragraphs(["It holds."]))
    '<div><p><strong>a &lt; b</strong></p><p>It holds.</p></div>'
    """
    return f"<div><p><strong>{escape(title)}</strong></p>{''.join(parts)}</div>"


def paragraphs(sentences: Iterable[str]) -> str:
    """Return a paragraph for each sentence."""
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def listed(title: str, sentences: Iterable[str]) -> str:
    """Return a list of sentences under a title, or the title alone.

    Examples
    --------
    >>> listed("Done", ["First a < b."])
    '<p><strong>Done</strong></p><ul><li>First a &lt; b.</li></ul>'
    >>> listed("Done", [])
    '<p><strong>Done</strong></p>'
    """
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<p><strong>{escape(title)}</strong></p>" + (f"<ul>{items}</ul>" if items else "")


def facts(pairs: Mapping[str, Cell]) -> str:
    """Return a table of names and values; those that are None are left out."""
    rows = [(name, value) for name, value in pairs.items() if value is not None]
    body = "".join(
        f'<tr><th scope="row" style="{_LEFT}">{escape(name)}</th>'
        f'<td style="{_LEFT}">{_shown(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table><tbody>{body}</tbody></table>"


def table(columns: Mapping[str, Sequence[Cell]], *, of: int | None = None) -> str:
    """Return a table with a heading for each column.

    Examples
    --------
    >>> table({"name": ["<b>"], "share": [0.25]}, of=2).count("&lt;b&gt;")
    1
    """
    right = [all(_is_number(value) for value in values) for values in columns.values()]
    styles = [_RIGHT if numbers else _LEFT for numbers in right]
    head = "".join(
        f'<th scope="col" style="{style}">{escape(name)}</th>'
        for name, style in zip(columns, styles, strict=True)
    )
    rows = list(zip(*columns.values(), strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{style}">{_shown(value)}</td>'
            for value, style in zip(row, styles, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    rest = 0 if of is None else of - len(rows)
    below = f"<p>and {plural(rest, 'more', 'more')}</p>" if rest > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def share(probability: float, digits: int = 3) -> Html:
    """Return a probability with a bar of its size, in the colour of the text.

    Examples
    --------
    >>> "width: 25.0%" in share(0.25)
    True
    """
    inner = f"width: {100 * probability:.1f}%; height: 100%; background: currentColor"
    outer = "display: inline-block; width: 4em; height: 0.6em; border: 1px solid; opacity: 0.6"
    return Html(
        f'<span style="{outer}"><span style="display: block; {inner}"></span></span> '
        f"{probability:.{digits}f}"
    )


def _is_number(value: Cell) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _shown(value: Cell) -> str:
    if isinstance(value, Html):
        return value
    if value is None or isinstance(value, bool) or _is_number(value):
        return escape("" if value is None else number(_plain(value)))
    return escape(str(value))


def _plain(value: Cell) -> Cell:
    return value.item() if isinstance(value, np.generic) else value
