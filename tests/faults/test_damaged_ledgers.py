"""A ledger with flipped bits, or cut off, after a real kill: told of, and the same edges.csv."""

from __future__ import annotations

import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from faults.run_processes import finish, kill_after, write_data

_CASES = 16


def what_is_read(ledger: Path) -> list[tuple[object, ...]] | None:
    """Return what a run that goes on reads of a ledger; None if SQLite refuses it.

    States of earlier checkpoints are for the case that the last one is damaged.
    """
    copied = ledger.with_name("copied.sqlite")
    shutil.copy(ledger, copied)
    try:
        with closing(sqlite3.connect(copied)) as opened:
            rows = opened.execute("SELECT number, facts, draws, digest FROM checkpoints").fetchall()
            last = "SELECT state FROM checkpoints ORDER BY number DESC LIMIT 1"
            return [*rows, *opened.execute(last).fetchall()]
    except sqlite3.Error:
        return None
    finally:
        for each in ledger.parent.glob("copied.sqlite*"):
            each.unlink()


def test_damage_at_many_places(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data.csv")
    arguments = ["sample", data, "--max-indegree", 2, "--space", "partitions", "--seed", 5]
    arguments += ["--steps", 3_000_000, "--chains", 2]
    finish(*arguments, "--out", tmp_path / "whole")
    expected = (tmp_path / "whole" / "edges.csv").read_bytes()
    folder = tmp_path / "run"
    ledger = folder / "ledger.sqlite"
    begin = [*arguments, "--run", folder, "--checkpoint", 0.05]
    assert kill_after(8, 0.0, begin, signal.SIGKILL, ledger) == -signal.SIGKILL
    # What is still in the log beside it goes into the ledger, where it is to be damaged.
    with closing(sqlite3.connect(ledger)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    intact = what_is_read(ledger)
    assert ledger.stat().st_size > 20_000
    random = np.random.default_rng(3)
    harmed = 0
    for case in range(_CASES):
        damaged = tmp_path / f"damaged-{case}"
        shutil.copytree(folder, damaged)
        ledger = damaged / ledger.name
        content = bytearray(ledger.read_bytes())
        # Half of the ledger is empty; damage is where something is written.
        place = int(random.choice(np.flatnonzero(np.frombuffer(content, dtype=np.uint8))))
        if case % 4 == 3:
            del content[place:]
        else:
            content[place] ^= 1 << int(random.integers(8))
        ledger.write_bytes(bytes(content))
        if case % 2:
            (damaged / "ledger.sqlite-wal").unlink(missing_ok=True)
        harm = what_is_read(ledger) != intact
        _, errors = finish("resume", damaged)
        assert "damaged" in errors or not harm
        assert (damaged / "edges.csv").read_bytes() == expected
        shutil.rmtree(damaged)
        harmed += harm
    assert harmed >= _CASES // 4  # those cut off at least
