"""A minute of fuzzing with fixed seeds; ``make fuzz`` goes on for as long as one likes.

Each target runs in a process of its own, where a crash, a hang or too much memory is found out
like any other failure.
"""

from __future__ import annotations

import pytest

from fuzz.run import described, fuzz
from fuzz.targets import READERS, TARGETS

# Cases a second differ by a factor of a hundred, so numbers do.
_CASES = {
    **{"npz": 250, "ledger": 60, "jkl": 1500, "csv": 700, "parquet": 500, "score-table": 600},
    **{"edge-file": 1500, "names": 150, "arrays": 500, "feature": 2000, "words": 1200},
    **{"constraints": 1500, "arguments": 1200, "shell": 120},
}


def test_every_target_has_a_number_of_cases() -> None:
    assert set(_CASES) == set(TARGETS)
    assert set(READERS) <= set(TARGETS)


@pytest.mark.parametrize("name", _CASES)
def test_nothing_but_answers_and_errors_of_its_own(name: str) -> None:
    found = fuzz([name], seed=2026, processes=1, cases=_CASES[name], seconds=0.0)
    assert found[name].inputs == _CASES[name]
    assert not found[name].failures, described(found, 2026)
