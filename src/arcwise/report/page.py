"""`report`: the HTML page, rendered from its contents, the template and the scripts."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import Any

from arcwise.errors import ArgumentError, option
from arcwise.posterior import Posterior, checked_posterior
from arcwise.report.contents import report_contents
from arcwise.support.checks import file_path
from arcwise.support.files import replacing
from arcwise.support.names import is_writable, shown
from arcwise.support.optional import optional
from arcwise.support.plain import strict_json

_SCRIPTS = (
    *("elements.js", "geometry.js", "picture.js", "network.js", "saving.js"),
    *("panel.js", "table.js", "charts.js", "matrix.js", "process.js", "start.js"),
)
# In a script element, these characters could end it or begin a comment; JSON allows escapes.
_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def report(
    posterior: Posterior,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    data_description: str | None = None,
) -> Path:
    """Write a report on a posterior as one self-contained HTML file.

    Parameters
    ----------
    posterior
        The posterior; sections that do not apply to it are left out, with a reason.
    path
        The file to write.
    title
        The heading of the page; by default it includes the file name of the data, if there is one.
    data_description
        A sentence about the data, for the summary.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import arcwise, tempfile, pathlib
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report(arcwise.exact(model), pathlib.Path(folder) / "report.html")
    ...     page.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    for name, given in (("title", title), ("data_description", data_description)):
        if given is not None and not (isinstance(given, str) and is_writable(given)):
            raise ArgumentError(option(name), f" is {shown(given)}; give text that a file can hold")
    checked_posterior(posterior)
    file = file_path(path, "path")
    text = page_text(report_contents(posterior, title=title, data_description=data_description))
    with replacing(file) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return file


def page_text(contents: dict[str, Any]) -> str:
    """Return the HTML of these contents."""
    jinja2 = optional("jinja2", "report")  # imported on first use, as few programs need it
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    template = environment.from_string(_file("page.html"))
    text: str = template.render(
        page=contents,
        contents_json=strict_json(contents).translate(_UNSAFE),
        styles=_file("page.css"),
        script="\n".join(_file(name) for name in _SCRIPTS),
    )
    return text


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")
