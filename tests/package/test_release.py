"""A release: the version stands at several places, and the tag must agree with all of them.

Actions of the workflows are pinned, since a tag can be moved.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import arcwise

ROOT = Path(__file__).resolve().parents[2]
FILES = ["pyproject.toml", "CITATION.cff", "CHANGELOG.md", "recipe/recipe.yaml"]


def tool(name: str) -> ModuleType:
    """Return a script of the folder tools as a module."""
    spec = importlib.util.spec_from_file_location(f"tools_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


check_version = tool("check_version")

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def test_all_places_have_the_version_of_the_package() -> None:
    for sentence in check_version.differences(f"v{VERSION}"):
        assert sentence.startswith("CHANGELOG.md begins with '[Unreleased]")


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """Return a copy of the files that have the version, as they are when it is released."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## [{VERSION}] - 2026-11-18\n")
    return tmp_path


def test_a_tag_that_agrees_is_released(released: Path) -> None:
    assert check_version.differences(f"v{VERSION}", released) == []


def test_a_tag_without_its_letter_is_refused(released: Path) -> None:
    assert check_version.differences(VERSION, released) == [
        f"the tag {VERSION!r} does not begin with v"
    ]


@pytest.mark.parametrize("name", FILES)
def test_another_version_anywhere_is_refused(released: Path, name: str) -> None:
    text = (released / name).read_text(encoding="utf-8")
    (released / name).write_text(text.replace(VERSION, "9.9.9"), encoding="utf-8")
    (sentence,) = check_version.differences(f"v{VERSION}", released)
    assert name in sentence
    assert "9.9.9" in sentence


def test_actions_are_pinned_by_the_hash_of_a_commit_beside_its_version() -> None:
    used = [
        line.partition("uses: ")[2]
        for path in (ROOT / ".github/workflows").glob("*.yml")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "uses: " in line and "uses: ./" not in line
    ]
    assert used
    loose = [each for each in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", each)]
    assert loose == []
    assert len({each.partition("@")[0] for each in used}) == len(set(used))  # one version of each


def test_the_figures_that_wheels_are_tried_by_are_those_of_the_package() -> None:
    tried = tool("try_installed")
    learned = arcwise.learn(arcwise.simulate("asia", 2000, seed=1), max_indegree=3, seed=1)
    for edge, expected in tried.KNOWN.items():
        assert abs(learned.edge_probability(*edge) - expected) <= tried.TOLERANCE
