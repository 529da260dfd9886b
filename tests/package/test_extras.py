"""Extras: those that messages, documents and the package name are in `pyproject.toml`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

import arcwise
from arcwise.errors import MissingDependencyError
from arcwise.support.optional import EXTRAS, optional

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED: dict[str, list[str]] = PROJECT["optional-dependencies"]

# Names under which packages are installed, where these are not those of their modules.
INSTALLED_AS = {"arviz_base": "arviz-base", "cupy": "cupy-cuda12x"}


def texts() -> list[Path]:
    """Return the files that tell users what to install."""
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    assert len(sources) > 100
    return sources


def test_every_extra_that_is_named_is_there() -> None:
    named = {
        extra.strip()
        for path in texts()
        for names in re.findall(
            r"pip install '(?:arcwise|\.)\[([\w, -]+)\]'", path.read_text("utf-8")
        )
        for extra in names.split(",")
    }
    assert named >= {"plots", "graphs", "arviz", "cluster", "gpu"}
    assert named <= set(DECLARED)


@pytest.mark.parametrize("module", EXTRAS)
def test_an_error_names_the_extra_that_brings_the_package(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = INSTALLED_AS.get(module, module)
    brought = [re.split(r"[\[<>=!~; ]", each)[0] for each in DECLARED[EXTRAS[module]]]
    assert package in brought
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=rf"pip install 'arcwise\[{EXTRAS[module]}\]'"):
        optional(module, "whatever")


def test_packages_without_an_extra_are_installed_by_their_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match="`pip install pandas`"):
        arcwise.simulate("asia", 10, seed=1).to_pandas()


def test_all_brings_what_each_brings_but_graphics_processors() -> None:
    (everything,) = DECLARED["all"]
    inside = set(re.fullmatch(r"arcwise\[(.*)\]", everything)[1].split(","))
    for_users = {*EXTRAS.values(), "report", "sklearn"} - {"gpu"}
    assert inside == for_users
    assert DECLARED["report"] == []  # the plain install has what the report needs
    assert any(each.startswith("jinja2") for each in PROJECT["dependencies"])
