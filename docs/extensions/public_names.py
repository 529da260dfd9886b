"""Check that the reference has every public name, and resolve names in docstrings to its entries.

A class is often public in a package but defined in a module of it, so that signatures and
docstrings use a name without an entry. Such a name is resolved by its last part where that is
unambiguous.
"""

from __future__ import annotations

import inspect
import re
import types
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

import arcwise
import arcwise.estimators

LOG = logging.getLogger(__name__)


def public_objects() -> Iterator[tuple[str, Any]]:
    """Return every public name of arcwise and of its public modules, with its object."""
    # The estimators need scikit-learn, so `import arcwise` does not import them.
    for name in [*dir(arcwise), "estimators"]:
        found = getattr(arcwise, name)
        if not isinstance(found, types.ModuleType):
            yield f"arcwise.{name}", found
            continue
        for inner in getattr(found, "__all__", None) or _own_classes(found):
            yield f"arcwise.{name}.{inner}", getattr(found, inner)


def _own_classes(module: types.ModuleType) -> Iterable[str]:
    return [
        name
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__ and name[0] != "_"
    ]


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    documented = set(env.domains["py"].objects)  # type: ignore[attr-defined]
    present = {id(found) for name, found in public_objects() if name in documented}
    missing = [
        name
        for name, found in public_objects()
        if id(found) not in present and not name.endswith("__version__")
    ]
    if missing:
        LOG.warning(f"the reference lacks {', '.join(missing)}")


def _resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contents: nodes.Element
) -> nodes.Element | None:
    if node.get("refdomain") != "py":
        return None
    objects = env.domains["py"].objects  # type: ignore[attr-defined]
    by_last: dict[str, list[str]] = defaultdict(list)
    for name in objects:
        by_last[name.rpartition(".")[2]].append(name)
    target = node["reftarget"]
    found = sorted(by_last.get(target.rpartition(".")[2], ()), key=lambda name: name.count("."))
    top = [name for name in found if name.count(".") == 1]
    if len(top) == 1:
        found = top
    # `edges` may be an attribute of ten classes, so a guess would mislead.
    if len(found) == 1 and (found[0].count(".") < 3 or "." in target):
        entry = objects[found[0]]
        return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contents)
    return contents if node["reftype"] in ("obj", "class", "data", "exc") else None


def _as_rst(app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Escape bars for sizes of sets and plurals of `name`s, which reStructuredText misreads."""
    for number, line in enumerate(lines):
        lines[number] = re.sub(r"(?<=[^`])`(\w+)`s\b", r"`\1`\\s", line.replace("|", r"\|"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the check and the resolution of names."""
    app.connect("autodoc-process-docstring", _as_rst)
    app.connect("env-check-consistency", _check)
    app.connect("missing-reference", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
