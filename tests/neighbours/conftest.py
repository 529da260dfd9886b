"""Which neighbours are there: pathmc and R live in environments of their own.

`make test-neighbours` says where, and says so if it did not find them.
"""

from __future__ import annotations

import os

import pytest

collect_ignore = [
    file
    for file, variable in (
        ("test_pathmc.py", "ARCWISE_PATHMC_PYTHON"),
        ("test_r.py", "ARCWISE_RSCRIPT"),
    )
    if not os.environ.get(variable)
] + ["pathmc_fit.py"]


def pytest_configure(config: pytest.Config) -> None:
    """Let the neighbours warn: only our own warnings are errors here."""
    config.addinivalue_line("filterwarnings", "ignore")
    config.addinivalue_line("filterwarnings", "error::arcwise.errors.ArcwiseWarning")
