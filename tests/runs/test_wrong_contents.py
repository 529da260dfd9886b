"""Run directories whose files are whole but hold what no run of theirs wrote."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import ArgumentError, FileFormatError, RunDirectoryError
from arcwise.runs.directory import (
    Arrays,
    arrays_of,
    digest_of,
    is_locked,
    locked,
    read_model,
    write_model,
)
from arcwise.runs.ledger import Ledger, pack, read_all, reading, unpack
from support.stopped_runs import Stop, checkpoints_whatever_they_cost, stopping_at

MODEL = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
Facts = dict[str, Any]


def begin(path: Path, checkpoint_seconds: float = 0.0, **more: Any) -> None:
    """Begin a run and stop it."""
    options: dict[str, Any] = {"steps": 300, "chains": 2, "seed": 1} | more
    with checkpoints_whatever_they_cost(), pytest.raises(Stop):
        arcwise.mcmc(
            MODEL,
            "partitions",
            directory=path,
            checkpoint_seconds=checkpoint_seconds,
            progress=stopping_at(0.8),
            **options,
        )


def rewrite(
    run: Path,
    change: Callable[[Facts, bytes], tuple[Facts, bytes]],
    of_state: Callable[[bytes], bytes] = bytes,
) -> None:
    """Write the ledger of a run anew, all of its digests right, with other contents."""
    path = run / "ledger.sqlite"
    with closing(sqlite3.connect(path)) as old:
        rows = old.execute("SELECT facts, draws, state FROM checkpoints ORDER BY number").fetchall()
    assert rows
    for file in run.glob("ledger.sqlite*"):
        file.unlink()
    with closing(Ledger(path)) as ledger:
        for facts, draws, state in rows:
            ledger.append(*change(json.loads(facts), draws), of_state(state) if state else b"")


def with_controller(**changes: Any) -> Callable[..., tuple[Facts, bytes]]:
    """Return a change of the controllers; a function makes the new value from the one before."""

    def changed(facts: Facts, draws: bytes) -> tuple[Facts, bytes]:
        controller = dict(facts["controller"])
        for name, value in changes.items():
            controller[name] = value(controller[name]) if callable(value) else value
        return facts | {"controller": controller}, draws

    return changed


def of_unequal_lengths(facts: Facts, draws: bytes) -> tuple[Facts, bytes]:
    records = unpack(draws)
    records[0] = {name: values[:0] for name, values in records[0].items()}
    return facts, pack(records)


DAMAGED: dict[str, Callable[..., tuple[Facts, bytes]]] = {
    "steps below none": with_controller(steps=-1),
    "draws that were not made": with_controller(draws=lambda draws: draws + 1),
    "an action that is none": with_controller(action={"kind": "dance", "amount": 1}),
    "an action of annealing": with_controller(action={"kind": "anneal", "amount": 1}),
    "a measurement without a rule": with_controller(action={"kind": "measure", "amount": 0}),
    "more steps than the budget": with_controller(action={"kind": "burn in", "amount": 10**9}),
    "draws without an end": with_controller(left=10**15),
    "a clock that is no number": with_controller(seconds="nan"),
    "no draws between stages": with_controller(
        boundaries=[{"states": 9**9, "steps": 1, "thinning": 1}]
    ),
    "no controller": lambda facts, draws: (facts | {"controller": None}, draws),
    "chains of different lengths": of_unequal_lengths,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_contents_that_cannot_be_are_damage(name: str, tmp_path: Path) -> None:
    begin(tmp_path)
    rewrite(tmp_path, DAMAGED[name])
    with pytest.raises(RunDirectoryError, match="is damaged, or was changed by something other"):
        arcwise.resume(tmp_path)


def test_a_controller_of_other_settings_is_refused(tmp_path: Path) -> None:
    begin(tmp_path)
    rewrite(tmp_path, with_controller(budget=lambda budget: budget | {"steps": 400}))
    with pytest.raises(RunDirectoryError, match="does not match its settings; start the run again"):
        arcwise.resume(tmp_path)


def test_sums_at_the_start_of_stages_are_those_of_the_chains(tmp_path: Path) -> None:
    begin(tmp_path / "run", until="rhat<1.0001", steps=800)
    others: dict[str, list[Any]] = {
        "of another shape": [np.array([0], np.int64), np.zeros((2, 3, 3))],
        "of other draws": [np.array([5], np.int64), np.zeros((2, 8, 8))],
        "of another type": [np.array([0], np.int64), np.zeros((2, 8, 8), np.float32)],
    }
    for name, marks in others.items():
        folder = tmp_path / name
        shutil.copytree(tmp_path / "run", folder)
        rewrite(folder, lambda facts, draws: (facts, draws), partial(with_marks, marks))
        with pytest.raises(RunDirectoryError, match="is damaged, or was changed by something"):
            arcwise.resume(folder)


def with_marks(marks: list[Any], state: bytes) -> bytes:
    """Return a state of chains with other sums at the start of stages."""
    whole, changed = io.BytesIO(state), io.BytesIO()
    for _ in np.load(whole):
        np.load(whole)
    for array in marks:
        np.save(changed, array)
    return changed.getvalue() + whole.read()


def test_a_time_without_its_zone_is_damage(tmp_path: Path) -> None:
    begin(tmp_path)
    rewrite(tmp_path, lambda facts, draws: (facts | {"time": "2024-01-01T00:00:00"}, draws))
    with pytest.raises(RunDirectoryError, match="is damaged, or was changed by something other"):
        arcwise.status(tmp_path)


def test_a_run_without_a_checkpoint_says_so(tmp_path: Path) -> None:
    begin(tmp_path, checkpoint_seconds=1e6)
    found = arcwise.status(tmp_path)
    assert found.checkpoints == 0
    assert "no checkpoint yet" in str(found)


def test_ledgers_that_are_something_else(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"no database at all" * 500)
    with pytest.raises(RunDirectoryError, match=r"ledger\.sqlite"):
        Ledger(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE others (number INTEGER)")
    assert read_all(path) == ([], [])
    with closing(Ledger(path)) as ledger:
        ledger.append({"controller": {}}, b"draws", b"state")
        with pytest.raises(RunDirectoryError, match=r"ledger\.sqlite"):
            ledger.copy(iter([(1, "{}", b"", b"", b"", b"")]))  # there is such a number already
        ledger._connection.execute("DROP TABLE checkpoints")
        assert ledger.last() is None
        with pytest.raises(RunDirectoryError, match=r"ledger\.sqlite"):
            list(ledger.draws())


@pytest.mark.parametrize("content", [pack([])[:-3], pack([{"names": np.array(["a", "b"])}])])
def test_packed_bytes_that_are_none_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"have no end|is no type of numbers"):
        unpack(content)


def test_errors_while_reading_are_told_in_one_sentence(tmp_path: Path) -> None:
    for error in (ValueError(3), KeyError("seed"), sqlite3.DatabaseError("malformed")):
        with (
            pytest.raises(RunDirectoryError, match=r"^'.*' is damaged, .*; restore it from a"),
            reading(tmp_path / "file"),
        ):
            raise error
    with pytest.raises(ArgumentError, match="as it is"), reading(tmp_path / "file"):
        raise ArgumentError("as it is")


WRONG: dict[str, tuple[arcwise.Model, Callable[[Arrays], Arrays]]] = {
    "prior of other variables": (MODEL, lambda arrays: {"prior_edge": np.zeros((3, 3))}),
    "values of other families": (MODEL, lambda arrays: {"values_0": np.zeros(3)}),
    "values of another type": (
        MODEL,
        lambda arrays: {"values_0": arrays["values_0"].astype(np.float32)},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_models_that_do_not_fit_themselves_are_refused(name: str, tmp_path: Path) -> None:
    model, change = WRONG[name]
    arrays = arrays_of(model)
    write_model(arrays, tmp_path / "model.npz")
    assert read_model(tmp_path / "model.npz", digest_of(arrays)).variables == model.variables
    wrong = dict(arrays) | dict(change(arrays))
    write_model(wrong, tmp_path / "model.npz")
    with pytest.raises(FileFormatError, match=r"is missing, damaged, or belongs to another run"):
        read_model(tmp_path / "model.npz", digest_of(wrong))


def test_lists_of_families_that_have_no_end_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "scores.jkl"
    file.write_text("2\na 2\n-1.0 0\n-2.0 1 b\nb 1\n-1.5 0\n")
    arrays = arrays_of(arcwise.Model(arcwise.scores.read_scores(file)))
    wrong = dict(arrays) | {"offsets_0": arrays["offsets_0"] + 1}
    write_model(wrong, tmp_path / "model.npz")
    with pytest.raises(FileFormatError, match=r"is missing, damaged, or belongs to another run"):
        read_model(tmp_path / "model.npz", digest_of(wrong))


def test_locks_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: set[int] = set()

    def locking(file: int, mode: int, size: int) -> None:
        assert (mode, size) == (2, 1)
        if held:
            raise OSError(36, "Resource deadlock avoided")
        held.add(file)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setattr("arcwise.runs.directory._PATIENCE", 0.0)
    with locked(tmp_path):
        assert is_locked(tmp_path)
        with pytest.raises(RunDirectoryError, match="another process is writing"):
            locked(tmp_path).__enter__()
    held.clear()  # as Windows does when the file is closed
    assert not is_locked(tmp_path)
