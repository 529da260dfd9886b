"""Counts the lines of the project, by package: `python tools/size.py [--base REVISION]`.

Code is what is left without docstrings, imports, includes, comments and blank lines. With --base,
the same of a git revision and the change since then. --arguments lists the functions of the package
with more than six arguments, --short the files under 60 lines.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tarfile
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "src/arcwise"
REFERENCE = "docs/reference"
PARTS = (PACKAGE, "core/arcwise", "bindings", "tests", "core/tests")
SUFFIXES = (".py", ".cpp", ".hpp")
MOST_ARGUMENTS = 6
SHORT = 60

Sources = Mapping[str, str]
"""The text of each file, by its path from the root."""


@dataclass(frozen=True)
class Size:
    """How large some files are."""

    code: int = 0
    lines: int = 0
    files: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.code + other.code, self.lines + other.lines, self.files + other.files)


@dataclass(frozen=True)
class Function:
    """A function with its number of arguments, and whether docs/reference has it."""

    place: str
    name: str
    arguments: int
    documented: bool


def sources_here() -> dict[str, str]:
    """Read the files of the working tree, without what git ignores."""
    listed = _git("ls-files", "--cached", "--others", "--exclude-standard").decode()
    paths = [path for path in listed.splitlines() if _counted(path) and (ROOT / path).exists()]
    return {path: (ROOT / path).read_text(encoding="utf-8") for path in paths}


def sources_of(revision: str) -> dict[str, str]:
    """Read the files of a git revision."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(_git("archive", revision))) as archive:
        for member in archive:
            content = archive.extractfile(member) if _counted(member.name) else None
            if content is not None:
                found[member.name] = content.read().decode()
    return found


def _counted(path: str) -> bool:
    inside = path.startswith(tuple(f"{part}/" for part in PARTS)) and path.endswith(SUFFIXES)
    return inside or path.startswith(f"{REFERENCE}/")


def _git(*arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", str(ROOT), *arguments], check=True, capture_output=True
    ).stdout


def sizes(sources: Sources) -> dict[str, Size]:
    """Return the size of each part, and of each folder of the package."""
    found: dict[str, Size] = {}
    for path, text in sources.items():
        part = next((part for part in PARTS if path.startswith(f"{part}/")), None)
        if part is None:
            continue
        own = Size(code_lines(path, text), len(text.splitlines()), 1)
        found[part] = found.get(part, Size()) + own
        if part == PACKAGE:
            inner = path.removeprefix(f"{PACKAGE}/")
            folder = f"{part}/{inner.split('/')[0]}" if "/" in inner else f"{part}/*.py"
            found[folder] = found.get(folder, Size()) + own
    return found


def code_lines(path: str, text: str) -> int:
    """Return the number of lines of a file that are code."""
    return len(_python_lines(text)) if path.endswith(".py") else _cpp_lines(text)


_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def _python_lines(text: str) -> set[int]:
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_docstring(node):
            assert isinstance(node, ast.stmt)
            assert node.end_lineno is not None
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return lines


