"""Run directories whose files were damaged, or changed by someone who knows about the digests."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import arcwise
from arcwise.runs import ledger
from arcwise.runs.directory import LEDGER, MODEL, SETTINGS, _digest, digest_of
from arcwise.runs.ledger import pack, unpack
from fuzz import hostile
from fuzz.harness import Target
from support.stopped_runs import checkpoints_after


class RunDirectories(Target, name="ledger"):
    share = 3.0
    most_seconds = 1.0  # edited settings may ask for a long run

    def set_up(self) -> None:
        ledger._SYNCHRONOUS = "OFF"  # nobody cuts the power here
        data = arcwise.simulate("asia", 100, seed=1)
        model = arcwise.Model(data, max_indegree=2, threads=1)
        self.runs = []
        few: dict[str, Any] = {"seed": 1, "threads": 1}
        short = few | {"thinning": 5, "chains": 2}
        made: dict[str, tuple[Callable[..., arcwise.Posterior], Any, dict[str, Any]]] = {
            "mcmc": (arcwise.mcmc, model, short | {"steps": 60}),
            "dags": (arcwise.mcmc, model, short | {"steps": 60, "space": "dags"}),
            "rule": (
                arcwise.mcmc,
                model,
                few | {"steps": 200, "space": "partitions", "chains": 2, "until": "ess>9"},
            ),
            "mc3": (
                arcwise.mc3,
                model,
                short | {"steps": 40, "space": "layerings:3", "temperatures": 3},
            ),
            "ais": (arcwise.ais, model, few | {"particles": 6, "steps": 20}),
            "smc": (arcwise.smc, model, few | {"particles": 8, "runs": 3}),
            "learn": (
                arcwise.learn,
                data,
                short | {"max_indegree": 2, "algorithm": "mcmc", "steps": 60, "progress": None},
            ),
        }
        for name, (run, subject, options) in made.items():
            directory = self.folder / name
            with checkpoints_after(5):
                posterior = run(subject, directory=directory, **options)
            self.runs.append((directory, posterior.edges))

    def case(self, draw: random.Random) -> None:
        original, edges = draw.choice(self.runs)
        directory = self.folder / "changed"
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(original, directory)
        damage = draw.random() < 0.35
        if damage:
            path = draw.choice([path for path in sorted(directory.iterdir()) if path.is_file()])
            path.write_bytes(hostile.damaged(draw, path.read_bytes()))
        else:
            draw.choice([_settings, _facts, _facts, _draws, _state, _model])(draw, directory)
        with contextlib.suppress(arcwise.errors.ArcwiseError):
            str(arcwise.status(directory))
        resumed = arcwise.resume(directory, threads=1)
        if damage:
            # Never another result after plain damage.
            assert np.array_equal(resumed.edges, edges)


def _settings(draw: random.Random, directory: Path) -> None:
    """Edit the settings and write the digest that belongs to them."""
    file = directory / SETTINGS
    settings = json.loads(file.read_text())
    settings.pop("digest")
    changed = hostile.edited(draw, settings)
    if isinstance(changed, dict):
        changed["digest"] = _digest(changed)
    file.write_text(json.dumps(changed))


def _rows(directory: Path) -> list[list[Any]]:
    with sqlite3.connect(directory / LEDGER) as connection:
        found = connection.execute(
            "SELECT number, facts, draws, state, state_digest, digest FROM checkpoints"
        ).fetchall()
    return [list(row) for row in found]


def _write(directory: Path, rows: list[list[Any]]) -> None:
    """Write rows with digests that belong to them."""
    with sqlite3.connect(directory / LEDGER) as connection:
        connection.execute("DELETE FROM checkpoints")
        before = b""
        for row in rows:
            if row[3] is not None:
                row[4] = hashlib.sha256(row[3]).digest()
            with contextlib.suppress(TypeError, AttributeError):
                before = row[5] = ledger._digest(before, row[0], row[1], row[2], row[4])
            connection.execute(ledger._INSERT, row)
        connection.commit()


def _facts(draw: random.Random, directory: Path) -> None:
    rows = _rows(directory)
    row = draw.choice([rows[-1], draw.choice(rows)])
    if draw.random() < 0.1:
        row[1] = draw.choice(["", "[]", "nul", 5, "{}", "[" * 5000])
    else:
        row[1] = json.dumps(hostile.edited(draw, json.loads(row[1])))
    if draw.random() < 0.1:
        row[2] = draw.choice([b"", "text", 7, zlib.compress(b"x" * 100)])
    _write(directory, rows)


def _draws(draw: random.Random, directory: Path) -> None:
    rows = _rows(directory)
    row = draw.choice(rows)
    try:
        records = unpack(row[2])
    except Exception:  # annealing runs are packed by the core
        row[2] = zlib.compress(_resealed(draw, zlib.decompress(row[2])))
        _write(directory, rows)
        return
    record = draw.choice(records)
    name = draw.choice(list(record))
    kind = draw.random()
    if kind < 0.2:
        del record[name]
    elif kind < 0.5:
        made = hostile.array(draw)
        record[name] = made if made.dtype.kind in "biuf" else np.zeros(3)
    elif record[name].size:
        changed = record[name].copy()
        raw = changed.view(np.uint8).reshape(-1)
        raw[draw.randrange(raw.size)] ^= 1 << draw.randrange(8)
        record[name] = changed
    row[2] = pack(records)
    if draw.random() < 0.1:
        row[2] = hostile.damaged(draw, row[2])
    _write(directory, rows)


def _state(draw: random.Random, directory: Path) -> None:
    rows = _rows(directory)
    with_state = [row for row in rows if row[3]]
    if with_state:
        row = draw.choice([with_state[-1], draw.choice(with_state)])
        row[3] = _resealed(draw, row[3])
    _write(directory, rows)


def _resealed(draw: random.Random, sealed: bytes) -> bytes:
    """Return bytes of the core with others among them, and the checksum that belongs to them."""
    if draw.random() < 0.2:
        return hostile.damaged(draw, sealed)
    body = bytearray(sealed[:-8])
    for _ in range(draw.choice([1, 1, 2, 5])):
        place = draw.randrange(len(body))
        if draw.random() < 0.5:
            body[place] ^= 1 << draw.randrange(8)
        else:
            word = draw.choice([0, 1, 2**63, 2**64 - 1, 2**32, 2**52, 7]).to_bytes(8, "little")
            body[place : place + 8] = word[: len(body) - place]
    return bytes(body) + _checksum(bytes(body))


def _checksum(body: bytes) -> bytes:
    """Return the core's checksum of bytes: FNV-1a of 64 bits, lowest byte first."""
    state = 0xCBF29CE484222325
    for byte in body:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state.to_bytes(8, "little")


def _model(draw: random.Random, directory: Path) -> None:
    """Edit the model, and write its digest to the settings."""
    path = directory / MODEL
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = draw.choice([*arrays, "header"])
    if name == "header":
        header = hostile.edited(draw, json.loads(arrays["header"].tobytes()))
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    elif draw.random() < 0.5 and arrays[name].size:
        changed = arrays[name].copy()
        changed.flat[draw.randrange(changed.size)] = draw.choice([0, 1, 3, 7])
        arrays[name] = changed
    else:
        made = hostile.array(draw)
        arrays[name] = made if made.dtype.kind in "biuf" else np.zeros(2)
    np.savez(path, **arrays)
    file = directory / SETTINGS
    settings = json.loads(file.read_text())
    settings.pop("digest")
    settings["model"] = digest_of(arrays)
    file.write_text(json.dumps(settings | {"digest": _digest(settings)}))
