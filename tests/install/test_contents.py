"""The files that users get, by the source archive and the wheel of `make test-install`."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = {".pyc", ".so", ".pyd", ".o", ".whl"}


def files_below(folder: str) -> set[str]:
    """Return the files of a folder of the repository that are sources, by their paths in it."""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in BUILT
    }
    assert found
    return found


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return the files of the source archive, by their paths in the repository."""
    folder = tmp_path_factory.mktemp("archive")
    build = f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=ROOT, check=True, capture_output=True)
    (archive,) = folder.glob("arcwise-*.tar.gz")
    with tarfile.open(archive) as packed:
        return {each.name.partition("/")[2] for each in packed.getmembers() if each.isfile()}


@pytest.fixture(scope="module")
def wheel() -> zipfile.ZipFile:
    """Return the wheel."""
    (found,) = (ROOT / "build" / "wheel").glob("arcwise-*.whl")
    return zipfile.ZipFile(found)


def test_the_archive_has_all_sources(archived: set[str]) -> None:
    for folder in ("src", "core", "bindings", "tests", "docs", "tools"):
        assert files_below(folder) <= archived
    assert archived >= {
        "CHANGELOG.md",
        "CITATION.cff",
        "CMakeLists.txt",
        "LICENSE",
        "Makefile",
        "PKG-INFO",
        "README.md",
        "pyproject.toml",
    }


def test_the_archive_has_nothing_that_was_built_or_is_of_the_repository_alone(
    archived: set[str],
) -> None:
    assert not [name for name in archived if Path(name).suffix in BUILT]
    tops = {name.partition("/")[0] for name in archived}
    assert not tops & {".ci", ".git", ".github", ".venv", "benchmarks", "build", "dist"}


def test_the_wheel_has_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if not name.endswith("/")}
    about = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    (extension,) = (name for name in names if Path(name).suffix in {".so", ".pyd"})
    assert extension.startswith("arcwise/_core.")
    kernels = {
        f"arcwise/gpu/kernels/{Path(name).name}"
        for name in files_below("core/arcwise/kernels")
        if name.endswith(".hpp")
    }
    package = {name.removeprefix("src/") for name in files_below("src/arcwise")}
    assert package >= {"arcwise/py.typed", "arcwise/_core.pyi"}
    of_tests = {"arcwise/_core_testing.pyi"}
    assert names - about - {extension} == package - of_tests | kernels


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    (about,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = Parser().parsestr(wheel.read(about).decode())
    assert metadata["Name"] == "arcwise"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Requires-Python"] == ">=3.11"
    assert {"all", "plots", "report"} <= set(metadata.get_all("Provides-Extra"))
    folder = about.rpartition("/")[0]
    assert f"{folder}/licenses/LICENSE" in wheel.namelist()
    assert "arcwise = arcwise.cli:main" in wheel.read(f"{folder}/entry_points.txt").decode()
