"""Refuses a tag whose version is not that of the package, its citation and its list of changes.

python tools/check_version.py v0.1.0
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def differences(tag: str, root: Path = ROOT) -> list[str]:
    """Return a sentence for each place that has another version than the tag."""
    version = tag.removeprefix("v")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    recipe = (root / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    packed = re.search(r'^  version: "(\S+)"$', recipe, re.MULTILINE)
    cited = re.search(r"^version: (\S+)$", citation, re.MULTILINE)
    newest = re.search(r"^## (.+)$", changes, re.MULTILINE)
    wrong = []
    if tag == version:
        wrong.append(f"the tag {tag!r} does not begin with v")
    if project["version"] != version:
        wrong.append(f"pyproject.toml has version {project['version']}")
    if cited is None or cited[1] != version:
        wrong.append(f"CITATION.cff has version {cited[1] if cited else 'none'}")
    if packed is None or packed[1] != version:
        wrong.append(f"recipe/recipe.yaml has version {packed[1] if packed else 'none'}")
    if (
        newest is None
        or re.fullmatch(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", newest[1]) is None
    ):
        wrong.append(
            f"CHANGELOG.md begins with {newest[1] if newest else 'nothing'!r}, not with "
            f"'[{version}] - ' and the date"
        )
    return wrong


if __name__ == "__main__":
    found = differences(sys.argv[1])
    if found:
        sys.exit(f"{sys.argv[1]} cannot be released: {'; '.join(found)}")
