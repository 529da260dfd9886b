"""Fuzzing with fixed seeds, a minute of a processor; ``make fuzz`` goes on as long as one likes.

Each target runs in a process of its own, where a crash, a hang or too much memory is found out
like any other failure.
"""

from __future__ import annotations

import pytest

from fuzz.run import described, fuzz
from fuzz.targets import READERS, TARGETS

# Cases a second differ by a factor of a hundred, so numbers do.
_CASES = {
    **{"npz": 180, "ledger": 40, "jkl": 1200, "csv": 480, "parquet": 350, "score-table": 450},
    **{
        "knowledge-file": 1200,
        "edge-file": 1200,
        "names": 100,
        "arrays": 350,
        "feature": 1500,
        "words": 900,
    },
    **{"constraints": 1100, "arguments": 900, "shell": 80},
}


def test_every_target_has_a_number_of_cases() -> None:
    assert set(_CASES) == set(TARGETS)
    assert set(READERS) <= set(TARGETS)


@pytest.mark.parametrize("name", _CASES)
def test_nothing_but_answers_and_errors_of_its_own(name: str) -> None:
    found = fuzz([name], seed=2026, processes=1, cases=_CASES[name], seconds=0.0)
    assert found[name].inputs == _CASES[name]
    assert not found[name].failures, described(found, 2026)
