"""Results on fixed seeds are those that were written down: to the last bit, or to ten digits.

A change that is meant to alter a result writes the digests anew and says why.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from golden.results import (
    BY_ARITHMETIC,
    FILE,
    GROUPS,
    arithmetic,
    differences,
    digest,
    numbers,
    results,
    written_down,
)


@pytest.mark.parametrize("group", GROUPS)
def test_results_are_those_written_down(group: str) -> None:
    expected = written_down()[group]
    assert expected
    if group == BY_ARITHMETIC and expected["arithmetic"] != arithmetic():
        pytest.skip("written on a machine with other vector instructions")
    assert differences(expected, results(group)) == []


def test_differences_are_seen_in_the_last_bit_or_in_the_tenth_digit() -> None:
    third = np.array([1.0, 1 / 3])
    assert digest(third) != digest(np.nextafter(third, 1.0))
    assert digest(np.array([0.0])) == digest(np.array([-0.0]))
    many = np.linspace(0.0, 1.0, 1000)
    for values, place in ((third, 1), (many, 0), (many, 777)):
        kept = {"a": numbers(values)}
        assert differences(kept, {"a": numbers(values * (1 + 1e-14))}) == []
        moved = values.copy()
        moved[place] += 1e-7
        assert differences(kept, {"a": numbers(moved)}) == ["a"]
        moved[place] = np.nan
        assert differences(kept, {"a": numbers(moved)}) == ["a"]
    assert differences({"a": "0"}, {"b": "0"}) == ["a", "b"]


# The groups with most arithmetic in numpy and BLAS.
_MOST_ARITHMETIC = ("candidates", "learn, missing", "exact responses", "drawn responses")


def test_results_do_not_depend_on_vector_instructions_that_numpy_and_blas_find() -> None:
    """Their exponentials and sums have other last bits with other instructions; ours must not."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    without = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(found),
        "OPENBLAS_CORETYPE": "Prescott",
        "OPENBLAS_NUM_THREADS": "1",
    }
    checked = subprocess.run(
        [sys.executable, str(FILE.with_suffix(".py")), "--check", *_MOST_ARITHMETIC],
        env={**os.environ, **without},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.stdout.endswith(" known, 0 differ\n"), checked.stdout + checked.stderr
