"""A table for the commands to read."""

from __future__ import annotations

from pathlib import Path

import pytest

import arcwise


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with rows of the ASIA network: 300, or as many as ``ROWS`` of the module."""
    path = tmp_path_factory.mktemp("data") / "data.csv"
    arcwise.simulate("asia", getattr(request.module, "ROWS", 300), seed=3).write_csv(path)
    return path
