"""The tools that measure the code: how large it is, and how long the walk to a first step is."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from package.test_release import tool

size, walk = tool("size"), tool("walk")

PYTHON = '''"""A module
of two lines."""

import os
from a import (
    b,
)

x = """no
docstring"""  # 2 lines of code


class C:
    """Words."""

    def f(self, a, b, c, d, e, f, /, *rest, **more):
        # A comment.
        return "# no comment"

    @staticmethod
    def g(self, a, b, c, d, e, f): ...
'''

CPP = """#pragma once
#include <vector>
// A comment,
/* and one
   of two lines. */
int a = 1'000;  // with a comment

const char* b = "// no comment";
"""


def test_lines_of_code_are_without_words_imports_and_blanks() -> None:
    assert size.code_lines("a.py", PYTHON) == 7
    assert size.code_lines("a.hpp", CPP) == 2


def test_arguments_are_counted_without_the_object_of_a_method() -> None:
    sources = {"src/arcwise/a.py": PYTHON}
    assert [(each.name, each.arguments) for each in size.functions(sources)] == [("C.g", 7)]
    sources["docs/reference/c.md"] = ".. autoclass:: arcwise.C"
    assert [each.documented for each in size.functions(sources)] == [True]


def test_a_part_and_its_folders_have_their_sizes() -> None:
    found = size.sizes({"src/arcwise/p/a.py": PYTHON, "src/arcwise/b.py": "x = 1\n"})
    assert found["src/arcwise"] == size.Size(8, 21 + 1, 2)
    assert found["src/arcwise/p"].files == found["src/arcwise/*.py"].files == 1


def test_the_walk_ends_at_the_first_step_of_the_last_run(tmp_path: Path) -> None:
    table = np.random.default_rng(0).integers(0, 2, (40, 21))
    rows = ["x" + ",x".join(map(str, range(21))), *(",".join(map(str, row)) for row in table)]
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n")
    words = f"learn {tmp_path / 'table.csv'} --steps 50 --chains 2 --max-indegree 2 --threads 1"
    found = walk.walk([*words.split(), "--quiet", "--out", str(tmp_path / "out")])
    assert found.files[0] == "cli/__init__.py"
    assert found.stack[0] == "cli/__init__.py:main"
    assert len(set(found.files)) == len(found.files) > len(found.stack)
    # Chains for the parameters of the prior come before, diagnosis and pages after it.
    assert "learning/hyperparameters.py" in found.files
    assert not any("hyperparameters" in function for function in found.stack)
    assert not any(file.startswith(("report/", "diagnostics/diagnose")) for file in found.files)
