"""The directives ``{run}`` and ``{shell}``: examples that are run when the site is built.

The examples of a page run in order and share one namespace and one initially empty folder. Their
output is shown below them, and figures become SVG files. An example that fails, or that warns
without the option ``warns``, causes a build warning, which `make docs` treats as an error.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import matplotlib
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "arcwise"  # equal figures give equal files
matplotlib.rcParams["svg.fonttype"] = "path"

LOG = logging.getLogger(__name__)
WIDTH = 92  # columns of a terminal that fit a page
_pages: dict[str, Page] = {}


class Page:
    """The state that the examples of one page share: names, a folder, and a count of figures."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.folder = Path(tempfile.mkdtemp(prefix="arcwise-docs-"))
        self.figures = 0
        self.seconds = 0.0

    @classmethod
    def of(cls, name: str) -> Page:
        """Return the page of a document, creating it at its first example."""
        return _pages.setdefault(name, cls())

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Work in the folder of the page, and add up the time."""
        before, start = Path.cwd(), time.perf_counter()
        os.chdir(self.folder)
        try:
            yield
        finally:
            os.chdir(before)
            self.seconds += time.perf_counter() - start


class Example(SphinxDirective):
    """The base of both directives, which show a text, run it, and show its output."""

    has_content = True

    def page(self) -> Page:
        """Return the state that the examples of this document share."""
        return Page.of(self.env.docname)

    def fail(self, reason: str) -> None:
        """Warn about an example that fails, so that all the others still run."""
        LOG.warning(f"the example fails:\n{reason}", location=self.get_location())

    def block(self, text: str, language: str, kind: str) -> nodes.literal_block:
        """Return a block of code or of output."""
        return nodes.literal_block(text, text, language=language, classes=[kind])


class Run(Example):
    """``{run}``: Python code; the value of a final expression is shown as at a prompt."""

    option_spec: ClassVar = {
        "alt": directives.unchanged,  # a description of the figure for readers who cannot see it
        "warns": directives.flag,  # warnings are expected and shown
    }

    def run(self) -> list[nodes.Node]:
        """Run the code, and return it with its output."""
        code = "\n".join(self.content)
        page = self.page()
        with page.opened():
            printed, value, warned = self._executed(code, page.names)
        if warned and "warns" not in self.options:
            self.fail("\n".join(warned))
        shown: list[nodes.Node] = [self.block(code, "python", "example")]
        figure, table = _figure_of(value), getattr(value, "to_html", None)
        if value is not None and figure is None and table is None:
            printed += repr(value)
        text = "\n".join([*warned, printed.rstrip()]).strip("\n")
        if text:
            shown.append(self.block(text, "text", "printed"))
        if table is not None:
            html = f'<div class="table-wrapper printed">{table(border=0)}</div>'
            shown.append(nodes.raw("", html, format="html"))
        if figure is not None:
            shown.append(self._picture(figure, page))
        return shown

    def _executed(self, code: str, names: dict[str, Any]) -> tuple[str, Any, list[str]]:
        tree = ast.parse(code)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        out = io.StringIO()
        value = None
        with (
            warnings.catch_warnings(record=True) as caught,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("always")
            try:
                exec(compile(tree, "example", "exec"), names)
                if last is not None:
                    value = eval(compile(ast.Expression(last.value), "example", "eval"), names)
            except Exception:
                self.fail(traceback.format_exc())
        return out.getvalue(), value, [f"{w.category.__name__}: {w.message}" for w in caught]

    def _picture(self, figure: Any, page: Page) -> nodes.Node:
        page.figures += 1
        name = f"{self.env.docname.replace('/', '-')}-{page.figures}.svg"
        if "alt" not in self.options:
            self.fail("a figure needs the option alt, which describes it")
        folder = Path(self.env.app.outdir) / "_static" / "examples"
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / name, format="svg", metadata={"Date": None}, bbox_inches="tight")
        up = "../" * self.env.docname.count("/")
        alt = nodes.Text(self.options.get("alt", "")).astext().replace('"', "&quot;")
        html = f'<p class="figure"><img src="{up}_static/examples/{name}" alt="{alt}"></p>'
        return nodes.raw("", html, format="html")


class Shell(Example):
    """``{shell}``: lines that begin with $ are run by bash, each followed by its output."""

    def run(self) -> list[nodes.Node]:
        """Run the commands, and return them with their output."""
        page = self.page()
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"PATH": programs, "COLUMNS": str(WIDTH), "NO_COLOR": "1"}
        shown = []
        with page.opened():
            for line in self.content:
                if not line.startswith("$ "):
                    self.fail(f"{line!r} does not begin with '$ '")
                done = subprocess.run(
                    ["bash", "-c", line[2:]],
                    capture_output=True,
                    text=True,
                    env=environment | {"TERM": "dumb"},
                    check=False,
                )
                if done.returncode != 0:
                    self.fail(f"{line}\n{done.stderr}")
                shown.append(line)
                if done.stdout.strip():
                    shown.append(done.stdout.rstrip() + "\n")
        return [self.block("\n".join(shown).rstrip(), "console", "example")]


def _figure_of(value: Any) -> Any:
    if isinstance(value, (list, tuple)) or hasattr(value, "flat"):
        value = next(iter(getattr(value, "flat", value)), None)
    figure = getattr(value, "figure", None)
    return value if hasattr(value, "savefig") else figure


def _finish(app: Sphinx, error: Exception | None) -> None:
    for page in _pages.values():
        shutil.rmtree(page.folder, ignore_errors=True)
    slowest = sorted(_pages.items(), key=lambda item: -item[1].seconds)[:5]
    total = sum(page.seconds for page in _pages.values())
    if total:
        longest = ", ".join(f"{name} {page.seconds:.1f}" for name, page in slowest)
        LOG.info(f"The examples of {len(_pages)} pages took {total:.0f} s ({longest}).")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives."""
    app.add_directive("run", Run)
    app.add_directive("shell", Shell)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
