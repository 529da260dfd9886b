"""A cluster whose workers are threads of this process, and a model for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise import Model
from arcwise.cluster import host_files
from support.local_clusters import within_this_process


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Return a client of the cluster."""
    with within_this_process() as made:
        yield made


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache folder of workers, which is not there yet."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ARCWISE_CACHE", str(folder))
    host_files.OPENED.clear()
    return folder


@pytest.fixture(scope="session")
def model() -> Model:
    """Return a model of eight variables."""
    return Model(arcwise.simulate("asia", 400, seed=1), prior="uniform", max_indegree=2)
