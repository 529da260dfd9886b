"""The package as a whole: what importing it costs, its version, and that names are explained."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import pydoc
import re
import subprocess
import sys
import types

import pytest

import arcwise

HEAVY = (
    *("pandas", "polars", "pyarrow", "matplotlib", "typer", "rich", "scipy", "networkx"),
    "jinja2",
)


def modules_after(statement: str) -> set[str]:
    code = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    return set(json.loads(done.stdout))


def test_importing_it_imports_nothing_heavy() -> None:
    modules = modules_after("import arcwise")
    assert not [name for name in HEAVY if name in modules]
    # NumPy, narwhals and ourselves, with what they need of the standard library.
    added = modules - modules_after("import numpy, narwhals")
    assert len([name for name in added if not name.startswith("arcwise")]) < 60


def test_the_version_is_that_of_the_distribution() -> None:
    assert arcwise.__version__ == importlib.metadata.version("arcwise")


def names_of(module: types.ModuleType) -> list[str]:
    """Return the names of a module that need an example: no errors, interfaces or types."""
    things = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    return [
        name
        for name, thing in things.items()
        if not inspect.isabstract(thing) and (inspect.isclass(thing) or inspect.isroutine(thing))
    ]


PUBLIC = [name for name in dir(arcwise) if name != "__version__"]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_explained_with_an_example(name: str) -> None:
    thing = getattr(arcwise, name)
    text = inspect.getdoc(thing)
    assert text
    if isinstance(thing, types.ModuleType):
        explained = [inspect.getdoc(getattr(thing, each)) for each in names_of(thing)]
        assert all("Examples\n--------" in (text or "") for text in explained), explained
    elif not (isinstance(thing, type) and issubclass(thing, Exception)):
        assert "Examples\n--------" in text


def test_the_names_are_few_and_exist() -> None:
    assert len(set(dir(arcwise))) == len(dir(arcwise))
    assert all(hasattr(arcwise, name) for name in dir(arcwise))
    modules = [name for name in PUBLIC if isinstance(getattr(arcwise, name), types.ModuleType)]
    assert len(PUBLIC) - len(modules) < 39


def test_help_is_a_page() -> None:
    page = pydoc.plain(pydoc.render_doc(arcwise))
    assert len(page.splitlines()) < 100
    for name in PUBLIC:
        assert re.search(rf"\b{name}\b", page), f"the page does not name {name}"
