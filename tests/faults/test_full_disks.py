"""A full disk ends a run with one sentence, and the run goes on once there is room."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.run_processes import finish, write_data


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder with room for two megabytes, as root can make one."""
    place = tmp_path / "small"
    place.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place], check=True, capture_output=True
    )
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("algorithm", ["mcmc", "ais"])
def test_a_full_disk(algorithm: str, small_disk: Path, tmp_path: Path) -> None:
    data = write_data(tmp_path / "data.csv")
    arguments = ["sample", data, "--max-indegree", 2, "--seed", 5, "--algorithm", algorithm]
    arguments += (
        ["--particles", 400, "--steps", 1000, "--dags-per-state", 20]
        if algorithm == "ais"
        else ["--space", "partitions", "--chains", 4, "--steps", 400_000, "--dags-per-state", 3]
    )
    finish(*arguments, "--out", tmp_path / "whole")
    folder = small_disk / "run"
    # Something else fills the disk, all but a little.
    filler = small_disk / "filler"
    filler.write_bytes(bytes(1_700_000))
    _, errors = finish(*arguments, "--run", folder, "--checkpoint", 0.05, "--quiet", status=2)
    assert errors.count("\n") == 1
    assert "full" in errors
    assert "arcwise resume" in errors
    # It may be tried again to no avail.
    _, errors = finish("resume", folder, "--checkpoint", 0.05, status=2)
    assert errors.count("\n") == 1
    finish("status", folder)
    filler.unlink()
    out = tmp_path / "resumed"
    finish("resume", folder, "--checkpoint", 5, "--out", out)
    assert (out / "edges.csv").read_bytes() == (tmp_path / "whole" / "edges.csv").read_bytes()
