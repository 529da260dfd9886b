"""What a run directory refuses, each in one sentence: other data, settings, versions, writers."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import (
    ArcwiseError,
    ArgumentError,
    DamageWarning,
    FileFormatError,
    RunDirectoryError,
)
from arcwise.runs import directory, ledger
from arcwise.runs.directory import is_locked, locked
from arcwise.runs.ledger import read_all
from arcwise.support import files
from support.stopped_runs import Stop, checkpoints_after, stopping_at

_DATA = arcwise.simulate("asia", 200, seed=1)
_MODEL = arcwise.Model(_DATA, max_indegree=2)


def _begin(path: Path, **changed: Any) -> None:
    """Begin a run and stop it, or go on with one; there is a checkpoint after every few steps."""
    options: dict[str, Any] = {"model": _MODEL, "space": "partitions", "steps": 2000, "seed": 1}
    told: dict[str, Any] = {"chains": 2, "directory": path} | options | changed
    model, space = told.pop("model"), told.pop("space")
    with checkpoints_after(40), pytest.raises(Stop):
        arcwise.mcmc(model, space, progress=stopping_at(0.8), **told)


def _refusal(action: Any, kind: type[ArcwiseError]) -> str:
    with pytest.raises(kind) as caught:
        action()
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"seed": 2}, "started with seed = 1, not 2"),
        ({"steps": 2001}, "started with steps = 2000, not 2001"),
        ({"chains": 3}, "started with chains = 2, not 3"),
        ({"space": "dags"}, "started with space.kind = "),
        ({"burn_in": 0.4}, "started with burn_in = 0.2, not 0.4"),
        ({"dags_per_state": 2}, "started with dags_per_state = 1, not 2"),
        ({"model": arcwise.Model(_DATA, max_indegree=1)}, "with digest of model and data = "),
        (
            {"model": arcwise.Model(_DATA, max_indegree=2, prior="fair")},
            "with digest of model and data = ",
        ),
        (
            {"model": arcwise.Model(arcwise.simulate("asia", 200, seed=2), max_indegree=2)},
            "started with data fingerprint = ",
        ),
    ],
)
def test_other_settings_are_refused_by_name(
    changed: dict[str, Any], named: str, tmp_path: Path
) -> None:
    _begin(tmp_path)
    sentence = _refusal(lambda: _begin(tmp_path, **changed), RunDirectoryError)
    assert named in sentence
    assert str(tmp_path) in sentence
    _begin(tmp_path)  # the same is gone on with


def test_another_algorithm_is_refused(tmp_path: Path) -> None:
    _begin(tmp_path)
    sentence = _refusal(
        lambda: arcwise.ais(_MODEL, particles=3, steps=10, directory=tmp_path), RunDirectoryError
    )
    assert 'started with algorithm = "mcmc", not "ais"' in sentence


def test_another_version_is_refused(tmp_path: Path) -> None:
    _begin(tmp_path)
    settings = json.loads((tmp_path / "settings.json").read_text())
    del settings["digest"]
    settings["arcwise"] = "0.0.9"
    settings["digest"] = directory._digest(settings)
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    sentence = _refusal(lambda: arcwise.resume(tmp_path), RunDirectoryError)
    assert 'started with arcwise version = "0.0.9", not' in sentence
    assert "continue it with that version" in sentence
    settings["format_version"] = 99
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    assert "newer version of arcwise" in _refusal(lambda: arcwise.resume(tmp_path), FileFormatError)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    _begin(tmp_path)
    assert not is_locked(tmp_path)
    script = (
        "import sys; from pathlib import Path; from arcwise.runs.directory import locked\n"
        "with locked(Path(sys.argv[1])):\n    print('locked', flush=True)\n    sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        assert is_locked(tmp_path)
        assert arcwise.status(tmp_path).state == "running"
        sentence = _refusal(lambda: arcwise.resume(tmp_path), RunDirectoryError)
        assert "another process is writing" in sentence
        # However it ends, the lock goes with it.
        other.kill()
        other.wait()
    assert not is_locked(tmp_path)
    with locked(tmp_path):
        assert "another process" in _refusal(
            lambda: locked(tmp_path).__enter__(), RunDirectoryError
        )


def test_to_look_for_a_writer_disturbs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_locked(tmp_path)
    assert list(tmp_path.iterdir()) == []
    _begin(tmp_path)
    with open(tmp_path / "lock") as looked_at:
        fcntl.flock(looked_at, fcntl.LOCK_EX)

        def sleep(_: float) -> None:
            assert not looked_at.closed
            looked_at.close()

        clock = SimpleNamespace(monotonic=lambda: 0.0, sleep=sleep)
        monkeypatch.setattr(files, "time", clock)
        with locked(tmp_path):
            assert looked_at.closed  # it was waited for
            assert is_locked(tmp_path)


def test_a_folder_that_may_not_be_written_to_is_read(tmp_path: Path, monkeypatch: Any) -> None:
    _begin(tmp_path)
    expected = arcwise.status(tmp_path)
    connected = ledger._connected

    def refusing(path: Path, mode: str) -> sqlite3.Connection:
        if mode == "ro":
            error = sqlite3.OperationalError("attempt to write a readonly database")
            error.sqlite_errorname = "SQLITE_READONLY_CANTINIT"
            raise error
        return connected(path, mode)

    monkeypatch.setattr(ledger, "_connected", refusing)
    assert arcwise.status(tmp_path) == expected
    assert expected.checkpoints > 0


def test_folders_without_a_run(tmp_path: Path) -> None:
    for action in (arcwise.resume, arcwise.status):
        assert "there is no run" in _refusal(lambda: action(tmp_path / "no"), ArgumentError)  # noqa: B023
        assert "there is no run" in _refusal(lambda: action(tmp_path), ArgumentError)  # noqa: B023
    file = tmp_path / "file"
    file.write_text("")
    assert "is a file" in _refusal(lambda: _begin(file), ArgumentError)
    for action in (arcwise.resume, arcwise.status):
        assert "there is no run" in _refusal(lambda: action(file), ArgumentError)  # noqa: B023
    (tmp_path / "ledger.sqlite").write_bytes(b"something")
    assert "no settings.json" in _refusal(lambda: _begin(tmp_path), RunDirectoryError)


def test_arguments_that_cannot_be(tmp_path: Path) -> None:
    for seconds in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ArgumentError, match="checkpoint_seconds"):
            arcwise.mcmc(_MODEL, steps=100, directory=tmp_path, checkpoint_seconds=seconds)

    class Mine(arcwise.spaces.LinearOrders):
        pass

    with pytest.raises(ArgumentError, match="only the spaces of arcwise"):
        arcwise.mcmc(_MODEL, Mine(), steps=100, directory=tmp_path)
    assert not (tmp_path / "settings.json").exists()


def _said_of_files(path: Path) -> str | None:
    try:
        settings = directory.read_directory(path)
        model = directory.read_model(path / "model.npz", settings["model"])
    except FileFormatError as error:
        return str(error)
    assert settings["seed"] == 1
    for node in range(8):
        expected = _MODEL.weights.table.values(node)
        np.testing.assert_array_equal(model.weights.table.values(node), expected)
    return None


def test_damaged_settings_and_models_are_refused(tmp_path: Path) -> None:
    _begin(tmp_path)
    random = np.random.default_rng(5)
    for name in ("settings.json", "model.npz"):
        file = tmp_path / name
        whole = file.read_bytes()
        for _ in range(60):
            damaged = bytearray(whole)
            damaged[int(random.integers(len(whole)))] ^= 1 << int(random.integers(8))
            file.write_bytes(bytes(damaged))
            # A bit of the archive that nobody reads may be flipped, and a blank in the text.
            said = _said_of_files(tmp_path)
            assert said is None or str(file) in said
        file.write_bytes(whole[: len(whole) // 2])
        assert str(file) in _refusal(lambda: arcwise.resume(tmp_path), FileFormatError)
        file.write_bytes(whole)
    (tmp_path / "model.npz").unlink()
    assert "missing" in _refusal(lambda: arcwise.resume(tmp_path), FileFormatError)


def test_a_damaged_ledger_is_told_of_and_the_result_is_the_same(tmp_path: Path) -> None:
    expected = arcwise.mcmc(_MODEL, "partitions", steps=2000, seed=1, chains=2)
    _begin(tmp_path / "run")
    ledger = tmp_path / "run" / "ledger.sqlite"
    whole = ledger.read_bytes()
    # A checkpoint of the burn-in has no draws.
    written = dict(enumerate(read_all(ledger)[1], 1))
    largest = max(map(len, written.values()))
    with_draws = [number for number, draws in written.items() if 2 * len(draws) > largest]
    assert len(with_draws) > 5
    for share in (0.2, 0.5, 0.9):
        number = with_draws[int(share * len(with_draws))]
        damaged = bytearray(written[number])
        damaged[50] ^= 16
        for suffix in ("-wal", "-shm"):
            ledger.with_name(ledger.name + suffix).unlink(missing_ok=True)
        ledger.write_bytes(whole)
        # In the file itself, SQLite may have split the record over pages.
        with closing(sqlite3.connect(ledger)) as changed, changed:
            values = (bytes(damaged), number)
            changed.execute("UPDATE checkpoints SET draws = ? WHERE number = ?", values)
        with pytest.warns(DamageWarning, match=f"was damaged after checkpoint {number - 1};"):
            found = arcwise.resume(tmp_path / "run")
        np.testing.assert_array_equal(found.edges, expected.edges)
        np.testing.assert_array_equal(found.dags.parents, expected.dags.parents)


def test_a_directory_that_cannot_be_written(tmp_path: Path, monkeypatch: Any) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(directory, "write_model", full)
    sentence = _refusal(lambda: _begin(tmp_path), RunDirectoryError)
    assert "its disk is full" in sentence
    monkeypatch.undo()
    _begin(tmp_path)
    (tmp_path / "lock").unlink()
    (tmp_path / "lock").mkdir()
    assert "cannot be written" in _refusal(lambda: arcwise.resume(tmp_path), RunDirectoryError)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL])
def test_a_file_system_without_locks(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    sentence = _refusal(lambda: _begin(tmp_path / "run"), RunDirectoryError)
    assert "does not support locks" in sentence
    assert "move this one there to continue its run" in sentence
    assert not is_locked(tmp_path / "run")


def test_a_ledger_that_stays_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _begin(tmp_path / "run")
    monkeypatch.setattr(ledger, "_SECONDS_TO_WAIT", 0.05)
    with closing(sqlite3.connect(tmp_path / "run" / "ledger.sqlite")) as other:
        other.execute("BEGIN EXCLUSIVE")
        sentence = _refusal(lambda: arcwise.resume(tmp_path / "run"), RunDirectoryError)
    assert "stayed locked for" in sentence
    assert sentence.endswith(f"then continue with arcwise.resume({str(tmp_path / 'run')!r})")


def test_a_path_too_long_for_sqlite(tmp_path: Path) -> None:
    deep = tmp_path
    while len(str(deep)) < 520:
        deep = deep / ("x" * 60)
    sentence = _refusal(lambda: _begin(deep), RunDirectoryError)
    assert "use a directory with a shorter path" in sentence
