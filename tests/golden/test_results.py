"""Results on fixed seeds are, to the last bit, those that were written down.

A change that is meant to alter a result writes the digests anew and says why.
"""

from __future__ import annotations

import json

import pytest

from golden.results import FILE, GROUPS, group_of, results


@pytest.mark.parametrize("group", GROUPS)
def test_results_are_those_written_down(group: str) -> None:
    written: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    expected = {name: digest for name, digest in written.items() if group_of(name) == group}
    assert expected
    assert results(group) == expected
