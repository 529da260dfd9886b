"""Results on fixed seeds are, to the last bit, those that were written down.

A change that is meant to alter a result writes the digests anew and says why.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from golden.results import FILE, GROUPS, group_of, results


@pytest.mark.parametrize("group", GROUPS)
def test_results_are_those_written_down(group: str) -> None:
    written: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    expected = {name: digest for name, digest in written.items() if group_of(name) == group}
    assert expected
    assert results(group) == expected


def test_results_do_not_depend_on_vector_instructions_that_numpy_and_blas_find() -> None:
    """Their exponentials and sums have other last bits with other instructions; ours must not."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    without = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(found),
        "OPENBLAS_CORETYPE": "Prescott",
        "OPENBLAS_NUM_THREADS": "1",
    }
    checked = subprocess.run(
        [sys.executable, str(FILE.with_suffix(".py")), "--check", "candidates"],
        env={**os.environ, **without},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.stdout.endswith(" known, 0 differ\n"), checked.stdout + checked.stderr
