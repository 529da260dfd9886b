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


def test_damage_at_many_places(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data.csv")
    arguments = ["sample", data, "--max-indegree", 2, "--space", "partitions", "--seed", 5]
    arguments += ["--steps", 1_000_000, "--chains", 2]
    finish(*arguments, "--out", tmp_path / "whole")
    expected = (tmp_path / "whole" / "edges.csv").read_bytes()
    folder = tmp_path / "run"
    ledger = folder / "ledger.sqlite"
    begin = [*arguments, "--run", folder, "--checkpoint", 0.05]
    assert kill_after(8, 0.0, begin, signal.SIGKILL, ledger) == -signal.SIGKILL
    # What is still in the log beside it goes into the ledger, where it is to be damaged.
    with closing(sqlite3.connect(ledger)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert ledger.stat().st_size > 20_000
    random = np.random.default_rng(3)
    told = 0
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
        _, errors = finish("resume", damaged)
        told += "damaged" in errors
        assert (damaged / "edges.csv").read_bytes() == expected
        shutil.rmtree(damaged)
    assert told >= _CASES // 2