def _is_docstring(node: ast.AST) -> bool:
    """Return whether a node is a text that stands alone, at the beginning or after a name."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


# Texts first, so that what looks like a comment in one is none.
_CPP = re.compile(
    r'R"([^(]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\d)\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/',
    re.DOTALL,
)


def _cpp_lines(text: str) -> int:
    def without(match: re.Match[str]) -> str:
        found = match[0]
        return "\n" * found.count("\n") if found.startswith(("//", "/*")) else found

    lines = (line.strip() for line in _CPP.sub(without, text).splitlines())
    return sum(bool(line) and not line.startswith(("#include", "#pragma once")) for line in lines)


def functions(sources: Sources) -> list[Function]:
    """Return the functions of the package with more arguments than a reader can hold."""
    documented = _documented(sources)
    found = []
    for path, text in sources.items():
        if not path.startswith(f"{PACKAGE}/") or not path.endswith(".py"):
            continue
        for name, node, in_class in _functions(ast.parse(text)):
            number = _number_of_arguments(node, in_class)
            if number > MOST_ARGUMENTS:
                public = not path.startswith(f"{PACKAGE}/cli/") and name.split(".")[0] in documented
                found.append(Function(f"{path}:{node.lineno}", name, number, public))
    return sorted(found, key=lambda each: (each.documented, -each.arguments, each.place))


Definition = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(
    tree: ast.AST, prefix: str = "", in_class: bool = False
) -> Iterator[tuple[str, Definition, bool]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.", True)
        elif isinstance(node, Definition):
            if not any(_last_name(each) == "overload" for each in node.decorator_list):
                yield prefix + node.name, node, in_class
            yield from _functions(node, f"{prefix}{node.name}.", False)
        else:
            yield from _functions(node, prefix, in_class)


def _last_name(node: ast.expr) -> str:
    return ast.unparse(node).split(".")[-1]


def _number_of_arguments(node: Definition, in_class: bool) -> int:
    """Return the number of arguments with a name, without the object of a method."""
    of_object = in_class and not any(
        _last_name(each) == "staticmethod" for each in node.decorator_list
    )
    arguments = node.args
    named = len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)
    return named - of_object


def _documented(sources: Sources) -> set[str]:
    """Return the functions and classes that docs/reference has, one by one or by modules."""
    names: set[str] = set()
    for path, text in sources.items():
        if not path.startswith(f"{REFERENCE}/"):
            continue
        for directive, name in re.findall(r"auto(function|class|module):: arcwise\.([\w.]+)", text):
            names.add(name.split(".")[-1])
            if directive == "module":
                names |= _exported(sources, name.replace(".", "/"))
    return names


def _exported(sources: Sources, module: str) -> set[str]:
    places = (f"{PACKAGE}/{module}.py", f"{PACKAGE}/{module}/__init__.py")
    text = next((sources[place] for place in places if place in sources), "")
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and _last_name(node.targets[0]) == "__all__":
            return {
                each.value
                for each in ast.walk(node.value)
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
    return set()


def short_files(sources: Sources) -> dict[str, int]:
    """Return the files of the package under 60 lines, without those that list what is exported."""
    return {
        path: len(text.splitlines())
        for path, text in sources.items()
        if path.startswith(f"{PACKAGE}/")
        and path.endswith(".py")
        and not path.endswith("__init__.py")
        and len(text.splitlines()) < SHORT
    }


def _figures(sources: Sources) -> dict[str, int]:
    many = functions(sources)
    return {
        f"functions with more than {MOST_ARGUMENTS} arguments": len(many),
        "of these not in docs/reference": sum(not each.documented for each in many),
        f"files of the package under {SHORT} lines": len(short_files(sources)),
    }


def _print_sizes(now: Sources, before: Sources | None) -> None:
    here, there = sizes(now), sizes(before or {})
    head = f"{'':28}{'code':>8}{'lines':>8}{'files':>7}"
    print(head if before is None else f"{head}   {'change: code':>14}{'lines':>8}{'files':>7}")
    places = [*PARTS, *sorted((here.keys() | there.keys()) - set(PARTS))]
    for place in places:
        own, other = here.get(place, Size()), there.get(place, Size())
        row = f"{place:28}{own.code:>8,}{own.lines:>8,}{own.files:>7,}"
        if before is not None:
            row += (
                f"   {own.code - other.code:>+14,}{own.lines - other.lines:>+8,}"
                f"{own.files - other.files:>+7,}"
            )
        print(row)
    print()
    earlier = _figures(before) if before is not None else {}
    for name, figure in _figures(now).items():
        change = f" ({figure - earlier[name]:+,})" if before is not None else ""
        print(f"{name}: {figure:,}{change}")


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", metavar="REVISION", help="compare with this git revision")
    parser.add_argument("--of", metavar="REVISION", help="count this revision, not the files here")
    parser.add_argument("--arguments", action="store_true", help="list functions of many arguments")
    parser.add_argument("--short", action="store_true", help="list short files")
    asked = parser.parse_args()
    now = sources_of(asked.of) if asked.of else sources_here()
    if asked.arguments:
        for each in functions(now):
            known = " (documented)" if each.documented else ""
            print(f"{each.arguments:3} {each.place}: {each.name}{known}")
    elif asked.short:
        for path, lines in sorted(short_files(now).items(), key=lambda pair: pair[1]):
            print(f"{lines:3} {path}")
    else:
        _print_sizes(now, sources_of(asked.base) if asked.base else None)


if __name__ == "__main__":
    main()
