"""Words that readers stumbled over are not said again."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# What users of the first version quoted as not the field's English.
STUMBLED_OVER = (
    "how far to trust",
    "how sure that is",
    "sure bounds",
    "exact programme",
    "ready scores",
    "right however far",
    "have not come together",
    r"worth [\d,{].* independent",
    "set from outside",
    "labels and measurements",
    "rule that ends a run",
    "open edges",
    "are worth too few",
    r"that chance may do",
    "less ado",
    "exactly nought",
    "that the constraints leave are considered",
    r"parent sets of the .* there are",
    "is no sign",
    "has found no evidence",
    "as stated, or times the number of orders",
)


def test_the_first_version_s_wording_is_gone() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    sources = (ROOT / "src").rglob("*")
    texts = [p for p in sources if p.suffix in (".py", ".js", ".html")]
    said = re.compile("|".join(STUMBLED_OVER), re.IGNORECASE)
    for path in [*pages, *texts]:
        joined = " ".join(path.read_text(encoding="utf-8").split())
        found = said.search(joined)
        assert found is None, f"{path.relative_to(ROOT)}: {found[0]}"
