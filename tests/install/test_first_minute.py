"""README's first minute: its install line in a fresh environment, then its first snippet.

The wheel that `make test-install` has built is installed, with what the plain install depends on
and nothing else: what `pip install .` does, short of compiling the core a second time.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of programs of an environment with the plain install alone."""
    wheels = sorted((ROOT / "build" / "wheel").glob("arcwise-*.whl"))
    assert len(wheels) == 1, "make test-install builds the wheel first"
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheels[0])], check=True)
    return folder / "bin"


def run(*command: str | Path, folder: Path) -> str:
    """Run a program of the fresh environment, which must do well, and return what it prints."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder)},  # nothing of this environment
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def after_the_install_line(kind: str) -> list[str]:
    """Return the blocks of a kind that README has below its install line."""
    assert README.count("\n    pip install .\n") == 1
    _, below = README.split("\n    pip install .\n")
    return re.findall(rf"^```{kind}\n(.*?)^```$", below, re.MULTILINE | re.DOTALL)


def test_the_first_snippet_runs_and_prints_what_is_shown(fresh: Path, tmp_path: Path) -> None:
    snippet = after_the_install_line("python")[0]
    assert ".report(" in snippet
    assert (
        run(fresh / "python", "-c", snippet, folder=tmp_path) == after_the_install_line("text")[0]
    )
    page = (tmp_path / "asia.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")


def test_the_first_commands_run(fresh: Path, tmp_path: Path) -> None:
    lines = after_the_install_line("console")[0].splitlines()[:3]
    for line in lines:
        program, *words = shlex.split(line.removeprefix("$ "))
        run(fresh / program, *words, folder=tmp_path)
    assert (tmp_path / "learned" / "report.html").exists()
