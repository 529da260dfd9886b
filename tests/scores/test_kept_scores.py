"""Scores that a file keeps as they are made: the same as all at once, whatever happens between."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import _core
from arcwise.model import Definition, Question, scoring
from arcwise.scores import family_scores
from arcwise.scores.family_scores import FamilyScoring, score_in_parts
from arcwise.support.devices import Processors
from arcwise.support.running import Stage

RUN = Stage(Processors(2))
DATA = arcwise.simulate("asia", 300, seed=1)
MANY = arcwise.read(np.random.default_rng(1).integers(0, 2, size=(60, 16)), kinds="discrete")
GAUSSIAN = arcwise.read(np.random.default_rng(1).normal(size=(60, 16)))
INTERVENED = arcwise.read(
    DATA, interventions={"smoke": [True] * 20 + [False] * 280, "lung": [False] * 299 + [True]}
)
FEW = {"either": ["tub", "lung"], "dysp": ["bronc"], "xray": ["either", "smoke"]}


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family_scores, "_SECONDS_OF_A_PART", 0.0)


def _job(data: arcwise.Data, **arguments: Any) -> FamilyScoring:
    return Question.of(data, Definition(**arguments)).scoring


JOBS = {
    "all sets": _job(MANY),
    "gaussian": _job(GAUSSIAN),
    "candidates": _job(DATA, candidates=FEW),
    "one more": _job(DATA, candidates=FEW, plus_one=True),
    "interventions": _job(INTERVENED),
}


class _Killed(Exception):
    pass


def _stopped_after(parts: int, scored: Callable[[], object], patch: pytest.MonkeyPatch) -> None:
    """Score until so many parts are in a file."""
    left = [parts]
    add = family_scores.PartsFile.add

    def counted(self: family_scores.PartsFile, first: int, count: int, values: Any) -> None:
        if left[0] == 0:
            raise _Killed
        left[0] -= 1
        add(self, first, count, values)

    with patch.context() as patched:
        patched.setattr(family_scores.PartsFile, "add", counted)
        with pytest.raises(_Killed):
            scored()


def _is_whole(table: _core.FamilyTable, job: FamilyScoring) -> bool:
    whole = job.score_all(RUN)
    nodes = range(len(job.families.variables))
    return all(np.array_equal(table.values(node), whole.values(node)) for node in nodes)


@pytest.mark.parametrize("name", JOBS)
def test_parts_are_the_whole_to_the_last_bit(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, path = JOBS[name], tmp_path / "scores"
    _stopped_after(1, lambda: score_in_parts(job, RUN, path), monkeypatch)
    size = path.stat().st_size
    _stopped_after(1, lambda: score_in_parts(job, RUN, path), monkeypatch)
    assert path.stat().st_size > size
    assert _is_whole(score_in_parts(job, RUN, path), job)
    with monkeypatch.context() as patched:
        patched.setattr(FamilyScoring, "fill", None)  # nothing is left to be scored
        again = score_in_parts(job, RUN, path)
    assert _is_whole(again, job)


@pytest.mark.parametrize("place", [0, 40, -1])
@pytest.mark.parametrize("damage", ["cut off", "changed"])
def test_what_is_damaged_is_scored_again(
    place: int, damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, path = JOBS["all sets"], tmp_path / "scores"
    _stopped_after(3, lambda: score_in_parts(job, RUN, path), monkeypatch)
    content = bytearray(path.read_bytes())
    if damage == "changed":
        content[place] ^= 0xFF
    path.write_bytes(content if damage == "changed" else content[:place])
    assert _is_whole(score_in_parts(job, RUN, path), job)


def test_scores_of_other_data_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "scores"
    score_in_parts(_job(MANY.take_rows(np.arange(50))), RUN, path)
    assert _is_whole(score_in_parts(JOBS["all sets"], RUN, path), JOBS["all sets"])


def test_learn_goes_on_from_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_WORTH_KEEPING", 0.0)
    whole = arcwise.learn(MANY, progress=None)
    path = tmp_path / "scores.partial"
    _stopped_after(2, lambda: score_in_parts(JOBS["all sets"], RUN, path), monkeypatch)
    found = arcwise.learn(MANY, directory=tmp_path, progress=None)
    assert np.array_equal(found.edges, whole.edges)
    assert not (tmp_path / "scores.partial").exists()


def test_parts_come_in_any_order(tmp_path: Path) -> None:
    """As they do from a cluster, of which some are then missing between others."""
    for job in JOBS.values():
        path = tmp_path / "scores"
        kept = family_scores.KeptScores(job, path)
        units = list(range(len(kept.plan)))
        for unit in units[::-2]:
            kept.take(unit, 1, kept.plan.score(unit, 1, 2, None))
        again = family_scores.KeptScores(job, path)
        stretches = again.missing()
        left = [unit for first, count in stretches for unit in range(first, first + count)]
        assert left == sorted(set(units) - set(units[::-2]))
        assert again.share == pytest.approx(len(units[::-2]) / len(units))
        assert _is_whole(score_in_parts(job, RUN, path), job)
        assert family_scores.KeptScores(job, path).missing() == []


def test_growth_keeps_the_scores_of_a_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "_WORTH_KEEPING", 0.0)
    whole = arcwise.grow(GAUSSIAN, seed=1)
    _stopped_after(
        2, lambda: arcwise.grow(GAUSSIAN, seed=1, file=tmp_path / "growth.json"), monkeypatch
    )
    assert (tmp_path / "growth.scores").stat().st_size > 100
    found = arcwise.grow(GAUSSIAN, seed=1, file=tmp_path / "growth.json")
    assert found.candidates == whole.candidates
    assert not (tmp_path / "growth.scores").exists()
