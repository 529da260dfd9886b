"""The package as a whole: what importing it costs, its version, and that names are explained."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import subprocess
import sys
import types

import pytest

import arcwise

HEAVY = (
    *("pandas", "polars", "pyarrow", "matplotlib", "typer", "rich", "scipy", "networkx"),
    *("jinja2", "plotly"),
)


def modules_after(statement: str) -> set[str]:
    code = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
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


PUBLIC = [name for name in arcwise.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_explained_with_an_example(name: str) -> None:
    thing = getattr(arcwise, name)
    text = inspect.getdoc(thing)
    assert text
    if isinstance(thing, types.ModuleType):
        for inner in (getattr(thing, each) for each in thing.__all__):
            assert inspect.isabstract(inner) or "Examples\n--------" in inspect.getdoc(inner), inner
    elif not (isinstance(thing, type) and issubclass(thing, Exception)):
        assert "Examples\n--------" in text


def test_names_are_sorted_and_exist() -> None:
    assert len(set(arcwise.__all__)) == len(arcwise.__all__)
    assert all(hasattr(arcwise, name) for name in arcwise.__all__)
