"""The examples of the documentation that import other packages, run in the order of their page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(?:\{run\}|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PRINTED = {
    "how-to/other-packages.md": "Effect|dysp",
    "coming-from/pgmpy.md": r"^True$",
    "coming-from/causal-learn.md": r"\S",
}


@pytest.mark.parametrize("page", PRINTED)
def test_the_examples_of_a_page_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    blocks = BLOCK.findall((DOCS / page).read_text())
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert re.search(PRINTED[page], capsys.readouterr().out, re.MULTILINE)
